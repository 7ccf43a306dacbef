"""Which steps of a region share loops, and which arrays of it have to be in memory.

Steps over the same shape are fused: an element goes from one to the next in a register. A step
that needs a whole array first (behind a reduction, or one that reads it in another order) comes in
later loops.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from dezero_replay.tape.instructions import Value

from .joining import joined
from .nest import Nest, is_of_numbers
from .region import Region
from .steps import Array, Map, Patch, Reduction, Step, Whole

_MOST_REDUCTIONS = 64
"""Of a nest: each has a register in its loop, or a place where the register was saved."""


class Schedule:
    """The nests of a region in their order."""

    def __init__(self, region: Region, wanted: list[Value]) -> None:
        self._open: dict[Any, Nest] = {}
        #: The lowest level at which a nest can have further reductions, where it is not 0.
        self._room: dict[Any, int] = {}
        #: Number of a root -> the lowest level of a nest that can read it from memory.
        self._ready: dict[int, int] = {}
        #: Number of a root -> the nest that makes it, or each box of it.
        self._makers: defaultdict[int, dict[Array, Nest]] = defaultdict(dict)
        #: Number of a root -> the nest that wrote to it last; nests that read it, and what of it.
        self._writer: dict[int, Nest] = {}
        self._readers: defaultdict[int, dict[Nest, set[Array]]] = defaultdict(dict)
        for step in region.steps:
            self._place(step)
        self.nests = joined(sorted(self._open.values(), key=lambda nest: nest.level))
        looked_at = [region.arrays[x.number] for x in wanted] + [x for _, x in region.guards]
        kept = {array.root.number for array in looked_at}
        #: Numbers of the roots that have to be in memory; and single patches of others.
        self.stored: set[Any] = set(kept)
        patches = {step.out for step in region.steps if isinstance(step, Patch)}
        #: Number of a root -> index of the last nest that reads or writes it.
        self.last: dict[int, int] = {}
        for index, nest in enumerate(self.nests):
            for step in nest.steps:
                read = [x for x in step.operands if isinstance(x, Array)]
                self.last.update((x.root.number, index) for x in (*step.outs, *read))
                loaded = [x for x in read if not nest.has(x)]
                self.stored.update(x if x in patches else x.root.number for x in loaded)
                if not nest.has(step.out):
                    self.stored.update(out.root.number for out in step.outs)
        self.last.update(dict.fromkeys(kept, len(self.nests)))

    def _place(self, step: Step) -> None:
        arrays = [x for x in step.operands if isinstance(x, Array)]
        level = max((self._level_of(x, step) for x in arrays), default=0)
        root, is_patch = step.out.root, isinstance(step, Patch)
        is_made = is_patch or (isinstance(step, Map) and step.out.is_whole())
        for out in [] if is_patch else step.outs:
            number = out.root.number
            if number in self._ready or number in self._readers:  # a part of it is written anew
                level = max(level, self._free(step, out))
                self._makers.pop(number, None)
                is_made = False  # what was there before may be read in the same loop
        nest = self._nest(level, step, None)
        if isinstance(step, Reduction) and (inner := _summed_along(step)) is not None:
            if nest.inner is not None and nest.inner not in step.axes:  # it reads what is stored
                number = step.operands[0].root.number
                level = max(level, self._ready.get(number, 0))
                nest = self._nest(level, step, inner)
            nest.inner = inner if nest.inner is None else nest.inner
        nest.steps.append(step)
        nest.reductions += isinstance(step, Reduction)
        for x in arrays:
            self._readers[x.root.number].setdefault(nest, set()).add(x)
        for out in step.outs:
            number = out.root.number
            before = self._ready.get(number, 0) if is_patch else 0
            self._ready[number] = max(before, nest.level + 1)
            if not is_patch:
                self._writer[number] = nest
        if is_made and step.out not in nest.makes:
            nest.makes.add(step.out)
            self._makers[root.number][step.out] = nest

    def _nest(self, level: int, step: Step, inner: int | None) -> Nest:
        what = step if isinstance(step, Whole) else step.shape, inner
        if isinstance(step, Reduction):
            level = max(level, self._room.get(what, 0))
            nest = self._open.get((level, *what))
            if nest is not None and nest.reductions >= _MOST_REDUCTIONS:
                level = self._room[what] = level + 1
        key = level, *what
        if key not in self._open:
            self._open[key] = Nest(level, step.shape)
        return self._open[key]

    def _level_of(self, x: Array, step: Step) -> int:
        maker = self._makers[x.root.number].get(x)
        if maker is not None and not isinstance(step, Whole) and step.shape == maker.shape:
            return maker.level
        return self._written(x.root.number, step)

    def _written(self, root: int, step: Step) -> int:
        """Return the lowest level on which a step comes after the last write to a root."""
        writer = self._writer.get(root)
        if writer is not None and writer.is_of_numbers and is_of_numbers(step):
            return writer.level  # these are computed one after the other
        return self._ready.get(root, 0)

    def _free(self, step: Step, out: Array) -> int:
        """Return the lowest level on which a step may write to a part of a root."""
        root, shape = out.root.number, step.shape
        level = self._written(root, step)
        for nest, read in self._readers[root].items():
            # In the same loop, an element may be read before it is written.
            has_own = any(isinstance(each, Whole) for each in (step, nest.steps[0]))
            is_alike = nest.shape == shape and not has_own
            is_before = is_alike and ((nest.is_of_numbers and is_of_numbers(step)) or read == {out})
            level = max(level, nest.level + (not is_before))
        return level


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
