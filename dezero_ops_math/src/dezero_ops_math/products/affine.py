"""The affine map of rows, which neural networks are made of."""

from __future__ import annotations

import math

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand

from ..declaring import Call, Draw, applying
from ..gradients import summed_to

_X, _W, _B = Draw((2, 3)), Draw((3, 4)), Draw((4,))


def _reference(x: Array, w: Array, b: Array = None) -> Array:
    return np.matmul(x, w) if b is None else np.matmul(x, w) + b


class Linear(Function):
    """d(x w + b) = dx w + x dw + db, so gx = gy w^T, gw = x^T gy, gb the sum of the rows of gy."""

    saves = ("other inputs",)

    def forward(self, x: Array, w: Array, *b: Array) -> Array:
        if np.ndim(w) != 2:
            raise ValueError(f"W must have two axes, (in, out), and is of shape {np.shape(w)}.")
        if np.ndim(x) < 3:
            y = np.matmul(x, w)
        else:  # one product, and not one for each matrix of a stack
            y = np.matmul(_rows(x), w).reshape((*x.shape[:-1], w.shape[1]))
        if not b:
            return y
        bias, shape = b[0], y.shape
        in_place = type(y) is type(bias) is np.ndarray and bias.dtype == y.dtype
        if in_place and bias.shape == shape[-1:]:
            y += bias  # into what is not yet anybody else's
            return y
        y = y + bias
        if y.shape != shape:
            raise ValueError(f"b must broadcast to {shape}, and is of shape {np.shape(bias)}.")
        return y

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        x, w = self.inputs[:2]
        of_x, of_w, *of_b = self.needs_grad
        gx = gw = gb = None
        g = _rows(gy)
        if of_x:
            gx = g @ w.data.T
            if gx.shape != x.shape:
                gx = gx.reshape(x.shape)
        if of_w:
            gw = _rows(x.data).T @ g
        if not of_b:
            return gx, gw
        if of_b[0]:
            gb = summed_to(g, g.shape[1:]) if self.inputs[2].shape == w.shape[1:] else gy
        return gx, gw, gb


def _rows(x: Array) -> Array:
    """Return `x` as a matrix, all its axes but the last made one."""
    return x if x.ndim == 2 else x.reshape((math.prod(x.shape[:-1]), x.shape[-1]))


@applying(
    Linear,
    *(Call(_X, _W), Call(_X, _W, _B), Call(_X, _W, b=_B), Call(_X, _W, Draw()), Call(_X, _W, 0.5)),
    *(Call(_X, _W, Draw((1, 4))), Call(_X, _W, Draw((2, 1))), Call(Draw((3,)), _W, _B)),
    *(Call(Draw((3,)), _W), Call(Draw((2, 4, 3)), Draw((3, 2)), Draw((2,)))),
    *(Call(Draw((2, 1, 2, 3)), _W), Call(Draw((1, 1)), Draw((1, 1)), Draw((1,)))),
    *(Call(Draw((0, 3)), _W, _B), Call(Draw((2, 0)), Draw((0, 4)), _B)),
    *(Call(_X, Draw((3, 0)), Draw((0,))), Call(Draw((2, 0, 3)), _W, _B)),
    reference=_reference,
)
def linear(x: Array, W: Array, b: Operand | None = None) -> Variable:  # noqa: N803
    """Affine map of the last axis, ``x @ W + b``.

    x: shape ``(..., in)``, usually ``(rows, in)``.
    W: shape ``(in, out)``.
    b: shape ``(out,)``, or one that broadcasts to the result; None for 0.
    Returns: shape ``(..., out)``.
    Derivative: ``gy @ W.T``, ``x.T @ gy``, and for `b` the sum of ``gy`` over the rows.
    Raises ValueError: if the shapes do not fit, or `W` has not two axes.
    Source: DeZero's function of that name; Giles 2008, section 2.2.

    >>> x, W = Variable(np.array([[1.0, 2.0]])), Variable(np.array([[3.0], [4.0]]))
    >>> b = Variable(np.array([5.0]))
    >>> y = linear(x, W, b)
    >>> y.backward()
    >>> y, x.grad, b.grad
    (variable([[16.]]), array([[3., 4.]]), array([1.]))
    """
    return Linear()(x, W) if b is None else Linear()(x, W, b)
