"""Variances over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import Axis, kept_shape, refuse_out
from ..broadcasting import summed_to
from ..docstrings import sharing
from .masks import Mask, count, divided, fixed, without_nan
from .samples import FREE, MASKED, REDUCTIONS, WITH_MEAN, WITH_NAN


class Var(Function):
    """d var(x) = 2 / (n - ddof) sum(Re(conj(x - m) dx)); the mean m adds 0 to it.

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

    def mask(self, x: Array) -> Mask:
        """Return which elements are compared with their mean."""
        return self.where

    def backward(self, gy: Array) -> Any:
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
    """The same; elements that are nan get no gradient."""

    reduce: Any = staticmethod(np.nanvar)

    def mask(self, x: Array) -> Mask:
        return without_nan(x, self.where)


def over(freedom: Any, n: Any, factor: float, dtype: Any) -> Any:
    """Return factor / freedom; nan where that is not positive, and 0 where nothing counts."""
    if isinstance(n, int) and np.ndim(freedom) == 0:
        if freedom > 0:
            return factor / float(freedom)
        return np.nan if n else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(freedom > 0, np.divide(factor, freedom), np.where(n == 0, 0.0, np.nan))
    return y.astype(np.finfo(dtype).dtype)


documented = sharing(
    """
    ddof: the squares of n elements are added up and divided by ``n - ddof``.
    mean (Variable, ndarray or number, optional): the mean, if it is known: of the shape that
        ``keepdims=True`` gives.
    correction (number, optional): another name of `ddof`.
    Returns: real, dtype as NumPy gives it.
    Raises ValueError: if both `ddof` and `correction` are given.
    """
)


@documented
def var(
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
    refuse_out("var", out)
    inputs = (a,) if mean is np._NoValue or mean is None else (a, mean)
    return Var(axis, dtype, ddof, keepdims, where, correction)(*inputs)


@documented
def nanvar(
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
    """Variance over axes, without nan: ``np.nanvar``.

    a: any shape. Where ``n - ddof`` is not positive the result is nan, with a RuntimeWarning, as in
        NumPy.
    Derivative: ``2 (a - mean) / (n - ddof)``, 0 for nan, by `mean` the sum of that, negative; nan
        where ``n - ddof`` is not positive.

    >>> nanvar(Variable(np.array([1.0, np.nan, 3.0])))
    variable(1.0)
    """
    refuse_out("nanvar", out)
    inputs = (a,) if mean is np._NoValue or mean is None else (a, mean)
    return NanVar(axis, dtype, ddof, keepdims, where, correction)(*inputs)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    calls = REDUCTIONS + MASKED + FREE + WITH_MEAN
    sample = Sample(calls, complex=True)
    register("var", var, Var, methods="var", numpy=np.var, sample=sample)
    sample = Sample(calls + WITH_NAN, complex=True)
    register("nanvar", nanvar, NanVar, numpy=np.nanvar, sample=sample)
