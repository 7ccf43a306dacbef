"""The sum over partitions: a tree whose shape depends on the number of partitions alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

SPLIT_EVERY = 8
"""How many results are added by one task."""


class Partial(NamedTuple):
    """The sum over some partitions.

    Attributes
    ----------
    value : ndarray or None
        Of shape ``()``; None if only the derivatives are asked for.
    leaves : list of ndarray
        The gradient by each leaf of the parameters, or the product with the Hessian.
    rows : int
        How many rows were counted.
    nan : tuple of int
        The numbers of the partitions whose value or leaves have a nan.
    """

    value: Any
    leaves: list[Any]
    rows: int
    nan: tuple[int, ...]


def combined(partials: Sequence[Partial]) -> Partial:
    """Return the sum of results, added from the first to the last.

    Examples
    --------
    >>> one = Partial(np.array(1.0), [np.array([1.0, 2.0])], 3, ())
    >>> combined([one, one]).rows
    6
    """
    value, leaves, rows, nan = partials[0]
    leaves = [np.array(leaf) for leaf in leaves]  # other tasks may still read those of the first
    for other in partials[1:]:
        value = None if value is None else np.asarray(value + other.value)
        for total, leaf in zip(leaves, other.leaves, strict=True):
            total += leaf
        rows += other.rows
        nan += other.nan
    return Partial(value, leaves, rows, nan)


def tree(keys: Sequence[Any], name: str) -> tuple[dict[Any, Any], Any]:
    """Return a graph that adds the results of some keys, and the key of the sum.

    Parameters
    ----------
    keys : sequence of keys
    name : str
        How the keys of the graph begin.

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
        found = {(name, level, index): (combined, list(group)) for index, group in enumerate(groups)}
        graph |= found
        keys = list(found)
        level += 1
    return graph, keys[0]
