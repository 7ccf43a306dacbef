"""Products of matrices of known sizes: tiles of the result stay in registers.

A tile is some rows by some vectors. Its elements are summed along the common axis one after the
other, by fused multiplications and additions, as BLAS does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .functions import ELEMENTS
from .ir import I64, Function, Type, V, literal, whole
from .machine import Machine
from .region import Array, Product


def write_product(f: Function, machine: Machine, step: Product, base: Callable[[Any], V]) -> None:
    """Write the loops of a product."""
    _Writer(f, machine, step, base).write()


class _Writer:
    def __init__(
        self, f: Function, machine: Machine, step: Product, base: Callable[[Any], V]
    ) -> None:
        a, b, out = step.a, step.b, step.out
        if _is_turned(out):
            a, b, out = _turned(b), _turned(a), _turned(out)
        self.f, self.machine = f, machine
        self.a, self.b, self.out = a, b, out
        self.rows, self.columns = out.shape
        self.depth = a.shape[1]
        self.element = Type(ELEMENTS[out.dtype])
        self.size = out.dtype.itemsize
        self.lanes = machine.lanes(self.size)
        self.at_a, self.at_b, self.at_out = (f.add(base(x.root), x.offset) for x in (a, b, out))
        many = machine.bytes_of_vector == 64
        self.tile_rows, self.tile_vectors = (8, 3) if many else (4, 3)

    def write(self) -> None:
        """Go through the columns in strips, and through the rows of each in tiles."""
        lanes, column = self.lanes, 0
        vectors = -(-self.columns // lanes)
        strips = -(-vectors // self.tile_vectors)
        while column < self.columns:
            left = -(-(self.columns - column) // lanes)
            count = -(-left // strips)  # strips of like widths
            strips -= 1
            self._strip(column, count)
            column += count * lanes

    def _strip(self, column: int, vectors: int) -> None:
        f, tiles = self.f, self.rows // self.tile_rows
        if tiles:
            with f.loop(tiles) as loop:
                self._tile(f.times(loop.index, self.tile_rows), self.tile_rows, column, vectors)
        if self.rows % self.tile_rows:
            first = whole(tiles * self.tile_rows)
            self._tile(first, self.rows % self.tile_rows, column, vectors)

    def _tile(self, row: V, rows: int, column: int, vectors: int) -> None:
        f, lanes = self.f, self.lanes
        kind = Type(self.element.element, lanes)
        (row_a, step_a), (step_b, column_b) = self.a.strides, self.b.strides
        from_a = f.add(self.at_a, f.times(row, row_a))
        from_b = f.add(self.at_b, column * column_b)
        zero = literal(0.0, kind)
        with f.loop(self.depth, carried=[zero] * (rows * vectors)) as loop:
            now_a = f.add(from_a, f.times(loop.index, step_a))
            now_b = f.add(from_b, f.times(loop.index, step_b))
            right = [self._load(now_b, column, number, column_b) for number in range(vectors)]
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
                self._store(loop.values[each * vectors + number], at, column + number * lanes)

    def _joined(self, a: V, b: V, total: V) -> V:
        f, kind = self.f, a.type
        if self.machine.fuses:
            return f.call(f"llvm.fma.{kind.mangled}", kind, a, b, total)
        return f.op("fadd", f.op("fmul", a, b), total)

    def _load(self, address: V, column: int, number: int, stride: int) -> V:
        f, lanes = self.f, self.lanes
        kind = Type(self.element.element, lanes)
        first = column + number * lanes
        count = min(lanes, self.columns - first)
        if count == lanes and stride == self.size:
            return f.load(f.add(address, number * lanes * self.size), kind)
        found = literal(0.0, kind)
        for lane in range(count):
            at = f.add(address, (number * lanes + lane) * stride)
            found = f.insert(found, f.load(at, self.element), lane)
        return found

    def _store(self, value: V, address: V, first: int) -> None:
        f, count = self.f, min(self.lanes, self.columns - first)
        if count == self.lanes:
            f.store(value, address)
            return
        for lane in range(count):
            f.store(f.extract(value, lane), f.add(address, lane * self.size))


def _is_turned(x: Array) -> bool:
    return x.strides[0] == x.dtype.itemsize != x.strides[1]


def _turned(x: Array) -> Array:
    return Array(x.root, x.offset, x.shape[::-1], x.strides[::-1], x.dtype)


__all__ = ["I64", "write_product"]
