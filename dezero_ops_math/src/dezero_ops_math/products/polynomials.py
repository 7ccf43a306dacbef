"""polyval: the value of a polynomial that is given by its coefficients."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import as_operand
from ..broadcasting import summed_to
from ..docstrings import documented


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


@documented
def polyval(p: Operand, x: Operand) -> Variable:
    """Value of a polynomial: ``np.polyval``, ``p[0] * x**(n - 1) + ... + p[n - 1]``.

    p (Variable, array_like of numbers, or poly1d): the `n` coefficients, that of the highest power
        first. With more axes it is several polynomials, in a shape that broadcasts with `x`.
    x (Variable, or array_like of numbers): where it is computed.
    Returns: shape of `x`, dtype as NumPy gives it.
    Derivative: by `x`, the value of the derivative's polynomial; by a coefficient, its power of
        `x`.
    Raises TypeError: if `p` is a number.

    >>> x = Variable(np.array([1.0, 2.0]))
    >>> y = polyval([3.0, 0.0, 1.0], x)
    >>> y.backward()
    >>> y, x.grad
    (variable([ 4. 13.]), array([ 6., 12.]))
    """
    p = p.coeffs if isinstance(p, np.poly1d) else as_operand(p)
    return PolyVal()(p, as_operand(x))


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""
    p, x, point = Draw((4,)), Draw((2, 3)), Draw()
    calls: tuple[Call, ...] = Call(p, x), Call(p, point), Call(Draw((1,)), x), Call(Draw((2,)), x)
    calls += Call(Draw((0,)), x), Call(p, Draw((0,))), Call(p, Draw((2, 0, 3)))
    calls += Call(Draw((3, 2, 1)), x), Call(Draw((3, 2)), point), Call([3, 0, 1], x)
    calls += Call(p, [0.5, -1.0]), Call([Draw(), 2, Draw()], x), Call(np.poly1d([1.0, 2.0]), x)
    calls += (Call(p, 2.0),)
    sample = Sample(calls, complex=True)
    register("polyval", polyval, PolyVal, numpy=np.polyval, sample=sample)
