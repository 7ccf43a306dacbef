"""Polynomials: their values, and their products, which are convolutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand

from ..arguments import as_operand
from ..declaring import Call, Draw, applying
from ..gradients import summed_to

_P, _X, _POINT = Draw((4,)), Draw((2, 3)), Draw()


class PolyVal(Function):
    """dy = p'(x) dx + sum(x**k dp[k]), with the powers k that go down to 0."""

    def forward(self, p: Array, x: Array) -> Array:
        return np.polyval(p, x)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        p, x = self.inputs[0].data, self.inputs[1].data
        of_p, of_x = self.needs_grad
        n, shape = len(p), np.shape(p)
        gp = gx = None
        if of_p:
            g, gradients = gy, []
            for _ in range(n):  # the steps of Horner's scheme, backwards
                gradients.append(summed_to(g, shape[1:]))
                g = g * x
            gp = np.stack(gradients[::-1]) if gradients else np.zeros(shape)
        if of_x:
            powers = np.arange(n - 1.0, 0.0, -1.0).reshape((-1,) + (1,) * (len(shape) - 1))
            slope = np.take(p, np.arange(n - 1), axis=0) * powers.astype(gy.dtype)
            gx = gy * np.polyval(slope, x)
        return gp, gx


@applying(
    PolyVal,
    *(Call(_P, _X), Call(_P, _POINT), Call(Draw((1,)), _X), Call(Draw((2,)), _X)),
    *(Call(Draw((0,)), _X), Call(_P, Draw((0,))), Call(_P, Draw((2, 0, 3)))),
    *(Call(Draw((3, 2, 1)), _X), Call(Draw((3, 2)), _POINT), Call([3, 0, 1], _X)),
    *(Call(_P, [0.5, -1.0]), Call([Draw(), 2, Draw()], _X), Call(np.poly1d([1.0, 2.0]), _X)),
    Call(_P, 2.0),
)
def polyval(p: Operand, x: Operand) -> Variable:
    """Value of a polynomial: ``np.polyval``, ``p[0] * x**(n - 1) + ... + p[n - 1]``.

    p (Variable, array_like of numbers, or poly1d): the `n` coefficients, that of the highest power
        first. With more axes it is several polynomials, in a shape that broadcasts with `x`.
    x (Variable, or array_like of numbers): where it is computed.
    Returns: shape of `x`, dtype as NumPy gives it.
    Derivative: by `x`, the value of the derived polynomial; by a coefficient, its power of `x`.
    Raises TypeError: if `p` is a number.

    >>> x = Variable(np.array([1.0, 2.0]))
    >>> y = polyval([3.0, 0.0, 1.0], x)
    >>> y.backward()
    >>> y, x.grad
    (variable([ 4. 13.]), array([ 6., 12.]))
    """
    p = p.coeffs if isinstance(p, np.poly1d) else as_operand(p)
    return PolyVal()(p, as_operand(x))


_MODES = ("full", "same", "valid")
_LENGTHS = (5, 3), (3, 5), (4, 4), (5, 2), (2, 5), (1, 3), (1, 1), (7, 4)


class Convolve(Function):
    """Each operand gets the gradient, convolved with the other one in reverse."""

    saves = ("other inputs",)
    multilinear = True

    def __init__(self, mode: Any) -> None:
        self.mode = mode

    def forward(self, a: Array, v: Array) -> Array:
        return np.convolve(a, v, self.mode)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, v = self.inputs
        of_a, of_v = self.needs_grad
        # Of "same" and "valid" NumPy cuts the ends off, half of it at the front, rounded down.
        cut = math.prod(a.shape) + math.prod(v.shape) - 1 - len(gy)
        gy = np.pad(gy, (cut // 2, cut - cut // 2))
        return (
            np.convolve(gy, np.flip(np.ravel(v.data)), "valid").reshape(a.shape) if of_a else None,
            np.convolve(gy, np.flip(np.ravel(a.data)), "valid").reshape(v.shape) if of_v else None,
        )


@applying(
    Convolve,
    *(Call(Draw((n,)), Draw((m,)), mode) for n, m in _LENGTHS for mode in _MODES),
    *(Call(Draw((4,)), Draw()), Call(Draw(), Draw(), mode="same")),
    *(Call(Draw((4,)), [1.0, 2.0, 1.0]), Call((0.5, 0.5), Draw((4,)), mode="valid")),
    *(Call(Draw((3,)), 2.0), Call(np.array([1, 2]), Draw((3,)))),
)
def convolve(a: Operand, v: Operand, mode: Any = "full") -> Variable:
    """Convolution of two sequences: ``np.convolve``.

    a, v (Variable, or array_like of numbers): one axis, not empty; or a number.
    mode ({"full", "same", "valid"}): with all partial overlaps at the ends, as many elements as the
        longer operand has, or only where both overlap completely.
    Derivative: each by the other, in reverse.
    Raises ValueError: if an operand is empty or has more axes, or there is no such `mode`.

    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> y = convolve(x, np.array([1.0, 10.0]))
    >>> y.backward()
    >>> y, x.grad
    (variable([ 1. 12. 23. 30.]), array([11., 11., 11.]))
    """
    return Convolve(mode)(as_operand(a), as_operand(v))
