"""The objects that a function reaches beyond its arguments, and the places where it reads them.

A function reaches the objects that its code mentions: its cells, globals and defaults, attributes
of objects and modules, items of containers, methods of classes; and all that these reach in turn.
The code of NumPy, of Python itself and of this project is not looked at.
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
from dataclasses import dataclass
from functools import _lru_cache_wrapper, lru_cache, partial
from operator import attrgetter, methodcaller
from typing import Any
from weakref import ref

import numpy as np

from dezero_core import Function, Variable

_SKIPPED = {
    *("dezero_core", "dezero_tools", "dezero_replay", "dezero_ops_basic", "dezero_ops_math"),
    *("numpy", "scipy", "matplotlib", "pandas", "pluggy", "pytest", "_pytest"),
}

_MOST = 100_000
"""A function that reaches more objects stays eager."""

NUMBERS = (bool, int, float, complex, np.generic)
GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)

#: Code that mentions one of these may read attributes whose names it does not mention.
_DYNAMIC = {"vars", "getattr", "__dict__", "attrgetter", "asdict", "astuple", "fields"}

#: Attributes that no code mentions, because Python itself reads them.
_HIDDEN = {"cell_contents", "__self__", "__wrapped__", "__defaults__", "__kwdefaults__"}
_HIDDEN |= {"func", "args", "keywords", "__call__", "forward", "backward", "__code__"}
_HIDDEN |= {"maps", "data"}  # of collections.ChainMap and UserDict

#: Types that ``type(x)`` never gives for a recording array or number.
_TYPES = {"ndarray", "generic", "float64", "float32", "int64", "int", "float", "bool", "complex"}

#: Code that mentions one of these may ask for memory, which a recording array does not give.
_MEMORY = {"memoryview", "bytearray", "frombuffer", "hashlib", "md5", "sha1", "sha256", "crc32"}

#: How the names of those instructions of CPython begin that take the value of an expression.
_ENDS = ("RAISE_VARARGS", "STORE", "POP", "RETURN", "JUMP")

#: Methods whose results Python converts or checks, so that they cannot be numbers that record.
_CONVERSIONS = {"__bool__", "__len__", "__int__", "__index__", "__float__", "__complex__"}
_CONVERSIONS |= {"__hash__", "__str__", "__repr__", "__format__", "__length_hint__"}
_NO_CODE = compile("", "<none>", "exec")

#: Attributes that the core sets when a Function class is first called.
_OF_THE_CORE = {
    *("_prepared", "_saves_inputs", "_saves_others", "_saves_outputs", "_has_state"),
    *("_node_for_backward", "_operator", "inputs", "__call__"),
}


#: Attributes that Python gives to classes.
_OF_PYTHON = {
    *("__module__", "__doc__", "__dict__", "__weakref__", "__slots__", "__qualname__"),
    *("__annotations__", "__dataclass_fields__", "__dataclass_params__", "__match_args__"),
    *("__static_attributes__", "__firstlineno__", "__parameters__", "__orig_bases__"),
}


@dataclass(eq=False, repr=False, slots=True)
class Place:
    """Where an object is: an attribute or item of another place, or an object that is known."""

    #: The object that was there.
    found: Any
    parent: Place | None = None
    #: ``"attribute"`` or ``"item"``; ``"known"`` without a parent.
    kind: str = "known"
    #: The name, index or key.
    key: Any = None

    @property
    def identity(self) -> Any:
        """A key that is the same for the same place in another recording."""
        return id(self.found) if self.parent is None else (id(self.parent.found), self.key)

    @property
    def is_writable(self) -> bool:
        """Whether something else can be put there."""
        parent = None if self.parent is None else self.parent.found
        if self.kind == "item":
            return isinstance(parent, (list, dict, deque))
        if self.kind != "attribute" or isinstance(parent, (type, types.MethodType, partial)):
            return False
        of_class = getattr(type(parent), self.key, None)
        if isinstance(of_class, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            return True
        # What it has of its class would become its own.
        is_own = self.key in getattr(parent, "__dict__", ())
        return is_own and not hasattr(type(of_class), "__set__")

    def chain(self) -> Iterator[Place]:
        """Yield this place, and those that lead to it."""
        place: Place | None = self
        while place is not None:
            yield place
            place = place.parent

    def read(self) -> Any:
        """Return the object that is there now."""
        if self.parent is None:
            return self.found
        holder = self.parent.read()
        return getattr(holder, self.key) if self.kind == "attribute" else holder[self.key]

    def now(self) -> Any:
        """Return the object that is there now; None if there is none any more."""
        try:
            return self.read()
        except (AttributeError, LookupError, TypeError, ValueError):
            return None

    def write(self, value: Any) -> None:
        """Put something else there. A tuple is replaced by another one, in its own place."""
        holder = self.parent.read()  # type: ignore[union-attr]
        if self.kind == "item" and isinstance(holder, tuple):
            items = [*holder[: self.key], value, *holder[self.key + 1 :]]
            self.parent.write(tuple.__new__(type(holder), items))  # type: ignore[union-attr]
            return
        if self.kind == "item":
            holder[self.key] = value
            return
        if isinstance(holder, partial):
            of_pickle: Any = holder
            func, _, keywords, own = of_pickle.__reduce__()[2]
            of_pickle.__setstate__((func, value, keywords, own))
            return
        try:
            object.__setattr__(holder, self.key, value)  # of a frozen dataclass, too
        except (AttributeError, TypeError):  # of a threading.local; from 3.13 on the first
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
    """The objects that a function reaches, also by arguments whose attributes it may read."""

    def __init__(self, function: Any, arguments: Iterable[Any] = ()) -> None:
        #: Parents first.
        self.places: list[Place] = []
        self.variables: list[Place] = []
        self.arrays: list[Place] = []
        self.numbers: list[Place] = []
        self.generators: list[Place] = []
        #: All that code mentions.
        self.names: set[str] = set()
        #: The `identity` of each number that a cached function or one of `_CONVERSIONS` reads.
        self.fixed: set[Any] = set()
        #: id of a namespace -> the namespace, and the names that code looks for in it in vain.
        self.missing: dict[int, tuple[dict[str, Any], set[str]]] = {}
        #: Whether it reaches too many objects to look at all; why no recording array can take the
        #: place of an array, "" if one can.
        self.too_many, self.problem = False, ""
        self._seen: dict[int, Any] = {}
        #: id of a tuple -> the identity of each place where it is.
        self._tuples: dict[int, set[Any]] = {}
        #: Names that occur in the code of `_CONVERSIONS`.
        self._converting: set[str] = set()
        #: Places whose attributes are followed at the end, if code mentions their names.
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
            if isinstance(place.found, tuple):
                self._tuples.setdefault(id(place.found), set()).add(place.identity)
            if isinstance(place.found, NUMBERS):
                self.numbers.append(place)
            elif id(place.found) not in self._seen:
                self._seen[id(place.found)] = place.found
                waiting.extend(self._children(place))
        self.numbers = [each for each in self.numbers if self.mentions(each)]
        for place in self.numbers:
            if any(each.key in self._converting for each in place.chain()):
                self.fixed.add(place.identity)

    def mentions(self, place: Place) -> bool:
        """Return whether code may read what is at a place: items, and attributes it mentions."""
        if place.kind != "attribute" or place.key in _HIDDEN or place.key in self.names:
            return True
        if isinstance(place.found, types.FunctionType) and place.key.startswith("__"):
            return True  # such as __add__, which an operator calls
        return not self.names.isdisjoint(_DYNAMIC)

    def can_exchange(self, place: Place) -> bool:
        """Return whether `Place.write` can put something else there for a while.

        An item of a tuple can be exchanged if there is one place alone that holds the tuple.
        """
        parent = place.parent
        if parent is None or place.is_writable:
            return parent is not None
        holder = parent.found
        if isinstance(holder, partial):
            return bool(place.key == "args")
        is_named = hasattr(holder, "_fields") and not hasattr(holder, "__dict__")
        if not (type(holder) is tuple or (isinstance(holder, tuple) and is_named)):
            return False
        return len(self._tuples[id(holder)]) == 1 and self.can_exchange(parent)

    def knows(self, x: Any) -> bool:
        """Return whether an object is among those that are reached."""
        return id(x) in self._seen

    def _children(self, place: Place) -> Iterator[Place]:
        """Note the object at a place; yield the places that lead on from it."""
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
        if isinstance(x, ref):
            yield Place(x())
            return
        if isinstance(x, (attrgetter, methodcaller)):
            self.names.update(*(x.split(".") for x in x.__reduce__()[1] if isinstance(x, str)))
        if isinstance(x, _lru_cache_wrapper):
            self.fixed |= {each.identity for each in Reached(x.__wrapped__).numbers}
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
            known = Place(cell, None, "known", name)
            if is_empty(cell):
                yield known
            else:
                yield Place(cell.cell_contents, known, "attribute", "cell_contents")
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(x, name):
                yield Place(getattr(x, name), place, "attribute", name)
        if is_skipped(x.__module__ or ""):
            return
        yield Place(x.__code__, place, "attribute", "__code__")
        names = set(_names_in(x.__code__))
        if "type" in names and not names.isdisjoint(_TYPES) and _compares_types(x.__code__):
            self.problem = (
                f"{x.__qualname__} compares type(x), and arrays have another type while a call is "
                "recorded: write isinstance(x, np.ndarray)"
            )
        if not names.isdisjoint(_MEMORY):
            self.problem = (
                f"{x.__qualname__} may ask for the memory of an array, by "
                f"{', '.join(sorted(names & _MEMORY))}, and there is none while a call is "
                "recorded: do this outside of the function"
            )
        self.names |= names
        for name in sorted(names & x.__globals__.keys()):
            yield Place(x.__globals__[name], Place(x.__globals__), "item", name)
        looked_up, imported = _globals_and_imports_of(x.__code__)
        if not names.isdisjoint({"modules", "import_module"}):
            imported |= names
        package = x.__globals__.get("__package__") or ""
        for name in sorted({*imported, *(f"{package}.{name}".strip(".") for name in imported)}):
            if name in sys.modules:
                yield Place(sys.modules[name])
        missing = looked_up - x.__globals__.keys()
        if missing:
            found = self.missing.setdefault(id(x.__globals__), (x.__globals__, set()))
            found[1].update(missing)
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
        if not is_skipped(type(x).__module__):
            yield Place(type(x))
        for name in _CONVERSIONS & vars(x).keys():
            self._converting.update(_names_in(getattr(vars(x)[name], "__code__", _NO_CODE)))
        is_function = issubclass(x, Function)
        for name, value in list(vars(x).items()):
            if (is_function and name in _OF_THE_CORE) or name in _OF_PYTHON:
                continue
            if isinstance(value, (classmethod, staticmethod)):
                yield Place(getattr(x, name), place, "attribute", name)
                continue
            if isinstance(value, property):
                yield from map(Place, filter(None, (value.fget, value.fset)))
            if isinstance(value, (types.FunctionType, property)) or not name.startswith("__"):
                is_found = not hasattr(type(value), "__get__")
                is_found = is_found or isinstance(value, (types.FunctionType, property))
                yield Place(value, place, "attribute", name) if is_found else Place(value)

    def _of_instance(self, place: Place, x: Any) -> Iterator[Place]:
        own = getattr(x, "__dict__", {})
        wrapped = own.get("__wrapped__")
        if callable(wrapped):
            yield Place(wrapped, place, "attribute", "__wrapped__")
        if type(x).__module__.partition(".")[0] == "dezero_replay":
            return
        for base in type(x).__mro__[:-1]:
            yield Place(base)
        of = type(x).__module__
        is_foreign = is_skipped(of) and of not in ("collections", "weakref")
        if isinstance(x, threading.local) or (is_foreign and own):
            self._later.append(place)  # of a foreign object, only attributes that code mentions
            return
        if isinstance(x, Function) and hasattr(x, "_edges"):
            return
        for name in (*own, *sorted(slots_of(x))):
            if name not in ("__weakref__", "__dict__", "__wrapped__") and hasattr(x, name):
                yield Place(getattr(x, name), place, "attribute", name)
        for base in type(x).__mro__[:-1]:  # data of classes, as the instance sees them
            data = {} if is_skipped(base.__module__) else dict(vars(base))
            for name in data.keys() - own.keys() - _OF_THE_CORE - _OF_PYTHON:
                if not (name.startswith("__") or hasattr(type(data[name]), "__get__")):
                    yield Place(getattr(x, name), place, "attribute", name)


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
    """Return a function of an object whose result is compared at each call, None if none is."""
    if isinstance(x, (set, frozenset)):
        return _members
    if isinstance(x, (array.array, bytearray)):
        return bytes
    if isinstance(x, ContextVar):
        return _value_here
    if isinstance(x, types.CellType):
        return is_empty
    if x is os.environ:
        return dict
    if isinstance(x, (dict, types.MappingProxyType)):
        return list
    return len if isinstance(x, (list, deque)) else None


def is_iterator(x: Any) -> bool:
    """Return whether an object is an iterator of Python's, whose position nobody can read."""
    return isinstance(x, Iterator) and is_skipped(type(x).__module__)


