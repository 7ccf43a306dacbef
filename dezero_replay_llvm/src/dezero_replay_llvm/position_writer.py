"""Elements at positions, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from .functions import ELEMENTS, FUNCTIONS, converted
from .ir import I32, Function, Type, V, i64, literal
from .machine import INVALID
from .memory import Bases
from .steps import Array, Indexed

_INTEGER = np.dtype(np.int64)


class IndexedWriter:
    """Writes elements at positions into a function."""

    def __init__(self, step: Indexed, f: Function, bases: Bases) -> None:
        self.step, self.f = step, f
        self.element = Type(ELEMENTS[step.out.dtype])
        self.source, *self.positions = step.operands
        self.at_out = bases.of(step.out)
        self.at_source = bases.of(self.source) if isinstance(self.source, Array) else None
        self.at_positions = [bases.of(x) for x in self.positions]

    def write(self) -> None:
        """Write the loops."""
        f, step, out = self.f, self.step, self.step.out
        with nested(f, step.loops) as indices:
            if step.function == "take":
                assert self.at_source is not None
                value = f.load(self._place(self.at_source, indices), self.element)
                f.store(value, at(f, self.at_out, indices, out.strides))
                return
            value = self._value(indices)
            place = self._place(self.at_out, indices)
            if step.function == "add":
                value = FUNCTIONS[np.add](f, f.load(place, self.element), value)
            f.store(value, place)

    def _value(self, indices: list[V]) -> V:
        """Return the numbers that are written."""
        x, f, dtype = self.source, self.f, self.step.out.dtype
        if self.at_source is None:
            return literal(x.astype(dtype), self.element)
        place = at(f, self.at_source, indices, x.strides)
        return converted(f, f.load(place, Type(ELEMENTS[x.dtype])), x.dtype, dtype)

    def _place(self, base: V, indices: list[V]) -> V:
        """Return the address of an element; NumPy raises the error if there is none.

        The flag of an invalid operation lets NumPy run the program again.
        """
        f, place = self.f, at(self.f, base, indices, self.step.strides)
        places = zip(self.positions, self.at_positions, self.step.extents, strict=True)
        for x, base, (n, stride) in places:
            found = f.load(at(f, base, indices, x.strides), Type(ELEMENTS[x.dtype]))
            found = converted(f, found, x.dtype, _INTEGER)
            if x.dtype.kind == "i":
                is_negative = f.compare("icmp slt", found, i64(0))
                found = f.select(is_negative, f.add(found, n), found)
            is_outside = f.compare("icmp uge", found, i64(n))
            with f.when(is_outside):
                f.call("feraiseexcept", I32, literal(INVALID, I32))
            found = f.select(is_outside, i64(0), found)
            place = f.add(place, f.times(found, stride))
        return place


@contextmanager
def nested(f: Function, shape: Any) -> Iterator[list[V]]:
    """Write loops around the lines of the block, which gets the indices of an element."""
    with ExitStack() as stack:
        yield [stack.enter_context(f.loop(n)).index if n != 1 else i64(0) for n in shape]


def at(f: Function, base: V, indices: list[V], strides: tuple[int, ...]) -> V:
    """Return the address of an element."""
    for index, stride in zip(indices, strides, strict=True):
        if index.text != "0" and stride:
            base = f.add(base, f.times(index, stride))
    return base
