"""Fused loops: the code of a nest of `Map` and `Reduction` steps.

The innermost loop goes over vectors. What is left over at its end is the end of a last vector, of
which the other lanes are computed once more. So each element has the same bits wherever it is, and
no number that is none of the array's raises a flag.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .functions import ELEMENTS, FUNCTIONS, converted
from .ir import Function, Type, V, i64, literal
from .machine import Machine
from .nests import Nest
from .region import Array, Map, Reduction

RUN = 8
"""So many vectors are summed before the sum is added to the total, which is kept in two numbers."""

CHUNKS = 16
"""The number of parts of a long nest."""

_LONG = 2**16
"""A nest of so many elements or more is cut into parts."""

_IDENTITIES = {
    np.add: -0.0,
    np.multiply: 1,
    np.maximum: -math.inf,
    np.minimum: math.inf,
    np.logical_and: True,
    np.logical_or: False,
}

Addresses = dict[int, V]


@dataclass(eq=False)
class Axis:
    """A loop: how often it turns, and how far each access moves on."""

    n: int
    strides: list[int]
    #: Of each reduction, whether it joins the elements along this axis.
    reduces: list[bool]


class Bases(Protocol):
    """Where the memory of a call begins: of each root, and of the scratch memory."""

    def root(self, value: Any) -> V:
        """Return the address of a root."""

    def scratch(self, offset: int) -> V:
        """Return an address in the scratch memory."""


class Loops:
    """Writes a nest as the lines of functions.

    A long nest is cut into `CHUNKS` parts, which threads can share. The cuts are the same for any
    number of threads, and so are the bits. If the nest `is_cut`, then `write_first`, `write_chunks`
    and `write_last` write a function each, otherwise `write` writes one.

    The roots with the numbers in `stored` have to be in memory. ``room(n)`` gives the place of `n`
    bytes in the scratch memory.
    """

    def __init__(
        self, nest: Nest, machine: Machine, stored: Any, room: Callable[[int], int]
    ) -> None:
        self.nest, self.machine, self._stored = nest, machine, stored
        #: Everything in memory that an element is read from, or written to.
        self.accesses: list[Array] = []
        self._index: dict[Any, int] = {}
        self.reductions = [each for each in nest.steps if isinstance(each, Reduction)]
        for step in nest.steps:
            for x in step.operands:
                if isinstance(x, Array) and not nest.has(x):
                    self._access(x)
            if step.out.root.number in stored:
                self._access(step.out)
        self.axes = self._axes()
        self._begin_totals()
        self.lanes = self._lanes()
        self.chunk = self._chunk()
        self.is_cut = self.chunk > 0
        self._places = {id(x): room(self._room(x)) for x in self.reductions if self._in_two(x)}

    def _key(self, x: Array) -> Any:
        return x.root.number, x.offset, x.shape, x.strides, x.dtype

    def _access(self, x: Array) -> int:
        return self._index.setdefault(self._key(x), self._add(x))

    def _add(self, x: Array) -> int:
        if self._key(x) not in self._index:
            self.accesses.append(x)
        return len(self.accesses) - 1

    def _axes(self) -> list[Axis]:
        """Return the loops, the outermost first: those over memory in order are joined to one."""
        shape = self.nest.shape
        strides = [x.broadcast(shape) for x in self.accesses]
        numbers = [number for number, n in enumerate(shape) if n != 1]
        numbers.sort(key=lambda number: -sum(abs(each[number]) for each in strides))
        numbers.sort(key=lambda number: number == self.nest.inner)
        axes = [
            Axis(
                shape[number],
                [each[number] for each in strides],
                [number in each.axes for each in self.reductions],
            )
            for number in numbers
        ]
        joined: list[Axis] = []
        for axis in axes:
            before = joined[-1] if joined else None
            if (
                before is not None
                and before.reduces == axis.reduces
                and before.strides == [axis.n * stride for stride in axis.strides]
            ):
                joined[-1] = Axis(before.n * axis.n, axis.strides, axis.reduces)
            else:
                joined.append(axis)
        return joined

    def _lanes(self) -> int:
        """Return how long the vectors are: 0 for single numbers."""
        if not self.axes:
            return 0
        dtypes = self._dtypes()
        sizes = [dtype.itemsize for dtype in dtypes if dtype.kind != "b"] or [1]
        # A shorter vector would be divided as one of 16 bytes, and the filling would raise flags.
        least = 16 // min([dtype.itemsize for dtype in dtypes if dtype.kind == "f"], default=8)
        most = max(self.machine.lanes(max(sizes)), least)
        lanes = min(most, 1 << (self.axes[-1].n.bit_length() - 1))
        return lanes if lanes >= least else 1

    def _dtypes(self) -> list[np.dtype[Any]]:
        found = []
        for step in self.nest.steps:
            found.append(step.out.dtype)
            found += [x.dtype for x in step.operands]
            if isinstance(step, Map):
                found += step.dtypes
        return found

    def write(self, f: Function, bases: Bases) -> None:
        """Write the loops."""
        addresses, totals = self._begin(f, bases)
        self._fill(totals)
        if not self.axes:
            self._element(addresses, totals)
        else:
            self._loop(0, addresses, totals)
        self._finish(totals)

    def write_first(self, f: Function, bases: Bases) -> None:
        """Write what comes before all chunks."""
        _, totals = self._begin(f, bases)
        self._fill(totals)

    def write_chunks(self, f: Function, bases: Bases, first: V, last: V) -> None:
        """Write the loop over the chunks from `first` to `last`, which is not among them."""
        addresses, totals = self._begin(f, bases)
        with f.loop(last, start=first) as loop:
            self._outermost(self.chunk, addresses, totals, f.times(loop.index, self.chunk), loop)

    def write_last(self, f: Function, bases: Bases) -> None:
        """Write what comes after all chunks: the rest, and the totals."""
        addresses, totals = self._begin(f, bases)
        done = CHUNKS * self.chunk
        if rest := self.axes[0].n - done:
            self._outermost(rest, addresses, totals, i64(done))
        self._join_chunks(totals)
        self._finish(totals)

    def _begin(self, f: Function, bases: Bases) -> tuple[Addresses, dict[int, V]]:
        self.f, self._base = f, bases.root
        addresses = {n: f.add(bases.root(x.root), x.offset) for n, x in enumerate(self.accesses)}
        return addresses, {number: bases.scratch(at) for number, at in self._places.items()}

    # Chunks of the outermost loop.

    def _chunk(self) -> int:
        """Return the number of turns of the outermost loop in a chunk; 0 if the nest is not cut."""
        if math.prod(self.nest.shape) < _LONG:
            return 0
        for number, each in enumerate(self.reductions):
            if self.axes[0].reduces[number] and not self._in_two(each):
                return 0  # two threads would write to one total
        unit = RUN * self.lanes if len(self.axes) == 1 else 1
        return self.axes[0].n // (CHUNKS * unit) * unit

    def _outermost(
        self, n: int, addresses: Addresses, totals: dict[int, V], first: V, chunk: Any = None
    ) -> None:
        """Write `n` turns of the outermost loop from `first` on."""
        f, axis = self.f, self.axes[0]
        moved, own = self._moved(addresses, axis.strides, first), dict(totals)
        for each in self.reductions:
            if id(each) not in totals:
                continue
            if axis.reduces[self.reductions.index(each)]:
                number = i64(CHUNKS) if chunk is None else chunk.index
                own[id(each)] = f.add(totals[id(each)], f.times(number, self._total_bytes(each)))
            else:
                stride = self._total_strides(each)[0]
                own[id(each)] = f.add(totals[id(each)], f.times(first, stride))
        rest = self.axes
        self.axes = [Axis(n, axis.strides, axis.reduces), *rest[1:]]
        self._loop(0, moved, own)
        self.axes = rest

    def _join_chunks(self, totals: dict[int, V]) -> None:
        """Add the totals of the chunks to that of the first one, in their order."""
        f, double = self.f, Type("double")
        for each in self.reductions:
            if id(each) not in totals or not self.axes[0].reduces[self.reductions.index(each)]:
                continue
            size = self._total_bytes(each)
            with f.loop(CHUNKS + 1, start=1) as chunk, f.loop(size // 16) as loop:
                to = f.add(totals[id(each)], f.times(loop.index, 16))
                at = f.add(to, f.times(chunk.index, size))
                self._add_to_total(to, f.load(at, double))
                lost = f.add(to, 8)
                sum_of_lost = f.op("fadd", f.load(lost, double), f.load(f.add(at, 8), double))
                f.store(sum_of_lost, lost)

    def _loop(self, number: int, addresses: Addresses, totals: dict[int, V]) -> None:
        f, axis = self.f, self.axes[number]
        if number == len(self.axes) - 1:
            self._inner(axis, addresses, totals)
            return
        with f.loop(axis.n) as loop:
            self._loop(
                number + 1,
                self._moved(addresses, axis.strides, loop.index),
                self._moved_totals(totals, number, loop.index),
            )

    def _moved(self, addresses: Addresses, strides: list[int], index: V) -> Addresses:
        f = self.f
        by: dict[int, V] = {}
        found = {}
        for n, address in addresses.items():
            stride = strides[n]
            if not stride:
                found[n] = address
                continue
            if stride not in by:
                by[stride] = f.times(index, stride)
            found[n] = f.add(address, by[stride])
        return found

    # Totals in two numbers, for sums of which parts are joined.

    def _begin_totals(self) -> None:
        #: For each reduction, whether the innermost loop joins its elements.
        last = self.axes[-1] if self.axes else None
        self._joins_inner = [bool(last and last.reduces[n]) for n in range(len(self.reductions))]

    def _is_split(self) -> bool:
        """Return whether the innermost loop is cut into runs."""
        sums = zip(self.reductions, self._joins_inner, strict=True)
        return (
            any(
                inner and each.ufunc is np.add and each.out.dtype.kind == "f"
                for each, inner in sums
            )
            and self.axes[-1].n > RUN * self._lanes()
        )

    def _in_two(self, each: Reduction) -> bool:
        n = self.reductions.index(each)
        if each.ufunc is not np.add or each.out.dtype.kind != "f" or not self._joins_inner[n]:
            return False
        return self._is_split() or any(axis.reduces[n] for axis in self.axes[:-1])

    def _total_strides(self, each: Reduction) -> list[int]:
        """Return how far the total of a reduction moves along each loop but the innermost."""
        n, found, size = self.reductions.index(each), [0] * len(self.axes), 16
        for number in reversed(range(len(self.axes))):
            if not self.axes[number].reduces[n]:
                found[number] = size
                size *= self.axes[number].n
        return found

    def _room(self, each: Reduction) -> int:
        """Return the bytes of all totals of a reduction: of each chunk, where they are joined."""
        is_joined = self.is_cut and self.axes[0].reduces[self.reductions.index(each)]
        return self._total_bytes(each) * (CHUNKS + 1 if is_joined else 1)

    def _total_bytes(self, each: Reduction) -> int:
        n = self.reductions.index(each)
        return 16 * math.prod(axis.n for axis in self.axes if not axis.reduces[n])

    def _moved_totals(self, totals: dict[int, V], number: int, index: V) -> dict[int, V]:
        f, found = self.f, dict(totals)
        for each in self.reductions:
            if id(each) in totals and (stride := self._total_strides(each)[number]):
                found[id(each)] = f.add(totals[id(each)], f.times(index, stride))
        return found

    def _fill(self, totals: dict[int, V]) -> None:
        """Write the values that the totals begin with."""
        f, double = self.f, Type("double")
        for each in self.reductions:
            if id(each) in totals:
                with f.loop(self._room(each) // 16) as loop:
                    at = f.add(totals[id(each)], f.times(loop.index, 16))
                    f.store(literal(-0.0, double), at)
                    f.store(literal(0.0, double), f.add(at, 8))
            elif not self._is_written_once(each):
                element = Type(ELEMENTS[each.out.dtype])
                size, count = each.out.dtype.itemsize, math.prod(each.out.shape)
                with f.loop(count) as loop:
                    at = f.add(self._base(each.out.root), f.times(loop.index, size))
                    f.store(literal(_identity(each), element), at)

    def _is_written_once(self, each: Reduction) -> bool:
        n = self.reductions.index(each)
        if not self.axes:
            return True
        outer = any(axis.reduces[n] for axis in self.axes[:-1])
        return self._joins_inner[n] and not outer and not self._is_split()

    def _finish(self, totals: dict[int, V]) -> None:
        """Write the totals as results."""
        f, double = self.f, Type("double")
        for each in self.reductions:
            if id(each) not in totals:
                continue
            n = self.reductions.index(each)
            kept = [axis for axis in self.axes if not axis.reduces[n]]
            strides = [axis.strides[self._index[self._key(each.out)]] for axis in kept]
            self._finish_axis(
                each,
                kept,
                strides,
                totals[id(each)],
                f.add(self._base(each.out.root), each.out.offset),
                double,
            )

    def _finish_axis(
        self, each: Reduction, kept: list[Axis], strides: list[int], total: V, out: V, double: Type
    ) -> None:
        f = self.f
        if kept:
            size = 16 * math.prod(axis.n for axis in kept[1:])
            with f.loop(kept[0].n) as loop:
                further = f.add(total, f.times(loop.index, size))
                at = f.add(out, f.times(loop.index, strides[0]))
                self._finish_axis(each, kept[1:], strides[1:], further, at, double)
            return
        high, low = f.load(total, double), f.load(f.add(total, 8), double)
        counts = f.compare("fcmp one", low, literal(0.0, double))
        value = f.select(counts, f.op("fadd", high, low), high)
        value = f.op("fadd", literal(each.initial, double), value)
        f.store(converted(f, value, np.dtype(float), each.out.dtype), out)

    # The innermost loop.

    def _inner(self, axis: Axis, addresses: Addresses, totals: dict[int, V]) -> None:
        f = self.f
        run = RUN * self.lanes
        if not self._is_split():
            self._run(axis, axis.n, addresses, totals)
            return
        runs = axis.n // run
        with f.loop(runs) as loop:
            moved = self._moved(addresses, [stride * run for stride in axis.strides], loop.index)
            self._run(axis, run, moved, totals)
        if axis.n % run:
            moved = self._moved(addresses, axis.strides, i64(runs * run))
            self._run(axis, axis.n % run, moved, totals)

    def _run(self, axis: Axis, n: int, addresses: Addresses, totals: dict[int, V]) -> None:
        """Write the loop over vectors, and what is left of them; then join what was summed."""
        f, lanes = self.f, self.lanes
        known: dict[int, V] = {}
        for number, x in enumerate(self.accesses):
            if not axis.strides[number] and self._is_read(x):
                known[number] = f.splat(f.load(addresses[number], self._element_type(x)), lanes)
        accumulators = [
            literal(_identity(each, total=True), self._vector(each.out, lanes))
            for each, inner in zip(self.reductions, self._joins_inner, strict=True)
            if inner
        ]
        full = n // lanes
        if full > 1:
            with f.loop(full, carried=accumulators) as loop:
                moved = self._moved(addresses, [s * lanes for s in axis.strides], loop.index)
                loop.values = self._body(axis, moved, known, loop.values, lanes)
            accumulators = loop.values
        elif full:
            accumulators = self._body(axis, addresses, known, accumulators, lanes)
        if n % lanes:
            moved = self._moved(addresses, axis.strides, i64(n - lanes))
            accumulators = self._body(axis, moved, known, accumulators, n % lanes)
        inner = [e for e, yes in zip(self.reductions, self._joins_inner, strict=True) if yes]
        for each, accumulator in zip(inner, accumulators, strict=True):
            self._flush(each, self._across(each, accumulator), addresses, totals)

    def _is_read(self, x: Array) -> bool:
        key = self._key(x)
        return any(
            isinstance(operand, Array) and not self.nest.has(operand) and self._key(operand) == key
            for step in self.nest.steps
            for operand in step.operands
        )

    def _element_type(self, x: Array) -> Type:
        return Type(ELEMENTS[x.dtype])

    def _vector(self, x: Array, lanes: int) -> Type:
        return Type(ELEMENTS[x.dtype], lanes)

    def _across(self, each: Reduction, accumulator: V) -> V:
        """Return the lanes of a vector joined to one number."""
        while accumulator.type.lanes > 1:
            low, high = self.f.halves(accumulator)
            accumulator = self._join(each, low, high)
        return self.f.extract(accumulator, 0)

    def _join(self, each: Reduction, a: V, b: V) -> V:
        if each.ufunc in (np.maximum, np.minimum) and each.out.dtype.kind == "u":
            test = "icmp ugt" if each.ufunc is np.maximum else "icmp ult"
            return self.f.select(self.f.compare(test, a, b), a, b)
        return FUNCTIONS[each.ufunc](self.f, self.machine, [a, b])

    def _flush(self, each: Reduction, value: V, addresses: Addresses, totals: dict[int, V]) -> None:
        """Join the total of a run to that of the runs before."""
        f = self.f
        address = addresses[self._index[self._key(each.out)]]
        if id(each) in totals:
            self._add_to_total(
                totals[id(each)], converted(f, value, each.out.dtype, np.dtype(float))
            )
            return
        if self._is_written_once(each):
            if each.initial is not None:
                value = self._join(each, literal(each.initial, value.type), value)
        else:
            value = self._join(each, f.load(address, value.type), value)
        f.store(value, address)

    def _add_to_total(self, total: V, x: V) -> None:
        """Add a number, and what rounding lost of it, which the second number of the total has."""
        f, double = self.f, Type("double")
        at_lost = f.add(total, 8)
        before, lost = f.load(total, double), f.load(at_lost, double)
        after = f.op("fadd", before, x)
        part = f.op("fsub", after, before)
        error = f.op("fadd", f.op("fsub", before, f.op("fsub", after, part)), f.op("fsub", x, part))
        f.store(after, total)
        f.store(f.op("fadd", lost, error), at_lost)

    # One vector.

    def _element(self, addresses: Addresses, totals: dict[int, V]) -> None:
        """Write a nest of single numbers."""
        axis = Axis(1, [0] * len(self.accesses), [])
        self._body(axis, addresses, {}, [], 0)

    def _body(
        self,
        axis: Axis,
        addresses: Addresses,
        known: dict[int, V],
        accumulators: list[V],
        count: int,
    ) -> list[V]:
        """Write what is done to a vector, of which the last `count` lanes are new."""
        f, lanes, nest = self.f, self.lanes, self.nest
        registers: dict[int, V] = {}
        read = dict(known)
        accumulators, position = list(accumulators), 0

        def operand(x: Any, dtype: Any) -> V:
            if not isinstance(x, Array):
                return literal(x.astype(dtype), Type(ELEMENTS[dtype], lanes))
            if nest.has(x):
                return converted(f, registers[x.root.number], x.dtype, dtype)
            number = self._index[self._key(x)]
            if number not in read:
                read[number] = self._load(x, addresses[number], axis.strides[number])
            return converted(f, read[number], x.dtype, dtype)

        for step in nest.steps:
            if isinstance(step, Map):
                args = [
                    operand(x, dtype) for x, dtype in zip(step.operands, step.dtypes, strict=True)
                ]
                value = self._applied(step, args)
                if step.out.root.number in nest.makes:
                    registers[step.out.root.number] = value
                if step.out.root.number in self._stored:
                    number = self._index[self._key(step.out)]
                    self._store(value, addresses[number], axis.strides[number])
            else:
                assert isinstance(step, Reduction)
                value = operand(step.operand, step.out.dtype)
                if not axis.reduces:  # a nest of single numbers
                    if step.initial is not None:
                        value = self._join(step, literal(step.initial, value.type), value)
                    f.store(value, addresses[self._index[self._key(step.out)]])
                elif self._joins_inner[self.reductions.index(step)]:
                    before = accumulators[position]
                    joined = self._join(step, before, value)
                    accumulators[position] = self._masked(joined, before, count)
                    position += 1
                else:
                    number = self._index[self._key(step.out)]
                    address, stride = addresses[number], axis.strides[number]
                    total = self._load(step.out, address, stride)
                    joined = self._masked(self._join(step, total, value), total, count)
                    self._store(joined, address, stride)
        return accumulators

    def _applied(self, step: Map, args: list[V]) -> V:
        if step.function is None:
            return args[0]
        if step.function is np.where:
            return self.f.select(*args)
        return FUNCTIONS[step.function](self.f, self.machine, args)

    def _masked(self, joined: V, before: V, count: int) -> V:
        """Return a vector with `joined` in its last `count` lanes, and `before` in the others."""
        if count == self.lanes:
            return joined
        texts = ["true" if self.lanes - lane <= count else "false" for lane in range(self.lanes)]
        mask = V(Type("i1", self.lanes), f"<{', '.join(f'i1 {text}' for text in texts)}>")
        return self.f.select(mask, joined, before)

    def _load(self, x: Array, address: V, stride: int) -> V:
        if not self.lanes:
            return self.f.load(address, self._element_type(x))
        return self.f.gather(address, self._vector(x, self.lanes), stride, self.lanes)

    def _store(self, value: V, address: V, stride: int) -> None:
        if self.lanes:
            self.f.scatter(value, address, stride, self.lanes)
        else:
            self.f.store(value, address)


def _identity(each: Reduction, total: bool = False) -> Any:
    """Return the neutral element of a reduction, or its `initial` value unless a `total` begins."""
    if each.initial is not None and not total:
        return each.initial
    found = _IDENTITIES[each.ufunc]
    if each.out.dtype.kind == "f" or isinstance(found, bool):
        return found
    if each.ufunc in (np.maximum, np.minimum):
        limits = np.iinfo(each.out.dtype)
        return limits.min if each.ufunc is np.maximum else limits.max
    return int(found)
