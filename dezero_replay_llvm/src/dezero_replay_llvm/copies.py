"""Copies that need not be made: a write takes over the memory of an array that dies with it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from dezero_replay.tape.instructions import Value

from .steps import Array, Copy, Rounds, Step

if TYPE_CHECKING:
    from .region import Region


def without_copies(
    region: Region, wanted: list[Value], own: Collection[int] = ()
) -> dict[int, Value]:
    """Let the writes of a region take over memory, where they may.

    The results that are `wanted` outside keep their own. Of the inputs, they may take over those
    with the numbers in `own`. Return for each root whose memory is taken over the one that gets it.
    """
    roots, steps = taken_over(region, wanted, own)
    if not roots:
        return roots

    def moved(x: Any) -> Any:
        if isinstance(x, Array) and x.root.number in roots:
            return x._replace(root=roots[x.root.number])
        return x

    region.arrays = {number: moved(x) for number, x in region.arrays.items()}
    for step in steps:
        step.operands, step.out = [*map(moved, step.operands)], moved(step.out)
        if isinstance(step, Rounds):
            step.others = [*map(moved, step.others)]
    region.steps = steps
    return roots


def taken_over(
    region: Region, wanted: list[Value], own: Collection[int]
) -> tuple[dict[int, Value], list[Step]]:
    """Return for each root whose memory is taken over the one that gets it; and the other steps."""
    kept = {region.arrays[x.number].root.number for x in wanted}
    kept.update(array.root.number for _, array in region.guards)
    last = {
        x.root.number: n
        for n, step in enumerate(region.steps)
        for x in step.operands
        if isinstance(x, Array)
    }
    roots: dict[int, Value] = {}
    steps: list[Step] = []
    for n, step in reversed([*enumerate(region.steps)]):
        x = step.operands[0]
        if isinstance(step, Copy) and isinstance(x, Array):
            x_root, y = x.root.number, step.out.root
            is_alike = x.is_whole() and x._replace(root=y) == step.out
            is_own = (region.makes(x.root) or x_root in own) and x_root not in kept
            if is_alike and is_own and last[x_root] == n:
                roots[x_root] = roots.get(y.number, y)
                continue
        steps.append(step)
    return roots, steps[::-1]
