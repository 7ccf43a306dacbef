"""Softmax, its logarithm, and the logarithm of a sum of exponentials."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Call, Draw, Sample, applying, operation
from numpy.lib.array_utils import normalize_axis_tuple

from dezero_core import Function
from dezero_core.extend import Array, Operand

from .rounding import exact_sum

Axis = int | tuple[int, ...] | None


class Softmax(Function):
    """Softmax over axes, without overflow: as ``scipy.special.softmax``.

    x: any shape; real or complex.
    axis: the axes over which the result adds up to 1; all by default.
    Returns: ``exp(x) / sum(exp(x))``, shape and dtype as SciPy gives them; nan where the largest is
        infinite.
    Derivative: ``y[i] * ((i == j) - y[j])`` of element ``i`` by ``x[j]``.
    Source: Blanchard, Higham and Higham 2021, equation 1.2.

    >>> softmax(Variable(np.array([1e5, 1e5])))
    variable([0.5 0.5])
    """

    saves = ("outputs",)
    arrays = "numpy: scipy.special.softmax makes ndarrays of its arguments"

    def __init__(self, axis: Axis = None) -> None:
        self.axis = axis

    def forward(self, x: Operand) -> Array:
        return scipy.special.softmax(x, axis=self.axis)

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        return y * (gy - np.sum(gy * y, axis=self.axis, keepdims=True))


class LogSoftmax(Function):
    """Logarithm of the softmax over axes: as ``scipy.special.log_softmax``.

    x: any shape; real or complex.
    axis: the axes over which the probabilities add up to 1; all by default. (Of
        ``dezero_ops_math.log_softmax`` it is the last.)
    Returns: ``x - logsumexp(x)``, shape and dtype as SciPy gives them.
    Derivative: ``(i == j) - softmax(x)[j]`` of element ``i`` by ``x[j]``.
    Source: Blanchard, Higham and Higham 2021, equation 1.4.

    >>> log_softmax(Variable(np.array([1000.0, 0.0])))
    variable([    0. -1000.])
    """

    saves = ("outputs",)
    arrays = "numpy: scipy.special.log_softmax makes ndarrays of its arguments"

    def __init__(self, axis: Axis = None) -> None:
        self.axis = axis

    def forward(self, x: Operand) -> Array:
        return scipy.special.log_softmax(x, axis=self.axis)

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        return gy - np.exp(y) * np.sum(gy, axis=self.axis, keepdims=True)


class LogSumExp(Function):
    """d log(sum(b exp(a))) = sum(s da) + sum(r db), with r = exp(a) / sum(b exp(a)) and s = b r."""

    saves = ("inputs", "outputs")
    arrays = "numpy: scipy.special.logsumexp makes ndarrays of its arguments"

    def __init__(self, axis: Axis, keepdims: bool, return_sign: bool) -> None:
        self.axis, self.keepdims, self.return_sign = axis, keepdims, return_sign

    def forward(self, a: Array, b: Array | None = None) -> Any:
        return scipy.special.logsumexp(a, self.axis, b, self.keepdims, self.return_sign)

    def backward(self, gy: Array, gs: Array | None = None) -> tuple[Array | None, ...]:
        a, *weights = operands = [each.data for each in self.inputs]
        if self.return_sign and np.iscomplexobj(self.outputs[1]().data):
            # As of np.linalg.slogdet: a complex sign turns.
            gy = gy + 1j * np.imag(gs * self.outputs[1]().data)
        axes = range(a.ndim) if self.axis is None else normalize_axis_tuple(self.axis, a.ndim)
        gy = np.reshape(gy, [1 if axis in axes else n for axis, n in enumerate(a.shape)])
        slopes = (Shares, Rates)[: 1 + len(weights)]
        return tuple(
            gy * slope(self.axis, self.return_sign).of(*operands) if needed else None
            for slope, needed in zip(slopes, self.needs_grad, strict=True)
        )


class Rates(Function):
    """``r = exp(a) / sum(b exp(a))``, and dr = r (da - sum(s da) - sum(r db)), with s = b r.

    If the largest elements are inf, or those of the sum are all -inf, then these are equal. Below 0
    there is no logarithm, unless its sign is asked for.
    """

    saves = ("inputs", "outputs")
    arrays = "numpy: scipy.special.logsumexp makes ndarrays of its arguments"

    def __init__(self, axis: Axis, signed: bool) -> None:
        self.axis, self.signed = axis, signed

    def forward(self, a: Array, b: Array | float = 1.0) -> Array:
        counted = np.not_equal(b, 0.0)
        sizes = np.where(counted, a.real, -np.inf)
        largest = sizes.max(axis=self.axis, keepdims=True, initial=-np.inf)
        with np.errstate(all="ignore"):
            equal = np.isinf(largest) & (a.real == largest)
            difference, error = exact_sum(a, -largest)
            exponentials = np.exp(np.where(equal, 0.0, difference)) * (1.0 + error)
            terms = np.where(counted, b * exponentials, 0.0)
            total = terms.sum(axis=self.axis, keepdims=True)
            if not (self.signed or np.iscomplexobj(total)):
                total = np.where(total < 0.0, np.nan, total)
            return exponentials / total

    def backward(self, gr: Array) -> tuple[Array | None, ...]:
        r, operands = self.outputs[0]().data, [each.data for each in self.inputs]
        shares = Shares(self.axis, self.signed).of(*operands)
        total = np.sum(gr * r, axis=self.axis, keepdims=True)
        return (gr * r - shares * total, -r * total)[: len(operands)]


class Shares(Rates):
    """``s = b exp(a) / sum(b exp(a))``, and ds = s (da - sum(s da)) + r (db - b sum(r db))."""

    def forward(self, a: Array, b: Array | float = 1.0) -> Array:
        with np.errstate(all="ignore"):
            return np.where(np.equal(b, 0.0), 0.0, b * super().forward(a, b))

    def backward(self, gs: Array) -> tuple[Array | None, ...]:
        s, operands = self.outputs[0]().data, [each.data for each in self.inputs]
        rest = gs - np.sum(gs * s, axis=self.axis, keepdims=True)
        if len(operands) == 1:
            return (s * rest,)
        return s * rest, Rates(self.axis, self.signed).of(*operands) * rest


_X, _DEEP = Draw((2, 3)), Draw((2, 3, 2))
_WEIGHTS = np.array([[1.0, 0.5, 2.0], [0.0, 3.0, 1.0]])
_REDUCTIONS = (
    Call(_X),
    Call(_X, 0),
    Call(_X, axis=-1),
    Call(_DEEP, axis=(0, -1)),
    Call(Draw((1, 1)), axis=1),
    Call(Draw()),
    Call(Draw((0, 3)), axis=1),
)

softmax = operation(Softmax, Sample(*_REDUCTIONS, reference=scipy.special.softmax, complex=True))
log_softmax = operation(
    LogSoftmax,
    Sample(*_REDUCTIONS, reference=scipy.special.log_softmax, complex=True),
    name="log_softmax",
)


@applying(
    LogSumExp,
    *_REDUCTIONS,
    Call(_X, axis=1, keepdims=True),
    Call(_X, b=_WEIGHTS),
    Call(_X, 0, Draw((3,), (0.5, 2.0))),
    Call(Draw((3,)), axis=-1, b=Draw((2, 1), (0.5, 2.0))),
    Call(_DEEP, axis=(0, 1), b=_WEIGHTS[:, :, None], keepdims=True),
    Call(_X, 1, Draw((2, 3), (-3.0, -1.0)), return_sign=True),
    reference=scipy.special.logsumexp,
)
def logsumexp(
    a: Operand,
    axis: Axis = None,
    b: Operand | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Any:
    """``log(sum(b * exp(a)))`` over axes, without overflow: as ``scipy.special.logsumexp``.

    a, b: real or complex, of shapes that broadcast; without weights `b` all are 1. An element of
        weight 0 does not count, even if it is nan.
    return_sign (bool): give the logarithm of the absolute value, and the sign.
    Returns (Variable, or tuple of two): dtype as SciPy gives it. Without the sign, nan for a real
        sum below 0.
    Derivative: ``b * exp(a) / sum(b * exp(a))`` by `a`, ``exp(a) / sum(b * exp(a))`` by `b`. Where
        the largest of `a` are inf, or all are -inf, these are equal. The sign of a real sum has
        none.
    Raises AxisError (ValueError, IndexError): if there is no such axis.
    Source: Blanchard, Higham and Higham 2021, equation 1.3.

    >>> a = Variable(np.array([1000.0, 1000.0, -np.inf]))
    >>> y = logsumexp(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(1000.6931471805599), array([0.5, 0.5, 0. ]))
    """
    function = LogSumExp(axis, keepdims, return_sign)
    if b is None:
        y = function(a)
    else:
        shape = np.broadcast_shapes(np.shape(a), np.shape(b))
        y = function(np.broadcast_to(a, shape), np.broadcast_to(b, shape))
    return tuple(y) if return_sign else y
