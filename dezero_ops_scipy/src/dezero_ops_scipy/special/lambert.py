"""Lambert's W function, the inverse of ``w * exp(w)``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Call, Draw, Elementwise, Sample, applying

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_derivative
from .limits import quietly
from .rounding import exact_product

#: The number e less ``math.e``, which is rounded.
E_LOST = 1.4456468917292502e-16


def _values(z: Operand, k: Any = 0, tol: float = 1e-8) -> Array:
    """Return SciPy's values, which of float32 are complex128."""
    w = scipy.special.lambertw(z, k, tol)
    return w.astype(np.result_type(np.multiply(z, 1.0), np.complex64))


class Lambertw(Elementwise):
    """dw = exp(-w) / (1 + w) dz."""

    saves = ("inputs", "outputs")
    arrays = "numpy: scipy.special.lambertw makes ndarrays of its arguments"

    def __init__(self, tol: float) -> None:
        self.tol = tol

    def forward(self, z: Operand, k: Any) -> Array:
        return _values(z, k, self.tol)

    def backward(self, gy: Array) -> tuple[Array, None]:
        z = self.inputs[0].data
        with np.errstate(all="ignore"):
            p = OnePlusW().of(z, self.outputs[0]().data)
            return gy * (ExpOfMinusW().of(z, p) / p), None


class OnePlusW(Elementwise):
    """``p = 1 + w``, and dp = exp(-w) / p dz: all of the derivative is that by z.

    Beside its zero at ``z = -1 / e``, it is made more exact by Newton's method, for the equation
    ``1 + (p - 1) exp(p) = 1 + e z``. The left side is the sum of ``(k - 1) / k! p**k``.
    """

    saves = ("inputs", "outputs")

    @quietly
    def forward(self, z: Array, w: Array) -> Array:
        p = 1.0 + w
        is_near, right = np.abs(p) < 0.5, _one_plus_e_times(z)
        root = np.sqrt(2.0 * right)
        root = np.where(np.real(root * np.conj(p)) < 0.0, -root, root)
        # Where right is tiny, SciPy's p may have no right digit.
        near = np.where(np.abs(right) < 1e-4, root - root * root / 3.0, np.where(is_near, p, 0.5))
        for _ in range(2):
            left: Any = 0.0
            for k in range(18, 1, -1):
                left = (left + (k - 1) / math.factorial(k)) * near
            near = near - (left * near - right) / (near * np.exp(near))
        return np.where(is_near, near, p).astype(p.dtype)

    def backward(self, gp: Array) -> tuple[Array, None]:
        p = self.outputs[0]().data
        with np.errstate(all="ignore"):
            return gp * (ExpOfMinusW().of(self.inputs[0].data, p) / p), None


def _one_plus_e_times(z: Array) -> Array:
    """Return ``1 + e z`` without the rounding error of the product."""
    z = z + np.complex128(0.0)
    (x, of_x), (y, of_y) = (exact_product(x, np.full_like(x, math.e)) for x in (z.real, z.imag))
    return (1.0 + x) + of_x + 1j * (y + of_y) + E_LOST * z


class ExpOfMinusW(Elementwise):
    """``e = exp(-w)``, given z and p = 1 + w, and de = -e**2 / p dz, likewise.

    It is also ``w / z``, which has more digits where w is large, and none at 0.
    """

    saves = ("inputs", "outputs")

    @quietly
    def forward(self, z: Array, p: Array) -> Array:
        w = p - 1.0
        is_large = np.abs(w) > 1.0
        quotient = np.where(np.real(w) == np.inf, 0.0, w / np.where(is_large, z, 1.0))
        return np.where(is_large, quotient, np.exp(-np.where(is_large, 0.0, w)))

    def backward(self, ge: Array) -> tuple[Array, None]:
        e = self.outputs[0]().data
        with np.errstate(all="ignore"):
            return -ge * (e * e / self.inputs[1].data), None


_POSITIVE = (0.3, 3.0)


@applying(
    Lambertw,
    Sample(
        *(Call(Draw(shape, _POSITIVE)) for shape in ((2, 3), (), (0, 3))),
        Call(Draw((3,), _POSITIVE), -1),
        Call(Draw((3,), _POSITIVE), np.array([[0], [1]]), tol=1e-10),
        reference=_values,
        complex=True,
    ),
)
def lambertw(z: Operand, k: Any = 0, tol: float = 1e-8) -> Variable:
    """Lambert's W function, elementwise: ``scipy.special.lambertw``.

    z: any shape, real or complex.
    k (int, or ndarray of int): the branch, in a shape that broadcasts with that of `z`.
    tol (float): up to which relative error SciPy computes it.
    Returns: complex; ``w * exp(w) == z``.
    Derivative: ``exp(-w) / (1 + w)``, by `z` alone: 1 at 0, and infinite at ``-1 / e``;
        nan at 0 on other branches than 0.
    Raises VariableTypeError (TypeError): if `k` or `tol` is a Variable.
    Source: NIST DLMF 4.13.1; Corless et al. 1996, equation 3.2.

    >>> z = Variable(np.array([0.0, np.e]))
    >>> w = lambertw(z).real
    >>> w.backward()
    >>> w, z.grad
    (variable([0. 1.]), array([1.        , 0.18393972]))
    """
    refuse_derivative("special.lambertw", k=k, tol=tol)
    return Lambertw(tol)(z, k)
