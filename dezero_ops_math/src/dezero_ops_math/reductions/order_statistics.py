"""Elements chosen by their rank: medians, quantiles, percentiles.

Each result is one element, or lies between two neighbours in the sorted row. Each of these
gets its part of the gradient; where several elements are equal to it, they share that part,
as those share that are the largest in ``max``. The parts are constant until two elements
change places.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from dezero_core import Function, VariableTypeError
from dezero_core.extend import Array

from ..arguments import Axis, kept_shape
from .masks import divided, values
from .others import last


class Quantile(Function):
    """The gradient goes to the two neighbours, the larger part to the nearer."""

    reduce: Any = staticmethod(np.quantile)
    of_ranks: Any = staticmethod(np.quantile)

    def __init__(self, q: Any, axis: Axis, method: Any, keepdims: bool) -> None:
        self.q = q.copy() if isinstance(q, np.ndarray | list) else q
        self.axis, self.method, self.keepdims = axis, method, keepdims

    def forward(self, x: Array) -> Array:
        return self.reduce(x, self.q, axis=self.axis, method=self.method, keepdims=self.keepdims)

    def backward(self, gy: Array) -> Array:
        x = values(self.inputs[0].data)
        axes = normalize_axis_tuple(range(x.ndim) if self.axis is None else self.axis, x.ndim)
        gx = np.zeros(x.shape, gy.dtype)
        if not x.size:
            return gx
        kept = kept_shape(x.shape, axes)
        gy = gy.reshape((-1, *kept))
        ordered = self.ordered(last(x, axes))
        for index, rank in enumerate(self.ranks(ordered)):
            for found, weight in _neighbours(ordered, rank):
                found = found.reshape(kept)
                same = (x == found) | self.missing(x, found)
                part = gy[index] * weight.reshape(kept).astype(np.finfo(gy.dtype).dtype)
                ties = np.sum(same, axis=axes, keepdims=True)
                gx = gx + np.where(same, divided(part, ties), 0.0)
        return gx

    def ordered(self, rows: Array) -> Array:
        """Return the rows in order, and those that contain nan as all nan."""
        rows = np.sort(rows, axis=-1)  # nan comes last
        nan = np.isnan(rows[..., -1:])
        return np.where(nan, rows[..., -1:], rows) if nan.any() else rows

    def missing(self, x: Array, found: Array) -> Array:
        """Return which elements are nan and gave the result."""
        return np.isnan(x) & np.isnan(found)

    def ranks(self, ordered: Array) -> Array:
        """Return for each result its rank in each row: 0 is the smallest, 0.5 half way on."""
        counts = self.counts(ordered)
        each, row = np.unique(counts, return_inverse=True)
        table = np.array([np.ravel(self.rank(max(int(n), 1))) for n in each])
        return np.moveaxis(table[row.reshape(counts.shape)], -1, 0)

    def counts(self, ordered: Array) -> Array:
        """Return how many elements each row has."""
        return np.full(ordered.shape[:-1], ordered.shape[-1])

    def rank(self, n: int) -> Array:
        """Return the ranks of the results among n elements: the quantiles of 0, 1, 2, ..."""
        return self.of_ranks(np.arange(float(n)), self.q, method=self.method)


class Percentile(Quantile):
    """A quantile in hundredths."""

    reduce: Any = staticmethod(np.percentile)
    of_ranks: Any = staticmethod(np.percentile)


class Median(Quantile):
    """The gradient goes to the element in the middle, or half to each of two."""

    reduce: Any = staticmethod(np.median)

    def __init__(self, axis: Axis, keepdims: bool) -> None:
        self.axis, self.keepdims = axis, keepdims

    def forward(self, x: Array) -> Array:
        return self.reduce(x, axis=self.axis, keepdims=self.keepdims)

    def rank(self, n: int) -> Array:
        return np.array((n - 1) / 2)


class _WithoutNan(Quantile):
    """What is nan gets no gradient, and has no rank."""

    def forward(self, x: Array) -> Array:
        if self.axis == () and np.ndim(getattr(self, "q", 0)) > 1:
            raise ValueError(
                f"q must have one axis at most where axis is (), got {np.ndim(self.q)}."
            )
        return super().forward(x)

    def ordered(self, rows: Array) -> Array:
        return np.sort(rows, axis=-1)

    def counts(self, ordered: Array) -> Array:
        return np.sum(~np.isnan(ordered), axis=-1)

    def missing(self, x: Array, found: Array) -> Array:
        return False


class NanQuantile(_WithoutNan):
    """The same; what is nan gets no gradient."""

    reduce: Any = staticmethod(np.nanquantile)


class NanPercentile(_WithoutNan, Percentile):
    """The same; what is nan gets no gradient."""

    reduce: Any = staticmethod(np.nanpercentile)


class NanMedian(_WithoutNan, Median):
    """The same; what is nan gets no gradient."""

    reduce: Any = staticmethod(np.nanmedian)


def refuse_overwriting(name: str, overwrite_input: bool) -> None:
    """Raise where NumPy would be allowed to write into the data.

    Raises
    ------
    VariableTypeError (TypeError)
        If `overwrite_input` is true.
    """
    if overwrite_input:
        raise VariableTypeError(
            f"np.{name} with a Variable takes no overwrite_input=True: the gradient is computed "
            "from the input.",
            got="overwrite_input",
        )


def refuse_weights(name: str, weights: Any) -> None:
    """Raise for weights of the elements, whose quantile is another function.

    Raises
    ------
    VariableTypeError (TypeError)
        If `weights` is not None.
    """
    if weights is not None:
        raise VariableTypeError(
            f"np.{name} with a Variable takes no weights=: weighted quantiles have no gradient "
            "here.",
            got="weights",
        )


def _neighbours(ordered: Array, rank: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the element below the rank in each row and that above, each with its part."""
    below = np.floor(rank)
    for position, weight in ((below, 1.0 - (rank - below)), (below + 1.0, rank - below)):
        if weight.any():
            index = position.astype(np.intp)[..., np.newaxis]
            yield np.take_along_axis(ordered, index, axis=-1), weight
