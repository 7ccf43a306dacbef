"""The parts of which ``np.roll`` puts its result together."""

from __future__ import annotations

from itertools import product
from typing import Any

Index = tuple[slice, ...]


def parts_of_roll(x: Any, shift: Any, axis: Any = None) -> list[tuple[Index, Index]] | None:
    """Return for each part which elements are taken, and where they are put.

    None if an argument is not known.
    """
    shape = x.shape
    if axis is None and len(shape) == 1:
        axis = 0
    shifts = shift if isinstance(shift, (tuple, list)) else [shift]
    axes = axis if isinstance(axis, (tuple, list)) else [axis]
    if len(shifts) == 1:
        shifts = [shifts[0]] * len(axes)
    if len(shifts) != len(axes) or not all(type(n) is int for n in (*shifts, *axes)):
        return None
    by = [0] * len(shape)
    for n, at in zip(shifts, axes, strict=True):
        by[at] += n
    ways = []
    for n, moved in zip(shape, by, strict=True):
        k = moved % n if n else 0
        both = [(slice(0, n - k), slice(k, n)), (slice(n - k, n), slice(0, k))]
        ways.append(both if k else both[:1])
    chosen = product(*ways)
    return [(tuple([a for a, _ in each]), tuple([b for _, b in each])) for each in chosen]
