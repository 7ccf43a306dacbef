"""All that a function reaches beyond its arguments, and how it is read anew.

Reached is that which the code of the function mentions: its cells, globals and defaults, the
attributes of ``self`` and of other objects, items of lists and dicts; and from functions and classes
found there further on. The code of NumPy, of Python itself and of this project's tools is not
looked at.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from dezero_core import Variable

_OWN = {"dezero_core", "dezero_tools", "dezero_replay", "dezero_ops_basic", "dezero_ops_math"}
_SKIPPED = _OWN | {"numpy", "scipy", "matplotlib", "pandas", "pluggy", "pytest", "_pytest"}

_MOST = 100_000
"""Objects that are looked at."""

NUMBERS = (bool, int, float, complex, np.generic)
GENERATORS = (np.random.Generator, np.random.RandomState)


class Place:
    """Where an object is: an attribute or item of another place, or an object that is known.

    Attributes
    ----------
    parent : Place or None
    kind : str
        ``"attribute"``, ``"item"``; ``"known"`` without a parent.
    key : object
        The name, index or key.
    found : object
        The object that was there.
    mentioned : bool
        Whether code that was reached mentions the name.
    """

    __slots__ = ("found", "key", "kind", "mentioned", "parent")

    def __init__(
        self, found: Any, parent: Place | None = None, kind: str = "known", key: Any = None
    ) -> None:
        self.found, self.parent, self.kind, self.key = found, parent, kind, key
        self.mentioned = True

    def read(self) -> Any:
        """Return that which is there now."""
        if self.parent is None:
            return self.found
        holder = self.parent.read()
        return getattr(holder, self.key) if self.kind == "attribute" else holder[self.key]

    def write(self, value: Any) -> None:
        """Put something else there."""
        holder = self.parent.read() if self.parent else None
        if self.kind == "attribute":
            setattr(holder, self.key, value)
        else:
            holder[self.key] = value

    def __str__(self) -> str:
        if self.parent is None:
            return self.key or getattr(self.found, "__name__", type(self.found).__name__)
        if self.kind == "attribute":
            if self.key == "cell_contents":
                return str(self.parent)
            return f"{self.parent}.{self.key}"
        if isinstance(self.parent.found, dict) and self.parent.parent is None:
            return str(self.key)  # a global
        return f"{self.parent}[{self.key!r}]"


class Reached:
    """The objects that a function reaches.

    Attributes
    ----------
    variables, arrays, numbers, generators : list of Place
    containers : list of Place
        Lists and dicts.
    too_many : bool
        Whether it was given up.
    """

    def __init__(self, function: Any) -> None:
        self.variables: list[Place] = []
        self.arrays: list[Place] = []
        self.numbers: list[Place] = []
        self.generators: list[Place] = []
        self.containers: list[Place] = []
        self.names: set[str] = set()
        self.too_many = False
        self._seen: dict[int, Any] = {}
        modules: list[Place] = []
        waiting = [Place(function)]
        while waiting or modules:
            if not waiting:  # the names that are mentioned are known by now
                waiting = [child for module in modules for child in self._of_module(module)]
                modules = []
                continue
            place = waiting.pop()
            x = place.found
            if isinstance(x, NUMBERS) and not isinstance(x, np.ndarray):
                self.numbers.append(place)
                continue
            if x is None or isinstance(x, (str, bytes, np.dtype)) or id(x) in self._seen:
                continue
            self._seen[id(x)] = x
            if len(self._seen) > _MOST:
                self.too_many = True
                return
            if isinstance(x, Variable):
                self.variables.append(place)
            elif isinstance(x, np.ndarray):
                self.arrays.append(place)
            elif isinstance(x, GENERATORS):
                self.generators.append(place)
            elif isinstance(x, types.ModuleType):
                if not _is_skipped(x.__name__):
                    modules.append(place)
            else:
                waiting.extend(self._children(place))
        self.numbers = [place for place in self.numbers if self._is_mentioned(place)]

    def _is_mentioned(self, place: Place) -> bool:
        return place.kind != "attribute" or place.key in self.names or place.key == "cell_contents"

    def _of_module(self, place: Place) -> Iterator[Place]:
        for name in sorted(self.names & vars(place.found).keys()):
            yield Place(vars(place.found)[name], place, "attribute", name)

    def _children(self, place: Place) -> Iterator[Place]:
        x = place.found
        if isinstance(x, types.FunctionType):
            yield from self._of_function(place, x)
        elif isinstance(x, types.MethodType):
            yield Place(x.__func__)
            yield Place(x.__self__, place, "attribute", "__self__")
        elif isinstance(x, partial):
            for name in ("func", "args", "keywords"):
                yield Place(getattr(x, name), place, "attribute", name)
        elif isinstance(x, (list, tuple, dict)):
            if not isinstance(x, tuple):
                self.containers.append(place)
            for key in x if isinstance(x, dict) else range(len(x)):
                yield Place(x[key], place, "item", key)
        elif isinstance(x, type):
            if not _is_skipped(x.__module__):
                for value in vars(x).values():
                    function = getattr(value, "__func__", value)
                    if isinstance(value, property):
                        function = value.fget
                    if isinstance(function, types.FunctionType):
                        yield Place(function)
                for name, value in vars(x).items():
                    if isinstance(value, (*NUMBERS, np.ndarray, Variable)):
                        yield Place(value, place, "attribute", name)
        else:
            yield from self._of_instance(place, x)

    def _of_instance(self, place: Place, x: Any) -> Iterator[Place]:
        for base in type(x).__mro__[:-1]:
            if not _is_skipped(base.__module__):
                yield Place(base)
        wrapped = getattr(x, "__wrapped__", None)
        if isinstance(wrapped, types.FunctionType):
            yield Place(wrapped)
        if type(x).__module__.partition(".")[0] in sys.stdlib_module_names - {"__main__"}:
            return
        slots = (slot for base in type(x).__mro__ for slot in getattr(base, "__slots__", ()))
        for name in (*getattr(x, "__dict__", ()), *slots):
            if name not in ("__weakref__", "__dict__") and hasattr(x, name):
                yield Place(getattr(x, name), place, "attribute", name)

    def _of_function(self, place: Place, x: types.FunctionType) -> Iterator[Place]:
        for name, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True):
            if cell != types.CellType():
                known = Place(cell, None, "known", name)
                yield Place(cell.cell_contents, known, "attribute", "cell_contents")
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(x, name):
                yield Place(getattr(x, name), place, "attribute", name)
        if _is_skipped(x.__module__ or ""):
            return
        names = set(_names_in(x.__code__))
        self.names |= names
        for name in sorted(names & x.__globals__.keys()):
            yield Place(x.__globals__[name], Place(x.__globals__), "item", name)
        for name in vars(x):
            yield Place(vars(x)[name], place, "attribute", name)


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


def _is_skipped(module: str) -> bool:
    package = module.partition(".")[0]
    return package in _SKIPPED or (package in sys.stdlib_module_names and package != "__main__")
