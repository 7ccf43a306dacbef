"""Mean squares of what the elements deviate from their mean, and their roots."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array

from ..arguments import Axis, kept_shape
from ..broadcasting import summed_to
from .masks import Mask, count, divided, fixed, values, without_nan


class Var(Function):
    """d var(x) = 2 / (n - ddof) sum(Re(conj(x - m) dx)); what the mean m adds to it is 0.

    A second input is taken for the mean; the derivative by that is the same, negative.
    """

    reduce: Any = staticmethod(np.var)

    def __init__(
        self, axis: Axis, dtype: Any, ddof: float, keepdims: bool, where: Mask, correction: Any
    ) -> None:
        self.axis, self.dtype, self.ddof, self.keepdims = axis, dtype, ddof, keepdims
        self.where = fixed(where)
        if correction is not np._NoValue:
            self.correction = correction

    def forward(self, x: Array, *mean: Array) -> Array:
        if np.iscomplexobj(x) and self.dtype and np.dtype(self.dtype).kind != "c":
            # NumPy drops an imaginary part here and keeps another there.
            raise TypeError(f"complex data need a complex dtype, got {np.dtype(self.dtype)}.")
        options = {"mean": mean[0]} if mean else {}
        if hasattr(self, "correction"):
            options["correction"] = self.correction
        y = self.reduce(
            x,
            axis=self.axis,
            dtype=self.dtype,
            ddof=self.ddof,
            keepdims=self.keepdims,
            where=self.where,
            **options,
        )
        self.taken = self.mask(x)
        return y

    def mask(self, x: Array) -> Mask:
        """Return which elements are compared with their mean."""
        return self.where

    def backward(self, gy: Array) -> Any:
        n, freedom = self.counts()
        d = self.deviations(n)
        return self.gradients(gy, d, _over(freedom, n, 2.0, d.dtype))

    def counts(self) -> tuple[Any, Any]:
        """Return how many elements there are, and by what their squares are divided."""
        n = count(np.shape(self.inputs[0].data), self.axis, self.taken)
        return n, n - getattr(self, "correction", self.ddof)

    def deviations(self, n: Any) -> Array:
        """Return the elements less their mean, and 0 for those that do not count."""
        x = self.inputs[0].data
        return self.masked(x - (self.inputs[1].data if self.inputs[1:] else self.mean(x, n)))

    def mean(self, x: Array, n: Any) -> Array:
        """Return the mean, summed in the dtype that NumPy sums in."""
        dtype = np.float32 if self.dtype is None and x.dtype == np.float16 else self.dtype
        return divided(np.sum(x, self.axis, dtype, keepdims=True, where=self.taken), n)

    def masked(self, d: Array) -> Array:
        """Return `d` with 0 for the elements that do not count."""
        if self.taken is True:
            return d
        return np.where(np.broadcast_to(self.taken, d.shape), d, 0.0)

    def gradients(self, gy: Array, d: Array, factor: Array) -> Any:
        """Return the gradient of each input, for the derivative conj(d) times a real factor."""
        if gy.dtype.kind == "c":  # the dtype that was asked for, of a real result
            gy = np.real(gy)
        if d.dtype.kind == "c":
            d = np.conjugate(d)
        gx = self.masked(d * (gy.reshape(kept_shape(d.shape, self.axis)) * factor))
        if not self.inputs[1:]:
            return gx
        shapes = [np.shape(x.data) for x in self.inputs]
        return summed_to(gx, shapes[0]), summed_to(-gx, shapes[1])


class NanVar(Var):
    """The same; what is nan gets no gradient."""

    reduce: Any = staticmethod(np.nanvar)

    def mask(self, x: Array) -> Mask:
        return without_nan(x, self.where)


class Std(Var):
    """d std(x) = sum(Re(conj(x - m) dx)) / ((n - ddof) std(x)), and 0 where all are equal.

    That is the middle of the slopes on both sides. There is no second derivative there.
    """

    reduce: Any = staticmethod(np.std)

    def backward(self, gy: Array) -> Any:
        n, freedom = self.counts()
        d = self.deviations(n)
        alone: Any = 0
        if not self.inputs[1:]:
            # Equal elements differ from their mean by its rounding, all in the same direction.
            d = self.masked(d - self.mean(d, n))
            alone = n <= 1  # then the result is 0 for every x, and so are all derivatives
        with np.errstate(over="ignore"):
            root = self.root(d, n, alone)
        size, dtype = values(root), np.finfo(root.dtype)
        if not np.all((size > dtype.tiny**0.5 / dtype.eps) & (size < np.inf)):
            # The quotient stays the same: the scale counts as constant.
            largest = np.max(np.absolute(values(d)), axis=self.axis, keepdims=True, initial=0.0)
            d = d / (largest + (largest == 0))
            root = self.root(d, n, alone)
        with np.errstate(divide="ignore"):
            inverse = 1.0 / root
        flat = np.equal(root, 0)
        if flat.any():
            inverse = np.where(flat, 0.0, inverse)
        factor = inverse * _over(np.sqrt(n * 1.0 * np.maximum(freedom, 0)), n, 1.0, d.dtype)
        return self.gradients(gy, d, factor)

    def root(self, d: Array, n: Any, alone: Any) -> Array:
        """Return the root of the mean square of `d`; 1 where it is of one element."""
        squares = np.real(d * np.conjugate(d)) if d.dtype.kind == "c" else d * d
        return np.sqrt(divided(np.sum(squares, self.axis, keepdims=True), n) + alone)


class NanStd(Std):
    """The same; what is nan gets no gradient."""

    reduce: Any = staticmethod(np.nanstd)

    def mask(self, x: Array) -> Mask:
        return without_nan(x, self.where)


def _over(freedom: Any, n: Any, factor: float, dtype: Any) -> Any:
    """Return factor / freedom; nan where that is not positive, and 0 where nothing counts."""
    if isinstance(n, int) and np.ndim(freedom) == 0:
        if freedom > 0:
            return factor / float(freedom)
        return np.nan if n else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(freedom > 0, np.divide(factor, freedom), np.where(n == 0, 0.0, np.nan))
    return y.astype(np.finfo(dtype).dtype)
