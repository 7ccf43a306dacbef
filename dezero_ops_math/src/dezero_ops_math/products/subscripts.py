"""What the subscripts of ``einsum`` say: a number for each axis."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dezero_core.extend import Array

Labels = tuple[int, ...]
Shape = tuple[int, ...]


def labelled(subscripts: Any, ndims: tuple[int, ...]) -> tuple[tuple[Labels, ...], Labels]:
    """Return a number for each axis of each operand, and of the output.

    Axes with the same number are gone through together. `subscripts` are a string or a tuple of
    lists, and NumPy has accepted them for operands of so many axes. The axes that ``...``
    stands for come first, in the order of the output.
    """
    # A loop calls einsum with the same string again and again; lists have no hash.
    return (
        _remembered(subscripts, ndims) if isinstance(subscripts, str) else _read(subscripts, ndims)
    )


def _read(subscripts: Any, ndims: tuple[int, ...]) -> tuple[tuple[Labels, ...], Labels]:
    if isinstance(subscripts, str):
        inputs, arrow, written = subscripts.replace(" ", "").partition("->")
        terms = [_items(term) for term in inputs.split(",")]
        output = _items(written) if arrow else None
    else:
        terms = [list(term) for term in subscripts[: len(ndims)]]
        output = list(subscripts[-1]) if len(subscripts) > len(ndims) else None
    named = [item for term in terms for item in term if item is not Ellipsis]
    if output is None:
        output = [Ellipsis, *sorted(item for item in set(named) if named.count(item) == 1)]
    covered = [
        ndim - len(term) + 1 for term, ndim in zip(terms, ndims, strict=True) if Ellipsis in term
    ]
    width = max(covered, default=0)
    numbers = {item: width + index for index, item in enumerate(sorted(set(named)))}

    def numbered(items: list[Any], count: int) -> Labels:
        labels: list[int] = []
        for item in items:
            labels += range(width - count, width) if item is Ellipsis else [numbers[item]]
        return tuple(labels)

    pairs = zip(terms, ndims, strict=True)
    labels = tuple([numbered(term, ndim - len(term) + 1) for term, ndim in pairs])
    return labels, numbered(output, width)


_remembered = lru_cache(_read)


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
