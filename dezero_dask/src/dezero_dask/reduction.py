"""The sum over partitions: a tree whose shape depends on the number of partitions alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

SPLIT_EVERY = 16
"""How many results are added by one task."""


class Partial(NamedTuple):
    """The sum over some partitions.

    Attributes
    ----------
    value : ndarray or None
        Of shape ``()``; None if only the derivatives are asked for.
    leaves : list of ndarray
        The gradient by each leaf of the parameters, or the product with the Hessian; or the blocks
        of the Hessian, row by row.
    rows : int
        How many rows were counted.
    nan : tuple of int
        The numbers of the partitions whose value or leaves have a nan.
    compared : tuple of tuple
        For each partition whose loss was compared with the sum over its halves, its number and what
        `dezero_dask.halves.differing` has returned.
    """

    value: Any
    leaves: list[Any]
    rows: int
    nan: tuple[int, ...]
    compared: tuple[tuple[int, Any], ...]


def combined(partials: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the sum of results, added from the first to the last.

    They are the fields of a `Partial`, in a tuple: a worker without this package can hold it.

    Examples
    --------
    >>> one = Partial(np.array(1.0), [np.array([1.0, 2.0])], 3, (), ())
    >>> combined([one, one])
    (array(2.), [array([2., 4.])], 6, (), ())
    """
    value, leaves, rows, nan, compared = partials[0]
    leaves = [np.array(leaf) for leaf in leaves]  # other tasks may still read those of the first
    for other_value, other_leaves, other_rows, other_nan, other_compared in partials[1:]:
        value = None if value is None else np.asarray(value + other_value)
        for total, leaf in zip(leaves, other_leaves, strict=True):
            total += leaf
        rows += other_rows
        nan += other_nan
        compared += other_compared
    return value, leaves, rows, nan, compared


def tree(
    keys: Sequence[Any], name: str, add: tuple[Any, ...] = (combined,)
) -> tuple[dict[Any, Any], Any]:
    """Return a graph that adds the results of some keys, and the key of the sum.

    Parameters
    ----------
    keys : sequence of keys
    name : str
        How the keys of the graph begin.
    add : tuple
        How a task that adds begins.

    Examples
    --------
    >>> graph, root = tree(["a", "b"], "sum")
    >>> root
    ('sum', 0, 0)
    """
    graph: dict[Any, Any] = {}
    level = 0
    while len(keys) > 1:
        groups = [keys[start : start + SPLIT_EVERY] for start in range(0, len(keys), SPLIT_EVERY)]
        found = {(name, level, index): (*add, list(group)) for index, group in enumerate(groups)}
        graph |= found
        keys = list(found)
        level += 1
    return graph, keys[0]
