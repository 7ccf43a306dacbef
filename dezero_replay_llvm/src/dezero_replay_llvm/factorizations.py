"""Inverses, solutions, factors and determinants of one matrix, by LAPACK.

LAPACK gets copies in Fortran's order, and sets flags of floating point that NumPy does not look
at. If the matrix is singular, or not positive definite, or the result is not finite, the flag of an
invalid operation is raised: then NumPy runs the program again, and its call raises the error.
"""

from __future__ import annotations

import math

from .functions import ELEMENTS
from .ir import I32, I64, Function, Type, V, i64, literal
from .lapack import symbol
from .machine import INVALID, RAISED
from .memory import Bases
from .steps import Array, Factorization


class FactorizationWriter:
    """Writes a call of LAPACK's into a function."""

    def __init__(self, step: Factorization, f: Function, bases: Bases) -> None:
        self.f, self.name, self.out = f, step.function, step.out
        self.a, *self.b = step.operands
        self.n, self.size = self.a.shape[-1], self.out.dtype.itemsize
        self.element = Type(ELEMENTS[self.out.dtype])
        self.columns = self.out.shape[1] if len(self.out.shape) == 2 else 1
        self.at_a, *self.at_b = (bases.of(x) for x in step.operands)
        self.at_out = bases.of(step.out)
        self.matrix = bases.room(self.n * self.n * self.size)
        self.results = bases.room(self.n * self.columns * self.size)
        self.pivots = bases.room(4 * self.n)

    def write(self) -> None:
        """Copy the operands, call, and write the result."""
        self._copy(self.at_a, self.a, self.matrix)
        if self.name == "gesv":
            if self.b:
                self._copy(self.at_b[0], self.b[0], self.results)
            else:
                self._identity()
            places = [self._n, self._number(self.columns), self.matrix, self._n, self.pivots]
            self._call(*places, self.results, self._n)
            self._out(self.results)
        elif self.name == "potrf":
            self._call(self._number(ord("L")), self._n, self.matrix, self._n)
            self._out(self.matrix, is_lower=True)
        else:
            self._call(self._n, self._n, self.matrix, self._n, self.pivots)
            self._diagonal()

    @property
    def _n(self) -> V:
        return self._number(self.n)

    def _number(self, value: int) -> V:
        place = self.f.space(1)
        self.f.store(i64(value), place)
        return place

    def _call(self, *places: V) -> None:
        """Call the function with the addresses of its arguments, and of the status behind them."""
        f, flags, status = self.f, literal(RAISED, I32), self._number(0)
        before = f.call("fetestexcept", I32, flags)
        f.call_void(symbol(self.name, self.size), *places, status)
        f.call("feclearexcept", I32, flags)
        f.call("feraiseexcept", I32, before)
        self._refuse(f.compare("icmp ne", f.load(status, I32), literal(0, I32)))

    def _refuse(self, test: V) -> None:
        """Let NumPy run the program again if a test is true."""
        with self.f.when(test):
            self.f.call("feraiseexcept", I32, literal(INVALID, I32))

    def _write(self, value: V, to: V) -> None:
        """Write a number; NumPy may warn where it is not finite."""
        f = self.f
        size = f.intrinsic("fabs", value)
        self._refuse(f.compare("fcmp uge", size, literal(math.inf, self.element)))
        f.store(value, to)

    def _copy(self, source: V, x: Array, target: V) -> None:
        """Copy a matrix, or a vector as a column, into Fortran's order."""
        f, (down, *right) = self.f, x.strides
        with f.loop(self.n) as row:
            from_row = f.add(source, f.times(row.index, down))
            to_row = f.add(target, f.times(row.index, self.size))
            with f.loop(x.shape[1] if right else 1) as column:
                at = f.add(from_row, f.times(column.index, right[0] if right else 0))
                to = f.add(to_row, f.times(column.index, self.n * self.size))
                f.store(f.load(at, self.element), to)

    def _identity(self) -> None:
        f = self.f
        with f.loop(self.n * self.n) as loop:
            at = f.add(self.results, f.times(loop.index, self.size))
            f.store(literal(0.0, self.element), at)
        with f.loop(self.n) as loop:
            at = f.add(self.results, f.times(loop.index, (self.n + 1) * self.size))
            f.store(literal(1.0, self.element), at)

    def _out(self, source: V, is_lower: bool = False) -> None:
        """Write a matrix in Fortran's order as the result; zeros above the diagonal of a factor."""
        f, (down, *right) = self.f, self.out.strides
        with f.loop(self.n) as row, f.loop(self.columns) as column:
            at = f.add(source, f.times(row.index, self.size))
            value = f.load(f.add(at, f.times(column.index, self.n * self.size)), self.element)
            if is_lower:
                test = f.compare("icmp sgt", column.index, row.index)
                value = f.select(test, literal(0.0, self.element), value)
            to = f.add(self.at_out, f.times(row.index, down))
            self._write(value, f.add(to, f.times(column.index, right[0] if right else 0)))

    def _diagonal(self) -> None:
        """Write the diagonal of the upper factor, with a sign for each exchange of rows."""
        f = self.f
        with f.loop(self.n) as loop:
            value = f.load(
                f.add(self.matrix, f.times(loop.index, (self.n + 1) * self.size)), self.element
            )
            pivot = f.load(f.add(self.pivots, f.times(loop.index, 4)), I32)
            other = f.convert("sext", pivot, I64.element)
            stays = f.compare("icmp eq", other, f.add(loop.index, 1))
            value = f.select(stays, value, f.negative(value))
            self._write(value, f.add(self.at_out, f.times(loop.index, self.out.strides[0])))
