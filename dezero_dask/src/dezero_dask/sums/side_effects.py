"""Whether a function changes objects that it refers to: a counter, running means, a generator."""

from __future__ import annotations

import gc
import pickle
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import zip_longest
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from dezero_core.extend import PACKAGES, attempt

_GENERATORS = (
    *(np.random.Generator, np.random.RandomState, np.random.BitGenerator),
    random.Random,
)

_MOST = 10_000
"""So many objects are looked at, at most."""

_LARGEST = 2**20
"""Bytes of the largest array whose numbers are looked at: larger ones are data, and no state."""

_DEEPEST = 3
"""So many dots the code may write after a module: ``package.module.generator``."""

_LIBRARIES = {"numpy", "scipy", "dask", "distributed", *sys.stdlib_module_names}
"""Packages whose functions and classes are not looked into; nor are those of DeZero's plugins."""


class Snapshot:
    """The state of all that a function refers to, before it is called.

    The function refers to the objects in its closure, its defaults, the globals that its code
    names, and all that these refer to, at any depth. NumPy's global generator is always one.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._objects = list(_objects_behind(function))
        self._before = self._now()

    def is_changed(self) -> bool:
        """Return whether an object has changed since, by the function or by somebody else."""
        return any(
            before is not now and not (isinstance(now, bytes) and before == now)
            for before, now in zip_longest(self._before, self._now())
        )

    def _now(self) -> list[Any]:
        """Return the bytes of numbers, and the objects that others refer to: they stay alive."""
        found: list[Any] = [pickle.dumps(np.random.get_state(legacy=False))]
        for x in self._objects:
            if isinstance(x, _GENERATORS):  # that of the operating system has no state
                found.append(attempt(partial(pickle.dumps, x)))
            elif isinstance(x, np.ndarray) and x.nbytes <= _LARGEST:
                found.append(x.tobytes())
            else:
                found += _children(x)
        return found


def _objects_behind(function: Any) -> Iterator[Any]:
    """Yield the objects that a function refers to, at any depth, with the function itself."""
    seen: dict[int, Any] = {}
    waiting = [function]
    while waiting and len(seen) < _MOST:
        x = waiting.pop()
        if id(x) not in seen:
            seen[id(x)] = x
            yield x
            waiting += _children(x)


def _children(x: Any) -> Iterable[Any]:
    """Return the objects that an object refers to."""
    if isinstance(x, FunctionType):
        return _of_function(x)
    if isinstance(x, type):
        return () if _is_of_library(x) else (*x.__bases__, *vars(x).values())
    if isinstance(x, ModuleType):
        return ()  # the functions that name it have taken out what they name in it
    attempt(partial(vars, x))  # Python makes the dict of an object when somebody asks for it
    return (*gc.get_referents(x), type(x))


def _of_function(function: FunctionType) -> Iterable[Any]:
    if _is_of_library(function):
        return ()
    names = dict.fromkeys(_names_in(function.__code__))
    found = [function.__globals__.get(name) for name in names]
    named = found
    for _ in range(_DEEPEST):
        modules = [x for x in named if isinstance(x, ModuleType)]
        named = [vars(module).get(name) for module in modules for name in names]
        found += named
    return [*found, function.__closure__, function.__defaults__, function.__kwdefaults__]


def _names_in(code: CodeType) -> Iterator[str]:
    """Yield the names that a function and those within it mention."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _is_of_library(x: Any) -> bool:
    """Return whether a function or class is of a package that is not looked into."""
    package = str(x.__module__).partition(".")[0]
    return package in _LIBRARIES or package in PACKAGES.values()
