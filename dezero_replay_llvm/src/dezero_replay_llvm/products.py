"""Products of matrices of known sizes: tiles of the result stay in registers.

A tile is some rows by some vectors. Its elements are summed along the common axis one after the
other, by fused multiplications and additions, as BLAS does. Where the vectors of the second matrix
do not lie in memory as they are needed, they are copied first, a strip at a time. The product of a
matrix and a vector, of which each element is read once, is summed in vectors instead.
"""

from __future__ import annotations

from collections.abc import Callable

from .functions import ELEMENTS
from .ir import Function, Type, V, i64, literal
from .loops import Bases
from .machine import Machine
from .region import Array, Product


def write_product(
    f: Function, machine: Machine, step: Product, bases: Bases, room: Callable[[int], int]
) -> None:
    """Write the loops of a product; `room` gives a place in the scratch memory for some bytes."""
    _Writer(f, machine, step, bases, room).write()


class _Writer:
    def __init__(
        self,
        f: Function,
        machine: Machine,
        step: Product,
        bases: Bases,
        room: Callable[[int], int],
    ) -> None:
        a, b, out = step.a, step.b, step.out
        if _is_turned(out):
            a, b, out = _turned(b), _turned(a), _turned(out)
        self.f, self.machine = f, machine
        self.a, self.b, self.out = a, b, out
        self.rows, self.columns = out.shape
        self.depth = a.shape[1]
        self.size = out.dtype.itemsize
        self.lanes = machine.lanes(self.size)
        self.element = Type(ELEMENTS[out.dtype])
        self.vector = Type(self.element.element, self.lanes)
        self._bases, self._room = bases, room
        self._copy_at: V | None = None
        self.at_a, self.at_b, self.at_out = (
            f.add(bases.root(x.root), x.offset) for x in (a, b, out)
        )
        many = machine.bytes_of_vector == 64
        self.tile_rows, self.tile_vectors = (8, 3) if many else (4, 3)
        if self.rows == 1:  # sums must not wait for each other
            self.tile_vectors *= 4 if many else 2

    def write(self) -> None:
        """Go through the columns in strips, and through the rows of each in tiles."""
        if self.rows == 1 and self._lies_along_columns():
            self._dots()
            return
        lanes, column = self.lanes, 0
        vectors = -(-self.columns // lanes)
        strips = -(-vectors // self.tile_vectors)
        if self._is_copied():
            bytes_of_row = -(-vectors // strips) * lanes * self.size
            self._copy_at = self._bases.scratch(self._room(self.depth * bytes_of_row))
        while column < self.columns:
            left = -(-(self.columns - column) // lanes)
            count = -(-left // strips)  # strips of like widths
            strips -= 1
            self._strip(column, count)
            column += count * lanes

    def _lies_along_columns(self) -> bool:
        down, right = self.b.strides
        return down == self.size and (right != self.size or self.columns == 1)

    def _is_copied(self) -> bool:
        """Return whether the strips of the second matrix are copied, for more than one tile."""
        as_needed = self.b.strides[1] == self.size and self.columns % self.lanes == 0
        return not as_needed and self.rows > self.tile_rows

    def _strip(self, column: int, vectors: int) -> None:
        f, tiles = self.f, self.rows // self.tile_rows
        if self._copy_at is not None:
            self._copy(column, vectors, self._copy_at)
        if tiles:
            with f.loop(tiles) as loop:
                self._tile(f.times(loop.index, self.tile_rows), self.tile_rows, column, vectors)
        if self.rows % self.tile_rows:
            first = i64(tiles * self.tile_rows)
            self._tile(first, self.rows % self.tile_rows, column, vectors)

    def _tile(self, row: V, rows: int, column: int, vectors: int) -> None:
        f, lanes = self.f, self.lanes
        (row_a, step_a), (step_b, column_b) = self.a.strides, self.b.strides
        from_a = f.add(self.at_a, f.times(row, row_a))
        from_b, copied = f.add(self.at_b, column * column_b), self._copy_at is not None
        if self._copy_at is not None:
            from_b, step_b = self._copy_at, vectors * lanes * self.size
        zero = literal(0.0, self.vector)
        with f.loop(self.depth, carried=[zero] * (rows * vectors)) as loop:
            now_a = f.add(from_a, f.times(loop.index, step_a))
            now_b = f.add(from_b, f.times(loop.index, step_b))
            right = [
                f.load(f.add(now_b, number * lanes * self.size), self.vector)
                if copied
                else self._load(now_b, column, number, column_b)
                for number in range(vectors)
            ]
            sums = list(loop.values)
            for each in range(rows):
                left = f.splat(f.load(f.add(now_a, each * row_a), self.element), lanes)
                for number in range(vectors):
                    place = each * vectors + number
                    sums[place] = self._joined(left, right[number], sums[place])
            loop.values = sums
        to = f.add(self.at_out, f.times(row, self.out.strides[0]))
        for each in range(rows):
            for number in range(vectors):
                at = f.add(to, each * self.out.strides[0] + (column + number * lanes) * self.size)
                count = min(lanes, self.columns - column - number * lanes)
                self._store(loop.values[each * vectors + number], at, count)

    def _copy(self, column: int, vectors: int, to: V) -> None:
        """Copy a strip of the second matrix, vector by vector as the tiles need it."""
        f, lanes, (step, column_b) = self.f, self.lanes, self.b.strides
        width = vectors * lanes * self.size
        blocks = self.depth // lanes if step == self.size else 0
        for number in range(vectors):
            first = column + number * lanes
            count = min(lanes, self.columns - first)
            source = f.add(self.at_b, first * column_b)
            target = f.add(to, number * lanes * self.size)
            if blocks:
                with f.loop(blocks) as loop:
                    from_, at = (
                        f.add(address, f.times(loop.index, lanes * each))
                        for address, each in ((source, step), (target, width))
                    )
                    lines = self._lines(from_, column_b, count)
                    for place, line in enumerate(self._transposed(lines)):
                        f.store(line, f.add(at, place * width))
            left = self.depth - blocks * lanes
            if left:
                with f.loop(left) as loop:
                    index = f.add(loop.index, blocks * lanes)
                    from_ = f.add(source, f.times(index, step))
                    line = self._load(from_, first, 0, column_b)
                    f.store(line, f.add(target, f.times(index, width)))

    def _lines(self, address: V, stride: int, count: int) -> list[V]:
        """Return a vector from each of some lines, and zeros for those that are not there."""
        f = self.f
        found = [f.load(f.add(address, each * stride), self.vector) for each in range(count)]
        return found + [literal(0.0, self.vector)] * (self.lanes - count)

    def _transposed(self, lines: list[V]) -> list[V]:
        """Return as many vectors as one has lanes with lines and lanes exchanged."""
        f, n, found = self.f, self.lanes, list(lines)
        bit = 1
        while bit < n:
            for each in (each for each in range(n) if not each & bit):
                a, b = found[each], found[each + bit]
                low = [n + lane - bit if lane & bit else lane for lane in range(n)]
                high = [n + lane if lane & bit else lane + bit for lane in range(n)]
                found[each], found[each + bit] = f.shuffled(a, b, low), f.shuffled(a, b, high)
            bit *= 2
        return found

    def _dots(self) -> None:
        """Write one row of results, each the product of two vectors that lie along memory."""
        f, lanes = self.f, self.lanes
        if full := self.columns // lanes:
            with f.loop(full) as loop:
                self._dots_from(f.times(loop.index, lanes), lanes)
        if self.columns % lanes:
            self._dots_from(i64(full * lanes), self.columns % lanes)

    def _dots_from(self, column: V, count: int) -> None:
        f, lanes = self.f, self.lanes
        step_a, stride = self.a.strides[1], self.b.strides[1]
        source = f.add(self.at_b, f.times(column, stride))
        sums = [literal(0.0, self.vector)] * count
        full = self.depth // lanes
        if full:
            with f.loop(full, carried=sums) as loop:
                left = self._part(f.add(self.at_a, f.times(loop.index, lanes * step_a)), step_a)
                now = f.add(source, f.times(loop.index, lanes * self.size))
                loop.values = self._with_products(left, now, lanes, loop.values)
            sums = loop.values
        if rest := self.depth % lanes:
            left = self._part(f.add(self.at_a, full * lanes * step_a), step_a, rest)
            now = f.add(source, full * lanes * self.size)
            sums = self._with_products(left, now, rest, sums)
        lines = self._transposed(sums + [literal(0.0, self.vector)] * (lanes - count))
        while len(lines) > 1:
            half = len(lines) // 2
            lines = [f.op("fadd", lines[n], lines[n + half]) for n in range(half)]
        self._store(lines[0], f.add(self.at_out, f.times(column, self.size)), count)

    def _with_products(self, left: V, address: V, there: int, sums: list[V]) -> list[V]:
        """Return sums with the products of one vector and a part of each column."""
        f, stride = self.f, self.b.strides[1]
        return [
            self._joined(left, self._part(f.add(address, each * stride), self.size, there), total)
            for each, total in enumerate(sums)
        ]

    def _joined(self, a: V, b: V, total: V) -> V:
        f, kind = self.f, a.type
        if self.machine.fuses:
            return f.call(f"llvm.fma.{kind.mangled}", kind, a, b, total)
        return f.op("fadd", f.op("fmul", a, b), total)

    def _load(self, address: V, column: int, number: int, stride: int) -> V:
        count = min(self.lanes, self.columns - column - number * self.lanes)
        return self._part(self.f.add(address, number * self.lanes * stride), stride, count)

    def _part(self, address: V, stride: int, count: int | None = None) -> V:
        """Return a vector of elements of which `count` are there, and zeros."""
        count = self.lanes if count is None else count
        return self.f.gather(address, self.vector, stride, count)

    def _store(self, value: V, address: V, count: int) -> None:
        self.f.scatter(value, address, self.size, count)


def _is_turned(x: Array) -> bool:
    """Return whether the columns of a result lie along memory, or it is one column."""
    rows, columns = x.strides
    return columns != x.dtype.itemsize == rows or (x.shape[1] == 1 != x.shape[0])


def _turned(x: Array) -> Array:
    return Array(x.root, x.offset, x.shape[::-1], x.strides[::-1], x.dtype)
