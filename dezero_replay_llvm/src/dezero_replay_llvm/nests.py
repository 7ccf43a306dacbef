"""Which steps of a region share loops, and which arrays of it have to be in memory.

Steps over the same shape are fused: an element goes from one to the next in a register. A step
that needs a whole array first (behind a reduction, or one that reads it in another order) comes in
later loops.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from dezero_replay.tape.instructions import Value

from .region import Region
from .steps import Array, Map, Product, Reduction, Step


@dataclass(eq=False)
class Nest:
    """Loops over one shape, and the steps that each element goes through."""

    #: Nests of lower levels run before.
    level: int
    shape: tuple[int, ...]
    #: Maps and Reductions, or one Product.
    steps: list[Step] = field(default_factory=list)
    #: The axis that the innermost loop must go along.
    inner: int | None = None
    #: Numbers of the roots that steps of this nest write as a whole, element by element.
    makes: set[int] = field(default_factory=set)

    def has(self, x: Any) -> bool:
        """Return whether an operand is in a register when its element is computed."""
        if not isinstance(x, Array) or x.root.number not in self.makes:
            return False
        return x.shape == self.shape and x.is_whole()


class Schedule:
    """The nests of a region in their order."""

    def __init__(self, region: Region, wanted: list[Value]) -> None:
        self._open: dict[Any, Nest] = {}
        #: Number of a root -> the lowest level of a nest that can read it from memory.
        self._ready: dict[int, int] = {}
        #: Number of a root -> the nest that makes it.
        self._maker: dict[int, Nest] = {}
        for step in region.steps:
            self._place(step)
        self.nests = sorted(self._open.values(), key=lambda nest: nest.level)
        looked_at = [region.arrays[x.number] for x in wanted] + [x for _, x in region.guards]
        kept = {array.root.number for array in looked_at}
        #: Numbers of the roots that have to be in memory.
        self.stored = set(kept)
        #: Number of a root -> index of the last nest that reads or writes it.
        self.last: dict[int, int] = {}
        for index, nest in enumerate(self.nests):
            for step in nest.steps:
                read = [x for x in step.operands if isinstance(x, Array)]
                self.last.update((x.root.number, index) for x in (step.out, *read))
                self.stored.update(x.root.number for x in read if not nest.has(x))
                if not (isinstance(step, Map) and step.out.root.number in nest.makes):
                    self.stored.add(step.out.root.number)
        self.last.update(dict.fromkeys(kept, len(self.nests)))

    def _place(self, step: Step) -> None:
        arrays = [x for x in step.operands if isinstance(x, Array)]
        level = max((self._level_of(x, step) for x in arrays), default=0)
        root = step.out.root
        is_whole = isinstance(step, Map) and step.out.is_whole()
        if root.number in self._ready:  # a part of it is written anew
            level = max(level, self._ready[root.number])
            self._maker.pop(root.number, None)
        nest = self._nest(level, step, None)
        if isinstance(step, Reduction) and (inner := _summed_along(step)) is not None:
            if nest.inner is not None and nest.inner not in step.axes:  # it reads what is stored
                number = step.operands[0].root.number
                level = max(level, self._ready.get(number, 0))
                nest = self._nest(level, step, inner)
            nest.inner = inner if nest.inner is None else nest.inner
        nest.steps.append(step)
        self._ready[root.number] = level + 1
        if is_whole and root.number not in nest.makes:
            nest.makes.add(root.number)
            self._maker[root.number] = nest

    def _nest(self, level: int, step: Step, inner: int | None) -> Nest:
        key = level, step if isinstance(step, Product) else step.shape, inner
        if key not in self._open:
            self._open[key] = Nest(level, step.shape)
        return self._open[key]

    def _level_of(self, x: Array, step: Step) -> int:
        maker = self._maker.get(x.root.number)
        is_fused = not isinstance(step, Product)
        if maker is not None and is_fused and step.shape == maker.shape and maker.has(x):
            return maker.level
        return self._ready.get(x.root.number, 0)


def _summed_along(step: Reduction) -> int | None:
    """Return the axis along which NumPy sums pairwise: the axis of least stride, if it is summed.

    Along another axis the elements would be added one after the other, which is less exact.
    """
    if step.function is not np.add or step.out.dtype.kind != "f":
        return None
    pairs = zip(step.operands[0].strides, step.shape, strict=True)
    found = [(abs(stride), -axis) for axis, (stride, n) in enumerate(pairs) if n != 1]
    axis = -min(found)[1] if found else None
    return axis if axis in step.axes else None
