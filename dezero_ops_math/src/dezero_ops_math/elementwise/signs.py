"""Absolute value of real numbers, a sign given to another number, and the unit step."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented
from ..masking import kept


class Fabs(Function):
    """d|x| = sign(x) dx; 0 at 0, the middle of the slopes on its two sides."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.fabs(x)

    def backward(self, gy: Array) -> Array:
        return gy * np.sign(self.inputs[0].data)


@documented
def fabs(x: Operand) -> Variable:
    """Absolute value of real numbers, elementwise: ``np.fabs``.

    Returns: shape of `x`, floating-point.
    Derivative: ``sign(x)``, 0 at 0.
    Raises TypeError: if `x` is complex, as in NumPy.

    >>> fabs(Variable(np.array(-2.0)))
    variable(2.0)
    """
    return Fabs()(x)


class Copysign(Function):
    """y = |x0| or -|x0|, so dy = sign(x0) dx0 or the negative of that; 0 at 0, as |x0|."""

    elementwise = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.copysign(x0, x1)

    def backward(self, gy: Array) -> tuple[Array | None, Array]:
        zeros = np.zeros(gy.shape, gy.dtype)
        if not self.needs_grad[0]:
            return None, zeros
        # Not sign(x1), which is 0 where x1 is 0 or -0.
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy * (np.sign(x0) * np.copysign(1.0, x1)), zeros


@documented
def copysign(x0: Operand, x1: Operand) -> Variable:
    """`x0` with the sign of `x1`, elementwise: ``np.copysign``.

    x0, x1: of shapes that broadcast. -0.0 counts as negative.
    Derivative by `x0`: 1 where the sign stays, -1 where it changes, 0 at 0; by `x1`: 0, also at the
        jump.
    Raises ValueError: if the shapes do not broadcast.

    >>> copysign(Variable(np.array([1.0, 2.0])), -1.0)
    variable([-1. -2.])
    """
    return Copysign()(x0, x1)


class Heaviside(Function):
    """Constant on either side of x0 = 0, and x1 there: d = dx1 at 0, elsewhere 0."""

    elementwise = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.heaviside(x0, x1)

    def backward(self, gy: Array) -> tuple[Array, Array | None]:
        zeros = np.zeros(gy.shape, gy.dtype)
        if not self.needs_grad[1]:
            return zeros, None
        return zeros, kept(gy, np.equal(self.inputs[0].data, 0.0))


@documented
def heaviside(x0: Operand, x1: Operand) -> Variable:
    """Unit step, elementwise: ``np.heaviside``, 0 below 0, 1 above it, and `x1` at 0.

    Derivative by `x0`: 0, also at the jump; by `x1`: 1 where `x0` is 0, elsewhere 0.
    Source: NIST DLMF 1.16.13; ``numpy.heaviside``.

    >>> heaviside(Variable(np.array([-1.5, 0.0, 2.0])), 0.5)
    variable([0.  0.5 1. ])
    """
    return Heaviside()(x0, x1)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    wide = -3.0, 3.0
    register("fabs", fabs, Fabs, numpy=np.fabs, sample=elementwise(wide, apart=np.abs))

    def both(x0: Array, x1: Array) -> Array:
        return np.minimum(np.abs(x0), np.abs(x1))

    sample = elementwise(wide, wide, apart=both)
    register("copysign", copysign, Copysign, numpy=np.copysign, sample=sample)
    register("heaviside", heaviside, Heaviside, numpy=np.heaviside, sample=sample)
