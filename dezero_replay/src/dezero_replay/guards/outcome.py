"""The results of a recorded call, and what it puts at places: how a replay makes them again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from typing import Any

import numpy as np
from dezero_tools.functional.trees import fields_of

from dezero_core import Variable

from ..tape.nested import ATOMS
from ..tape.recorded import Recorded
from ..tape.stop import Stop
from .results import maker_of, without_graph
from .surroundings import Surroundings


@dataclass(eq=False, slots=True)
class Outcome:
    """A result, a part of one, or what is put at a place.

    `kind` is one of

    ``"value"``     an array or number that the program computes: `what` is its `Value`
    ``"variable"``  a Variable that holds the only one of `parts`; ``what(array)`` makes it
    ``"input"``     what was there at an `Input`, itself
    ``"place"``     an argument, or an object in it: what was there at a `Place`
    ``"known"``     an object of before the call, or a number or string that is always the same
    ``"made"``      a tuple, list, dict or dataclass of `parts`, of the type `what` with `keys`
    """

    kind: str
    what: Any
    parts: tuple[Outcome, ...] = ()
    keys: tuple[Any, ...] = ()

    def __iter__(self) -> Iterator[Outcome]:
        """Yield it and all its parts."""
        yield self
        for part in self.parts:
            yield from part

    def differs(self, other: Outcome) -> bool:
        """Return whether that of another recording is of another form."""
        if {self.kind, other.kind} == {"value", "known"}:
            known = self.what if self.kind == "known" else other.what
            return not isinstance(known, (int, float, complex, np.generic))  # of numbers that vary
        if self.kind != other.kind or self.keys != other.keys:
            return True
        if self.kind in ("input", "place"):
            return bool(self.what.identity != other.what.identity)
        if self.kind == "known":
            a, b = self.what, other.what
            same = type(a) is type(b) and repr(a) == repr(b) if type(a) in ATOMS else a is b
            return not (same or isinstance(a, np.generic))
        if self.kind == "made" and self.what is not other.what:
            return True
        pairs = zip(self.parts, other.parts, strict=False)
        return len(self.parts) != len(other.parts) or any(a.differs(b) for a, b in pairs)

    def __repr__(self) -> str:
        if self.kind != "made":
            return self.kind
        return f"{self.what.__name__}{self.keys}{self.parts}"


class Outcomes:
    """Makes the `Outcome` of each result of a call, and the result itself with ndarrays in it.

    Lists, dicts and dataclasses that the call has made stay the same objects.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around, self._tape = around, around.tape
        self._inputs = {id(around.arrays.get(id(x.content))): x for x in around.inputs}
        #: id of an object -> it, its Outcome, and the object that the user gets.
        self._made: dict[int, tuple[Any, Outcome | None, Any]] = {}

    def of(self, x: Any) -> Outcome:
        """Return the Outcome of an object."""
        if type(x) in ATOMS:
            return Outcome("known", x)
        if id(x) not in self._made:
            self._made[id(x)] = x, None, None  # as long as its parts are looked at
            self._made[id(x)] = x, *self._found(x)
        outcome = self._made[id(x)][1]
        if outcome is None:
            raise Stop("returns or keeps a list or dict that contains itself")
        return outcome

    def plain(self, x: Any) -> Any:
        """Return the object itself, after `of`: with arrays in place of recording ones."""
        return x if type(x) in ATOMS else self._made[id(x)][2]

    def _found(self, x: Any) -> tuple[Outcome, Any]:
        if type(x) is Recorded:
            root = x.root
            is_state = self._around.arrays.get(id(root.content)) is root
            if is_state and root is not x and root._version:
                raise Stop("returns or keeps a view of an array that it has written: copy the view")
            found = self._inputs.get(id(x))
            return (Outcome("input", found) if found else Outcome("value", x.value)), x.content
        place = self._around.known.get(id(x))
        if place is not None:
            is_given = place.is_of_arguments
            return Outcome("place", place) if is_given else Outcome("known", x), x
        if isinstance(x, Variable) and x.grad is not None:
            raise Stop(
                "returns a Variable that has a .grad: return the gradient beside the Variable"
            )
        if isinstance(x, Variable):
            without_graph(x)
            outcome = Outcome("variable", maker_of(x), (self.of(x.data),))
            x.data = self.plain(x.data)
            return outcome, x
        if type(x) is np.ndarray and id(x.base) in self._around.known:
            raise Stop("returns or keeps a view of an array that is no numbers: copy the view")
        if type(x) is np.ndarray:
            return Outcome("value", self._tape.operand(x)), x
        if isinstance(x, (np.generic, np.dtype, type)):
            return Outcome("known", x), x
        return self._of_parts(x)

    def _of_parts(self, x: Any) -> tuple[Outcome, Any]:
        kind: Any = type(x)
        if kind is dict:
            outcome = Outcome("made", dict, tuple(map(self.of, x.values())), tuple(x))
            for key in x:
                x[key] = self.plain(x[key])
        elif kind in (tuple, list) or hasattr(x, "_fields"):
            outcome = Outcome("made", kind, tuple(map(self.of, x)))
            items = list(map(self.plain, x))
            if kind is list:
                x[:] = items
            elif any(a is not b for a, b in zip(x, items, strict=True)):
                x = kind(*items) if hasattr(x, "_fields") else tuple(items)
        elif is_dataclass(x) and (fields := fields_of(x)) is not None and vars(x) == fields:
            outcome = Outcome("made", kind, tuple(map(self.of, fields.values())), tuple(fields))
            for name, value in fields.items():
                object.__setattr__(x, name, self.plain(value))
        else:
            raise Stop(
                f"returns or keeps a {kind.__name__}, which is no array: return a tuple, list, "
                "dict or dataclass of arrays"
            )
        return outcome, x


@dataclass(eq=False, slots=True)
class Effect:
    """A change that a run makes at its end."""

    #: ``"write"`` into an array that is an `Input`; ``"set"`` at a `Place`, ``"force"`` if the
    #: class there refuses that; ``"data"`` or ``"grad"`` of the Variable there; ``"append"`` to the
    #: list there.
    kind: str
    target: Any
    outcome: Outcome

    @property
    def changes(self) -> Any:
        """The `Place` or `Input` of the object that it changes."""
        return self.target.parent if self.kind in ("set", "force") else self.target

    def differs(self, other: Effect) -> bool:
        """Return whether that of another recording is another one."""
        if self.kind != other.kind or self.target.identity != other.target.identity:
            return True
        return self.outcome.differs(other.outcome)

    def __str__(self) -> str:
        if self.kind == "write":
            return f"into {self.target}"
        if self.kind == "append":
            return f"to the end of {self.target}"
        return str(self.target) + (f".{self.kind}" if self.kind in ("data", "grad") else "")
