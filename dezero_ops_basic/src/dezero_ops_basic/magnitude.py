"""Absolute value and sign."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand

from .docstrings import documented


class Sign(Function):
    """Constant on either side of 0; of complex z, sign(z) = z / |z| turns with z.

    With s = sign(z), ds = 1j s Im(conj(s) dz) / |z|: nan at 0, where it has no direction.
    """

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.sign(x)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        if x.dtype.kind != "c":
            return np.zeros(gy.shape, gy.dtype)
        s = np.sign(x)
        return 1j * np.conjugate(s) * (np.imag(gy * s) / np.absolute(x))


@documented
def sign(x: Operand) -> Variable:
    """-1, 0 or 1, elementwise: ``np.sign``.

    Returns: Shape and dtype of `x`; ``x / abs(x)`` if that is complex. Derivative: 0, also at 0;
        of complex `x`, what turns it, over ``abs(x)``, and nan at 0, with a RuntimeWarning.
    Source: ``numpy.sign``.

    >>> sign(Variable(np.array([-2.0, 0.0])))
    variable([-1.  0.])
    """
    return Sign()(x)


class Abs(Function):
    """d|x| = Re(conj(sign(x)) dx); 0 at 0, the middle of the slopes on all sides."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.absolute(x)

    def backward(self, gy: Array) -> Array:
        s = np.sign(self.inputs[0].data)
        return gy * (np.conjugate(s) if s.dtype.kind == "c" else s)


@documented
def absolute(x: Operand) -> Variable:
    """Absolute value, elementwise: ``abs(x)``, ``np.absolute``.

    Returns: Shape of `x`, real. Derivative: ``sign(x)``, conjugated, and 0 at 0. The second is 0;
        of complex `x` it is that of `sign`.
    Raises VariableTypeError (TypeError): If `x` is no number.
    Source: ``numpy.absolute``.

    >>> absolute(Variable(np.array(-2.0)))
    variable(2.0)
    """
    return Abs()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def sample(kit: Any) -> Any:
        return kit.elementwise((-3.0, 3.0), apart=np.abs, complex=True)

    register("absolute", absolute, Abs, dunders={"__abs__": Abs}, numpy=np.absolute, sample=sample)
    register("sign", sign, Sign, numpy=np.sign, sample=sample)
