"""Short rows that are sorted: each number is written to the place that is its rank.

A number has the rank that so many others come before it; of equal ones, those with a lower index
do. There is no branch in this, and up to some length it is less work than a call of NumPy's.
"""

from __future__ import annotations

from .functions import ELEMENTS
from .ir import Function, Type, V, i64
from .memory import Bases
from .position_writer import at, nested
from .steps import Sort


class SortWriter:
    """Writes the sorting of rows into a function."""

    def __init__(self, step: Sort, f: Function, bases: Bases) -> None:
        self.f, self.out, (self.x,) = f, step.out, step.operands
        self.element = Type(ELEMENTS[self.out.dtype])
        self.at_x, self.at_out = bases.of(self.x), bases.of(self.out)

    def write(self) -> None:
        """Write the loops."""
        f, n = self.f, self.out.shape[-1]
        with nested(f, self.out.shape[:-1]) as row, f.loop(n) as one:
            a = self._load(row, one.index)
            with f.loop(n, [i64(0)]) as other:
                b = self._load(row, other.index)
                is_equal = f.negation(f.op("or", self._less(a, b), self._less(b, a)))
                is_first = f.op("and", is_equal, f.compare("icmp slt", other.index, one.index))
                comes = f.convert("zext", f.op("or", self._less(b, a), is_first), "i64")
                other.values = [f.op("add", other.values[0], comes)]
            f.store(a, at(f, self.at_out, [*row, other.values[0]], self.out.strides))

    def _load(self, row: list[V], index: V) -> V:
        return self.f.load(at(self.f, self.at_x, [*row, index], self.x.strides), self.element)

    def _less(self, a: V, b: V) -> V:
        """Return whether a number comes before another one: nan comes last."""
        f = self.f
        if not self.element.is_float:
            return f.compare("icmp slt", a, b)
        is_last = f.op("and", f.compare("fcmp ord", a, a), f.compare("fcmp uno", b, b))
        return f.op("or", f.compare("fcmp olt", a, b), is_last)
