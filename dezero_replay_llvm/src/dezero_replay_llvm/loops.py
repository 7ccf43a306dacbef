"""Fused loops: the code of a nest of `Map` and `Reduction` steps.

The innermost loop goes over vectors. What is left over at its end is the end of a last vector, of
which the other lanes are computed once more. So each element has the same bits wherever it is, and
no number that is none of the array's raises a flag.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from .bodies import Body, Offsets
from .functions import ELEMENTS, NEUTRAL, converted
from .ir import DOUBLE, Function, Type, V, i64, literal
from .loop_plans import CHUNKS, RUN, TOTAL_BYTES, Axis, LoopPlan
from .memory import Bases
from .steps import Array, Reduction

Strides = dict[Any, int]
"""How far a turn of a loop moves what is in memory."""


class Loops(Body):
    """Writes a nest, or a part of it, into a function.

    If it has chunks, then `write_first`, `write_chunks` and `write_last` write into a function
    each, otherwise `write` writes all. `pieces` write calls of those of the body, if it is cut.
    """

    def __init__(self, plan: LoopPlan, pieces: Sequence[Any], f: Function, bases: Bases) -> None:
        super().__init__(plan, f, bases)
        self._pieces = pieces
        read = [each.out for each in plan.reductions] if pieces else plan.accesses
        for x in (*read, *plan.places):  # here, before all loops
            self.base(x)
        self._frame = bases.scratch(plan.frame)

    def write(self) -> None:
        """Write the loops."""
        self.write_first()
        if self.plan.axes:
            self._loop(self.plan.axes, {})
        else:
            self._vector({}, {}, [], 0)
        self._finish()

    def write_first(self) -> None:
        """Write what comes before all chunks: the values that the totals begin with."""
        f = self.f
        for each in self.plan.reductions:
            if each in self.plan.places:
                with f.loop(self.plan.rooms[each] // TOTAL_BYTES) as loop:
                    at = f.add(self.base(each), f.times(loop.index, TOTAL_BYTES))
                    f.store(literal(-0.0, DOUBLE), at)
                    f.store(literal(0.0, DOUBLE), f.add(at, 8))
            elif not self.plan.is_written_once(each):
                dtype = each.out.dtype
                first = _neutral(each) if each.initial is None else each.initial
                with f.loop(math.prod(each.out.shape)) as loop:
                    at = f.add(self.base(each.out), f.times(loop.index, dtype.itemsize))
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
        moved = self._moved({}, axis.strides, first)
        for each, size in self.plan.totals.items():
            if each in axis.joined:
                moved[each] = f.times(chunk, size)
        self._frame = f.add(self._frame, f.times(chunk, self.plan.frame_bytes))
        self._loop([replace(axis, n=n), *rest], moved)

    def _join_chunks(self) -> None:
        """Add the totals of the chunks to that of the first one, in their order."""
        f = self.f
        for each, size in self.plan.totals.items():
            if each not in self.plan.axes[0].joined:
                continue
            with f.loop(CHUNKS + 1, start=1) as chunk, f.loop(size // TOTAL_BYTES) as loop:
                to = f.add(self.base(each), f.times(loop.index, TOTAL_BYTES))
                at = f.add(to, f.times(chunk.index, size))
                self.add_to_total(to, f.load(at, DOUBLE))
                lost = f.add(to, 8)
                sum_of_lost = f.op("fadd", f.load(lost, DOUBLE), f.load(f.add(at, 8), DOUBLE))
                f.store(sum_of_lost, lost)

    def _loop(self, axes: list[Axis], moved: Offsets) -> None:
        with self._nested(axes[:-1], moved) as moved:
            self._inner(axes[-1], moved)

    @contextmanager
    def _nested(self, axes: list[Axis], moved: Offsets) -> Iterator[Offsets]:
        """Write loops around the lines of the block, which gets the offsets of a turn."""
        with ExitStack() as stack:
            for axis in axes:
                loop = stack.enter_context(self.f.loop(axis.n))
                moved = self._moved(moved, axis.strides, loop.index)
            yield moved

    def _moved(self, moved: Offsets, strides: Strides, index: V, turns: int = 1) -> Offsets:
        """Return the offsets after so many turns of a loop, times `index`."""
        by: dict[int, V] = {}
        found = dict(moved)
        for x in self.plan.movable:
            if stride := strides[x] * turns:
                if stride not in by:
                    by[stride] = self.f.times(index, stride)
                found[x] = self.f.add(by[stride], moved[x]) if x in moved else by[stride]
        return found

    def _finish(self) -> None:
        """Write the totals as results."""
        f = self.f
        for each in self.plan.places:
            kept = [axis for axis in self.plan.axes if each not in axis.joined]
            with self._nested(kept, {}) as moved:
                total = self.at(each, moved)
                high, low = f.load(total, DOUBLE), f.load(f.add(total, 8), DOUBLE)
                counts = f.compare("fcmp one", low, literal(0.0, DOUBLE))
                value = f.select(counts, f.op("fadd", high, low), high)
                value = f.op("fadd", literal(each.initial, DOUBLE), value)
                f.store(
                    converted(f, value, np.dtype(float), each.out.dtype), self.at(each.out, moved)
                )

    # The innermost loop.

    def _inner(self, axis: Axis, moved: Offsets) -> None:
        f, run = self.f, RUN * self.lanes
        if not self.plan.is_split(axis.n):
            self._run(axis, axis.n, moved)
            return
        runs, rest = divmod(axis.n, run)
        with f.loop(runs) as loop:
            self._run(axis, run, self._moved(moved, axis.strides, loop.index, run))
        if rest:
            self._run(axis, rest, self._moved(moved, axis.strides, i64(runs * run)))

    def _run(self, axis: Axis, n: int, moved: Offsets) -> None:
        """Write the loop over vectors, and what is left of them; then join what was summed."""
        f, lanes, strides = self.f, self.lanes, axis.strides
        known = {
            x: self.load(x, moved)
            for x, is_read in self.plan.accesses.items()
            if is_read and not strides[x] and not self._pieces
        }
        sums = [literal(_neutral(each), self.vector(each.out.dtype)) for each in self.plan.inner]
        full, rest = divmod(n, lanes)
        if full > 1:
            with f.loop(full, carried=sums) as loop:
                now = self._moved(moved, strides, loop.index, lanes)
                loop.values = self._vector(now, known, loop.values, lanes)
            sums = loop.values
        elif full:
            sums = self._vector(moved, known, sums, lanes)
        if rest:
            now = self._moved(moved, strides, i64(n - lanes))
            sums = self._vector(now, known, sums, rest)
        for each, value in zip(self.plan.inner, sums, strict=True):
            while value.type.lanes > 1:
                value = self.join(each, *f.halves(value))
            self.flush(each, f.extract(value, 0), moved)

    def _vector(self, moved: Offsets, known: dict[Array, V], sums: list[V], count: int) -> list[V]:
        """Write what is done to a vector, of which the last `count` lanes are new."""
        f, plan = self.f, self.plan
        if not self._pieces:
            found = dict(zip(plan.inner, sums, strict=True))
            self.run(plan.steps, dict(known), found, moved, i64(count))
            return list(found.values())
        places = [f.add(self._frame, plan.slots[each]) for each in plan.inner]
        for place, value in zip(places, sums, strict=True):
            f.store(value, place)
        offsets = [moved.get(x, i64(0)) for x in plan.movable]
        for piece in self._pieces:
            piece(f, f.parameters[0], self._frame, i64(count), *offsets)
        return [f.load(place, each.type) for place, each in zip(places, sums, strict=True)]


def _neutral(each: Reduction) -> Any:
    found, dtype = NEUTRAL[each.function], each.out.dtype
    if dtype.kind == "f" or isinstance(found, bool):
        return found
    if each.function in (np.maximum, np.minimum):
        limits = np.iinfo(dtype)
        return limits.min if each.function is np.maximum else limits.max
    return int(found)
