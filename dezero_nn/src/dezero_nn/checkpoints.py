"""Checkpoints: everything that a training needs to go on, saved and loaded as a whole or not."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipInfo

import numpy as np

from .checkpoint_parts import (
    FORMAT,
    GENERATOR,
    GLOBAL,
    HEADER,
    KINDS,
    opened,
    plan_of_layer,
    read_all,
    state_of_layer,
)
from .docstrings import described
from .generators import generator_as_text, plan_to_set
from .layers import Layer
from .npz import FileArray, npz_path, write_npz

__all__ = ["load_checkpoint", "save_checkpoint"]

Plan = Callable[[], None]
"""Loads a part, after everything was looked at."""


@described
def save_checkpoint(path: str | os.PathLike[str], **parts: Any) -> None:
    """Write models, optimizers and all that a training needs to go on into one file.

    The state of ``np.random`` is always saved, from which dropout draws by default.

    path (str or path-like): with ``.npz`` at its end, or it is added. An older file is replaced
        when the new one is complete: an interrupt leaves the old one.
    parts (Layer, Optimizer, Schedule, DataLoader, Generator, RandomState, number or str): under any
        names. Of a Layer: its Parameters, its States, and the generators in its attributes and
        those of the layers in it, as `rng` of `Dropout`; not the hidden state of recurrent layers.
        Of other objects: what their ``state_dict()`` returns, a dict of str to ndarray, number or
        str. A generator of a random transform is a part of its own.
    Raises ValueError: if a parameter has no data yet, or two of a layer have the same name; or if a
        part with arrays has a name with ``/``.
    Raises TypeError: if a part is something else.
    Raises FileNotFoundError: if there is no such folder.

    >>> import os, tempfile
    >>> from dezero_nn.layers import Linear
    >>> from dezero_nn.optimizers import Adam
    >>> model = Linear(3, in_size=2)
    >>> optimizer = Adam().setup(model)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "training")
    ...     save_checkpoint(path, model=model, optimizer=optimizer, epoch=5)
    ...     model.W.data[:] = 0.0
    ...     load_checkpoint(path, model=model, optimizer=optimizer)
    {'epoch': 5}
    """
    arrays: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for name, part in parts.items():
        values[name] = {}
        for key, value in _state_of(name, part).items():
            if isinstance(value, np.ndarray) and value.dtype.kind in "biufcSU":
                arrays[_path_of(name, key)] = value
            elif isinstance(value, (bool, int, float, str, type(None))):
                values[name][key] = value
            elif isinstance(value, np.generic) and value.dtype.kind in "biufU":
                values[name][key] = value.item()
            else:
                raise TypeError(
                    f"save_checkpoint: {name}/{key} is of {type(value)}, but a file can hold only "
                    "arrays of numbers, numbers and text."
                )
    header = {"format": FORMAT, "parts": values, GLOBAL: generator_as_text(np.random)}
    write_npz(npz_path(path), arrays | {HEADER: np.array(json.dumps(header))})


@described
def load_checkpoint(path: str | os.PathLike[str], **parts: Any) -> dict[str, Any]:
    """Set models, optimizers and others to what a file of `save_checkpoint` has.

    Parts of the file that are not named here are left out: a model can be loaded alone. The state
    of ``np.random`` is set in any case. Parameters are changed in place; gradients stay. There is
    an example at `save_checkpoint`.

    path (str or path-like): as of `save_checkpoint`.
    parts (Layer, Optimizer, Schedule, DataLoader, Generator or RandomState): made as those that
        were saved, and under their names.
    Returns (dict): the numbers and texts that were saved as parts, by their names.
    Raises FileNotFoundError: if there is no such file.
    Raises ValueError: if the file is no checkpoint, is damaged, or does not fit: the message says
        what differs, such as a parameter and both shapes, or a number that the constructor of a
        part refuses. Nothing is changed then, and no array was read that does not fit.
    Raises TypeError: if a part is something else.
    """
    file = npz_path(path)
    with opened(file) as (global_state, states):
        missing = [name for name in parts if name not in states]
        if missing:
            raise ValueError(
                f"load_checkpoint: {file} has no part {missing[0]!r}. Its parts are "
                f"{', '.join(states) or 'none'}."
            )
        with _fitting(file, GLOBAL):
            plans, others = [plan_to_set(np.random, global_state, GLOBAL)], {}
        for name, part in parts.items():
            with _fitting(file, name):
                plan = _plan(name, part, states[name])
                if plan is None:
                    others[name] = part, _read(states[name])
                else:
                    plans.append(plan)
    _load_or_restore(file, others)
    for load in plans:
        load()
    return {name: state[""] for name, state in states.items() if "" in state}


def _path_of(name: str, key: str) -> str:
    """Return the path of an array in a file, if the names can be read from it again."""
    path = f"{name}/{key}"
    # A file cuts a path where it has a zero, and writes the separators of the system as "/".
    if not key or ZipInfo(path).filename.partition("/") != (name, "/", key):
        raise ValueError(
            f"save_checkpoint: an array {key!r} of the part {name!r} cannot be found again in a "
            "file. Arrays need a name, and their part one without '/'."
        )
    return path


def _state_of(name: str, part: Any) -> Mapping[str, Any]:
    if isinstance(part, Layer):
        return state_of_layer(name, part)
    if isinstance(part, KINDS):
        return {GENERATOR: generator_as_text(part)}
    if isinstance(part, (bool, int, float, str, np.generic)):
        return {"": part}
    _require_methods("save_checkpoint", name, part)
    return dict(part.state_dict())


@contextmanager
def _fitting(file: Path, name: str, other: type[Exception] = ValueError) -> Iterator[None]:
    """Let a ValueError of a block, or another, say which part of which file does not fit."""
    try:
        yield
    except (ValueError, other) as error:
        raise ValueError(
            f"load_checkpoint: {name!r} of {file} does not fit, and nothing was changed. {error}"
        ) from error


def _read(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state with its arrays, as it was given to `save_checkpoint`."""
    return {key: read_all(x) if isinstance(x, FileArray) else x for key, x in state.items()}


