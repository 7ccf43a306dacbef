"""Nests that are run later than they could be, since they then share the loops of another one.

A step comes into the first nest in which its operands are there. So ``x * 2.0 * mean(y)`` would
be two passes over `x`: the mean is not there yet when the first product can be computed.
"""

from __future__ import annotations

from collections import defaultdict

from .nest import Nest
from .steps import Array, Patch, Whole


def joined(nests: list[Nest]) -> list[Nest]:
    """Return nests in their order, without those that have become part of a later one."""
    after, before = _neighbours(nests)
    gone = set()
    for nest in reversed(nests):  # so that those after it stay what they are
        if not after[nest]:
            continue
        level = min(each.level for each in after[nest])
        first, *others = [each for each in after[nest] if each.level == level]
        if others or not _fits(nest, first):
            continue
        first.take(nest)
        gone.add(nest)
        for each in before[nest]:
            after[each].discard(nest)
            after[each].add(first)
    return [nest for nest in nests if nest not in gone]


def _neighbours(nests: list[Nest]) -> tuple[dict[Nest, set[Nest]], dict[Nest, set[Nest]]]:
    """Return the nests that must come after each one, and those that must come before.

    Two must keep their order if both use an array, and one writes it; but not if both do no more
    than to write patches of it.
    """
    writers: defaultdict[int, set[Nest]] = defaultdict(set)
    users: defaultdict[int, set[Nest]] = defaultdict(set)
    patching: defaultdict[int, set[Nest]] = defaultdict(set)
    for nest in nests:
        for step in nest.steps:
            for out in step.outs:
                writers[out.root.number].add(nest)
                group = patching if isinstance(step, Patch) else users
                group[out.root.number].add(nest)
            for x in step.operands:
                if isinstance(x, Array):
                    users[x.root.number].add(nest)
    after: dict[Nest, set[Nest]] = {nest: set() for nest in nests}
    before: dict[Nest, set[Nest]] = {nest: set() for nest in nests}
    for number, writing in writers.items():
        for writer in writing:
            others = users[number] | patching[number] if writer in users[number] else users[number]
            for user in others - {writer}:
                a, b = sorted((writer, user), key=lambda nest: nest.level)
                after[a].add(b)
                before[b].add(a)
    return after, before


def _fits(nest: Nest, later: Nest) -> bool:
    """Return whether a nest can become part of a later one that reads what it makes."""
    if nest.shape != later.shape or any(isinstance(x.steps[0], Whole) for x in (nest, later)):
        return False
    made = {step.out.root.number for step in nest.steps}
    written = {step.out.root.number for step in later.steps if not isinstance(step, Patch)}
    read = {x.root.number for x in _read_by(nest)}
    if {step.out for step in nest.steps} != nest.makes or written & (made | read):
        return False
    return all(nest.has(x) for x in _read_by(later) if x.root.number in made)


def _read_by(nest: Nest) -> list[Array]:
    return [x for step in nest.steps for x in step.operands if isinstance(x, Array)]
