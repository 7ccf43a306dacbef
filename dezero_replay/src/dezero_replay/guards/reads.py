"""The objects around a recorded function that it reads."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np
from dezero_tools.functional.trees import branches_of

from dezero_core import Variable
from dezero_core.extend import NUMBERS as NUMERIC

from ..tape.classes import MISSING, is_a
from ..tape.instructions import Value
from ..tape.nested import ATOMS, equal
from ..tape.recorded import Recorded
from ..tape.stop import Stop
from ..tape.tape import Tape
from .places import Look, Place

#: Types of containers that are read item by item.
CONTAINERS = (list, tuple, dict, set, frozenset)

_STRUCTURE = ("length", "keys", "empty", "not empty")

Slot = tuple[int, str, Any]
"""A holder by its id, the kind of the place, and its key."""


@dataclass(eq=False, repr=False, slots=True)
class Input:
    """An array or number that each run begins with."""

    value: Value
    #: As it was in the recording; a program keeps only the form.
    content: Any
    #: ``"data"`` or ``"grad"`` of the Variable at `place`; ``"array"`` or ``"number"`` at it.
    kind: str
    place: Place

    @property
    def identity(self) -> Any:
        """A key that the same input has in each recording."""
        return self.kind, self.place.identity

    def read(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the array or number that is there now, in a call with these arguments."""
        found = self.place.read(args, kwargs)
        return getattr(found, self.kind) if self.kind in ("data", "grad") else found

    def __str__(self) -> str:
        return f"{self.place}.{self.kind}" if self.kind in ("data", "grad") else str(self.place)


