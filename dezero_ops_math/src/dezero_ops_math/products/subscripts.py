"""What the subscripts of ``einsum`` say: a number for each axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = Any
Labels = tuple[int, ...]
Shape = tuple[int, ...]


def labelled(subscripts: Any, shapes: Sequence[Shape]) -> tuple[list[Labels], Labels]:
    """Return a number for each axis of each operand, and of the output.

    Axes with the same number are gone through together. `subscripts` are a string or a tuple of
    lists, and NumPy has accepted them for operands of these shapes. The axes that ``...``
    stands for come first, in the order of the output.
    """
    if isinstance(subscripts, str):
        inputs, arrow, written = subscripts.replace(" ", "").partition("->")
        terms = [_items(term) for term in inputs.split(",")]
        output = _items(written) if arrow else None
    else:
        terms = [list(term) for term in subscripts[: len(shapes)]]
        output = list(subscripts[-1]) if len(subscripts) > len(shapes) else None
    named = [item for term in terms for item in term if item is not Ellipsis]
    if output is None:
        output = [Ellipsis, *sorted(item for item in set(named) if named.count(item) == 1)]
    covered = [
        len(shape) - len(term) + 1
        for term, shape in zip(terms, shapes, strict=True)
        if Ellipsis in term
    ]
    width = max(covered, default=0)
    numbers = {item: width + index for index, item in enumerate(sorted(set(named)))}

    def numbered(items: list[Any], count: int) -> Labels:
        labels: list[int] = []
        for item in items:
            labels += range(width - count, width) if item is Ellipsis else [numbers[item]]
        return tuple(labels)

    labels = [
        numbered(term, len(shape) - len(term) + 1)
        for term, shape in zip(terms, shapes, strict=True)
    ]
    return labels, numbered(output, width)


def diagonal_of(labels: Labels, shape: Shape) -> Array | None:
    """Return where axes with the same label are at the same index; None if there are none."""
    if len(set(labels)) == len(labels):
        return None
    indices = np.indices(shape, sparse=True)
    same = np.ones(shape, dtype=bool)
    for axis, label in enumerate(labels):
        same &= indices[axis] == indices[labels.index(label)]
    return same


def _items(term: str) -> list[Any]:
    return [Ellipsis if letter == "." else letter for letter in term.replace("...", ".")]
