"""Rows: the instructions of a tape as numbers, with one model for all that are of a kind."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from .classes import is_a
from .instructions import Guard, Instruction, Through, Value
from .nested import ATOMS, NESTED, leaves, mapped

_LARGEST = 2**62


class Rows(Sequence[Instruction]):
    """Instructions in the order in which they run, made when somebody asks for them.

    A function with a loop makes the same calls again and again, of other arrays. An object for each
    would take more memory than the arrays of most programs. So the first one of a kind is the model
    of the others. Of these, there are the numbers of operands and results alone, and the numbers
    among the arguments.
    """

    def __init__(self) -> None:
        #: The first instruction of each kind; and of some, by a key, the number of the kind.
        self._models: list[Instruction] = []
        self._known: dict[Any, int] = {}
        #: For each instruction, the number of its kind; and where its own numbers begin: of its
        #: operands, of its results, and those among the arguments, of a float as its bits.
        self._kinds, self._firsts, self._numbers = array("q"), array("q", [0]), array("q")
        #: Number of a Value -> the one that instructions have which were made.
        self._values: dict[int, Value] = {}

    def append(self, each: Instruction) -> None:
        """Add an instruction."""
        key, literals = _split(each)
        kind = None if key is None else self._known.get(key)
        if kind is None:
            kind = self.kind(each)
            if key is not None:
                self._known[key] = kind
        values = *operands(each), *each.outputs
        self.add(kind, [*[x.number for x in values], *map(bits, literals)])

    def kind(self, model: Instruction) -> int:
        """Return the number of a new kind, of which an instruction is the model."""
        self._models.append(model)
        return len(self._models) - 1

    def add(self, kind: int, numbers: list[int]) -> None:
        """Add an instruction that is as the model, but for its numbers."""
        self._kinds.append(kind)
        self._numbers.extend(numbers)
        self._firsts.append(len(self._numbers))

    def forget(self, first: int) -> None:
        """Forget the instructions from a position on."""
        del self._numbers[self._firsts[first] :]
        del self._kinds[first:]
        del self._firsts[first + 1 :]

    def others(self) -> Rows:
        """Return rows of the same kinds and Values, and no instructions."""
        found = Rows()
        found._models, found._known, found._values = self._models, self._known, self._values
        return found

    def take(self, other: Rows, first: int, last: int) -> None:
        """Add a part of rows of the same kinds."""
        low, high, here = other._firsts[first], other._firsts[last], len(self._numbers)
        self._kinds.extend(other._kinds[first:last])
        self._numbers.extend(other._numbers[low:high])
        self._firsts.extend([n - low + here for n in other._firsts[first + 1 : last + 1]])

    def __len__(self) -> int:
        return len(self._kinds)

    @overload
    def __getitem__(self, at: int) -> Instruction: ...
    @overload
    def __getitem__(self, at: slice) -> list[Instruction]: ...
    def __getitem__(self, at: int | slice) -> Instruction | list[Instruction]:
        if isinstance(at, slice):
            return [self[n] for n in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        numbers = self._numbers[self._firsts[at] : self._firsts[at + 1]]
        return self._made(self.model(at), numbers)

    def __iter__(self) -> Iterator[Instruction]:
        return map(self.__getitem__, range(len(self)))

    def _made(self, model: Instruction, numbers: Any) -> Instruction:
        """Return the model with other numbers."""
        read, call = len(operands(model)), model.call
        values, literals = iter(numbers), iter(numbers[read + len(model.outputs) :])

        def leaf(x: Any) -> Any:
            if type(x) is Value:
                return self.value(next(values), x)
            found = next(literals)
            return found if type(x) is int else _float(found)

        if type(call) is Through:
            call = rebuilt(call, leaf)
        args, kwargs = rebuilt(model.args, leaf), rebuilt(model.kwargs, leaf)
        if type(model) is Guard:
            return Guard(call, args[0], model.expected, model.region, model.where)
        outputs = tuple([self.value(next(values), y) for y in model.outputs])
        return model.changed(call, args, kwargs, outputs)

    def model(self, at: int) -> Instruction:
        """Return the model of the instruction at a position."""
        return self._models[self._kinds[at]]

    def value(self, number: int, like: Value) -> Value:
        """Return the Value with a number, which has the form of another one."""
        found = self._values.get(number)
        if found is None:
            found = self._values[number] = like.renumbered(number)
        return found

    # All rows at once.

    def models(self, first: int = 0) -> list[Instruction]:
        """Return the first instruction of each kind that is there, or behind a position."""
        return [self._models[kind] for kind in sorted({*self._kinds[first:]})]

    def equals(self, other: Rows) -> bool:
        """Return whether all numbers are the same."""
        mine = self._kinds, self._firsts, self._numbers
        return mine == (other._kinds, other._firsts, other._numbers)

    @property
    def kinds(self) -> Any:
        """The number of the kind of each instruction."""
        return np.array(self._kinds, np.int64)

    @property
    def firsts(self) -> Any:
        """Where the numbers of each instruction begin; and where those of the last one end."""
        return np.array(self._firsts, np.int64)

    @property
    def numbers(self) -> Any:
        """The numbers of the operands and results of all instructions."""
        return np.array(self._numbers, np.int64)


def rows_of(instructions: Sequence[Instruction]) -> Rows:
    """Return instructions as rows, if they are none."""
    if isinstance(instructions, Rows):
        return instructions
    rows = Rows()
    for each in instructions:
        rows.append(each)
        rows._values.update((x.number, x) for x in (*operands(each), *each.outputs))
    return rows


def operands(each: Instruction) -> list[Value]:
    """Return the Values that go in, one for each place where one is."""
    call = each.call if type(each.call) is Through else ()
    return leaves((call, each.args, each.kwargs), Value)


def is_number(x: Any) -> bool:
    """Return whether something is a number that may be another one in a call of the same kind."""
    return type(x) is float or (type(x) is int and -_LARGEST < x < _LARGEST)


def bits(x: int | float) -> int:
    """Return a whole number itself, and a float as a whole number of the same bits."""
    return int(struct.unpack("q", struct.pack("d", x))[0]) if type(x) is float else int(x)


def _float(x: int) -> float:
    return float(struct.unpack("d", struct.pack("q", x))[0])


def rebuilt(tree: Any, leaf: Callable[[Any], Any], kinds: tuple[type, ...] = (Value,)) -> Any:
    """Return nested arguments with ``leaf(x)`` for each object of `kinds` and number, in order."""
    if type(tree) in kinds or is_number(tree):
        return leaf(tree)
    return mapped(lambda x: rebuilt(x, leaf, kinds), tree) if is_a(tree, NESTED) else tree


def _split(each: Instruction) -> tuple[Any, list[int | float]]:
    """Return a key of all but the numbers, None if it is like no other one; and those."""
    literals: list[int | float] = []

    def leaf(x: Any) -> Any:
        if type(x) is Value:
            return x.form
        if not is_number(x):
            return None
        literals.append(x)
        return type(x)

    call = each.call if type(each.call) is Through else ()
    parts = [key_of(x, leaf) for x in (call, each.args, each.kwargs)]
    if each.region is not None or each.errors:
        return None, literals
    number = len(literals)
    parts += [key_of(x, leaf) for x in (each.call, each.outputs, getattr(each, "expected", None))]
    others, literals = literals[number:], literals[:number]
    return (type(each), each.where, each.several, *parts, *map(bits, others)), literals


def key_of(tree: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return a key of nested arguments: of ``leaf(x)``, or if that is None, of what is there."""
    kind, found = type(tree), leaf(tree)
    if found is not None:
        return found
    if kind is complex:
        return kind, repr(tree)  # 0.0 is equal to -0.0
    if kind in ATOMS:
        return kind, tree
    if kind is slice:
        tree = tree.start, tree.stop, tree.step
    elif kind is dict:
        return kind, tuple(tree), tuple([key_of(x, leaf) for x in tree.values()])
    elif not is_a(tree, NESTED):
        return kind, id(tree)  # which the instruction keeps alive
    return kind, tuple([key_of(x, leaf) for x in tree])
