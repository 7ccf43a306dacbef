"""Squares, roots, reciprocals, remainders, absolute values and signs of real numbers."""

from __future__ import annotations

import numpy as np

from dezero_core.extend import Array, Operand

from ..declaring import Elementwise, analytic, elementwise, operation
from ..gradients import kept


class Square(Elementwise):
    """Square, elementwise: ``np.square``.

    Source: ``numpy.square``; *Deep Learning from Scratch 3*, step 13.

    >>> x = Variable(np.array(3.0))
    >>> square(x).backward()
    >>> x.grad
    array(6.)
    """

    def forward(self, x: Operand) -> Array:
        return np.square(x)

    def backward(self, gy: Array) -> Array:
        return gy * (2.0 * self.inputs[0].data)


class Reciprocal(Elementwise):
    """``1 / x``, elementwise: ``np.reciprocal``.

    x: any shape. 0 gives inf with a RuntimeWarning; integers stay integers, as in NumPy.
    Returns: shape and dtype of `x`.

    >>> x = Variable(np.array(2.0))
    >>> y = reciprocal(x)
    >>> y.backward()
    >>> y, x.grad
    (variable(0.5), array(-0.25))
    """

    saves = ("outputs",)

    def forward(self, x: Operand) -> Array:
        return np.reciprocal(x)

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        return -(gy * y * y)


class Sqrt(Elementwise):
    """Square root, elementwise: ``np.sqrt``.

    x: any shape. ``x < 0`` gives nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / (2 * sqrt(x))``, inf at 0. There a gradient of 0 from above gives nan: 0 times
        inf can be any number, and of ``sqrt(x)**2`` it is 1.

    >>> x = Variable(np.array(4.0))
    >>> sqrt(x).backward()
    >>> x.grad
    array(0.25)
    """

    saves = ("outputs",)

    def forward(self, x: Operand) -> Array:
        return np.sqrt(x)

    def backward(self, gy: Array) -> Array:
        return gy / (2.0 * self.outputs[0]().data)


class Cbrt(Elementwise):
    """Cube root, elementwise: ``np.cbrt``.

    x: any shape, of real numbers.
    Derivative: ``1 / (3 * cbrt(x)**2)``, inf at 0; a gradient of 0 gives nan there, as of `sqrt`.
    Raises TypeError: if `x` is complex, as in NumPy.

    >>> x = Variable(np.array(-8.0))
    >>> cbrt(x).backward()
    >>> x.grad
    array(0.08333333)
    """

    saves = ("outputs",)

    def forward(self, x: Operand) -> Array:
        return np.cbrt(x)

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        return gy / (3.0 * y * y)


class Fmod(Elementwise):
    """Remainder with the sign of `x0`, elementwise: ``np.fmod``.

    Derivative: 1 and ``-trunc(x0 / x1)``, also at the jumps.

    >>> fmod(Variable(np.array(-7.0)), 3.0)
    variable(-1.0)
    """

    saves = ("inputs", "outputs")

    def forward(self, x0: Operand, x1: Operand) -> Array:
        return np.fmod(x0, x1)

    def backward(self, gy: Array) -> tuple[Array, Array | None]:
        # fmod(x0, x1) = x0 - x1 trunc(x0 / x1), so d = dx0 - trunc(x0 / x1) dx1.
        if not self.needs_grad[1]:
            return gy, None
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        # x0 / x1 may be rounded up to an integer; what is divided here is a multiple of x1.
        return gy, -gy * np.rint((x0 - self.outputs[0]().data) / x1)


class Fabs(Elementwise):
    """Absolute value of real numbers, elementwise: ``np.fabs``.

    Returns: shape of `x`, floating-point.
    Derivative: ``sign(x)``, 0 at 0.
    Raises TypeError: if `x` is complex, as in NumPy.

    >>> fabs(Variable(np.array(-2.0)))
    variable(2.0)
    """

    def forward(self, x: Operand) -> Array:
        return np.fabs(x)

    def backward(self, gy: Array) -> Array:
        return gy * np.sign(self.inputs[0].data)


class Copysign(Elementwise):
    """`x0` with the sign of `x1`, elementwise: ``np.copysign``.

    x0, x1: of shapes that broadcast. -0.0 counts as negative.
    Derivative by `x0`: 1 where the sign stays, -1 where it changes, 0 at 0; by `x1`: 0 everywhere.

    >>> copysign(Variable(np.array([1.0, 2.0])), -1.0)
    variable([-1. -2.])
    """

    def forward(self, x0: Operand, x1: Operand) -> Array:
        return np.copysign(x0, x1)

    def backward(self, gy: Array) -> tuple[Array | None, Array]:
        zeros = np.zeros(gy.shape, gy.dtype)
        if not self.needs_grad[0]:
            return None, zeros
        # Not sign(x1), which is 0 where x1 is 0 or -0.
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy * (np.sign(x0) * np.copysign(1.0, x1)), zeros


class Heaviside(Elementwise):
    """Unit step, elementwise: ``np.heaviside``, 0 below 0, 1 above it, and `x1` at 0.

    Derivative by `x0`: 0, also at the jump; by `x1`: 1 where `x0` is 0, elsewhere 0.
    Source: NIST DLMF 1.16.13; ``numpy.heaviside``.

    >>> heaviside(Variable(np.array([-1.5, 0.0, 2.0])), 0.5)
    variable([0.  0.5 1. ])
    """

    def forward(self, x0: Operand, x1: Operand) -> Array:
        return np.heaviside(x0, x1)

    def backward(self, gy: Array) -> tuple[Array, Array | None]:
        zeros = np.zeros(gy.shape, gy.dtype)
        if not self.needs_grad[1]:
            return zeros, None
        return zeros, kept(gy, np.equal(self.inputs[0].data, 0.0))


def _apart(x0: Array, x1: Array) -> Array:
    return np.abs(x0 / x1 - np.round(x0 / x1))


square = operation(Square, analytic((-3.0, 3.0), truth=("x * x", "2 * x")))
reciprocal = operation(Reciprocal, analytic((0.5, 3.0), truth=("1 / x", "-1 / x**2")))
sqrt = operation(Sqrt, analytic((0.5, 3.0)))
cbrt = operation(Cbrt, elementwise((-3.0, 3.0), apart=np.abs))
fmod = operation(Fmod, elementwise((-3.0, 3.0), (1.0, 3.0), apart=_apart))


def _both(x0: Array, x1: Array) -> Array:
    return np.minimum(np.abs(x0), np.abs(x1))


_WIDE = (-3.0, 3.0)
_SAMPLE = elementwise(_WIDE, _WIDE, apart=_both)

fabs = operation(Fabs, elementwise(_WIDE, apart=np.abs))
copysign = operation(Copysign, _SAMPLE)
heaviside = operation(Heaviside, _SAMPLE)
