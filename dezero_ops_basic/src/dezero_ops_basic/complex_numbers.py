"""The parts of complex numbers; of real ones, what NumPy makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand

from .docstrings import documented


class Real(Function):
    """d Re(z) = Re(dz)."""

    saves = ()
    elementwise = True

    def forward(self, z: Array) -> Array:
        return np.real(z)

    def backward(self, gy: Array) -> Array:
        return gy


@documented
def real(val: Operand) -> Variable:
    """Real part, elementwise: ``np.real``, ``val.real``.

    Returns: A view of the data, of real dtype. Derivative by the real part: 1; by the other: 0.
    Raises VariableTypeError (TypeError): If `val` is no number.
    Source: ``numpy.real``.

    >>> z = Variable(np.array(3.0 + 4.0j))
    >>> y = real(z)
    >>> y.backward()
    >>> y, z.grad
    (variable(3.0), array(1.-0.j))
    """
    return Real()(val)


class Imag(Function):
    """d Im(z) = Im(dz) = Re(-1j dz)."""

    saves = ()
    elementwise = True

    def forward(self, z: Array) -> Array:
        return np.imag(z)

    def backward(self, gy: Array) -> Array:
        return gy * -1j


@documented
def imag(val: Operand) -> Variable:
    """Imaginary part, elementwise: ``np.imag``, ``val.imag``.

    Returns: Of real dtype; zeros for real `val`. Derivative by the real part: 0; by the other: 1.
    Raises VariableTypeError (TypeError): If `val` is no number.
    Source: ``numpy.imag``.

    >>> z = Variable(np.array(3.0 + 4.0j))
    >>> y = imag(z)
    >>> y.backward()
    >>> y, z.grad
    (variable(4.0), array(0.+1.j))
    """
    return Imag()(val)


class Conjugate(Function):
    """d conj(z) = conj(dz)."""

    saves = ()
    elementwise = True

    def forward(self, z: Array) -> Array:
        return np.conjugate(z)

    def backward(self, gy: Array) -> Array:
        return np.conjugate(gy) if gy.dtype.kind == "c" else gy


@documented
def conjugate(z: Operand) -> Variable:
    """Complex conjugate, elementwise: ``np.conj``, ``np.conjugate``, ``z.conj()``.

    Returns: Shape and dtype of `z`. Derivative by the real part: 1; by the imaginary part: -1j.
    Source: ``numpy.conjugate``.

    >>> conjugate(Variable(np.array(3.0 + 4.0j)))
    variable((3-4j))
    """
    return Conjugate()(z)


_REAL, _IMAG = property(real), property(imag)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def sample(kit: Any) -> Any:
        return kit.elementwise((-3.0, 3.0), complex=True)

    register("real", real, Real, methods={"real": _REAL}, numpy=np.real, sample=sample)
    register("imag", imag, Imag, methods={"imag": _IMAG}, numpy=np.imag, sample=sample)
    both = "conj", "conjugate"
    register("conjugate", conjugate, Conjugate, methods=both, numpy=np.conjugate, sample=sample)
