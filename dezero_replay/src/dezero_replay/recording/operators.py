"""Operators, comparisons and tests of truth, as rewritten code makes them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from dezero_core import Variable

from ..guards.reads import CONTAINERS
from ..source.nodes import BINARY, UNARY
from ..tape.classes import is_a, method_of
from ..tape.nested import ATOMS
from ..tape.recorded import Recorded, contents
from ..tape.stop import Stop
from .attributes import Attributes
from .builtin import extend

_REFLECTED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}

#: Types of which a guard compares the value: another run may have another object that is equal.
_VALUES = (int, float, complex, str, bytes)

#: Types whose operators are no functions of Python's.
PLAIN = ATOMS | {Recorded, Variable, range, slice}


class Operators(Attributes):
    """Operators, comparisons and tests, as a part of a `Scope`."""

    __slots__ = ()

    def _operated(self, name: str, function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        """Return the result of an operator between two objects, one of which is no plain one."""
        recorder = self._recorder
        if name == "mod" and type(a) is str:
            return a % recorder.shown(b)
        methods = [(a, f"__{name}__", b), (b, f"__{_REFLECTED.get(name, 'r' + name)}__", a)]
        is_comparison = name in _REFLECTED
        if type(a) is type(b) and not is_comparison:
            methods.pop()
        elif type(a) is not type(b) and issubclass(type(b), type(a)):
            special = methods[1][1]
            if is_comparison or method_of(type(b), special) is not method_of(type(a), special):
                methods.reverse()
        is_plain = not any(recorder.special(x, special) for x, special, _ in methods)
        if name == "ne" and is_plain and any(recorder.special(x, "__eq__") for x in (a, b)):
            return not self.truth(self.eq(a, b))
        if (
            is_plain
            and name in ("eq", "ne")
            and all(method_of(type(x), "__eq__") is object.__eq__ for x in (a, b))
        ):  # as members of an Enum
            return self.is_(a, b) is (name == "eq")
        if is_plain:
            for x in (a, b):
                recorder.require_seen(x)
            return recorder.native.watched(function, (recorder.whole(a), recorder.whole(b)), {})
        for x, special, other in methods:
            method, found = recorder.special(x, special), NotImplemented
            if method is not None:
                found = self.call(method, other)
            elif (native := getattr(type(x), special, None)) is not None:
                found = native(x, other)
            if found is not NotImplemented:
                return found
        if name in ("eq", "ne"):
            return (a is b) is (name == "eq")
        return function(a, b)  # raises the error, since all methods have declined

    def _updated(self, name: str, function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        """Return the result of an operator in place."""
        if type(a) is Recorded or is_a(a, Variable):
            return function(a, b)
        method = self._recorder.special(a, f"__i{name}__")
        if method is not None:
            found = self.call(method, b)
            if found is not NotImplemented:
                return found
        elif hasattr(type(a), f"__i{name}__"):
            if type(a) is list and name == "add" and id(a) in self._around.known:
                extend(self, a, b)
                return a
            self._recorder.require_made(a, "changes")
            return self._recorder.native.watched(function, (a, self._recorder.shallow(b)), {})
        return getattr(self, _METHODS[name])(a, b)

    def _of_one(self, name: str, function: Callable[[Any], Any], a: Any) -> Any:
        method = self._recorder.special(a, f"__{name}__")
        if method is not None:
            return self.call(method)
        self._recorder.require_seen(a)
        return function(a)

    # Comparisons and tests.

    def is_(self, a: Any, b: Any) -> bool:
        """Return whether two objects are one."""
        around = self._around
        if type(a) is Recorded or type(b) is Recorded:
            around.compares = True  # that two inputs are one is compared in any case
            return contents(a) is contents(b)
        if type(a) is type(b) and type(a) in _VALUES and (a == b or (a != a and b != b)):
            raise Stop("compares two numbers or texts by identity: write == in place of is")
        places = around.known.get(id(a)), around.known.get(id(b))
        if all(places) and (places[0].is_of_arguments or places[1].is_of_arguments):
            around.look(places[0], "is at" if a is b else "is not at", places[1])
        return a is b

    def is_not(self, a: Any, b: Any) -> bool:
        """Return whether two objects are not one."""
        return not self.is_(a, b)

    def contained(self, a: Any, b: Any) -> bool:
        """Return whether `a` is in `b`."""
        method = self._recorder.special(b, "__contains__")
        if method is not None:
            return self.truth(self.call(method, a))
        return self.plain_contained(b, a)

    def plain_contained(self, b: Any, a: Any) -> bool:
        """Return whether `a` is in `b`, as the types of Python find that."""
        recorder, around = self._recorder, self._around
        if is_a(b, (dict, MappingProxyType)):
            key = recorder.hashed(a)
            if id(b) in around.known:
                if key in b:
                    self.item(b, key)
                else:
                    around.missed(b, "item", key)
            return key in b
        if is_a(b, (set, frozenset)):
            recorder.items(b)
            return recorder.hashed(a) in b
        if type(b) in ATOMS or type(b) in (range, Recorded) or is_a(b, Variable):
            return a in b
        looks = (self.eq, self.is_) if type(a) in _VALUES else (self.is_, self.eq)
        return any(self.truth(look(a, each)) for each in self.iter(b) for look in looks)

    def not_contained(self, a: Any, b: Any) -> bool:
        """Return whether `a` is not in `b`."""
        return not self.contained(a, b)

    def truth(self, x: Any) -> bool:
        """Return whether an object counts as true."""
        kind = type(x)
        if kind is bool or kind in ATOMS or kind is Recorded or is_a(x, Variable):
            return bool(x)
        for name in ("__bool__", "__len__"):
            method = self._recorder.special(x, name)
            if method is not None:
                return bool(self.call(method))
        if is_a(x, CONTAINERS):
            self._around.look_at(x, "not empty" if x else "empty", None)
        elif hasattr(kind, "__bool__") or hasattr(kind, "__len__"):
            self._recorder.require_seen(x)
        return bool(x)


def _binary(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    def operated(self: Any, a: Any, b: Any) -> Any:
        if type(a) in PLAIN and type(b) in PLAIN:
            return function(a, b)
        return self._operated(name, function, a, b)

    return operated


def _in_place(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    def updated(self: Any, a: Any, b: Any) -> Any:
        if type(a) in ATOMS and type(b) in PLAIN:
            return function(a, b)
        return self._updated(name, function, a, b)

    return updated


def _unary(name: str, function: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    def of_one(self: Any, a: Any) -> Any:
        return function(a) if type(a) in PLAIN else self._of_one(name, function, a)

    return of_one


#: Operator -> its method, which has another name for ``and`` and ``or``.
_METHODS = {method.rstrip("_"): method for method in BINARY.values()}
for _name, _method in _METHODS.items():
    setattr(Operators, _method, _binary(_name, getattr(operator, _method)))
    setattr(Operators, f"i{_name}", _in_place(_name, getattr(operator, f"i{_name}")))
for _name in _REFLECTED:
    setattr(Operators, _name, _binary(_name, getattr(operator, _name)))
Operators.divmod = _binary("divmod", divmod)  # type: ignore[attr-defined]
for _name in UNARY.values():
    setattr(Operators, _name, _unary(_name, getattr(operator, _name)))
