"""Objects of the user's, as a recorder gives them to code in C, or refuses to."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import NUMPY, kind_of

from ..guards.places import Place
from ..guards.reads import CONTAINERS
from ..guards.surroundings import Surroundings
from ..tape.classes import MISSING, is_a, is_core, is_fixed, method_of, module_of
from ..tape.nested import ATOMS, mapped
from ..tape.recorded import Recorded, contents
from ..tape.stop import Stop
from ..tape.tape import Tape
from .known import IMMUTABLE

_PLAIN = ATOMS | {Recorded, Variable, np.ndarray, range, slice, ModuleType, FunctionType}
_LARGEST_COMPARED = 65_536
"""An array that is no numbers, of at most so many bytes, is compared at each call."""


class Reading:
    """The methods of a recorder by which objects are read as a whole, or refused."""

    tape: Tape
    around: Surroundings
    #: The scope by which functions in C do the same as the code of a function.
    scope: Any
    call: Callable[..., Any]

    def __init__(self) -> None:
        self._made_arrays: dict[int, tuple[Any, Recorded]] = {}
        self._in_classes: dict[Any, tuple[Any, Any]] = {}

    def special(self, x: Any, name: str) -> Any:
        """Return a special method of an object if that is a function of Python's; else None."""
        kind = type(x)
        if kind in _PLAIN or kind in CONTAINERS or issubclass(kind, Variable):
            return None
        if not is_fixed(kind):
            self.around.look_at(x, "type", kind)
        found, _ = self.in_class(kind, name)
        if type(found) is not FunctionType or is_core(module_of(found)):
            return None
        return MethodType(found, x)

    def in_class(self, kind: type, name: str, after: type | None = None) -> tuple[Any, Any]:
        """Return the object that a class has under a name, and the base that has it; compare that.

        MISSING and None if there is nothing. As ``super()`` looks for it, in the bases `after` one.
        No descriptor is asked, neither here nor by the guards.
        """
        key = kind, name, after
        if key not in self._in_classes:
            order = kind.__mro__
            if not is_fixed(kind):
                self.around.look(Place(kind), "mro", order)
            if after is not None:
                order = order[order.index(after) + 1 :]
            self._in_classes[key] = self._first(order, name)
        return self._in_classes[key]

    def _first(self, order: tuple[type, ...], name: str) -> tuple[Any, Any]:
        for base in order:
            found = vars(base).get(name, MISSING)
            if not is_fixed(base):
                place = Place(found, Place(base), "own", name)
                if found is MISSING:
                    self.around.look(place, "lacks", None)
                elif name.startswith("__") or hasattr(type(found), "__get__"):
                    self.around.look(place, "is", found)
                else:  # what it is there is looked at where it is read
                    self.around.look(place, "type", type(found))
            if found is not MISSING:
                return found, base
        return MISSING, None

    def items(self, x: Any) -> Any:
        """Return the items of a container, each as the code gets it."""
        around = self.around
        if id(x) not in around.known:
            return x
        if is_a(x, (dict, MappingProxyType)):
            return self._keys(x)
        if is_a(x, (set, frozenset)):
            member = f"a member of {around.known[id(x)]}"
            for each in self._keys(x):
                if type(each) not in ATOMS:
                    around.admitted(each, Place(each, None, "known", member))
            return x
        around.look_at(x, "length", len(x))
        return [around.read(x, "item", n, each) for n, each in enumerate(x)]

    def _keys(self, x: Any) -> list[Any]:
        found = list(x)
        self.around.look_at(x, "keys", found)
        return found

    def shallow(self, x: Any) -> Any:
        """Return a captured container as a new one with its items as the code gets them.

        Of what has an ``__iter__`` in Python, an iterator.
        """
        if type(x) in ATOMS or type(x) is Recorded or is_a(x, Variable) or kind_of(x) is not NUMPY:
            return x
        if not is_a(x, CONTAINERS):
            is_captured = id(x) in self.around.known and hasattr(type(x), "__iter__")
            is_gone_through = is_captured or self.special(x, "__iter__") is not None
            return self.scope.iter(x) if is_gone_through else x
        if id(x) not in self.around.known:
            return x
        if is_a(x, dict):
            read = self.around.read
            return {key: read(x, "item", key, x[key]) for key in self._keys(x)}
        found = self.items(x)
        return found if is_a(x, (list, set, frozenset)) else tuple(found)

    def whole(self, x: Any) -> Any:
        """Return a copy of nested containers, with each part as the code gets it."""
        kind = type(x)
        if kind not in CONTAINERS and not is_a(x, (tuple, dict)):
            return x
        if id(x) not in self.around.known:
            if kind in (list, tuple) and any(type(each) not in ATOMS for each in x):
                parts = [self.whole(each) for each in x]
                changed = any(a is not b for a, b in zip(parts, x, strict=True))
                return kind(parts) if changed else x
            return x
        found = self.shallow(x)
        if is_a(found, dict):
            return {key: self.whole(each) for key, each in found.items()}
        if is_a(found, (set, frozenset)):
            return found
        parts = [self.whole(each) for each in found]
        return kind(*parts) if hasattr(x, "_fields") else type(found)(parts)

    def index(self, key: Any) -> Any:
        """Return an index of a list or tuple: a number or slice, which the code has from now on."""
        if is_a(key, slice):
            parts = key.start, key.stop, key.step
            return slice(*[x if x is None else self.index(x) for x in parts])
        method = self.special(key, "__index__")
        return operator.index(key if method is None else self.call(method))

    def hashed(self, key: Any) -> Any:
        """Return a key of a dict or set, whose value the code has from now on."""
        if type(key) in ATOMS:
            return key
        if type(key) is Recorded:
            hash(key.content)  # raises the error for an array
            return key._leaves("using it as a key")
        if is_a(key, tuple):
            parts = [self.hashed(each) for each in self.items(key)]
            return type(key)(*parts) if hasattr(key, "_fields") else tuple(parts)
        found, _ = self.in_class(type(key), "__hash__")
        if type(found) is FunctionType and module_of(found) != "enum":
            if not (is_dataclass(key) and found.__code__.co_filename == "<string>"):
                raise Stop(
                    f"uses a {type(key).__name__} as a key, whose __hash__ a recording "
                    "does not see: use a number, a string or a tuple"
                )
            for each in fields(key):
                self.hashed(self.scope.attr(key, each.name))
        return key

    def text(self, function: Any, x: Any, *spec: Any) -> str:
        """Return an object as text, by ``format``, ``str``, ``repr`` or ``ascii``."""
        x = self._constant(x)
        names = {format: ("__format__", "__str__"), str: ("__str__",)}.get(function, ())
        own = (each for each in names if method_of(type(x), each) is not method_of(object, each))
        name = next(own, "__repr__")
        method = self.special(x, name)
        if method is not None:
            return str(self.call(method, *(spec if name == "__format__" else ())))
        if is_a(x, CONTAINERS):
            x = self.shown(x)
        elif all(
            method_of(type(x), name) is method_of(object, name) for name in ("__repr__", "__str__")
        ):
            raise Stop(f"writes a {type(x).__name__} into a text: its address is another each time")
        return str(function(x, *spec))

    def _constant(self, x: Any) -> Any:
        """Return an object that is to be written into a text, if a replay would write the same."""
        if type(x) is Recorded and (x.is_constant or not self.tape.listens):
            return x.content
        is_value = is_a(contents(x), (np.ndarray, np.generic, Variable))
        if is_value and self.tape.listens and not is_a(x, np.generic):
            raise Stop("writes a value into a text, and a replay would not: make the text outside")
        return x._leaves("formatting") if type(x) is Recorded else x

    def shown(self, x: Any) -> Any:
        """Return an object in a form that code in C can write into a text."""
        x = self._constant(x)
        if not is_a(x, CONTAINERS):
            return x if type(x) in ATOMS or is_a(x, IMMUTABLE) else _Shown(self, x)
        if type(x) not in CONTAINERS and not hasattr(x, "_fields"):
            raise Stop(
                f"writes a {type(x).__name__} into a text, of which nobody sees what is read"
            )
        return mapped(self.shown, self.shallow(x))

    def wrapped(self, x: Any) -> Any:
        """Return a result of code that is not rewritten: of an array, a recording one."""
        if type(x) is np.ndarray:
            found = self._made_arrays.get(id(x))
            if found is None:
                made = Recorded(self.tape, x, self.tape.operand(x))
                found = self._made_arrays[id(x)] = x, made
            return found[1]
        if type(x) in (list, tuple) and any(type(each) is np.ndarray for each in x):
            return type(x)([self.wrapped(each) for each in x])
        return x

    def require_seen(self, x: Any) -> None:
        """Stop if code in C gets an object of the user's in which nobody sees what there is."""
        place = self.around.known.get(id(x))
        known = (*IMMUTABLE, *CONTAINERS, Variable)
        if place is None or is_a(x, known):
            return
        if type(x) is np.ndarray and not x.dtype.hasobject and x.nbytes <= _LARGEST_COMPARED:
            self.around.look(place, "content", x.copy("K"))
            return
        raise Stop(
            f"gives {place}, a {type(x).__name__}, to code in C, and a recording does not see what "
            "that reads: give numbers and arrays"
        )

    def require_made(self, x: Any, what: str) -> None:
        """Stop if an object is one that the code has not made."""
        place = self.around.known.get(id(x))
        if place is not None:
            raise Stop(
                f"{what} of {place}, which a replay would not do: return what is new", acts=True
            )
        if is_a(x, np.ndarray) and not self.around.is_apart(x):
            raise Stop("writes into an array that a recording does not follow: copy the array")


class _Shown:
    """An object for code in C that writes it into a text."""

    __slots__ = ("_recorder", "_x")

    def __init__(self, recorder: Reading, x: Any) -> None:
        self._recorder, self._x = recorder, x

    def __str__(self) -> str:
        return self._recorder.text(str, self._x)

    def __repr__(self) -> str:
        return self._recorder.text(repr, self._x)

    def __format__(self, spec: str) -> str:
        return self._recorder.text(format, self._x, spec)

    def __getattr__(self, name: str) -> Any:
        raise Stop("writes a part of an object into a text: name the part")

    __getitem__ = __getattr__

    def __float__(self) -> float:
        raise Stop("writes an object as a number into a text: give the number")

    __index__ = __int__ = __float__
