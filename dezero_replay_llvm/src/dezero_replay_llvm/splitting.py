"""Elementwise functions of arrays that are put together of parts: box by box.

An array of parts, such as ``np.roll(x, 1)``, would be stored before an elementwise function reads
it. Here the function is cut into patches, each of which reads one part, where that comes from. So
``np.roll(x, 1) + np.roll(x, -1)`` becomes three loops over `x`, and the largest has nearly all
the work. What is not read any more is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from dezero_replay.tape.instructions import Value

from .boxes import LEAST, MOST, box_of, common, part_of, refined, squeezed, within
from .steps import Array, Box, Map, Patch, Step

if TYPE_CHECKING:
    from .region import Region


@dataclass(eq=False)
class _Group:
    """Functions that are cut into the same boxes."""

    boxes: list[Box]
    members: set[Map] = field(default_factory=set)


_Uses = frozenset[tuple[_Group, Patch | None]] | None
"""The groups that read an array, and the patch by which it is a part of what they read.

None if others read it, too.
"""

_CHEAP = {np.add, np.subtract, np.multiply, np.negative, np.square}
"""Functions that are computed again where their result would be stored for other boxes."""


def split(region: Region, wanted: list[Value]) -> None:
    """Cut the elementwise functions of a region that read arrays of parts."""
    kept = {region.arrays[x.number].root.number for x in wanted}
    kept.update(array.root.number for _, array in region.guards)
    splitting = _Splitting(region, kept)
    if splitting.groups:
        try:
            steps = [new for step in region.steps for new in splitting.replaced(step)]
        except _Unknown:
            return
        region.steps = _living(steps, kept)


class _Unknown(Exception):  # noqa: N818 - no error: the steps stay as they are
    """A function of numbers alone that NumPy would warn of."""


class _Splitting:
    """Finds the steps of a region that are to be cut, and cuts them."""

    def __init__(self, region: Region, kept: set[int]) -> None:
        self._region, steps = region, region.steps
        #: Number of an array of parts -> each box, and what is there.
        self._parts = _parts(steps)
        #: The functions that are cut.
        self.groups: dict[Map, _Group] = {}
        writes = Counter(step.out.root.number for step in steps)
        #: Number of a root -> the function that makes it, where nothing else writes into it.
        self._makers = {
            number: step
            for step in steps
            if type(step) is Map and step.out.is_whole() and prod(step.shape) >= LEAST
            if writes[number := step.out.root.number] == 1
        }
        #: Number of a root -> who reads it, and what of it; and which groups do.
        self._readers: defaultdict[int, list[tuple[Array, Step]]] = defaultdict(list)
        self._uses: dict[int, _Uses] = {}
        #: The functions that are computed again for each group that reads their results.
        self._again: dict[Step, _Uses] = {}
        self._copies: dict[Step, Array] = {}
        #: The results, in a box, that are one number, or were computed again.
        self._found: dict[tuple[int, Box], Any] = {}
        if self._parts:
            for step in steps:
                self._join(step)
            self._join_sources(steps, kept)

    def _join(self, step: Step) -> None:
        """Let a function be cut as its operands are."""
        if self._makers.get(step.out.root.number) is not step:
            return
        found: _Group | None = None
        for x in step.operands:
            if not _is_like(x, step):
                continue
            maker = self._makers.get(x.root.number)
            if maker in self.groups:
                found = self._merged(found, self.groups[maker])
            elif x.root.number in self._parts:
                boxes = [box for box, _ in self._parts[x.root.number]]
                found = self._merged(found, _Group(boxes))
        if found is not None:
            self.groups[step] = found
            found.members.add(step)

    def _merged(self, a: _Group | None, b: _Group) -> _Group:
        """Return a group with the boxes of two; the first one, if these would be too many."""
        if a is None or a is b:
            return b
        boxes = refined(a.boxes, b.boxes)
        if len(boxes) > MOST:
            return a
        a.boxes = boxes
        a.members |= b.members
        self.groups.update(dict.fromkeys(b.members, a))
        return a

    def _join_sources(self, steps: list[Step], kept: set[int]) -> None:
        """Cut the functions that only cut ones read: else their results would be stored."""
        for step in steps:
            for x in step.operands:
                if isinstance(x, Array):
                    self._readers[x.root.number].append((x, step))
        for number in kept:
            self._uses[number] = None
        for step in reversed(steps):
            number = step.out.root.number
            if self._makers.get(number) is not step or step in self.groups:
                continue
            uses = self._uses_of(number)
            if uses and len(uses) == 1 and (group := self._group_of(*next(iter(uses)))):
                self.groups[step] = group
            elif uses and _is_cheap(step):
                self._again[step] = uses

    def _uses_of(self, number: int) -> _Uses:
        """Return which functions that are cut read an array; None if others read it, too."""
        if number not in self._uses:
            found = [self._use(x, reader) for x, reader in self._readers[number]]
            is_known = None not in found
            self._uses[number] = frozenset().union(*found) if is_known else None  # type: ignore[arg-type]
        return self._uses[number]

    def _use(self, x: Array, reader: Any) -> _Uses:
        if isinstance(reader, Patch):
            number = reader.out.root.number
            uses = self._uses_of(number) if number in self._parts else None
            if uses is None or x.moves or box_of(x) is None:
                return None
            if any(via is not None or not _is_cut(reader.box, group) for group, via in uses):
                return None
            return frozenset([(group, reader) for group, _ in uses])
        if not _is_like(x, reader):
            return None
        if reader in self._again:
            return self._again[reader]
        return frozenset([(self.groups[reader], None)]) if reader in self.groups else None

    def _group_of(self, group: _Group, via: Patch | None) -> _Group | None:
        """Return the boxes of an array that a group reads, maybe as a part of another array."""
        if via is None:
            return group
        x = via.operands[0]
        if not x.is_whole():
            return None
        inside = [box for box in group.boxes if common(box, via.box)]
        parts = [within(squeezed(x, via.shape), via.box, box) for box in inside]
        return _Group([box for part in parts if (box := box_of(part))])

    def replaced(self, step: Step) -> list[Step]:
        """Return the patches in place of a step that is cut; else the step."""
        if not isinstance(step, Map) or step in self._again:
            return [] if step in self._again else [step]
        if step not in self.groups:
            return [step]
        made = list[Step]()
        for box in self.groups[step].boxes:
            self._compute(step, step.out, box, made)
        return made

    def _compute(self, step: Map, out: Array, box: Box, made: list[Step]) -> Any:
        """Add a patch with what a function gives in a box; return it, or the number that it is."""
        operands = [self._operand(x, step, box, made) for x in step.operands]
        function, dtypes, part = step.function, step.dtypes, part_of(out, step.shape, box)
        found: Any = part
        if not any(isinstance(x, Array) for x in operands):
            found = self._found[step.out.root.number, box] = _number(step, operands)
            function, operands, dtypes = None, [found], (part.dtype,)
        made.append(Patch(function, operands, dtypes, part, box))
        return found

    def _operand(self, x: Any, step: Step, box: Box, made: list[Step]) -> Any:
        """Return what of an operand is in a box."""
        if _is_like(x, step):
            if (found := self._found.get((x.root.number, box))) is not None:
                return found
            for around, source in self._parts.get(x.root.number, ()):
                if common(around, box) == box:
                    return self._anew(within(source, around, box), made)
        return self._anew(part_of(x, step.shape, box), made)

    def _anew(self, x: Any, made: list[Step]) -> Any:
        """Return an operand; if it is not stored, compute it again."""
        maker = self._makers.get(x.root.number) if isinstance(x, Array) else None
        if maker is None or maker not in self._again:
            return x
        number, box = x.root.number, box_of(x)
        assert box is not None
        if (number, box) not in self._found:
            if maker not in self._copies:
                self._copies[maker] = self._region.temporary(maker.shape, maker.out.dtype)
            self._found[number, box] = self._compute(maker, self._copies[maker], box, made)
        return self._found[number, box]


def _parts(steps: list[Step]) -> dict[int, list[tuple[Box, Any]]]:
    """Return the boxes of each large array that is put together of few parts, and the parts."""
    patches: defaultdict[int, list[Patch]] = defaultdict(list)
    for step in steps:
        if isinstance(step, Patch) and prod(step.out.root.shape) >= LEAST:
            patches[step.out.root.number].append(step)
    found = {}
    for number, each in patches.items():
        sources = [_source(patch) for patch in each]
        if len(each) <= MOST and None not in sources:
            found[number] = [(patch.box, x) for patch, x in zip(each, sources, strict=True)]
    return found


def _is_cut(box: Box, group: _Group) -> bool:
    """Return whether each box of a group is either in a box, or beside it."""
    return all(common(each, box) in (None, each) for each in group.boxes)


def _is_cheap(step: Step) -> bool:
    """Return whether a result takes no more time to compute than to read."""
    read = {x for x in step.operands if isinstance(x, Array)}
    return step.function in _CHEAP and len(read) == 1


def _source(patch: Patch) -> Any:
    """Return what a patch copies; None if it converts an array."""
    (x,), dtype = patch.operands, patch.out.dtype
    if not isinstance(x, Array):
        return x.astype(dtype)
    return squeezed(x, patch.shape) if x.dtype == dtype else None


def _is_like(x: Any, step: Step) -> bool:
    """Return whether an operand is a whole array, of which each element goes to one of a result."""
    return isinstance(x, Array) and x.shape == step.shape and x.is_whole()


def _number(step: Map, operands: list[Any]) -> Any:
    """Return the result of a function of numbers."""
    arrays = [np.full(1, x, dtype) for x, dtype in zip(operands, step.dtypes, strict=True)]
    function: Any = np.copy if step.function is None else step.function
    if type(function) is str:  # one of NumPy's two loops of clip
        raise _Unknown
    try:
        with np.errstate(all="raise"):
            (number,) = function(*arrays)
    except (FloatingPointError, TypeError, ValueError) as error:
        raise _Unknown from error
    return number.astype(step.out.dtype)


def _living(steps: list[Step], kept: set[int]) -> list[Step]:
    """Return steps without the patches that nobody reads."""
    patches = {step.out for step in steps if isinstance(step, Patch)}
    read = {x for step in steps for x in step.operands if isinstance(x, Array)}
    wholes = kept | {x.root.number for x in read - patches}
    return [
        step
        for step in steps
        if not isinstance(step, Patch) or step.out in read or step.out.root.number in wholes
    ]