class Reads:
    """The reads of one call beyond the objects that it makes. `Surroundings` adds its writes.

    The numbers at the places whose identities are in `numeric` are inputs.
    """

    def __init__(self, tape: Tape, numeric: Container[Any]) -> None:
        self.tape, self._numeric = tape, numeric
        #: The comparisons before each replay, parents first.
        self.looks: list[Look] = []
        self.inputs: list[Input] = []
        #: The places of numbers that are no inputs, and the numbers.
        self.numbers: list[tuple[Place, Any]] = []
        #: id of a captured object -> its first place.
        self.known: dict[int, Place] = {}
        #: id of the ``__dict__`` of a captured object -> the object, and how its items are read.
        self.owners: dict[int, tuple[Any, str]] = {}
        #: id of a captured Variable -> its place, and its data and gradient before the call.
        self.variables: dict[int, tuple[Place, Any, Any]] = {}
        #: id of the data of a Variable with a graph from before the call -> its place.
        self.foreign: dict[int, Place] = {}
        #: The places that the code has set, and the values that it has put there, in this order.
        self.written: dict[Slot, tuple[Place, Any]] = {}
        #: A list, and a value that the code has appended to it.
        self.appended: list[tuple[Place, Any]] = []
        #: id of an ndarray of the user's -> the recording array that stands for it.
        self.arrays: dict[int, Recorded] = {}
        #: id of an ndarray of the user's -> the Value that it is at the beginning.
        self._first: dict[int, Value] = {}
        self.generators: dict[int, Any] = {}
        #: How many random numbers, or arrays of them, the code has drawn.
        self.draws = 0
        #: Whether all was taken back.
        self.is_over = False
        #: Whether a body runs as it is, and may read, but not act.
        self.in_body = False
        #: Whether the code has asked whether two arrays are one.
        self.compares = False
        self._slots: dict[Slot, tuple[Any, Any]] = {}
        self._looked: set[Any] = set()
        #: id of a token of a context variable -> it, and what was there before.
        self._tokens: dict[int, Any] = {}
        self._restructured: set[int] = set()
        #: Functions that take back the changes, in the order of the changes.
        self._undo: list[Callable[[], Any]] = []

    # Reading.

    def root(self, x: Any, name: str | None = None) -> Place:
        """Return the place of an object that is known by itself."""
        place = self.known.get(id(x))
        if place is None:
            place = self.known[id(x)] = Place(x, None, "known", name)
        return place

    def read(self, holder: Any, kind: str, key: Any, found: Any) -> Any:
        """Return the object for code that has read `found` of a holder."""
        holder, kind = self.owners.get(id(holder), (holder, kind))
        place = Place(holder) if kind == "own" else self.known.get(id(holder))
        if place is None:
            return found  # the code has made the holder itself
        slot = id(holder), kind, key
        before = self._slots.get(slot)
        if before is not None and (
            before[0] is found or (type(found) in ATOMS and equal(before[0], found))
        ):
            return before[1]
        at = Place(found, place, kind, key)
        given = self.admitted(found, at)
        self._slots[slot] = found, given
        return given

    def missed(self, holder: Any, kind: str, key: Any) -> None:
        """Note that there is nothing under a name or key."""
        holder, kind = self.owners.get(id(holder), (holder, kind))
        place = self.known.get(id(holder))
        if place is not None and (id(holder), kind, key) not in self.written:
            of = type(holder)
            has_dict = of.__dictoffset__ and type(of.__getattribute__) is not FunctionType
            self.look(Place(MISSING, place, kind, key), "missing", bool(has_dict))

    def look(self, place: Place, what: str, expected: Any) -> None:
        """Let something be compared before each replay."""
        of = (expected.identity,) if type(expected) is Place else ()
        of = (expected,) if what == "longer" else of
        key = (place.identity, what, *of)
        if key in self._looked:
            return
        if what in _STRUCTURE and id(place.found) in self._restructured:
            raise Stop(f"adds to {place}, and looks how much is in it: look before, or at a copy")
        self._looked.add(key)
        self.looks.append(Look(place, what, expected))

    def look_at(self, x: Any, what: str, expected: Any) -> None:
        """Let something be compared, if an object is one that the code has not made."""
        place = self.known.get(id(x))
        if place is not None:
            self.look(place, what, expected)

    def admitted(self, x: Any, place: Place) -> Any:
        """Return the object for code that meets one at a place; note the comparisons there."""
        kind = type(x)
        if kind in ATOMS or (is_a(x, np.generic) and kind is not np.void):
            return self._atom(x, place)
        if kind is np.ndarray and x.dtype.kind in NUMERIC:
            return self._input(x, "array", place)
        if is_a(x, np.ndarray):  # what is in it is looked at where it is used
            self.look(place, "type", kind)
            self.known[id(x)] = place
            return x
        if is_a(x, Variable):
            return self._variable(x, place)
        if kind is slice:
            self.look(place, "type", kind)
            self.known[id(x)] = place
            parts = [(name, getattr(x, name)) for name in ("start", "stop", "step")]
            return slice(*[self.read(x, "attribute", name, part) for name, part in parts])
        if not self._met(x, place):
            is_structure = place.is_of_arguments and branches_of(x) is not None
            if is_structure or is_a(x, tuple) or place.kind == "call":  # of a weak reference
                self.look(place, "type", kind)
            else:
                self.look(place, "is", x)
            self.known[id(x)] = place
        return x

    def _met(self, x: Any, place: Place) -> bool:
        """Return whether an object was met before; if so, let it be compared that it is the same.

        Two arguments may be one object in a call, and two in another one.
        """
        at = self.known.get(id(x))
        if at is None:
            return False
        kinds = {each.kind for each in (*at.chain, *place.chain)}
        is_at = kinds & {"argument", "call"} or is_a(x, tuple)
        self.look(place, *(("is at", at) if is_at else ("is", x)))
        return True

    def _atom(self, x: Any, place: Place) -> Any:
        is_number = type(x) in (int, float, complex) or is_a(x, (np.number, np.bool_))
        if is_number and place.identity in self._numeric:
            return self._input(x, "number", place)
        if is_number:
            self.numbers.append((place, x))
        self.look(place, "value", x)
        return x

    def _input(self, x: Any, kind: str, place: Place) -> Recorded:
        made = self.arrays.get(id(x))
        if made is None or made.content is not x:
            made = Recorded(self.tape, x, self.tape.value(x))
            if type(x) is np.ndarray:
                self.arrays[id(x)] = made
        first = self._first.setdefault(id(x), made._value) if type(x) is np.ndarray else made._value
        self.inputs.append(Input(first, x, kind, place))
        return made

    def _variable(self, x: Variable, place: Place) -> Variable:
        """Let a Variable hold recording arrays, if it is met for the first time."""
        if self._met(x, place):
            return x
        has_graph = x.creator is not None or is_a(x.grad, Variable)
        is_any = has_graph or place.is_of_arguments
        self.look(place, *(("type", type(x)) if is_any else ("is", x)))
        self.known[id(x)] = place
        data, grad, edge, generation = x.data, x.grad, x._edge, x.generation
        self.variables[id(x)] = place, data, grad

        def put_back() -> None:
            x.data, x.grad, x._edge, x.generation = data, grad, edge, generation

        self._undo.append(put_back)
        if not is_a(data, (np.ndarray, np.generic)):  # none, or one of another library
            self.look(Place(data, place, "attribute", "data"), "is", data)
        for name, content in (("data", data), ("grad", grad)):
            if type(content) is np.ndarray or is_a(content, np.generic):
                setattr(x, name, self._input(content, name, place))
        if has_graph:
            self.foreign[id(x.data)] = place
        return x

    def require_own_graph(self, arrays: Iterable[Any]) -> None:
        """Stop if an array is that of a Variable with a graph from before the call."""
        for x in arrays if self.foreign else ():
            place = self.foreign.get(id(x))
            if place is not None:
                raise Stop(
                    f"reads {place}, which has a graph from before the call: compute {place} "
                    f"inside of the function, or use {place}.data"
                )
