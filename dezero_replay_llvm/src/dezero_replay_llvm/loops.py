"""Fused loops: the code of a nest of `Map` and `Reduction` steps.

The innermost loop goes over vectors. What is left over at its end is the end of a last vector, of
which the other lanes are computed once more. So each element has the same bits wherever it is, and
no number that is none of the array's raises a flag.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from .functions import ELEMENTS, FUNCTIONS, NEUTRAL, converted
from .ir import DOUBLE, Function, Type, V, i64, literal, vector
from .loop_plans import CHUNKS, RUN, TOTAL_BYTES, Axis, LoopPlan
from .memory import Bases
from .steps import Array, Reduction

Addresses = dict[Any, V]
"""Of arrays, and of the totals of reductions that are kept in two numbers."""

Strides = dict[Any, int]
"""How far a loop moves each of them."""


class Loops:
    """Writes a nest, or a part of it, into a function.

    If it has chunks, then `write_first`, `write_chunks` and `write_last` write into a function
    each, otherwise `write` writes all.
    """

    def __init__(self, plan: LoopPlan, f: Function, bases: Bases) -> None:
        self.plan, self.f, self.lanes = plan, f, plan.lanes
        self._addresses: Addresses = {x: bases.of(x) for x in plan.accesses}
        self._addresses.update((each, bases.scratch(at)) for each, at in plan.places.items())

    def write(self) -> None:
        """Write the loops."""
        self.write_first()
        if self.plan.axes:
            self._loop(self.plan.axes, self._addresses)
        else:
            self._body(dict.fromkeys(self.plan.accesses, 0), self._addresses, {}, [], 0)
        self._finish()

    def write_first(self) -> None:
        """Write what comes before all chunks: the values that the totals begin with."""
        f = self.f
        for each in self.plan.reductions:
            if each in self.plan.places:
                with f.loop(self.plan.rooms[each] // TOTAL_BYTES) as loop:
                    at = f.add(self._addresses[each], f.times(loop.index, TOTAL_BYTES))
                    f.store(literal(-0.0, DOUBLE), at)
                    f.store(literal(0.0, DOUBLE), f.add(at, 8))
            elif not self.plan.is_written_once(each):
                dtype = each.out.dtype
                first = _neutral(each) if each.initial is None else each.initial
                with f.loop(math.prod(each.out.shape)) as loop:
                    at = f.add(self._addresses[each.out], f.times(loop.index, dtype.itemsize))
                    f.store(literal(first, Type(ELEMENTS[dtype])), at)

    def write_chunks(self) -> None:
        """Write the loop over chunks, from the second parameter to the third: that is left out."""
        n, (first, last) = self.plan.chunk, self.f.parameters[1:]
        with self.f.loop(last, start=first) as loop:
            self._outermost(n, self.f.times(loop.index, n), loop.index)

    def write_last(self) -> None:
        """Write what comes after all chunks: the rest, and the totals."""
        done = CHUNKS * self.plan.chunk
        if rest := self.plan.axes[0].n - done:
            self._outermost(rest, i64(done), i64(CHUNKS))
        self._join_chunks()
        self._finish()

    def _outermost(self, n: int, first: V, chunk: V) -> None:
        """Write `n` turns of the outermost loop from `first` on."""
        f, (axis, *rest) = self.f, self.plan.axes
        moved = self._moved(self._addresses, axis.strides, first)
        for each, size in self.plan.totals.items():
            if each in axis.joined:
                moved[each] = f.add(self._addresses[each], f.times(chunk, size))
        self._loop([replace(axis, n=n), *rest], moved)

    def _join_chunks(self) -> None:
        """Add the totals of the chunks to that of the first one, in their order."""
        f = self.f
        for each, size in self.plan.totals.items():
            if each not in self.plan.axes[0].joined:
                continue
            with f.loop(CHUNKS + 1, start=1) as chunk, f.loop(size // TOTAL_BYTES) as loop:
                to = f.add(self._addresses[each], f.times(loop.index, TOTAL_BYTES))
                at = f.add(to, f.times(chunk.index, size))
                self._add_to_total(to, f.load(at, DOUBLE))
                lost = f.add(to, 8)
                sum_of_lost = f.op("fadd", f.load(lost, DOUBLE), f.load(f.add(at, 8), DOUBLE))
                f.store(sum_of_lost, lost)

    def _loop(self, axes: list[Axis], addresses: Addresses) -> None:
        with self._nested(axes[:-1], addresses) as moved:
            self._inner(axes[-1], moved)

    @contextmanager
    def _nested(self, axes: list[Axis], addresses: Addresses) -> Iterator[Addresses]:
        """Write loops around the lines of the block, which gets the addresses of a turn."""
        with ExitStack() as stack:
            for axis in axes:
                loop = stack.enter_context(self.f.loop(axis.n))
                addresses = self._moved(addresses, axis.strides, loop.index)
            yield addresses

    def _moved(self, addresses: Addresses, strides: Strides, index: V, turns: int = 1) -> Addresses:
        """Return the addresses after so many turns of a loop, times `index`."""
        by: dict[int, V] = {}
        found = dict(addresses)
        for x, address in addresses.items():
            if stride := strides[x] * turns:
                if stride not in by:
                    by[stride] = self.f.times(index, stride)
                found[x] = self.f.add(address, by[stride])
        return found

    def _finish(self) -> None:
        """Write the totals as results."""
        f = self.f
        for each in self.plan.places:
            kept = [axis for axis in self.plan.axes if each not in axis.joined]
            with self._nested(kept, {x: self._addresses[x] for x in (each, each.out)}) as moved:
                total = moved[each]
                high, low = f.load(total, DOUBLE), f.load(f.add(total, 8), DOUBLE)
                counts = f.compare("fcmp one", low, literal(0.0, DOUBLE))
                value = f.select(counts, f.op("fadd", high, low), high)
                value = f.op("fadd", literal(each.initial, DOUBLE), value)
                f.store(converted(f, value, np.dtype(float), each.out.dtype), moved[each.out])

    # The innermost loop.

    def _inner(self, axis: Axis, addresses: Addresses) -> None:
        f, run = self.f, RUN * self.lanes
        if not self.plan.is_split(axis.n):
            self._run(axis, axis.n, addresses)
            return
        runs, rest = divmod(axis.n, run)
        with f.loop(runs) as loop:
            self._run(axis, run, self._moved(addresses, axis.strides, loop.index, run))
        if rest:
            self._run(axis, rest, self._moved(addresses, axis.strides, i64(runs * run)))

    def _run(self, axis: Axis, n: int, addresses: Addresses) -> None:
        """Write the loop over vectors, and what is left of them; then join what was summed."""
        f, lanes, strides = self.f, self.lanes, axis.strides
        known = {
            x: f.splat(f.load(addresses[x], Type(ELEMENTS[x.dtype])), lanes)
            for x, is_read in self.plan.accesses.items()
            if is_read and not strides[x]
        }
        sums = [literal(_neutral(each), self._vector(each.out)) for each in self.plan.inner]
        full, rest = divmod(n, lanes)
        if full > 1:
            with f.loop(full, carried=sums) as loop:
                moved = self._moved(addresses, strides, loop.index, lanes)
                loop.values = self._body(strides, moved, known, loop.values, lanes)
            sums = loop.values
        elif full:
            sums = self._body(strides, addresses, known, sums, lanes)
        if rest:
            moved = self._moved(addresses, strides, i64(n - lanes))
            sums = self._body(strides, moved, known, sums, rest)
        for each, value in zip(self.plan.inner, sums, strict=True):
            while value.type.lanes > 1:
                value = self._join(each, *f.halves(value))
            self._flush(each, f.extract(value, 0), addresses)

    def _vector(self, x: Array) -> Type:
        return Type(ELEMENTS[x.dtype], self.lanes)

    def _join(self, each: Reduction, a: V, b: V) -> V:
        if each.function in (np.maximum, np.minimum) and each.out.dtype.kind == "u":
            test = "icmp ugt" if each.function is np.maximum else "icmp ult"
            return self.f.select(self.f.compare(test, a, b), a, b)
        return FUNCTIONS[each.function](self.f, a, b)

    def _flush(self, each: Reduction, value: V, addresses: Addresses) -> None:
        """Join the total of a run to that of the runs before."""
        f, address = self.f, addresses[each.out]
        if each in addresses:
            value = converted(f, value, each.out.dtype, np.dtype(float))
            self._add_to_total(addresses[each], value)
            return
        if not self.plan.is_written_once(each):
            value = self._join(each, f.load(address, value.type), value)
        elif each.initial is not None:
            value = self._join(each, literal(each.initial, value.type), value)
        f.store(value, address)

    def _add_to_total(self, total: V, x: V) -> None:
        """Add a number, and what rounding lost of it, which the second number of the total has."""
        f, at_lost = self.f, self.f.add(total, 8)
        before, lost = f.load(total, DOUBLE), f.load(at_lost, DOUBLE)
        after = f.op("fadd", before, x)
        part = f.op("fsub", after, before)
        error = f.op("fadd", f.op("fsub", before, f.op("fsub", after, part)), f.op("fsub", x, part))
        f.store(after, total)
        f.store(f.op("fadd", lost, error), at_lost)

    # One vector.

    def _body(
        self, strides: Strides, addresses: Addresses, known: Addresses, sums: list[V], count: int
    ) -> list[V]:
        """Write what is done to a vector, of which the last `count` lanes are new."""
        f, inner = self.f, self.plan.inner
        values, sums = dict(known), list(sums)

        def load(x: Array) -> V:
            return f.gather(addresses[x], self._vector(x), strides[x])

        def operand(x: Any, dtype: Any) -> V:
            if not isinstance(x, Array):
                return literal(x.astype(dtype), Type(ELEMENTS[dtype], self.lanes))
            if x not in values:
                values[x] = load(x)
            return converted(f, values[x], x.dtype, dtype)

        for step in self.plan.steps:
            out = step.out
            args = [operand(x, dtype) for x, dtype in zip(step.operands, step.dtypes, strict=True)]
            if not isinstance(step, Reduction):
                value = FUNCTIONS[step.function](f, *args)
                if self.plan.nest.has(out):
                    values[out] = value
                if out in addresses:
                    f.scatter(value, addresses[out], strides[out])
            elif not self.lanes:
                self._flush(step, args[0], addresses)
            elif step in inner:
                before = sums[inner.index(step)]
                joined = self._join(step, before, *args)
                sums[inner.index(step)] = self._masked(joined, before, count)
            else:
                total = load(out)
                joined = self._masked(self._join(step, total, *args), total, count)
                f.scatter(joined, addresses[out], strides[out])
        return sums

    def _masked(self, joined: V, before: V, count: int) -> V:
        """Return a vector with `joined` in its last `count` lanes, and `before` in the others."""
        if count == self.lanes:
            return joined
        is_new = [lane >= self.lanes - count for lane in range(self.lanes)]
        return self.f.select(vector([literal(each, Type("i1")) for each in is_new]), joined, before)


def _neutral(each: Reduction) -> Any:
    found, dtype = NEUTRAL[each.function], each.out.dtype
    if dtype.kind == "f" or isinstance(found, bool):
        return found
    if each.function in (np.maximum, np.minimum):
        limits = np.iinfo(dtype)
        return limits.min if each.function is np.maximum else limits.max
    return int(found)
