"""The state of a layer: its Parameters and States by their names, and its generators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..generators import generator_as_text, plan_to_set
from ..layers import Layer, State
from ..layers.weights import Shape, accepts, fits, shape_text
from ..npz import FileArray
from .generators import generators_of

GENERATOR = "generator "
"""Begins the keys of generators."""


def state_of_layer(name: str, layer: Layer) -> dict[str, Any]:
    """Return the arrays of a layer and the states of its generators, for a file.

    name: of the part, for errors.
    Raises ValueError: if a parameter has no data yet, or two have one name.
    """
    state: dict[str, Any] = {}
    for key, variable in layer.variables():
        if variable.data is None and not isinstance(variable, State):
            raise ValueError(
                f"save_checkpoint: {name}/{key} has no data yet. Call the model once, or give its "
                "layers in_size=."
            )
        if key in state:
            raise ValueError(
                f"save_checkpoint: {name} has two parameters with the name {key!r}. Choose another "
                "name for the attribute or the key of one of them."
            )
        state[key] = None if variable.data is None else variable.check_data()
    return state | {
        GENERATOR + key: generator_as_text(x) for key, x in generators_of(layer).items()
    }


def plan_of_layer(layer: Layer, state: Mapping[str, Any]) -> Callable[[], None]:
    """Return a function that loads a state into a layer, which it fits.

    state: as `state_of_layer` returns it, with the arrays of an open file.
    Raises ValueError: if a name is missing or unknown, or an array has another shape or dtype, or
        is damaged.
    """
    variables, generators = dict(layer.variables()), generators_of(layer)
    shapes = layer.shapes_to_come()
    here = [*variables, *(GENERATOR + key for key in generators)]
    for what, names in (
        ("is not in the file", [key for key in here if key not in state]),
        ("is in the file, and not in the model", [key for key in state if key not in here]),
    ):
        if names:
            names.sort(key=lambda name: name.startswith(GENERATOR))
            more = f", and {len(names) - 1} more" if len(names) > 1 else ""
            raise ValueError(f"{names[0]!r} {what}{more}.")
    for key, variable in variables.items():
        _require_fitting(key, variable, state[key], shapes.get(id(variable)))
    plans = [plan_to_set(rng, state[GENERATOR + key], key) for key, rng in generators.items()]
    arrays = {key: None if state[key] is None else state[key].copy() for key in variables}

    def load() -> None:
        for key, variable in variables.items():
            if variable.data is None or arrays[key] is None:
                variable.data = arrays[key]
            else:
                variable.data[...] = arrays[key]
        for plan in plans:
            plan()

    return load


def _require_fitting(key: str, variable: Any, array: Any, shape: Shape | None) -> None:
    """Raise an error unless what a file has can be put into a variable.

    shape: the shape that the variable is to get, if it has no data yet.
    """
    if array is None and isinstance(variable, State):
        return
    if not isinstance(array, FileArray):
        raise ValueError(f"{key!r} is {array!r} in the file, and not an array.")
    if variable.data is None:
        if not fits(array, shape):
            raise ValueError(
                f"{key!r} needs shape {shape_text(shape)}, got {array.shape} in the file."
            )
        if not accepts(variable, array.dtype):
            raise ValueError(f"{key!r} takes numbers, got {array.dtype} in the file.")
        array.require_plain()
        return
    data = variable.check_data()
    here, there = (f"{x.dtype}{list(x.shape)}" for x in (data, array))
    if here != there:
        raise ValueError(f"{key!r} is {here} here, but {there} in the file.")
    if not data.flags.writeable:
        raise ValueError(f"{key!r} holds a read-only array here. Write p.data = p.data.copy().")
