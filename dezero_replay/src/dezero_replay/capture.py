"""All that a function reaches beyond its arrays, and where it is read anew.

Reached is that which code mentions: cells, globals and defaults of the function, the attributes of
objects and modules, the items of containers, the methods of classes; and from what is found there,
further on. The code of NumPy, of Python itself and of this project is not looked at.
"""

from __future__ import annotations

import array
import dis
import os
import random
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
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
GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)

#: Code that mentions one of these may read attributes whose names it does not mention.
_DYNAMIC = {"vars", "getattr", "__dict__", "attrgetter", "asdict", "astuple", "fields"}

#: Attributes that no code mentions, because Python itself reads them.
_HIDDEN = {"cell_contents", "__self__", "__wrapped__", "__defaults__", "__kwdefaults__"}
_HIDDEN |= {"func", "args", "keywords", "__call__", "forward", "backward", "__code__"}
_HIDDEN |= {"maps", "data"}  # of collections.ChainMap and UserDict

#: Of these types a recording array or number is not, by ``type(x)``.
_TYPES = {"ndarray", "generic", "float64", "float32", "int64", "int", "float", "bool", "complex"}

#: Instructions of CPython with which that ends into which a value goes.
_ENDS = ("RAISE_VARARGS", "STORE", "POP", "RETURN", "JUMP")

#: Attributes that the core sets when a Function class is first called.
_OF_THE_CORE = {
    *("_prepared", "_saves_inputs", "_saves_others", "_saves_outputs", "_has_state"),
    *("_as_recorded", "_operator", "inputs", "__call__"),
}


