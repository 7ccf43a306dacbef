"""Softmax, its logarithm, and the logarithm of a sum of exponentials."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand
from numpy.lib.array_utils import normalize_axis_tuple

Axis = int | tuple[int, ...] | None


class Softmax(Function):
    """dy = y (dx - sum(y dx))."""

    saves = ("outputs",)
    arrays = "numpy: scipy.special.softmax makes ndarrays of its arguments"

    def __init__(self, axis: Axis) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        return scipy.special.softmax(x, axis=self.axis)

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        return y * (gy - np.sum(gy * y, axis=self.axis, keepdims=True))


def softmax(x: Operand, axis: Axis = None) -> Variable:
    """Softmax over axes, without overflow: as ``scipy.special.softmax``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape; real or complex.
    axis : int, tuple of int, or None
        The axes over which the result adds up to 1; all by default.

    Returns
    -------
    Variable
        ``exp(x) / sum(exp(x))``, shape and dtype as SciPy gives them; nan where the largest is
        infinite. Derivative by ``x[j]`` of element ``i``: ``y[i] * ((i == j) - y[j])``.

    Raises
    ------
    AxisError (ValueError, IndexError)
        If `x` has no such axis.

    Notes
    -----
    Source: Blanchard, Higham and Higham 2021, equation 1.2.

    Examples
    --------
    >>> softmax(Variable(np.array([1e5, 1e5])))
    variable([0.5 0.5])
    """
    return Softmax(axis)(x)


class LogSoftmax(Function):
    """dy = dx - sum(softmax(x) dx), with softmax(x) = exp(y)."""

    saves = ("outputs",)
    arrays = "numpy: scipy.special.log_softmax makes ndarrays of its arguments"

    def __init__(self, axis: Axis) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        return scipy.special.log_softmax(x, axis=self.axis)

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        return gy - np.exp(y) * np.sum(gy, axis=self.axis, keepdims=True)


def log_softmax(x: Operand, axis: Axis = None) -> Variable:
    """Logarithm of the softmax over axes: as ``scipy.special.log_softmax``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape; real or complex.
    axis : int, tuple of int, or None
        The axes over which the probabilities add up to 1; all by default. (Of
        ``dezero_ops_math.log_softmax`` it is the last.)

    Returns
    -------
    Variable
        ``x - logsumexp(x)``, shape and dtype as SciPy gives them. Derivative by ``x[j]`` of
        element ``i``: ``(i == j) - softmax(x)[j]``.

    Raises
    ------
    AxisError (ValueError, IndexError)
        If `x` has no such axis.

    Notes
    -----
    Source: Blanchard, Higham and Higham 2021, equation 1.4.

    Examples
    --------
    >>> log_softmax(Variable(np.array([1000.0, 0.0])))
    variable([    0. -1000.])
    """
    return LogSoftmax(axis)(x)


class LogSumExp(Function):
    """d log(sum(b exp(a))) = sum(shares da)."""

    arrays = "numpy: scipy.special.logsumexp makes ndarrays of its arguments"

    def __init__(self, axis: Axis, b: Array | None, keepdims: bool) -> None:
        self.axis, self.b, self.keepdims = axis, b, keepdims

    def forward(self, a: Array) -> Array:
        return scipy.special.logsumexp(a, axis=self.axis, b=self.b, keepdims=self.keepdims)

    def backward(self, gy: Array) -> Array:
        a = self.inputs[0].data
        axes = range(a.ndim) if self.axis is None else normalize_axis_tuple(self.axis, a.ndim)
        kept = tuple(1 if axis in axes else n for axis, n in enumerate(a.shape))
        return np.reshape(gy, kept) * Shares(self.axis, self.b).of(a)


class Shares(Function):
    """``s = b exp(a) / sum(b exp(a))``, and ds = s (da - sum(s da)).

    If the largest elements are inf, or all elements are -inf, then these elements share the sum by
    b alone.
    """

    saves = ("outputs",)

    def __init__(self, axis: Axis, b: Array | None) -> None:
        self.axis, self.b = axis, b

    def forward(self, a: Array) -> Array:
        b = np.ones((), a.dtype) if self.b is None else np.asarray(self.b)
        counted = np.where(b == 0.0, -np.inf, a.real)
        largest = counted.max(axis=self.axis, keepdims=True, initial=-np.inf)
        infinite = np.isinf(largest)
        ends = np.where(counted == largest, 0.0, -np.inf)
        with np.errstate(invalid="ignore"):  # inf - inf is nan, and is not used
            shifted = np.where(infinite, ends, a - largest)
        terms = b * np.exp(np.where(b == 0.0, -np.inf, shifted))
        return (terms / terms.sum(axis=self.axis, keepdims=True)).astype(np.result_type(a, 0.0))

    def backward(self, gs: Array) -> Array:
        s = self.outputs[0]().data
        return s * (gs - np.sum(gs * s, axis=self.axis, keepdims=True))


def logsumexp(a: Operand, axis: Axis = None, b: Any = None, keepdims: bool = False) -> Variable:
    """``log(sum(b * exp(a)))`` over axes, without overflow: as ``scipy.special.logsumexp``.

    Parameters
    ----------
    a : Variable, ndarray or number
        Any shape; real or complex.
    axis : int, tuple of int, or None
        The axes over which it is taken; all by default.
    b : array_like, optional
        Weights, in a shape that broadcasts with `a`: constants. For a gradient by weights, write
        ``logsumexp(a + np.log(b))``. Where the sum is below 0, the result is nan; SciPy's
        ``return_sign`` is not there.
    keepdims : bool
        Leave the axes in the shape, of length 1.

    Returns
    -------
    Variable
        Dtype as SciPy gives it. Derivative: ``b * exp(a) / sum(b * exp(a))``; the shares of the
        weights among the largest, where they are inf, or all are -inf.

    Raises
    ------
    AxisError (ValueError, IndexError)
        If `a` has no such axis.
    VariableTypeError (TypeError)
        If `b` is a Variable.

    Notes
    -----
    Source: Blanchard, Higham and Higham 2021, equation 1.3.

    Examples
    --------
    >>> x = Variable(np.array([1000.0, 1000.0, -np.inf]))
    >>> y = logsumexp(x)
    >>> y.backward()
    >>> y, x.grad
    (variable(1000.6931471805599), array([0.5, 0.5, 0. ]))
    """
    if b is not None and not isinstance(b, Variable):
        b = np.asarray(b)
        a = np.broadcast_to(a, np.broadcast_shapes(np.shape(a), b.shape))
    return LogSumExp(axis, b, keepdims)(a)


def _reductions(kit: Any) -> list[Any]:
    x, deep = kit.Draw((2, 3)), kit.Draw((2, 3, 2))
    return [
        kit.Call(x),
        kit.Call(x, 0),
        kit.Call(x, axis=-1),
        kit.Call(deep, axis=(0, -1)),
        kit.Call(kit.Draw((1, 1)), axis=1),
        kit.Call(kit.Draw()),
        kit.Call(kit.Draw((0, 3)), axis=1),
    ]


def _softmax_sample(kit: Any) -> Any:
    return kit.Sample(*_reductions(kit), reference=scipy.special.softmax, complex=True)


def _log_softmax_sample(kit: Any) -> Any:
    return kit.Sample(*_reductions(kit), reference=scipy.special.log_softmax, complex=True)


def _logsumexp_sample(kit: Any) -> Any:
    x, deep = kit.Draw((2, 3)), kit.Draw((2, 3, 2))
    weights = np.array([[1.0, 0.5, 2.0], [0.0, 3.0, 1.0]])
    return kit.Sample(
        *_reductions(kit),
        kit.Call(x, axis=1, keepdims=True),
        kit.Call(x, b=weights),
        kit.Call(x, 0, weights[0]),
        kit.Call(kit.Draw((3,)), axis=-1, b=weights),
        kit.Call(deep, axis=(0, 1), b=weights[:, :, None], keepdims=True),
        reference=scipy.special.logsumexp,
        complex=True,
    )


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    register("special.softmax", softmax, Softmax, sample=_softmax_sample)
    register("special.log_softmax", log_softmax, LogSoftmax, sample=_log_softmax_sample)
    register("special.logsumexp", logsumexp, LogSumExp, sample=_logsumexp_sample)
