"""Standard deviations over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, Sample, Variable
from dezero_core.extend import Array, Operand, call_by_type, certain, possible

from ..arguments import Axis, refuse_out
from .masks import Mask, divided, values, without_nan
from .samples import FREE, MASKED, REDUCTIONS, WITH_MEAN, WITH_NAN
from .variances import Var, documented, over


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
        exact = np.all((size > dtype.tiny**0.5 / dtype.eps) & (size < np.inf))
        if not certain(exact):
            # The quotient stays the same: the scale counts as constant.
            size = np.absolute(values(d))
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
    """The same; elements that are nan get no gradient."""

    reduce: Any = staticmethod(np.nanstd)

    def mask(self, x: Array) -> Mask:
        return without_nan(x, self.where)


@documented
def std(
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
    """Standard deviation over axes, the root of `var`: ``np.std``, ``a.std()``.

    a: any shape. NumPy warns where ``n - ddof`` is not positive.
    Derivative: ``(a - mean) / ((n - ddof) std)``, by `mean` the sum of that, negative; nan where
        ``n - ddof`` is not positive. Where all elements are equal it is 0, and the second
        derivative is nan, with a RuntimeWarning.
    Source: ``numpy.std``. Where all elements are equal torch takes 0, too, and JAX nan; autograd
        divides 0 by 0.

    >>> a = Variable(np.array([1.0, 3.0]))
    >>> y = std(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(1.0), array([-0.5,  0.5]))
    """
    refuse_out("std", out)
    inputs = (a,) if mean is np._NoValue or mean is None else (a, mean)
    return Std(axis, dtype, ddof, keepdims, where, correction)(*inputs)


@documented
def nanstd(
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
    """Standard deviation over axes, without nan: ``np.nanstd``.

    a: any shape. Where ``n - ddof`` is not positive the result is nan, with a RuntimeWarning, as in
        NumPy.
    Derivative: ``(a - mean) / ((n - ddof) std)``, 0 for nan, by `mean` the sum of that, negative;
        nan where ``n - ddof`` is not positive. Where all elements are equal it is 0, and the second
        derivative is nan, with a RuntimeWarning.

    >>> nanstd(Variable(np.array([1.0, np.nan, 3.0])))
    variable(1.0)
    """
    refuse_out("nanstd", out)
    inputs = (a,) if mean is np._NoValue or mean is None else (a, mean)
    return NanStd(axis, dtype, ddof, keepdims, where, correction)(*inputs)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    calls = REDUCTIONS + MASKED + FREE + WITH_MEAN
    sample = Sample(calls, complex=True)
    register("std", std, Std, methods="std", numpy=np.std, sample=sample)
    sample = Sample(calls + WITH_NAN, complex=True)
    register("nanstd", nanstd, NanStd, numpy=np.nanstd, sample=sample)