def _plan(name: str, part: Any, state: Mapping[str, Any]) -> Plan | None:
    """Return a function that loads a part; None if only the part itself can say whether it fits."""
    if isinstance(part, Layer):
        return plan_of_layer(part, state)
    if isinstance(part, KINDS):
        if GENERATOR not in state:
            raise ValueError(f"{name!r} is a generator here, but not in the file.")
        return plan_to_set(part, state[GENERATOR], name)
    _require_methods("load_checkpoint", name, part)
    return part.plan_to_load(state) if hasattr(part, "plan_to_load") else None


def _require_methods(who: str, name: str, part: Any) -> None:
    if not hasattr(part, "state_dict") or not hasattr(part, "load_state_dict"):
        raise TypeError(
            f"{who}: {name!r} is of {type(part)}. Parts are layers, optimizers, schedules, "
            "loaders, generators, and objects with state_dict() and load_state_dict(state). "
            "Numbers and text are saved, too, and load_checkpoint returns them."
        )


def _load_or_restore(file: Path, parts: Mapping[str, tuple[Any, Any]]) -> None:
    """Load parts that have no plans; if one fails, let all of them be as before."""
    done: list[tuple[Any, Any, Any]] = []
    for name, (part, state) in parts.items():
        done.append((part, copy.deepcopy(part.state_dict()), dict(getattr(part, "__dict__", {}))))
        try:
            with _fitting(file, name, LookupError):
                part.load_state_dict(state)
        except BaseException:
            for each, before, attributes in reversed(done):
                each.load_state_dict(before)
                getattr(each, "__dict__", {}).update(attributes)
            raise
