"""Products of matrices of known sizes: tiles of the result stay in registers.

A tile is some rows by some vectors. Its elements are summed along the common axis one after the
other, by fused multiplications and additions, as BLAS does. Where the vectors of the second matrix
do not lie in memory as they are needed, they are copied first, a strip at a time. The product of a
matrix and a vector, of which each element is read once, is summed in vectors instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

from .functions import ELEMENTS
from .ir import Function, Type, V, i64, literal
from .memory import Bases
from .product_forms import turned
from .steps import Array, Product

_SUMS = 8
"""A sum in vectors waits for its last addition: so many of them go on beside each other."""


class ProductWriter:
    """Writes the loops of a product into a function."""

    def __init__(self, step: Product, f: Function, bases: Bases) -> None:
        machine = f.module.machine
        (a, b), out = step.operands, step.out
        self.at_a, self.at_b, self.at_out = map(bases.of, (a, b, out))
        if _is_turned(out):
            a, b, out = turned(b), turned(a), turned(out)
            self.at_a, self.at_b = self.at_b, self.at_a
        self.f, self.fuses = f, machine.fuses
        self._stack = [*zip(out.shape, a.strides, b.strides, out.strides, strict=True)][:-2]
        self.a, self.b, self.out = (
            x._replace(shape=x.shape[-2:], strides=x.strides[-2:]) for x in (a, b, out)
        )
        self.rows, self.columns = out.shape[-2:]
        self.depth: int = a.shape[-1]
        self.size = out.dtype.itemsize
        down, right = self.b.strides
        #: Whether each element of the second matrix is read once, along memory.
        self._is_summed_in_vectors = (
            self.rows == 1 and down == self.size and (right != self.size or self.columns == 1)
        )
        along = self.depth if self._is_summed_in_vectors else self.columns
        fitting = max(16 // self.size, 1 << (along - 1).bit_length())
        self.lanes = min(machine.lanes(self.size), fitting)
        self.element = Type(ELEMENTS[out.dtype])
        self.vector = Type(self.element.element, self.lanes)
        self._bases = bases
        self._copy_at: V | None = None
        many = machine.bytes_of_vector == 64
        self.tile_rows, self.tile_vectors = (8, 3) if many else (4, 3)
        if self.rows == 1:  # sums must not wait for each other
            self.tile_vectors *= 4 if many else 2

    def write(self) -> None:
        """Go through the stack."""
        with ExitStack() as loops:
            for n, a, b, out in self._stack:
                index = loops.enter_context(self.f.loop(n)).index
                self.at_a = self.f.add(self.at_a, self.f.times(index, a))
                self.at_b = self.f.add(self.at_b, self.f.times(index, b))
                self.at_out = self.f.add(self.at_out, self.f.times(index, out))
            if self._is_summed_in_vectors:
                for at, count in self.f.parts(self.columns, self.lanes):
                    self._dots(at, count)
            else:
                self._matrices()

    def _matrices(self) -> None:
        """Go through the columns in strips, and through the rows of each in tiles."""
        right = self.b.strides[1]
        vectors = -(-self.columns // self.lanes)
        strips = -(-vectors // self.tile_vectors)
        is_as_needed = right == self.size and self.columns % self.lanes == 0
        if not is_as_needed and self.rows > self.tile_rows:  # for one tile, a copy does not pay
            bytes_of_row = -(-vectors // strips) * self.lanes * self.size
            self._copy_at = self._bases.room(self.depth * bytes_of_row)
        for column, width in self._strips(vectors, strips):
            if self._copy_at is not None:
                self._copy(column, width, self._copy_at)
            for row, rows in self.f.parts(self.rows, self.tile_rows):
                self._tile(row, rows, column, width)

    def _strips(self, vectors: int, strips: int) -> Iterator[tuple[V, int]]:
        """Yield the first column and the width of strips of like widths, in loops.

        A strip that ends within a vector is not in a loop: it is the last one.
        """
        least, wider = divmod(vectors, strips)
        first, lacking = 0, vectors * self.lanes - self.columns
        for count, wide in ((wider, least + 1), (strips - wider, least)):
            width = wide * self.lanes
            whole = count - 1 if lacking and first + count * width > self.columns else count
            if whole:
                with self.f.loop(whole) as loop:
                    yield self.f.add(self.f.times(loop.index, width), first), width
            if whole < count:
                yield i64(first + whole * width), width - lacking
            first += count * width

    def _tile(self, row: V, rows: int, column: V, width: int) -> None:
        f, lanes = self.f, self.lanes
        row_a, step_a = self.a.strides
        from_a = f.add(self.at_a, f.times(row, row_a))
        places = range(0, width, lanes)
        if self._copy_at is None:
            (step_b, across), there = self.b.strides, width
            from_b = f.add(self.at_b, f.times(column, across))
        else:  # where nothing was left of the columns, the copy has zeros
            step_b, across, there = len(places) * lanes * self.size, self.size, len(places) * lanes
            from_b = self._copy_at
        zero = literal(0.0, self.vector)
        with f.loop(self.depth, carried=[zero] * (rows * len(places))) as loop:
            now_a = f.add(from_a, f.times(loop.index, step_a))
            now_b = f.add(from_b, f.times(loop.index, step_b))
            right = [
                self._load(f.add(now_b, place * across), across, there - place) for place in places
            ]
            sums = list(loop.values)
            for each in range(rows):
                from_row = f.splat(f.load(f.add(now_a, each * row_a), self.element), lanes)
                for number in range(len(places)):
                    at = each * len(places) + number
                    sums[at] = self._joined(from_row, right[number], sums[at])
            loop.values = sums
        to = f.add(self.at_out, f.times(row, self.out.strides[0]))
        to = f.add(to, f.times(column, self.size))
        for each in range(rows):
            for number, place in enumerate(places):
                at_vector = f.add(to, each * self.out.strides[0] + place * self.size)
                value = loop.values[each * len(places) + number]
                f.scatter(value, at_vector, self.size, min(lanes, width - place))

    def _copy(self, column: V, width: int, to: V) -> None:
        """Copy a strip of the second matrix, vector by vector as the tiles need it."""
        f = self.f
        source = f.add(self.at_b, f.times(column, self.b.strides[1]))
        bytes_of_row = -(-width // self.lanes) * self.lanes * self.size
        for place, count in f.parts(width, self.lanes):
            from_ = f.add(source, f.times(place, self.b.strides[1]))
            self._copy_vectors(from_, count, f.add(to, f.times(place, self.size)), bytes_of_row)

    def _copy_vectors(self, source: V, count: int, target: V, bytes_of_row: int) -> None:
        """Copy as many columns as a vector has numbers at most, as a column of vectors."""
        f, lanes, (step, across) = self.f, self.lanes, self.b.strides
        blocks = self.depth // lanes if step == self.size else 0
        if blocks:
            with f.loop(blocks) as loop:
                from_ = f.add(source, f.times(loop.index, lanes * step))
                at = f.add(target, f.times(loop.index, lanes * bytes_of_row))
                lines = [f.load(f.add(from_, each * across), self.vector) for each in range(count)]
                for place, line in enumerate(self._transposed(lines)):
                    f.store(line, f.add(at, place * bytes_of_row))
        if left := self.depth - blocks * lanes:
            with f.loop(left) as loop:
                index = f.add(loop.index, blocks * lanes)
                line = self._load(f.add(source, f.times(index, step)), across, count)
                f.store(line, f.add(target, f.times(index, bytes_of_row)))

    def _transposed(self, lines: list[V]) -> list[V]:
        """Return vectors with lines and lanes exchanged; lines that are not there are zeros."""
        f, n = self.f, self.lanes
        found = lines + [literal(0.0, self.vector)] * (n - len(lines))
        bit = 1
        while bit < n:
            for each in (each for each in range(n) if not each & bit):
                a, b = found[each], found[each + bit]
                low = [n + lane - bit if lane & bit else lane for lane in range(n)]
                high = [n + lane if lane & bit else lane + bit for lane in range(n)]
                found[each], found[each + bit] = f.shuffled(a, b, low), f.shuffled(a, b, high)
            bit *= 2
        return found

    def _dots(self, column: V, count: int) -> None:
        """Write results in a row, each the product of two vectors that lie along memory."""
        f, lanes = self.f, self.lanes
        step_a, stride = self.a.strides[1], self.b.strides[1]
        source = f.add(self.at_b, f.times(column, stride))

        def added(from_a: V, from_b: V, there: int, sums: list[V]) -> list[V]:
            """Return sums with the products of a part of the vector and of each column."""
            left = self._load(from_a, step_a, there)
            found = []
            for each, total in enumerate(sums):
                right = self._load(f.add(from_b, each * stride), self.size, there)
                found.append(self._joined(left, right, total))
            return found

        def joined(sums: list[V], first: int, ways: int) -> tuple[list[V], int]:
            """Return sums with vectors from the `first` on, and which one comes then.

            So many sums of each column do not wait for each other.
            """
            turns = (self.depth // lanes - first) // ways
            if not turns:
                return sums, first
            zeros = [literal(0.0, self.vector)] * (count * (ways - 1))
            with f.loop(turns, carried=[*sums, *zeros]) as loop:
                index = f.add(f.times(loop.index, ways), first)
                found = []
                for way in range(ways):
                    place = f.add(index, way)
                    from_a = f.add(self.at_a, f.times(place, lanes * step_a))
                    from_b = f.add(source, f.times(place, lanes * self.size))
                    found += added(from_a, from_b, lanes, loop.values[way * count :][:count])
                loop.values = found
            sums = loop.values[:count]
            for way in range(1, ways):
                more = loop.values[way * count :][:count]
                sums = [f.op("fadd", a, b) for a, b in zip(sums, more, strict=True)]
            return sums, first + turns * ways

        sums, done = joined([literal(0.0, self.vector)] * count, 0, max(1, _SUMS // count))
        sums, done = joined(sums, done, 1)
        if rest := self.depth - done * lanes:
            from_a = f.add(self.at_a, done * lanes * step_a)
            sums = added(from_a, f.add(source, done * lanes * self.size), rest, sums)
        lines = self._transposed(sums)
        while len(lines) > 1:
            half = len(lines) // 2
            lines = [f.op("fadd", lines[n], lines[n + half]) for n in range(half)]
        f.scatter(lines[0], f.add(self.at_out, f.times(column, self.size)), self.size, count)

    def _joined(self, a: V, b: V, total: V) -> V:
        if self.fuses:
            return self.f.intrinsic("fma", a, b, total)
        return self.f.op("fadd", self.f.op("fmul", a, b), total)

    def _load(self, address: V, stride: int, there: int) -> V:
        """Return a vector of the elements that are there, at most, and zeros."""
        return self.f.gather(address, self.vector, stride, min(self.lanes, there))


def _is_turned(x: Array) -> bool:
    """Return whether the columns of a result lie along memory, or it is one column."""
    down, right = x.strides[-2:]
    return right != x.dtype.itemsize == down or (x.shape[-1] == 1 != x.shape[-2])
