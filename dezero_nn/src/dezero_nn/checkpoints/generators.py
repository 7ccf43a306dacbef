"""The random generators that layers have, as parts of a checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..generators import generator_as_text, set_generator
from ..layers.layer import Layer, found_in

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
    return dict(found_in(layer, KINDS))
