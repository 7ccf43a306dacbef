"""How the parts of a checkpoint are in a file, and what of a layer is in it.

A file has the arrays of all parts, and one text: JSON with their numbers and texts, and with the
states of generators.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .generators import generator_as_text, plan_to_set
from .layers import Layer, State
from .layers.layer import found_in
from .npz import FileArray, Shape, accepts, fits, open_npz, readable, shape_text

HEADER = "checkpoint"
"""The name of the text."""

FORMAT = 1

GLOBAL = "np.random"
"""The key of the state of NumPy's own generator in the text."""

KINDS = (np.random.Generator, np.random.RandomState)

GENERATOR = "generator "
"""Begins the keys of generators."""


@contextmanager
def opened(file: Path) -> Iterator[tuple[Any, dict[str, dict[str, Any]]]]:
    """Open a file for a block: return the state of ``np.random``, and those of the parts by name.

    A state has numbers, texts, and arrays that are in the open file.

    Raises FileNotFoundError, ValueError: if there is no such file, or it is no checkpoint.
    """
    with ExitStack() as stack:
        try:
            arrays = stack.enter_context(open_npz(file))
            with readable(HEADER, MemoryError):
                header = json.loads(str(read_all(arrays.pop(HEADER))))
                made, found = header["format"], None
                if made == FORMAT:
                    found = header[GLOBAL], _states(header["parts"], arrays)
        except ValueError as error:
            raise ValueError(
                f"load_checkpoint: {file} is no checkpoint, or is damaged ({error}). Give a file "
                "that save_checkpoint has written."
            ) from error
        if found is None:
            raise ValueError(
                f"load_checkpoint: {file} is of format {made!r}, and this version of dezero-nn "
                f"reads format {FORMAT}. Install the version that wrote the file."
            )
        yield found


def read_all(array: FileArray) -> Any:
    """Read an array of which nobody knows how large it should be: it must not be compressed."""
    array.require_plain()
    return array.copy()


def _states(parts: Mapping[str, Any], arrays: Mapping[str, FileArray]) -> dict[str, dict[str, Any]]:
    states = {name: dict(values) for name, values in parts.items()}
    for name, state in states.items():
        for key, value in state.items():
            if not isinstance(value, (bool, int, float, str, type(None))):
                raise ValueError(
                    f"{name}/{key} is {type(value).__name__}, and not a number or text"
                )
    for path, array in arrays.items():
        name, _, key = path.partition("/")
        if not key or key in states[name]:
            raise ValueError(f"{path!r} is not the name of an array")
        states[name][key] = array
    return states


def _generators_of(layer: Layer) -> dict[str, Any]:
    """Return the generators in a layer and in those in it, once, by names as of its Parameters."""
    return dict(found_in(layer, KINDS))


def state_of_layer(name: str, layer: Layer) -> dict[str, Any]:
    """Return the arrays of a layer and the states of its generators, for a file."""
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
        GENERATOR + key: generator_as_text(x) for key, x in _generators_of(layer).items()
    }


def plan_of_layer(layer: Layer, state: Mapping[str, Any]) -> Callable[[], None]:
    """Return a function that loads a state into a layer, or raise a ValueError if it does not fit.

    state: as `state_of_layer` returns it, with the arrays of an open file.
    """
    variables, generators = dict(layer.variables()), _generators_of(layer)
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
    """Raise an error unless what a file has can be put into a variable, which may get its shape."""
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
