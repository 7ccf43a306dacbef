"""Bessel functions of order 0 and 1."""

from __future__ import annotations

from typing import Any

import scipy.special
from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand


class ModifiedBessel(Function):
    """dI[n] = (I[n-1] + I[n+1]) / 2 dx, and dI[0] = I[1] dx."""

    elementwise = True

    def __init__(self, n: int) -> None:
        self.n = n

    def forward(self, x: Array) -> Array:
        if self.n > 1:
            return scipy.special.iv(self.n, x)
        return (scipy.special.i0, scipy.special.i1)[self.n](x)

    def backward(self, gy: Array) -> Array:
        x, n = self.inputs[0].data, self.n
        if n == 0:
            return gy * ModifiedBessel(1).of(x)
        return gy * (0.5 * (ModifiedBessel(n - 1).of(x) + ModifiedBessel(n + 1).of(x)))


class Bessel(Function):
    """dJ[n] = (J[n-1] - J[n+1]) / 2 dx, and dJ[0] = -J[1] dx."""

    elementwise = True

    def __init__(self, n: int) -> None:
        self.n = n

    def forward(self, x: Array) -> Array:
        if self.n > 1:
            return scipy.special.jv(self.n, x)
        return (scipy.special.j0, scipy.special.j1)[self.n](x)

    def backward(self, gy: Array) -> Array:
        x, n = self.inputs[0].data, self.n
        if n == 0:
            return -gy * Bessel(1).of(x)
        return gy * (0.5 * (Bessel(n - 1).of(x) - Bessel(n + 1).of(x)))


def i0(x: Operand) -> Variable:
    """Modified Bessel function of order 0, elementwise: ``scipy.special.i0``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, real.

    Returns
    -------
    Variable
        Shape of `x`, dtype as SciPy gives it. Derivative: ``i1(x)``.

    Raises
    ------
    TypeError
        If `x` is complex.

    Notes
    -----
    Source: NIST DLMF 10.29.3.

    Examples
    --------
    >>> x = Variable(np.array(1.0))
    >>> i0(x).backward()
    >>> x.grad
    array(0.5651591)
    """
    return ModifiedBessel(0)(x)


def i1(x: Operand) -> Variable:
    """Modified Bessel function of order 1, elementwise: ``scipy.special.i1``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, real.

    Returns
    -------
    Variable
        Shape of `x`, dtype as SciPy gives it. Derivative: ``(i0(x) + iv(2, x)) / 2``.

    Raises
    ------
    TypeError
        If `x` is complex.

    Notes
    -----
    Source: NIST DLMF 10.29.1.

    Examples
    --------
    >>> x = Variable(np.array(0.0))
    >>> i1(x).backward()
    >>> x.grad
    array(0.5)
    """
    return ModifiedBessel(1)(x)


def j0(x: Operand) -> Variable:
    """Bessel function of the first kind, of order 0, elementwise: ``scipy.special.j0``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, real.

    Returns
    -------
    Variable
        Shape of `x`, dtype as SciPy gives it. Derivative: ``-j1(x)``.

    Raises
    ------
    TypeError
        If `x` is complex.

    Notes
    -----
    Source: NIST DLMF 10.6.3.

    Examples
    --------
    >>> x = Variable(np.array(1.0))
    >>> j0(x).backward()
    >>> x.grad
    array(-0.44005059)
    """
    return Bessel(0)(x)


def j1(x: Operand) -> Variable:
    """Bessel function of the first kind, of order 1, elementwise: ``scipy.special.j1``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, real.

    Returns
    -------
    Variable
        Shape of `x`, dtype as SciPy gives it. Derivative: ``(j0(x) - jv(2, x)) / 2``.

    Raises
    ------
    TypeError
        If `x` is complex.

    Notes
    -----
    Source: NIST DLMF 10.6.1.

    Examples
    --------
    >>> x = Variable(np.array(0.0))
    >>> j1(x).backward()
    >>> x.grad
    array(0.5)
    """
    return Bessel(1)(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def sample(kit: Any) -> Any:
        return kit.elementwise((-3.0, 3.0))

    register("special.i0", i0, ModifiedBessel, numpy=scipy.special.i0, sample=sample)
    register("special.i1", i1, ModifiedBessel, numpy=scipy.special.i1, sample=sample)
    register("special.j0", j0, Bessel, numpy=scipy.special.j0, sample=sample)
    register("special.j1", j1, Bessel, numpy=scipy.special.j1, sample=sample)
