"""The work of a nest on one vector: its steps, in one function, or cut into pieces.

LLVM takes more than twice as long for a function of twice the length. So a body of many steps is
cut into pieces, each a function. A value that several of them need is kept in the frame: scratch
memory with room for one vector of each such value, which the next vector uses again.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from .functions import ELEMENTS, FUNCTIONS, converted
from .ir import DOUBLE, Function, Type, V, i64, literal, vector
from .loop_plans import LoopPlan
from .memory import Bases
from .steps import Array, Patch, Reduction

Offsets = dict[Any, V]
"""How far loops have moved what is in memory: by `LoopPlan.leaders`. Those not moved are absent."""

Sums = dict[Reduction, V]
"""The vectors in which the innermost loop joins elements."""


class Body:
    """Writes what is done to a vector into a function."""

    def __init__(self, plan: LoopPlan, f: Function, bases: Bases) -> None:
        self.plan, self.f, self.lanes, self.bases = plan, f, plan.lanes, bases
        self._found: dict[Any, V] = {}

    def base(self, x: Any) -> V:
        """Return the address of an array, or of the total of a reduction; it is found once."""
        if x not in self._found:
            place = self.plan.places.get(x)
            self._found[x] = self.bases.of(x) if place is None else self.bases.scratch(place)
        return self._found[x]

    def at(self, x: Any, moved: Offsets) -> V:
        """Return the address of an element of an array, or of the total of a reduction."""
        offset = moved.get(self.plan.leaders.get(x))
        return self.base(x) if offset is None else self.f.add(self.base(x), offset)

    def run(
        self, steps: list[Any], values: dict[Array, V], sums: Sums, moved: Offsets, count: V
    ) -> None:
        """Write steps on a vector, of which the last `count` lanes are new.

        `values` has what is known of it, and `sums` gets its new values.
        """
        f, plan = self.f, self.plan
        #: Number of a root -> what of it is in registers.
        cached: defaultdict[int, list[Array]] = defaultdict(list)

        def operand(x: Any, dtype: Any) -> V:
            if not isinstance(x, Array):
                return literal(x.astype(dtype), self.vector(dtype))
            if x not in values:
                values[x] = self.known(x, moved)
                cached[x.root.number].append(x)
            return converted(f, values[x], x.dtype, dtype)

        for step in steps:
            out = step.out
            args = [operand(x, dtype) for x, dtype in zip(step.operands, step.dtypes, strict=True)]
            if not isinstance(step, Reduction):
                value = FUNCTIONS[step.function](f, *args)
                if out in plan.accesses:
                    if plan.rewrites:
                        before = values[out] if out in values else self.load(out, moved)
                        value = self._masked(value, before, count)
                    f.scatter(value, self.at(out, moved), plan.innermost(out))
                    if not isinstance(step, Patch):
                        for x in cached.pop(out.root.number, ()):
                            values.pop(x, None)  # it may have been written
                if plan.nest.has(out) or not self.lanes:
                    values[out] = self.kept(out, value)
                    cached[out.root.number].append(out)
            elif not self.lanes:
                self.flush(step, args[0], moved)
            elif step in plan.inner:
                joined = self.join(step, sums[step], *args)
                sums[step] = self._masked(joined, sums[step], count)
            else:
                total = self.load(out, moved)
                joined = self._masked(self.join(step, total, *args), total, count)
                f.scatter(joined, self.at(out, moved), plan.innermost(out))

    def known(self, x: Array, moved: Offsets) -> V:
        """Return a vector that no step before has made or read."""
        return self.load(x, moved)

    def kept(self, x: Array, value: V) -> V:
        """Return a vector that was made or read for the first time."""
        return value

    def load(self, x: Array, moved: Offsets) -> V:
        """Read a vector of an array."""
        return self.f.gather(self.at(x, moved), self.vector(x.dtype), self.plan.innermost(x))

    def vector(self, dtype: Any) -> Type:
        """Return the type of a vector of a dtype."""
        return Type(ELEMENTS[dtype], self.lanes)

    def _masked(self, joined: V, before: V, count: V) -> V:
        """Return a vector with `joined` in its last `count` lanes, and `before` in the others."""
        if count.text == str(self.lanes):
            return joined
        lanes = range(self.lanes)
        if count.text.isdigit():
            old = self.lanes - int(count.text)
            is_new = vector([literal(lane >= old, Type("i1")) for lane in lanes])
        else:
            counts = self.f.splat(count, self.lanes)
            behind = vector([i64(self.lanes - lane) for lane in lanes])
            is_new = self.f.compare("icmp sle", behind, counts)
        return self.f.select(is_new, joined, before)

    # Reductions.

    def join(self, each: Reduction, a: V, b: V) -> V:
        """Join numbers, or vectors, by the function of a reduction."""
        if each.function in (np.maximum, np.minimum) and each.out.dtype.kind == "u":
            test = "icmp ugt" if each.function is np.maximum else "icmp ult"
            return self.f.select(self.f.compare(test, a, b), a, b)
        return FUNCTIONS[each.function](self.f, a, b)

    def flush(self, each: Reduction, value: V, moved: Offsets) -> None:
        """Join the total of a run to that of the runs before."""
        f, plan = self.f, self.plan
        if each in plan.places:
            value = converted(f, value, each.out.dtype, np.dtype(float))
            self.add_to_total(self.at(each, moved), value)
            return
        address = self.at(each.out, moved)
        if not plan.is_written_once(each):
            value = self.join(each, f.load(address, value.type), value)
        elif each.initial is not None:
            value = self.join(each, literal(each.initial, value.type), value)
        f.store(value, address)

    def add_to_total(self, total: V, x: V) -> None:
        """Add a number, and what rounding lost of it, which the second number of the total has."""
        f, at_lost = self.f, self.f.add(total, 8)
        before, lost = f.load(total, DOUBLE), f.load(at_lost, DOUBLE)
        after = f.op("fadd", before, x)
        part = f.op("fsub", after, before)
        error = f.op("fadd", f.op("fsub", before, f.op("fsub", after, part)), f.op("fsub", x, part))
        f.store(after, total)
        f.store(f.op("fadd", lost, error), at_lost)


class Piece(Body):
    """A part of a body as a function of its own.

    Its parameters are the table, the address of the frame, the number of the new lanes, and the
    offsets of `LoopPlan.movable`.
    """

    def __init__(self, plan: LoopPlan, n: int, f: Function, bases: Bases) -> None:
        super().__init__(plan, f, bases)
        self._n = n

    @staticmethod
    def parameters(plan: LoopPlan) -> int:
        """Return how many parameters each piece of a nest has."""
        return 3 + len(plan.movable)

    def write(self) -> None:
        """Write the function."""
        f, steps = self.f, self.plan.pieces[self._n]
        _, _, count, *offsets = f.parameters
        sums = {
            each: f.load(self._slot(each), self.vector(each.out.dtype))
            for each in steps
            if each in self.plan.inner
        }
        moved = dict(zip(self.plan.movable, offsets, strict=True))
        self.run(steps, {}, sums, moved, count)
        for each, value in sums.items():
            f.store(value, self._slot(each))

    def known(self, x: Array, moved: Offsets) -> V:
        """Return a vector of the frame; or read it, and keep it there if later pieces need it."""
        if x in self.plan.slots and self.plan.first[x] < self._n:
            return self.f.load(self._slot(x), self.vector(x.dtype))
        return self.kept(x, self.load(x, moved))

    def kept(self, x: Array, value: V) -> V:
        """Keep a vector in the frame if later pieces need it."""
        if x in self.plan.slots:
            self.f.store(value, self._slot(x))
        return value

    def _slot(self, x: Any) -> V:
        return self.f.add(self.f.parameters[1], self.plan.slots[x])
