"""The sum over partitions: a tree whose shape depends on the number of partitions alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

#: How many results are added by one task.
SPLIT_EVERY = 16


class PartialSum(NamedTuple):
    """The sum over some partitions."""

    #: The value and the gradient by each leaf of the parameters; or the product with the Hessian,
    #: or the blocks of the Hessian, row by row.
    leaves: list[Any]
    #: How many were counted.
    rows: int
    #: The numbers of the partitions whose leaves have a nan.
    nan: tuple[int, ...]
    #: For each partition whose loss was compared with the sum over its halves, its number and what
    #: `dezero_dask.sums.sum_check.differing` has returned.
    compared: tuple[tuple[int, Any], ...]


def combined(partials: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the sum of results, added from the first to the last.

    They are the fields of a `PartialSum`, in a tuple: a worker without this package can hold it.
    """
    leaves = []
    for several in zip(*(found for found, *_ in partials), strict=True):
        # The value may have another dtype in each partition; other tasks may still read the first.
        total = np.array(several[0], np.result_type(*several))
        for leaf in several[1:]:
            total += leaf
        leaves.append(total)
    _, rows, nan, compared = zip(*partials, strict=True)
    return leaves, sum(rows), sum(nan, ()), sum(compared, ())


def tree(keys: Sequence[Any], name: str, add: tuple[Any, ...]) -> tuple[dict[Any, Any], Any]:
    """Return a graph that adds the results of some keys, and the key of the sum.

    Its keys begin with `name`, and its tasks with `add`.
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
