"""The operator ``**``, with a Variable, an array or a number on either side."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable

Array = Any
Operand = Any


class _Log(Function):
    """d log(x) = dx / x. Not registered: ``np.log`` belongs to dezero-ops-math."""

    def forward(self, x: Array) -> Array:
        return np.log(x)

    def backward(self, gy: Array) -> Array:
        return gy / self.inputs[0].data


class Pow(Function):
    """d(x ** c) = c x ** (c - 1) dx + x ** c log(x) dc."""

    def forward(self, x: Array, c: Array) -> Array:
        return x**c

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, c = self.inputs[0].data, self.inputs[1].data
        of_x, of_c = self.needs_grad
        return self._of_base(gy, x, c) if of_x else None, self._of_exponent(
            gy, x, c
        ) if of_c else None

    @staticmethod
    def _of_base(gy: Array, x: Array, c: Array) -> Array:
        exponent = c - 1.0
        constant = np.equal(c, 0)
        if constant.any():
            # x ** 0 is 1 at 0 as well; 0 * 0 ** -1 would be nan. Only there, because
            # elsewhere the derivative by c of this expression must stay right.
            exponent = exponent + (constant & np.equal(x, 0))
        return gy * c * x**exponent

    @staticmethod
    def _of_exponent(gy: Array, x: Array, c: Array) -> Array:
        if getattr(x, "dtype", gy.dtype) != gy.dtype:
            x = x.astype(gy.dtype)  # the logarithm of a float32 base, for a float64 exponent
        # 0 ** c is 0 for every c > 0: its slope is 0, where 0 * log(0) would be nan.
        flat = np.equal(x, 0) & np.greater_equal(c, 0)
        return gy * x**c * _Log().of(x + flat if flat.any() else x)


def pow(x: Operand, c: Operand) -> Variable:
    """Power, elementwise: ``x ** c``, ``np.power``.

    Parameters
    ----------
    x, c : Variable, ndarray or number
        Of shapes that broadcast.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative by `x`: ``c * x**(c - 1)``, which
        is 0 for ``c == 0`` also at 0. Derivative by `c`: ``x**c * log(x)``; 0 where `x`
        is 0 and ``c >= 0``; nan, with NumPy's RuntimeWarning, where `x` is negative.

    Raises
    ------
    ValueError
        If the shapes do not broadcast, or an integer is raised to a negative integer.

    Notes
    -----
    Source: the seeds, step 22; NIST DLMF 4.2.

    Examples
    --------
    >>> x = Variable(np.array(3.0))
    >>> y = pow(x, 2)
    >>> y.backward()
    >>> y, x.grad
    (variable(9.0), array(6.))
    """
    return Pow()(x, c)


def rpow(c: Operand, x: Operand) -> Variable:
    """``x ** c``: what ``2.0 ** c`` becomes, with the Variable on the right; see `pow`."""
    return pow(x, c)
