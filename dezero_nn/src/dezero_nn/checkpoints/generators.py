"""The random generators that layers have, as parts of a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..generators import generator_as_text, set_generator
from ..layers import Layer

KINDS = (np.random.Generator, np.random.RandomState)


def plan_to_set(rng: Any, text: str, name: str) -> Callable[[], None]:
    """Return a function that sets the state of a generator.

    Raises
    ------
    ValueError
        If the state is one of another kind of generator.
    """
    now = generator_as_text(rng)
    set_generator(rng, text, name)  # raises an error if it does not fit
    set_generator(rng, now, name)
    return lambda: set_generator(rng, text, name)


def generators_of(layer: Layer) -> dict[str, Any]:
    """Return the generators in the attributes of a layer and of those in it, by their name.

    Returns
    -------
    dict of str to Generator or RandomState
        Names are as in `Layer.variables`; one that several layers share is there once.
    """
    return dict(_found("", layer, set()))


def _found(name: str, value: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    items: Any = ()
    if isinstance(value, Layer):
        items = vars(value).items()
    elif isinstance(value, dict):
        items = value.items()
    elif isinstance(value, (list, tuple)):
        items = enumerate(value)
    elif not isinstance(value, KINDS):
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, KINDS):
        yield name, value
    for key, item in list(items):
        yield from _found(f"{name}/{key}" if name else str(key), item, seen)
