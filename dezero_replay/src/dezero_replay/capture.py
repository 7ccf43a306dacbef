"""All that a function reaches beyond its arguments, and where it is read anew.

Reached is that which code mentions: cells, globals and defaults of the function, the attributes of
``self`` and of other objects, the items of lists and dicts; and from functions and classes that are
found there, further on. The code of NumPy, of Python itself and of this project is not looked at.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from dezero_core import Function, Variable

_SKIPPED = {
    *("dezero_core", "dezero_tools", "dezero_replay", "dezero_ops_basic", "dezero_ops_math"),
    *("numpy", "scipy", "matplotlib", "pandas", "pluggy", "pytest", "_pytest"),
}

_MOST = 100_000
"""So many objects are looked at; a function that reaches more stays eager."""

NUMBERS = (bool, int, float, complex, np.generic)
GENERATORS = (np.random.Generator, np.random.RandomState)


class Place:
    """Where an object is: an attribute or item of another place, or an object that is known.

    Attributes
    ----------
    found : object
        The object that was there.
    parent : Place or None
    kind : str
        ``"attribute"`` or ``"item"``; ``"known"`` without a parent.
    key : object
        The name, index or key.
    """

    __slots__ = ("found", "key", "kind", "parent")

    def __init__(
        self, found: Any, parent: Place | None = None, kind: str = "known", key: Any = None
    ) -> None:
        self.found, self.parent, self.kind, self.key = found, parent, kind, key

    @property
    def identity(self) -> Any:
        """What is equal of two places where the same thing is."""
        return id(self.found) if self.parent is None else (id(self.parent.found), self.key)

    def read(self) -> Any:
        """Return what is there now."""
        if self.parent is None:
            return self.found
        holder = self.parent.read()
        return getattr(holder, self.key) if self.kind == "attribute" else holder[self.key]

    def write(self, value: Any) -> None:
        """Put something else there."""
        if self.kind == "attribute":
            setattr(self.parent.read(), self.key, value)  # type: ignore[union-attr]
        else:
            self.parent.read()[self.key] = value  # type: ignore[union-attr]

    def __str__(self) -> str:
        if self.parent is None:
            return self.key or getattr(self.found, "__name__", type(self.found).__name__)
        if self.kind == "attribute":
            is_cell = self.key in ("cell_contents", "__self__", "__wrapped__")
            return str(self.parent) if is_cell else f"{self.parent}.{self.key}"
        is_global = isinstance(self.parent.found, dict) and self.parent.parent is None
        return str(self.key) if is_global else f"{self.parent}[{self.key!r}]"


class Reached:
    """The objects that a function reaches.

    Attributes
    ----------
    places : list of Place
        All that have a parent, parents first.
    variables, arrays, numbers, generators : list of Place
    names : set of str
        All that code mentions.
    too_many : bool
        Whether there were more than can be looked at.
    """

    def __init__(self, function: Any) -> None:
        self.places: list[Place] = []
        self.variables: list[Place] = []
        self.arrays: list[Place] = []
        self.numbers: list[Place] = []
        self.generators: list[Place] = []
        self.names: set[str] = set()
        self._seen: dict[int, Any] = {}
        self.too_many = False
        self._modules: list[Place] = []
        waiting = [Place(function)]
        while waiting or self._modules:
            if not waiting:  # by now the names that are mentioned are known
                waiting = [child for module in self._modules for child in self._of_module(module)]
                self._modules = []
                continue
            place = waiting.pop()
            if place.parent is not None:
                self.places.append(place)
            if len(self.places) > _MOST:
                self.too_many = True
                return
            if isinstance(place.found, NUMBERS):
                self.numbers.append(place)
            elif id(place.found) not in self._seen:
                self._seen[id(place.found)] = place.found
                waiting.extend(self._sorted(place))
        self.numbers = [each for each in self.numbers if self.mentions(each)]

    def mentions(self, place: Place) -> bool:
        """Return whether code mentions the name of a place; items have none."""
        return place.kind != "attribute" or place.key in self.names or place.key in _HIDDEN

    def knows(self, x: Any) -> bool:
        """Return whether an object is among those that are reached."""
        return id(x) in self._seen

    def _sorted(self, place: Place) -> Iterator[Place]:
        """Note what there is at a place; yield where it leads."""
        x = place.found
        if x is None or isinstance(x, (str, bytes, np.dtype, types.BuiltinFunctionType)):
            return
        if isinstance(x, Variable):
            self.variables.append(place)
        elif isinstance(x, np.ndarray):
            self.arrays.append(place)
        elif isinstance(x, GENERATORS):
            self.generators.append(place)
        elif isinstance(x, types.ModuleType):
            if not is_skipped(x.__name__):
                self._modules.append(place)
        elif isinstance(x, types.FunctionType):
            yield from self._of_function(place, x)
        elif isinstance(x, types.MethodType):
            yield Place(x.__func__)
            yield Place(x.__self__, place, "attribute", "__self__")
        elif isinstance(x, partial):
            for name in ("func", "args", "keywords"):
                yield Place(getattr(x, name), place, "attribute", name)
        elif isinstance(x, (list, tuple, dict)):
            for key in x if isinstance(x, dict) else range(len(x)):
                yield Place(x[key], place, "item", key)
        elif isinstance(x, type):
            yield from self._of_class(place, x)
        else:
            yield from self._of_instance(place, x)

    def _of_module(self, place: Place) -> Iterator[Place]:
        for name in sorted(self.names & vars(place.found).keys()):
            yield Place(vars(place.found)[name], place, "attribute", name)

    def _of_class(self, place: Place, x: type) -> Iterator[Place]:
        if is_skipped(x.__module__):
            return
        for name, value in list(vars(x).items()):
            if name in _OF_THE_CORE and issubclass(x, Function):
                continue
            function = value.fget if isinstance(value, property) else value
            function = getattr(function, "__func__", function)
            if isinstance(function, types.FunctionType):
                yield Place(function)
            elif isinstance(value, (*NUMBERS, np.ndarray, Variable, *GENERATORS)):
                yield Place(value, place, "attribute", name)

    def _of_instance(self, place: Place, x: Any) -> Iterator[Place]:
        for base in type(x).__mro__[:-1]:
            yield Place(base)
        wrapped = getattr(x, "__dict__", {}).get("__wrapped__")
        if callable(wrapped):
            yield Place(wrapped, place, "attribute", "__wrapped__")
        if is_skipped(type(x).__module__) and type(x) is not types.SimpleNamespace:
            return
        slots = (slot for base in type(x).__mro__ for slot in getattr(base, "__slots__", ()))
        own = {} if isinstance(x, Function) and hasattr(x, "_edges") else getattr(x, "__dict__", {})
        for name in (*own, *slots):
            if name not in ("__weakref__", "__dict__", "__wrapped__") and hasattr(x, name):
                yield Place(getattr(x, name), place, "attribute", name)

    def _of_function(self, place: Place, x: types.FunctionType) -> Iterator[Place]:
        for name, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True):
            if cell != types.CellType():
                known = Place(cell, None, "known", name)
                yield Place(cell.cell_contents, known, "attribute", "cell_contents")
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(x, name):
                yield Place(getattr(x, name), place, "attribute", name)
        if is_skipped(x.__module__ or ""):
            return
        names = set(_names_in(x.__code__))
        self.names |= names
        for name in sorted(names & x.__globals__.keys()):
            yield Place(x.__globals__[name], Place(x.__globals__), "item", name)
        for name, value in vars(x).items():
            yield Place(value, place, "attribute", name)


#: Attributes that no code mentions, because Python itself reads them.
_HIDDEN = {"cell_contents", "__self__", "__wrapped__", "__defaults__", "__kwdefaults__"}
_HIDDEN |= {"func", "args", "keywords"}


#: Attributes that the core sets when a Function class is first called.
_OF_THE_CORE = {"_prepared", "_saves_inputs", "_saves_others", "_saves_outputs", "_has_state"}


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)
        elif isinstance(constant, str) and constant.isidentifier():  # as of getattr(x, "rate")
            yield constant


def is_skipped(module: str) -> bool:
    """Return whether code of a module is not looked at."""
    package = module.partition(".")[0]
    return package in _SKIPPED or (package in sys.stdlib_module_names and package != "__main__")
