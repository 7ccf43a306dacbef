"""The guards of a program, as the source of a function: what the recording read must be there.

Each `Look` becomes a line that returns ``MISS`` if what is at its place differs. Places are read
once, parents first, by the expressions by which Python reads them.
"""

from __future__ import annotations

from collections.abc import Container
from keyword import iskeyword
from types import CellType
from typing import Any

import numpy as np

from ..tape.classes import MISSING
from ..tape.instructions import Value
from ..tape.nested import ATOMS
from .places import READ, Look, Place

#: Looks that are one comparison of what is there with what was there.
CONDITIONS = {
    "is at": "{0} is not {1}",
    "is not at": "{0} is {1}",
    "type": "type({0}) is not {1}",
    "returns": "{0}() != {1}",
    "names": "dir({0}) != {1}",
    "bytes": "bytes({0}) != {1}",
    "mro": "{0}.__mro__ is not {1}",
    "length": "len({0}) != {1}",
    "longer": "len({0}) <= {1}",
    "empty": "len({0})",
    "not empty": "not len({0})",
}


class Guards:
    """Writes the guards of a program; `arguments` has the expression of each argument.

    The places whose identities are in `once` are looked at once alone, and need no name.
    """

    def __init__(self, arguments: dict[Any, str], once: Container[Any] = ()) -> None:
        #: The lines, each of which may return; and the objects that they name.
        self.lines: list[str] = []
        self.bound: dict[str, Any] = {
            "ndarray": np.ndarray,
            "MISSING": MISSING,
            "same_content": _same_content,
            "bits": _bits,
            "shown": _shown,
            "has_attribute": _has_attribute,
        }
        self._arguments, self._once = arguments, once
        self._read: dict[Any, str] = {}
        self._by_id: dict[tuple[str, int], str] = {}

    def bind(self, x: Any, hint: str = "k") -> str:
        """Return the name of an object."""
        key = hint, id(x)
        if key not in self._by_id:
            self._by_id[key] = name = f"{hint}{len(self._by_id)}"
            self.bound[name] = x
        return self._by_id[key]

    def miss(self, condition: str) -> None:
        """Write that a condition leads out of the program."""
        self.lines.append(f"        if {condition}: return MISS")

    def place(self, place: Place) -> str:
        """Return the name of what is at a place, after a line that reads it."""
        key = place.identity
        if key not in self._read:
            if place.kind == "known":
                self._read[key] = self.bind(place.found, "o")
            elif place.kind == "argument":
                self._read[key] = self._arguments[place.key]
            else:
                expression = self.expression(place)
                self._read[key] = name = f"p{len(self._read)}"
                self.lines.append(f"        {name} = {expression}")
        return self._read[key]

    def expression(self, place: Place) -> str:
        """Return the expression that reads a place, and can be assigned to."""
        parent: Any = place.parent
        holder = self.place(parent)
        if place.kind == "context":
            return f"{holder}.get(MISSING)"
        if place.kind == "own":
            return f"{self._own(parent.found)}[{place.key!r}]"
        if place.kind == "call" and place.key:
            args, named = map(self.bind, place.key)
            return f"{holder}(*{args}, **{named})"
        if place.kind == "call":
            return f"{holder}()"
        if place.how:
            return f"{self.bind(READ[place.how], 'read')}({holder}, {self.bind(place.key)})"
        if place.kind == "item":
            key = place.key
            return f"{holder}[{repr(key) if type(key) in (int, str) else self.bind(key)}]"
        if isinstance(parent.found, CellType):
            return f"{holder}.cell_contents"
        if place.key.isidentifier() and not iskeyword(place.key):
            return f"{holder}.{place.key}"
        return f"vars({holder})[{place.key!r}]"

    def target(self, place: Place) -> str:
        """Return the target of an assignment that puts something at a place."""
        holder = self.place(place.parent)  # type: ignore[arg-type]
        if place.how == "object":
            return f"{holder}.{place.key}"
        return f"{holder}[{self.bind(place.key)}]"

    def looks(self, looks: list[Look]) -> None:
        """Write the comparisons: of classes first, which say how attributes are read."""
        lacking: dict[int, tuple[Any, list[str]]] = {}
        for look in looks:
            if look.what == "lacks":
                base: Any = look.place.parent
                lacking.setdefault(id(base.found), (base.found, []))[1].append(look.place.key)
        for base, names in lacking.values():
            self._lacks(base, names)
        for look in sorted(looks, key=lambda x: x.what != "mro" and x.place.kind != "own"):
            if look.what != "lacks":
                self._look(look)

    def _lacks(self, kind: type, names: list[str]) -> None:
        own = self._own(kind)
        self.miss(" or ".join(f"{name!r} in {own}" for name in names))

    def _own(self, kind: type) -> str:
        """Return the name of what a class has itself, in a form that follows its changes."""
        name = self.bind(kind, "own")
        self.bound[name] = vars(kind)
        return name

    def _look(self, look: Look) -> None:
        if look.what in CONDITIONS:
            expected, form = look.expected, CONDITIONS[look.what]
            other = self.place(expected) if type(expected) is Place else self.bind(expected, "o")
            self.miss(form.format(self.place(look.place), other))
        else:
            getattr(self, f"_{look.what}")(look.place, look.expected)

    def form(self, name: str, value: Value) -> None:
        """Write the comparison of the form of an array, or of the type of a number."""
        if value.kind is not np.ndarray:
            self.miss(f"type({name}) is not {self.bind(value.kind, 'o')}")
            return
        self.miss(f"type({name}) is not ndarray or {name}.shape != {value.shape}")
        dtype = self.bind(value.dtype, "dtype")
        self.miss(f"{name}.dtype is not {dtype} and {name}.dtype != {dtype}")
        if value.shape:
            self.miss(f"{name}.strides != {value.strides}")

    def _is(self, place: Place, expected: Any) -> None:
        now = self.expression(place) if place.identity in self._once else self.place(place)
        self.miss(f"{now} is not {self.bind(expected, 'o')}")

    def _value(self, place: Place, x: Any) -> None:
        name, known = self.place(place), self.bind(x)
        if x is None or x is True or x is False or x is Ellipsis:
            self.miss(f"{name} is not {x}")
            return
        differs = f"type({name}) is not {self.bind(type(x), 'o')} or {name} != {known}"
        is_inexact = isinstance(x, (float, complex, np.inexact))
        if is_inexact and (x != x or 0 in ((x,) if type(x) is float else (x.real, x.imag))):
            differs = f"bits({name}) != {self.bind(_bits(x))}"  # signs of zeros, kinds of nan
        self.miss(f"{name} is not {known} and ({differs})")

    def _content(self, place: Place, copy: Any) -> None:
        name = self.place(place)
        self.form(name, Value(0, copy))
        self.miss(f"not same_content({name}, {self.bind(copy)})")

    def _keys(self, place: Place, expected: list[Any]) -> None:
        is_plain = not any(isinstance(x, (int, float, complex, tuple)) for x in expected)
        differ = f"list({{}}) != {self.bind(expected)}"
        if not is_plain:  # 1, 1.0 and True are equal
            differ = f"shown({{}}) != {self.bind(_shown(expected))}"
        self.miss(differ.format(self.place(place)))

    def _missing(self, place: Place, has_dict: bool) -> None:
        parent: Any = place.parent
        holder, key = self.place(parent), self.bind(place.key)
        if place.kind == "item":
            self.miss(f"{key} in {holder}")
        elif has_dict:
            self.miss(f"{key} in {holder}.__dict__")
        else:
            self.miss(f"has_attribute({holder}, {key})")


def _bits(x: Any) -> Any:
    """Return type and bytes of a number."""
    is_number = isinstance(x, (int, float, complex, np.generic))
    return type(x), np.asarray(x).tobytes() if is_number else x


def _same_content(x: Any, copy: Any) -> bool:
    return bool(x.tobytes() == copy.tobytes())


def _shown(keys: Any) -> list[Any]:
    """Return keys in a form in which two are equal only if they are of one type."""
    return [(type(x), repr(x)) if type(x) in ATOMS or type(x) is tuple else id(x) for x in keys]


def _has_attribute(x: Any, name: str) -> bool:
    """Return whether an object has an attribute, if its class is not asked to make one up."""
    if isinstance(x, CellType):
        return x != CellType()
    try:
        object.__getattribute__(x, name)
    except AttributeError:
        return False
    return True
