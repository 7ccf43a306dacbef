"""Variances and standard deviations over axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand, call_by_type, certain, possible

from ..arguments import Axis, data_of, kept_shape, refuse_out
from ..declaring import applying
from ..docstrings import sharing
from ..gradients import summed_to
from .masks import Mask, Masked, count, divided, fixed
from .samples import FREE, MASKED, REDUCTIONS, WITH_MEAN, WITH_NAN


class Var(Masked, Function):
    """Variance over axes, the mean of ``abs(a - mean)**2``: ``np.var``, ``a.var()``.

    a: any shape. NumPy warns where ``n - ddof`` is not positive.
    Derivative: ``2 (a - mean) / (n - ddof)``, by `mean` the sum of that, negative; nan where
        ``n - ddof`` is not positive.

    >>> a = Variable(np.array([1.0, 2.0, 6.0]))
    >>> y = var(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(4.666666666666667), array([-1.33333333, -0.66666667,  2.        ]))
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
        if mean and type(x) is np.ndarray is not type(mean[0]):
            # np.nanvar looks for another type of arrays in x alone.
            x = np.broadcast_arrays(x, mean[0])[0]
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

    def backward(self, gy: Array) -> Any:
        # d var(x) = 2 / (n - ddof) sum(Re(conj(x - m) dx)); the mean m adds 0 to it. The derivative
        # by a mean that is given is the same, negative.
        n, freedom = self.counts()
        d = self.deviations(n)
        return self.gradients(gy, d, over(freedom, n, 2.0, d.dtype))

    def counts(self) -> tuple[Any, Any]:
        """Return the number of elements, and the divisor of their squares."""
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
    """Variance over axes, without nan: ``np.nanvar``.

    Derivative: that of `var`, 0 for nan.

    >>> nanvar(Variable(np.array([1.0, np.nan, 3.0])))
    variable(1.0)
    """

    skips_nan = True
    reduce: Any = staticmethod(np.nanvar)


def over(freedom: Any, n: Any, factor: float, dtype: Any) -> Any:
    """Return factor / freedom; nan where that is not positive, and 0 where nothing counts."""
    if isinstance(n, int) and np.ndim(freedom) == 0:
        if freedom > 0:
            return factor / float(freedom)
        return np.nan if n else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(freedom > 0, np.divide(factor, freedom), np.where(n == 0, 0.0, np.nan))
    return y.astype(np.finfo(dtype).dtype)


class Std(Var):
    """Standard deviation over axes, the root of `var`: ``np.std``, ``a.std()``.

    a: any shape. NumPy warns where ``n - ddof`` is not positive.
    Derivative: ``(a - mean) / ((n - ddof) std)``, by `mean` the sum of that, negative; nan where
        ``n - ddof`` is not positive. Where all elements are equal it is 0, and the second
        derivative is nan, with a RuntimeWarning.
    Source: ``numpy.std``. Of equal elements torch takes 0, too, JAX nan; autograd divides 0 by 0.

    >>> a = Variable(np.array([1.0, 3.0]))
    >>> y = std(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(1.0), array([-0.5,  0.5]))
    """

    reduce: Any = staticmethod(np.std)

    def backward(self, gy: Array) -> Any:
        # d std(x) = sum(Re(conj(x - m) dx)) / ((n - ddof) std(x)), and 0 where all are equal: the
        # middle of the slopes on both sides. There is no second derivative there.
        n, freedom = self.counts()
        d = self.deviations(n)
        alone: Any = 0
        if not self.inputs[1:]:
            # Equal elements differ from their mean by its rounding, all in the same direction.
            d = self.masked(d - self.mean(d, n))
            alone = n <= 1  # then the result is 0 for every x, and so are all derivatives
        with np.errstate(over="ignore"):
            root = self.root(d, n, alone)
        size, dtype = data_of(root), np.finfo(root.dtype)
        exact = np.all((size > dtype.tiny**0.5 / dtype.eps) & (size < np.inf))
        if not certain(exact):
            # The quotient stays the same: the scale counts as constant.
            size = np.absolute(data_of(d))
            how = {"axis": self.axis, "keepdims": True, "initial": 0.0}
            largest = call_by_type(np.max, (size,), how)
            d = d / np.where(exact, 1.0, largest + (largest == 0))
            root = self.root(d, n, alone)
        with np.errstate(divide="ignore"):
            inverse = 1.0 / root
        flat = np.equal(root, 0)
        if possible(flat.any()):
            inverse = np.where(flat, 0.0, inverse)
        factor = inverse * over(np.sqrt(n * 1.0 * np.maximum(freedom, 0)), n, 1.0, d.dtype)
        return self.gradients(gy, d, factor)

    def root(self, d: Array, n: Any, alone: Any) -> Array:
        """Return the root of the mean square of `d`; 1 where it is of one element."""
        squares = np.real(d * np.conjugate(d)) if d.dtype.kind == "c" else d * d
        return np.sqrt(divided(np.sum(squares, self.axis, keepdims=True), n) + alone)


class NanStd(Std):
    """Standard deviation over axes, without nan: ``np.nanstd``.

    Derivative: that of `std`, 0 for nan.

    >>> nanstd(Variable(np.array([1.0, np.nan, 3.0])))
    variable(1.0)
    """

    skips_nan = True
    reduce: Any = staticmethod(np.nanstd)


documented = sharing(
    """
    a: any shape. Where ``n - ddof`` is not positive the result is nan, with a RuntimeWarning.
    ddof: the squares of n elements are added up and divided by ``n - ddof``.
    mean (Variable, ndarray or number, optional): if known, of the shape of ``keepdims=True``.
    correction (number, optional): another name of `ddof`.
    Returns: real, dtype as NumPy gives it.
    Raises ValueError: if both `ddof` and `correction` are given.
    """
)


def _variance_function(name: str, cls: type[Var], *calls: Any) -> Callable[..., Variable]:
    """Return the function that applies a class: the mean is an operand, if it is given."""

    def function(
        a: Operand,
        axis: Axis = None,
        dtype: Any = None,
        out: None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: Mask = True,
        mean: Any = np._NoValue,
        correction: Any = np._NoValue,
    ) -> Variable:
        refuse_out(name, out)
        inputs = (a,) if mean is np._NoValue or mean is None else (a, mean)
        return cls(axis, dtype, ddof, keepdims, where, correction)(*inputs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = cls.__doc__
    return applying(cls, *calls)(function)


_CALLS = *REDUCTIONS, *MASKED, *FREE, *WITH_MEAN

var = _variance_function("var", Var, *_CALLS)
nanvar = _variance_function("nanvar", NanVar, *_CALLS, *WITH_NAN)
std = _variance_function("std", Std, *_CALLS)
nanstd = _variance_function("nanstd", NanStd, *_CALLS, *WITH_NAN)