def is_empty(cell: types.CellType) -> bool:
    """Return whether a variable of an outer function has no value yet."""
    try:
        cell.cell_contents  # noqa: B018 (it raises)
    except ValueError:
        return True
    return False


def slots_of(x: Any) -> set[str]:
    """Return the names of the slots of an object, those that are empty included."""
    bases = [vars(base) for base in type(x).__mro__ if "__slots__" in vars(base)]
    kind = types.MemberDescriptorType
    return {name for own in bases for name, value in own.items() if isinstance(value, kind)}


def _members(x: Any) -> Any:
    return {(type(item), item) if isinstance(item, (*NUMBERS, str)) else id(item) for item in x}


def _value_here(x: ContextVar[Any]) -> Any:
    value = x.get(None)
    if isinstance(value, NUMBERS):
        return type(value), repr(value)
    # These may be changed in place: a new object is equal to nothing, so a call is not replayed.
    return object() if isinstance(value, (np.ndarray, Variable, list, dict, set)) else value


@lru_cache(1000)
def _globals_and_imports_of(code: types.CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that code looks up in globals or builtins, and the modules it imports."""
    found, imported = set(), set()
    for each in dis.get_instructions(code):
        if each.opname == "LOAD_GLOBAL":
            found.add(each.argval)
        elif each.opname == "IMPORT_NAME":
            imported.add(each.argval)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            more = _globals_and_imports_of(inner)
            found |= more[0]
            imported |= more[1]
    return frozenset(found), frozenset(imported)


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)
        elif isinstance(constant, str) and constant.isidentifier():  # as of getattr(x, "rate")
            yield constant


def _compares_types(code: types.CodeType) -> bool:
    """Return whether code uses ``type(x)`` for anything but an error that it raises."""
    instructions = list(dis.get_instructions(code))
    for index, each in enumerate(instructions):
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME") and each.argval == "type":
            later = (one.opname for one in instructions[index:])
            end = next(name for name in later if name.startswith(_ENDS))
            if end != "RAISE_VARARGS":
                return True
    return any(_compares_types(each) for each in code.co_consts if isinstance(each, types.CodeType))


def is_skipped(module: Any) -> bool:
    """Return whether code of a module is not looked at."""
    if not isinstance(module, str):  # of a metaclass in C
        return True
    package = module.partition(".")[0]
    return package in _SKIPPED or (package in sys.stdlib_module_names and package != "__main__")
