"""The operator ``**``, with a Variable, an array or a number on either side."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise

Array = Any
Operand = Any


class _Log(Function):
    """d log(x) = dx / x. Not registered: ``np.log`` belongs to dezero-ops-math."""

    def forward(self, x: Array) -> Array:
        return np.log(x)

    def backward(self, gy: Array) -> Array:
        return gy / self.inputs[0].data


class Pow(Function):
    """d(x**c) = c x**(c - 1) dx + x**c log(x) dc.

    Written with x**(c - lowered), whose derivatives have the exponents c - 1, c - 2, and so on.
    """

    power: Any = staticmethod(np.power)
    lowered = 0

    def forward(self, x: Array, c: Array) -> Array:
        return self.power(x, c)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, c = (_converted(each.data, gy.dtype) for each in self.inputs)
        of_x, of_c = self.needs_grad
        return self._of_base(gy, x, c) if of_x else None, self._of_exponent(
            gy, x, c
        ) if of_c else None

    def _of_base(self, gy: Array, x: Array, c: Array) -> Array:
        k = self.lowered
        if k == 0 and type(c) in (int, float) and c != 0 and _lost(c, c - 1.0, 1.0) == 0.0:
            return gy * c * self.power(x, c - 1.0)  # as in the book
        constant = np.equal(c, k)
        if constant.any():
            # x ** 0 has the slope 0 also at 0, and where 1 / x overflows; 0 * inf would be nan.
            # Only there, because elsewhere the derivative by c of what follows must stay right.
            small = np.less(np.absolute(x), 1.0 / float(np.finfo(gy.dtype).max))
            x = x + (constant & small)
        return gy * (c - k if k else c) * _Lowered(self.power, k + 1).of(x, c)

    def _of_exponent(self, gy: Array, x: Array, c: Array) -> Array:
        # 0 ** c is 0 for every c > 0: its slope is 0, where 0 * log(0) would be nan.
        flat = np.equal(x, 0) & np.greater_equal(c, self.lowered)
        log = _Log().of(x + flat if flat.any() else x)
        y = _Lowered(self.power, self.lowered).of(x, c) if self.lowered else self.of(x, c)
        return gy * y * log


class _Lowered(Pow):
    """x**(c - k), with all its digits also where c - k is rounded."""

    def __init__(self, power: Any, k: int) -> None:
        self.power, self.lowered = power, k

    def forward(self, x: Array, c: Array) -> Array:
        k = float(self.lowered)
        exponent = c - k
        y = self.power(x, exponent)
        if np.iscomplexobj(c):
            return y  # what rounding takes is made good of real exponents alone
        eps = float(np.finfo(y.dtype).eps)
        if np.min(c, initial=k) >= k / 2.0 and np.max(c, initial=k) < 1.0 / eps:
            return y  # nothing was rounded
        lost = _lost(c, exponent, k)
        most = np.max(np.absolute(lost), initial=0.0)
        if most == 0.0 or (most < 0.5 and most * _largest_log(x) < eps):
            return y
        return y * _repaired(x, y, lost)


class FloatPow(Pow):
    """As `Pow`, in double precision at least."""

    power: Any = staticmethod(np.float_power)


def _converted(x: Array, dtype: Any) -> Array:
    """Return base or exponent in the dtype of the power; Python's numbers are weak anyway."""
    return x.astype(dtype) if getattr(x, "dtype", dtype) != dtype else x


def _lost(c: Array, exponent: Array, k: float) -> Array:
    """Return what rounding took from ``exponent = c - k``."""
    with np.errstate(invalid="ignore"):
        back = exponent - c  # 2Sum, Møller 1965
        return (c - (exponent - back)) - (k + back)


def _largest_log(x: Array) -> Array:
    """Return how large ``log(abs(x))`` is at most."""
    size = np.absolute(x)
    with np.errstate(divide="ignore"):
        ends = np.log(np.min(size, initial=1.0)), np.log(np.max(size, initial=1.0))
    return np.max(np.absolute(ends))


def _repaired(x: Array, y: Array, lost: Array) -> Array:
    """Return the factor ``x**lost``, 1 where `x` or `y` have no digits to lose."""
    plain = np.isfinite(x) & np.not_equal(x, 0) & np.isfinite(y) & np.isfinite(lost)
    lost = np.where(plain, lost, 0.0)
    factor = np.exp(lost * np.log(np.where(plain, np.absolute(x), 1.0)))
    # Beyond 2**53 every exponent is even, and c - 1 is not: the sign is lost as well.
    odd = np.equal(np.absolute(lost) % 2.0, 1.0) & np.less(np.real(x), 0)
    return np.where(odd, -factor, factor).astype(y.real.dtype)


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


def float_power(x1: Operand, x2: Operand) -> Variable:
    """Power in double precision at least, elementwise: ``np.float_power``.

    Parameters
    ----------
    x1, x2 : Variable, ndarray or number
        Base and exponent, of shapes that broadcast.

    Returns
    -------
    Variable
        Of dtype float64, complex128, or longer. Derivative: see `pow`.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.float_power``; NIST DLMF 4.2.

    Examples
    --------
    >>> x = Variable(np.array(4.0))
    >>> y = float_power(x, -0.5)
    >>> y.backward()
    >>> y, x.grad
    (variable(0.5), array(-0.0625))
    """
    return FloatPow()(x1, x2)


def rpow(c: Operand, x: Operand) -> Variable:
    """``x ** c``: what ``2.0 ** c`` becomes, with the Variable on the right; see `pow`."""
    return pow(x, c)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    bindings = {"__pow__": pow, "__rpow__": rpow}
    sample = elementwise((0.5, 3.0), (-3.0, 3.0), complex=True)
    register("pow", pow, Pow, dunders=bindings, numpy=np.power, sample=sample)
    register("float_power", float_power, FloatPow, numpy=np.float_power, sample=sample)
