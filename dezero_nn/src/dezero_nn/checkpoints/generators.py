"""The states of random number generators, as text for checkpoints."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..layers import Layer

KINDS = (np.random.Generator, np.random.RandomState)


def state_of(rng: Any) -> str:
    """Return the state of a Generator, of a RandomState or of ``np.random``, as JSON."""
    if isinstance(rng, np.random.Generator):
        state = rng.bit_generator.state
    else:
        state = rng.get_state(legacy=False)
    return json.dumps(_plain(state))


def plan_to_set(rng: Any, text: str, name: str) -> Callable[[], None]:
    """Return a function that sets the state of a generator.

    Raises
    ------
    ValueError
        If the state is one of another kind of generator.
    """
    state = _as_before(json.loads(text))
    kind, own = state["bit_generator"], json.loads(state_of(rng))["bit_generator"]
    if kind != own:
        raise ValueError(
            f"the generator {name!r} is a {own} here, and a {kind} in the file. Make it as that "
            "one was."
        )

    def load() -> None:
        if isinstance(rng, np.random.Generator):
            rng.bit_generator.state = state
        else:
            rng.set_state(state)

    return load


def generators_of(layer: Layer, name: str = "") -> dict[str, Any]:
    """Return the generators that a layer and those in it have in attributes, by their name.

    Returns
    -------
    dict of str to Generator or RandomState
        Names are as in `Layer.variables`; one that several layers share is there once.
    """
    return dict(_found(name, layer, set()))


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
    for key, item in items:
        yield from _found(f"{name}/{key}" if name else str(key), item, seen)


def _plain(x: Any) -> Any:
    """Return a state without arrays, which JSON has not."""
    if isinstance(x, dict):
        return {key: _plain(value) for key, value in x.items()}
    if isinstance(x, np.ndarray):
        return {"dtype": x.dtype.str, "values": x.tolist()}
    return x.item() if isinstance(x, np.generic) else x


def _as_before(x: Any) -> Any:
    if isinstance(x, dict):
        if x.keys() == {"dtype", "values"}:
            return np.array(x["values"], x["dtype"])
        return {key: _as_before(value) for key, value in x.items()}
    return x