#: Attributes that Python gives to classes.
_OF_PYTHON = {
    *("__module__", "__doc__", "__dict__", "__weakref__", "__slots__", "__qualname__"),
    *("__annotations__", "__dataclass_fields__", "__dataclass_params__", "__match_args__"),
    *("__static_attributes__", "__firstlineno__", "__parameters__", "__orig_bases__"),
}


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

    @property
    def is_writable(self) -> bool:
        """Whether something else can be put there."""
        parent = None if self.parent is None else self.parent.found
        if self.kind == "item":
            return isinstance(parent, (list, dict, deque))
        return self.kind == "attribute" and not isinstance(
            parent, (type, types.MethodType, partial)
        )

    def read(self) -> Any:
        """Return what is there now."""
        if self.parent is None:
            return self.found
        holder = self.parent.read()
        return getattr(holder, self.key) if self.kind == "attribute" else holder[self.key]

    def write(self, value: Any) -> None:
        """Put something else there."""
        holder = self.parent.read()  # type: ignore[union-attr]
        if self.kind == "item":
            holder[self.key] = value
            return
        try:
            object.__setattr__(holder, self.key, value)  # of a frozen dataclass, too
        except TypeError:  # as of a threading.local
            setattr(holder, self.key, value)

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

    Parameters
    ----------
    function : callable
    arguments : iterable
        Arguments that are no arrays: objects whose attributes it may read.

    Attributes
    ----------
    places : list of Place
        Parents first.
    variables, arrays, numbers, generators : list of Place
    names : set of str
        All that code mentions.
    too_many : bool
        Whether there were more than can be looked at.
    asks_for_types : str
        The function that compares ``type(x)`` with the type of an array or number.
    """

    def __init__(self, function: Any, arguments: Iterable[Any] = ()) -> None:
        self.places: list[Place] = []
        self.variables: list[Place] = []
        self.arrays: list[Place] = []
        self.numbers: list[Place] = []
        self.generators: list[Place] = []
        self.names: set[str] = set()
        self.too_many, self.asks_for_types = False, ""
        self._seen: dict[int, Any] = {}
        #: Where only the attributes that are mentioned are followed, when all names are known.
        self._later: list[Place] = []
        waiting = [Place(x, None, "known", "an argument") for x in arguments]
        waiting.append(Place(function))
        while waiting or self._later:
            if not waiting:
                later, self._later = self._later, []
                waiting = [child for place in later for child in self._mentioned_in(place)]
                continue
            place = waiting.pop()
            self.places.append(place)
            if len(self.places) > _MOST:
                self.too_many = True
                return
            if isinstance(place.found, NUMBERS):
                self.numbers.append(place)
            elif id(place.found) not in self._seen:
                self._seen[id(place.found)] = place.found
                waiting.extend(self._children(place))
        self.numbers = [each for each in self.numbers if self.mentions(each)]

    def mentions(self, place: Place) -> bool:
        """Return whether code may read what is at a place: items, and attributes it mentions."""
        if place.kind != "attribute" or place.key in _HIDDEN or place.key in self.names:
            return True
        return not self.names.isdisjoint(_DYNAMIC)

    def knows(self, x: Any) -> bool:
        """Return whether an object is among those that are reached."""
        return id(x) in self._seen

    def _children(self, place: Place) -> Iterator[Place]:
        """Note what there is at a place; yield where it leads."""
        x = place.found
        if x is None or isinstance(x, (str, bytes, np.dtype, types.BuiltinFunctionType)):
            return
        lists: Any = (
            (Variable, self.variables),
            (np.ndarray, self.arrays),
            (GENERATORS, self.generators),
        )
        for kinds, places in lists:
            if isinstance(x, kinds):
                places.append(place)
                return
        follow = next((each for kind, each in _FOLLOWED.items() if isinstance(x, kind)), None)
        if follow is not None:
            yield from follow(self, place, x)
        if not isinstance(x, (types.ModuleType, types.FunctionType, type)):
            yield from self._of_instance(place, x)

    def _of_module(self, place: Place, x: types.ModuleType) -> Iterator[Place]:
        if x is os:
            yield Place(os.environ, place, "attribute", "environ")
        elif not is_skipped(x.__name__):
            self._later.append(place)

    def _mentioned_in(self, place: Place) -> Iterator[Place]:
        own = vars(place.found)
        everything = not isinstance(place.found, types.ModuleType) and self.names & _DYNAMIC
        for name in sorted(own.keys() if everything else self.names & own.keys()):
            yield Place(own[name], place, "attribute", name)

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
        yield Place(x.__code__, place, "attribute", "__code__")
        names = set(_names_in(x.__code__))
        if "type" in names and not names.isdisjoint(_TYPES) and _compares_types(x.__code__):
            self.asks_for_types = self.asks_for_types or x.__qualname__
        self.names |= names
        for name in sorted(names & x.__globals__.keys()):
            yield Place(x.__globals__[name], Place(x.__globals__), "item", name)
        for name, value in vars(x).items():
            yield Place(value, place, "attribute", name)

    def _of_method(self, place: Place, x: types.MethodType) -> Iterator[Place]:
        yield Place(x.__func__)
        yield Place(x.__self__, place, "attribute", "__self__")

    def _of_partial(self, place: Place, x: Any) -> Iterator[Place]:
        for name in ("func", "args", "keywords"):
            yield Place(getattr(x, name), place, "attribute", name)

    def _of_sequence(self, place: Place, x: Any) -> Iterator[Place]:
        for index, item in enumerate(x):
            yield Place(item, place, "item", index)

    def _of_mapping(self, place: Place, x: Any) -> Iterator[Place]:
        for key in x:
            yield Place(x[key], place, "item", key)

    def _of_set(self, place: Place, x: Any) -> Iterator[Place]:
        return (Place(item) for item in x)

    def _of_class(self, place: Place, x: type) -> Iterator[Place]:
        if is_skipped(x.__module__):
            return
        is_function = issubclass(x, Function)
        for name, value in list(vars(x).items()):
            if (is_function and name in _OF_THE_CORE) or name in _OF_PYTHON:
                continue
            inner = value.fget if isinstance(value, property) else value
            inner = getattr(inner, "__func__", inner)
            if isinstance(inner, types.FunctionType):
                yield Place(inner, place, "attribute", name) if inner is value else Place(inner)
            elif isinstance(value, _DATA):
                yield Place(value, place, "attribute", name)

    def _of_instance(self, place: Place, x: Any) -> Iterator[Place]:
        own = getattr(x, "__dict__", {})
        wrapped = own.get("__wrapped__")
        if callable(wrapped):
            yield Place(wrapped, place, "attribute", "__wrapped__")
        if type(x).__module__.partition(".")[0] == "dezero_replay":
            return
        for base in type(x).__mro__[:-1]:
            yield Place(base)
        is_foreign = is_skipped(type(x).__module__) and type(x).__module__ != "collections"
        if isinstance(x, threading.local) or (is_foreign and own):
            self._later.append(place)  # of a foreign object, what is mentioned
            return
        if isinstance(x, Function) and hasattr(x, "_edges"):
            return
        slots = {slot for base in type(x).__mro__ for slot in getattr(base, "__slots__", ())}
        for name in (*own, *sorted(slots)):
            if name not in ("__weakref__", "__dict__", "__wrapped__") and hasattr(x, name):
                yield Place(getattr(x, name), place, "attribute", name)
        for base in type(x).__mro__[:-1]:  # data of classes, as the instance sees them
            data = {} if is_skipped(base.__module__) else dict(vars(base))
            for name in data.keys() - own.keys() - _OF_THE_CORE - _OF_PYTHON:
                if isinstance(data[name], _DATA):
                    yield Place(getattr(x, name), place, "attribute", name)


_DATA = (*NUMBERS, str, np.ndarray, Variable, *GENERATORS, list, dict, tuple)

_FOLLOWED: dict[Any, Callable[..., Iterator[Place]]] = {
    types.ModuleType: Reached._of_module,
    types.FunctionType: Reached._of_function,
    types.MethodType: Reached._of_method,
    partial: Reached._of_partial,
    (list, tuple, deque): Reached._of_sequence,
    (dict, types.MappingProxyType): Reached._of_mapping,
    (set, frozenset): Reached._of_set,
    type: Reached._of_class,
}


def snapshot_of(x: Any) -> Callable[[Any], Any] | None:
    """Return what of an object is compared as a whole at each call; None if nothing is."""
    if isinstance(x, (set, frozenset)):
        return _members
    if isinstance(x, array.array):
        return bytes
    if isinstance(x, ContextVar):
        return _value_here
    if x is os.environ:
        return dict
    if isinstance(x, (dict, types.MappingProxyType)):
        return list
    return len if isinstance(x, (list, deque)) else None


def _members(x: Any) -> Any:
    return {(type(item), item) if isinstance(item, (*NUMBERS, str)) else id(item) for item in x}


def _value_here(x: ContextVar[Any]) -> Any:
    return x.get(None)


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)
        elif isinstance(constant, str) and constant.isidentifier():  # as of getattr(x, "rate")
            yield constant


def _compares_types(code: types.CodeType) -> bool:
    """Return whether ``type(x)`` of code goes elsewhere than into an error that it raises."""
    instructions = list(dis.get_instructions(code))
    for index, each in enumerate(instructions):
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME") and each.argval == "type":
            later = (one.opname for one in instructions[index:])
            end = next(name for name in later if name.startswith(_ENDS))
            if end != "RAISE_VARARGS":
                return True
    return any(_compares_types(each) for each in code.co_consts if isinstance(each, types.CodeType))


def is_skipped(module: str) -> bool:
    """Return whether code of a module is not looked at."""
    package = module.partition(".")[0]
    return package in _SKIPPED or (package in sys.stdlib_module_names and package != "__main__")
