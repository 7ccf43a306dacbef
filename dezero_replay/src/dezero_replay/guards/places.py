"""Where a recorded function has read and written: paths to objects, and what is compared there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import CellType, FunctionType, ModuleType
from typing import Any

from ..tape.classes import MISSING, is_a, method_of, runs_code

#: How a place is read as a type of Python's does that, and not as a derived class does.
READ: dict[str, Any] = {
    "object": object.__getattribute__,
    "dict": lambda holder, key: dict.get(holder, key, MISSING),  # which makes no missing item
    "list": list.__getitem__,
    "tuple": tuple.__getitem__,
}


@dataclass(eq=False, repr=False, slots=True)
class Place:
    """Where an object is: an attribute or item of another place, or a root.

    Roots are arguments, cells of outer functions, namespaces of modules, and objects that are
    known by themselves, as a class or a function.
    """

    #: The object that was there in the recording, as long as that goes on.
    found: Any
    parent: Place | None = None
    #: ``"attribute"``, ``"item"``, ``"context"``, ``"call"``, ``"own"`` of a class itself; of
    #: roots ``"argument"`` or ``"known"``.
    kind: str = "known"
    #: The name, index or key; of an argument, its number or name.
    key: Any = None
    #: A key that the same place has in another recording.
    identity: Any = None
    #: A key of `READ` if it is read as that type does, and not as the class does.
    how: str = ""

    def __post_init__(self) -> None:
        of = self.parent
        if of is None:
            self.identity = self.kind, (self.key if self.kind == "argument" else id(self.found))
        else:
            if self.kind == "item" and is_a(of.found, dict) and type(of.found) is not dict:
                self.how = "dict"
            elif self.kind == "item" and is_a(of.found, (list, tuple)):
                is_plain = type(of.found).__getitem__ in (list.__getitem__, tuple.__getitem__)
                self.how = "" if is_plain else "list" if is_a(of.found, list) else "tuple"
            elif self.kind == "attribute" and not is_a(of.found, (type, ModuleType)):
                of_class = hasattr(type(of.found), "__getattr__"), type(of.found).__getattribute__
                self.how = "object" if of_class[0] or type(of_class[1]) is FunctionType else ""
            # Another tuple may be there in each call, as a state that is (h, c).
            moves = of.kind == "call" or of.is_of_arguments or is_a(of.found, tuple)
            self.identity = (of.identity if moves else id(of.found)), self.kind, self.key

    def release(self) -> None:
        """Let go of what was found, unless the place is that object itself."""
        if self.kind != "known":
            self.found = None

    @property
    def chain(self) -> Iterator[Place]:
        """Yield this place, and those that lead to it."""
        place: Place | None = self
        while place is not None:
            yield place
            place = place.parent

    @property
    def is_of_arguments(self) -> bool:
        """Whether an argument leads to it, so that another call may have another object there."""
        return any(each.kind == "argument" for each in self.chain)

    def read(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the object that is there now, in a call with these arguments."""
        if self.parent is None:
            if self.kind == "known":
                return self.found
            return kwargs[self.key] if isinstance(self.key, str) else args[self.key]
        holder = self.parent.read(args, kwargs)
        if self.kind == "attribute" and runs_code(method_of(type(holder), self.key)):
            return MISSING
        if self.how:
            return READ[self.how](holder, self.key)
        if self.kind == "attribute":
            return getattr(holder, self.key)
        if self.kind == "own":
            return vars(holder)[self.key]
        if self.kind == "call":
            return holder(*self.key[0], **self.key[1]) if self.key else holder()
        return holder.get(MISSING) if self.kind == "context" else holder[self.key]

    def __str__(self) -> str:
        """Return the place as the user has written it: ``self.v['b2']``."""
        parent = self.parent
        if parent is None:
            if self.kind == "argument":
                return self.key if isinstance(self.key, str) else f"argument {self.key}"
            return str(self.key or getattr(self.found, "__name__", type(self.found).__name__))
        if is_a(parent.found, CellType) or self.kind in ("context", "call"):
            return str(parent)
        if self.kind in ("attribute", "own"):
            return f"{parent}.{self.key}"
        if is_a(parent.found, dict) and "__name__" in parent.found:
            return str(self.key)  # a global
        return f"{parent}[{self.key!r}]"


@dataclass(eq=False, slots=True)
class Look:
    """Something that is compared at a place before each replay.

    `what` is one of

    ``"is"``       the object is `expected`
    ``"is at"``    the object is the one at another place, `expected`; ``"is not at"`` it is not
    ``"value"``    it is equal to `expected`, to the bit, and of the same type
    ``"type"``     its type is `expected`
    ``"mro"``      the class has the bases `expected`; ``"lacks"``, it has nothing there itself
    ``"length"``   its length is `expected`; ``"empty"``, ``"not empty"``, ``"longer"`` than it
    ``"keys"``     the list of its keys, or of the members of a set, is `expected`
    ``"bytes"``    the bytes in it are `expected`; ``"content"``, of an array that is no numbers
    ``"returns"``  a call of it returns `expected`
    ``"names"``    the names that it has, as ``dir`` says, are `expected`
    ``"missing"``  nothing is there; `expected` says whether to look into the ``__dict__`` alone
    """

    place: Place
    what: str
    expected: Any

    @property
    def identity(self) -> Any:
        """A key that the same look has in another recording."""
        return self.place.identity, self.what
