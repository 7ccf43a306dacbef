"""Products of matrices of known sizes: tiles of the result stay in registers.

A tile is some rows by some vectors. Its elements are summed along the common axis one after the
other, by fused multiplications and additions, as BLAS does. Where the vectors of the second matrix
do not lie in memory as they are needed, they are copied first, a strip at a time. The product of a
matrix and a vector, of which each element is read once, is summed in vectors instead.
"""

from __future__ import annotations

from .functions import ELEMENTS
from .ir import Function, Type, V, literal
from .memory import Bases
from .steps import Array, Product


class ProductWriter:
    """Writes the loops of a product into a function."""

    def __init__(self, step: Product, f: Function, bases: Bases) -> None:
        machine = f.module.machine
        (a, b), out = step.operands, step.out
        if _is_turned(out):
            a, b, out = _turned(b), _turned(a), _turned(out)
        self.f, self.fuses = f, machine.fuses
        self.a, self.b, self.out = a, b, out
        self.rows, self.columns = out.shape
        self.depth = a.shape[1]
        self.size = out.dtype.itemsize
        self.lanes = machine.lanes(self.size)
        self.element = Type(ELEMENTS[out.dtype])
        self.vector = Type(self.element.element, self.lanes)
        self._bases = bases
        self._copy_at: V | None = None
        self.at_a, self.at_b, self.at_out = map(bases.of, (a, b, out))
        many = machine.bytes_of_vector == 64
        self.tile_rows, self.tile_vectors = (8, 3) if many else (4, 3)
        if self.rows == 1:  # sums must not wait for each other
            self.tile_vectors *= 4 if many else 2

    def write(self) -> None:
        """Go through the columns in strips, and through the rows of each in tiles."""
        down, right = self.b.strides
        if self.rows == 1 and down == self.size and (right != self.size or self.columns == 1):
            for at, count in self.f.parts(self.columns, self.lanes):
                self._dots(at, count)
            return
        first, vectors = 0, -(-self.columns // self.lanes)
        strips = -(-vectors // self.tile_vectors)
        is_as_needed = right == self.size and self.columns % self.lanes == 0
        if not is_as_needed and self.rows > self.tile_rows:  # for one tile, a copy does not pay
            bytes_of_row = -(-vectors // strips) * self.lanes * self.size
            self._copy_at = self._bases.room(self.depth * bytes_of_row)
        for left in range(strips, 0, -1):
            column, count = first * self.lanes, -(-(vectors - first) // left)  # of like widths
            if self._copy_at is not None:
                self._copy(column, count, self._copy_at)
            for row, rows in self.f.parts(self.rows, self.tile_rows):
                self._tile(row, rows, column, count)
            first += count

    def _tile(self, row: V, rows: int, column: int, vectors: int) -> None:
        f, lanes = self.f, self.lanes
        row_a, step_a = self.a.strides
        from_a = f.add(self.at_a, f.times(row, row_a))
        if self._copy_at is None:
            (step_b, across), left = self.b.strides, self.columns - column
            from_b = f.add(self.at_b, column * across)
        else:
            step_b, across, left = vectors * lanes * self.size, self.size, vectors * lanes
            from_b = self._copy_at
        zero = literal(0.0, self.vector)
        with f.loop(self.depth, carried=[zero] * (rows * vectors)) as loop:
            now_a = f.add(from_a, f.times(loop.index, step_a))
            now_b = f.add(from_b, f.times(loop.index, step_b))
            right = [
                self._load(f.add(now_b, place * across), across, left - place)
                for place in range(0, vectors * lanes, lanes)
            ]
            sums = list(loop.values)
            for each in range(rows):
                from_row = f.splat(f.load(f.add(now_a, each * row_a), self.element), lanes)
                for number in range(vectors):
                    place = each * vectors + number
                    sums[place] = self._joined(from_row, right[number], sums[place])
            loop.values = sums
        to = f.add(self.at_out, f.times(row, self.out.strides[0]))
        for each in range(rows):
            for number in range(vectors):
                at = f.add(to, each * self.out.strides[0] + (column + number * lanes) * self.size)
                count = min(lanes, self.columns - column - number * lanes)
                f.scatter(loop.values[each * vectors + number], at, self.size, count)

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
                    from_ = f.add(source, f.times(loop.index, lanes * step))
                    at = f.add(target, f.times(loop.index, lanes * width))
                    lines = [
                        f.load(f.add(from_, each * column_b), self.vector) for each in range(count)
                    ]
                    for place, line in enumerate(self._transposed(lines)):
                        f.store(line, f.add(at, place * width))
            if left := self.depth - blocks * lanes:
                with f.loop(left) as loop:
                    index = f.add(loop.index, blocks * lanes)
                    from_ = f.add(source, f.times(index, step))
                    line = self._load(from_, column_b, count)
                    f.store(line, f.add(target, f.times(index, width)))

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

        sums = [literal(0.0, self.vector)] * count
        full, rest = divmod(self.depth, lanes)
        if full:
            with f.loop(full, carried=sums) as loop:
                from_a = f.add(self.at_a, f.times(loop.index, lanes * step_a))
                from_b = f.add(source, f.times(loop.index, lanes * self.size))
                loop.values = added(from_a, from_b, lanes, loop.values)
            sums = loop.values
        if rest:
            from_a = f.add(self.at_a, full * lanes * step_a)
            sums = added(from_a, f.add(source, full * lanes * self.size), rest, sums)
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
    rows, columns = x.strides
    return columns != x.dtype.itemsize == rows or (x.shape[1] == 1 != x.shape[0])


def _turned(x: Array) -> Array:
    return x._replace(shape=x.shape[::-1], strides=x.strides[::-1])
