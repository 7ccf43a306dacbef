"""Whether a function draws random numbers, from NumPy's generator or those that it refers to."""

from __future__ import annotations

import pickle
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from types import BuiltinMethodType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from dezero_core.errors import PACKAGES, attempt

_GENERATORS = (
    *(np.random.Generator, np.random.RandomState, np.random.BitGenerator),
    random.Random,
)

_MOST = 10_000
"""So many objects are looked at, at most."""

_DEEPEST = 3
"""So many dots the code may write after a module: ``package.module.generator``."""

_LIBRARIES = {"numpy", "scipy", "dask", "distributed", *sys.stdlib_module_names}
"""Packages whose functions and classes are not looked into; nor are those of DeZero's plugins."""


class Draws:
    """Whether random numbers are drawn, by a function or by somebody else at the same time.

    NumPy's global generator is known. Others are found among the objects that the function refers
    to: in its closure, its defaults, the globals that its code names, and in attributes and items
    of these, at any depth.

    Parameters
    ----------
    function : callable
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        behind = _objects_behind(function)
        self._generators = [x for x in behind if issubclass(type(x), _GENERATORS)]
        self._before = self._states()

    def happened(self) -> bool:
        """Return whether a number was drawn since this object was made."""
        return self._states() != self._before

    def _states(self) -> list[Any]:
        generators = np.random.get_state(legacy=False), *self._generators
        # The generator of the operating system has no state.
        return [attempt(partial(pickle.dumps, x)) for x in generators]


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
    kind = type(x)
    if kind is FunctionType:
        return _of_function(x)
    if kind is CellType:
        return [attempt(lambda: x.cell_contents)]  # a cell may be empty
    if kind is BuiltinMethodType:  # such as random.random
        return (x.__self__,)
    if kind is MethodType:
        return x.__self__, x.__func__
    if issubclass(kind, partial):
        return x.func, x.args, x.keywords
    if issubclass(kind, type):
        return () if _is_of_library(x) else (*x.__bases__, *vars(x).values())
    if issubclass(kind, ModuleType):
        return ()  # the functions that name it have taken out what they name in it
    items: Iterable[Any] = ()
    if issubclass(kind, (dict, list, tuple, set, frozenset)):
        # Another thread may write into it.
        items = attempt(lambda: [*islice(x.values() if isinstance(x, dict) else x, _MOST)], ())
    return [*items, *attempt(lambda: [*vars(x).values()], ()), kind]


def _of_function(function: FunctionType) -> Iterable[Any]:
    if _is_of_library(function):
        return ()
    names = set(_names_in(function.__code__))
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
