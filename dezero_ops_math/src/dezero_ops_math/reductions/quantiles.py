"""Quantiles and percentiles over axes: elements chosen by their rank, as medians are.

Each result is one element, or lies between two neighbours in the sorted row. Each of these
gets its part of the gradient; several elements that are equal to it share that part, as in
``max``. The parts are constant until two elements change places.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dezero_core import Function, VariableTypeError
from dezero_core.extend import Array, Operand, possible

from ..arguments import Axis, axes_of, data_of, kept_shape, refuse_out, refuse_overwriting
from ..declaring import operation
from ..docstrings import sharing
from .masks import divided
from .partial_products import last
from .samples import NAN_PERCENTILES, NAN_QUANTILES, PERCENTILES, QUANTILES, apart


class Quantile(Function):
    """The value that a part `q` of the elements lies below, over axes: ``np.quantile``.

    Source: ``numpy.quantile``; Hyndman and Fan 1996.

    >>> a = Variable(np.array([1.0, 3.0, 2.0]))
    >>> y = quantile(a, 0.25)
    >>> y.backward()
    >>> y, a.grad
    (variable(1.5), array([0.5, 0. , 0.5]))
    """

    reduce: Any = staticmethod(np.quantile)
    of_ranks: Any = staticmethod(np.quantile)

    def __init__(
        self,
        q: Any,
        axis: Axis = None,
        out: None = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: bool = False,
        *,
        weights: None = None,
    ) -> None:
        refuse_out(self, out)
        refuse_overwriting(self, overwrite_input)
        if weights is not None:
            raise VariableTypeError(
                f"np.{type(self).__name__.lower()} with a Variable takes no weights=: weighted "
                "quantiles have no gradient here.",
                got="weights",
            )
        self.q = q.copy() if isinstance(q, np.ndarray | list) else q
        self.axis, self.method, self.keepdims = axis, method, keepdims

    def forward(self, a: Operand) -> Array:
        return self.along(a, self.axis, self.keepdims)

    def along(self, x: Array, axis: Axis, keepdims: bool = False) -> Array:
        """Return the quantiles over axes."""
        return self.reduce(x, self.q, axis=axis, method=self.method, keepdims=keepdims)

    def backward(self, gy: Array) -> Array:
        x = data_of(self.inputs[0].data)
        axes = axes_of(self.axis, x.ndim)
        gx = np.zeros(x.shape, gy.dtype)
        if not x.size:
            return gx
        kept = kept_shape(x.shape, axes)
        gy = gy.reshape((-1, *kept))
        ordered = self.ordered(last(x, axes))
        ranks = self.ranks(ordered)
        for index in range(len(ranks)):
            for found, weight in _neighbours(ordered, ranks[index]):
                found = found.reshape(kept)
                same = ((x == found) | self.missing(x, found)) & (weight.reshape(kept) != 0.0)
                part = gy[index] * weight.reshape(kept).astype(np.finfo(gy.dtype).dtype)
                ties = np.sum(same, axis=axes, keepdims=True)
                gx = gx + np.where(same, divided(part, ties), 0.0)
        return gx

    def ordered(self, rows: Array) -> Array:
        """Return the rows in order, and those that contain nan as all nan."""
        rows = np.sort(rows, axis=-1)  # nan comes last
        nan = np.isnan(rows[..., -1:])
        return np.where(nan, rows[..., -1:], rows) if possible(nan.any()) else rows

    def missing(self, x: Array, found: Array) -> Array:
        """Return which elements are nan and gave the result."""
        return np.isnan(x) & np.isnan(found)

    def ranks(self, ordered: Array) -> Array:
        """Return for each result its rank in each row: 0 is the smallest, 0.5 half way on."""
        *rows, n = ordered.shape
        return np.multiply.outer(np.ravel(self.rank(n)), np.ones(rows))

    def rank(self, n: int) -> Array:
        """Return the ranks of the results among n elements: the quantiles of 0, 1, 2, ..."""
        return self.of_ranks(np.arange(float(n)), self.q, method=self.method)


class Percentile(Quantile):
    """The value that `q` per cent of the elements lie below, over axes: ``np.percentile``.

    q: from 0 to 100; constants.
    Source: ``numpy.percentile``; Hyndman and Fan 1996.

    >>> percentile(Variable(np.array([1.0, 3.0, 2.0])), [25, 50])
    variable([1.5 2. ])
    """

    reduce: Any = staticmethod(np.percentile)
    of_ranks: Any = staticmethod(np.percentile)


class WithoutNan(Quantile):
    """Elements that are nan get no gradient, and have no rank."""

    def forward(self, a: Operand) -> Array:
        if self.axis == () and np.ndim(getattr(self, "q", 0)) > 1:
            raise ValueError(
                f"q must have one axis at most where axis is (), got {np.ndim(self.q)}."
            )
        return super().forward(a)

    def ordered(self, rows: Array) -> Array:
        return np.sort(rows, axis=-1)

    def ranks(self, ordered: Array) -> Array:
        *rows, n = ordered.shape
        nan = np.isnan(ordered)
        if type(nan) is not np.ndarray:
            # Nobody knows the counts. A quantile of 0, 1, 2, ... is a rank; of nothing, it is 0.
            numbers = np.where(nan & (np.arange(n) > 0), np.nan, np.arange(float(n)))
            return self.along(numbers, -1).reshape((-1, *rows))
        each, row = np.unique(np.sum(~nan, axis=-1), return_inverse=True)
        table = np.array([np.ravel(self.rank(max(int(n), 1))) for n in each])
        return np.moveaxis(table[row.reshape(rows)], -1, 0)

    def missing(self, x: Array, found: Array) -> Array:
        return False


class NanQuantile(WithoutNan):
    """The value that a part `q` of the elements lies below, without nan: ``np.nanquantile``.

    a: real, any shape, not empty along the axes. Of nan alone it is nan, with a RuntimeWarning.
    Derivative: that of `quantile`, 0 for nan.
    Source: ``numpy.nanquantile``; Hyndman and Fan 1996.

    >>> nanquantile(Variable(np.array([1.0, np.nan, 2.0])), 0.25)
    variable(1.25)
    """

    reduce: Any = staticmethod(np.nanquantile)


class NanPercentile(WithoutNan, Percentile):
    """The value that `q` per cent of the elements lie below, without nan: ``np.nanpercentile``.

    a: real, any shape, not empty along the axes. Of nan alone it is nan, with a RuntimeWarning.
    q: from 0 to 100; constants.
    Derivative: that of `quantile`, 0 for nan.
    Source: ``numpy.nanpercentile``; Hyndman and Fan 1996.

    >>> nanpercentile(Variable(np.array([1.0, np.nan, 2.0])), 25)
    variable(1.25)
    """

    reduce: Any = staticmethod(np.nanpercentile)


def _neighbours(ordered: Array, rank: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the element below the rank in each row and that above, each with its part."""
    below = np.floor(rank)
    for position, weight in ((below, 1.0 - (rank - below)), (np.ceil(rank), rank - below)):
        if possible(weight.any()):
            index = position.astype(np.intp)[..., np.newaxis]
            yield np.take_along_axis(ordered, index, axis=-1), weight


documented = sharing(
    """
    a: real, of any shape, not empty along the axes. Where it contains nan the result is nan, and
        its gradient goes there.
    q (number, or array or list of numbers): from 0 to 1; constants.
    method: how to choose between two neighbours: any of NumPy's.
    weights: refused: weighted quantiles have no gradient here.
    Derivative: of the two neighbours in the sorted elements, the part that each has in the result;
        equal elements share it equally.
    Returns: shape of `q`, then the other axes of `a`.
    Raises ValueError: if `q` is out of range, or there is no such method.
    """
)


quantile = operation(Quantile, *QUANTILES, apart=apart, complex=False)
percentile = operation(Percentile, *PERCENTILES, apart=apart, complex=False)
nanquantile = operation(NanQuantile, *NAN_QUANTILES, apart=apart, complex=False)
nanpercentile = operation(NanPercentile, *NAN_PERCENTILES, apart=apart, complex=False)
