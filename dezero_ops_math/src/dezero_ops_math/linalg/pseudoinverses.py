"""What stands for the inverse where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import documented
from .spectra import adjoint, swapped

_NOT_GIVEN: Any = np._NoValue  # None means something else to NumPy


class PInv(Function):
    """With P for the result, and the rank constant:

    dP = -P dA P + P P* dA* (I - A P) + (I - P A) dA* P* P.
    """

    saves = ("inputs", "outputs")

    def __init__(self, rcond: Any, hermitian: bool, rtol: Any) -> None:
        self.rcond, self.hermitian, self.rtol = rcond, hermitian, rtol

    def forward(self, a: Array) -> Array:
        return np.linalg.pinv(a, self.rcond, self.hermitian, rtol=self.rtol)

    def backward(self, gy: Array) -> Array:
        a, p = self.inputs[0].data, self.outputs[0]().data
        turned, gt, p_star = swapped(p), swapped(gy), adjoint(p)
        off_rows, off_columns = gt - a @ (p @ gt), gt - (gt @ p) @ a
        moved = off_rows @ p @ p_star + p_star @ p @ off_columns
        ga = moved.conj() - turned @ gy @ turned
        return (ga + adjoint(ga)) * 0.5 if self.hermitian else ga


@documented
def pinv(
    a: Array, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _NOT_GIVEN
) -> Variable:
    """Pseudoinverse of matrices, after Moore and Penrose: ``np.linalg.pinv``.

    a: shape ``(..., m, n)``.
    rcond (float or ndarray of float, optional): singular values count as 0 up to this part of the
        largest; ``1e-15`` by default.
    hermitian: `a` counts as Hermitian; its lower triangle is read, and the gradient is Hermitian.
    rtol (float, ndarray of float or None): the same as `rcond`; None stands for ``max(m, n)`` times
        the precision.
    Returns: shape ``(..., n, m)``.
    Derivative: that for changes of `a` which leave its rank as it is; with others, the
        pseudoinverse jumps.
    Raises LinAlgError (ValueError): if `a` is no matrix, or the computation does not converge.
    Raises ValueError: if both `rcond` and `rtol` are given.
    Source: Golub and Pereyra 1973.
    Note: singular values that count as 0 do so for the derivative, too. If they are not small,
        because `rcond` is large, their ratio to the others is the relative error of the gradient.

    >>> pinv(Variable(np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]])))
    variable([[0.5 0.  0. ]
              [0.  0.  0. ]])
    """
    return PInv(rcond, hermitian, rtol)(a)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""

    def apart(a: Array) -> Array:
        return np.linalg.svd(a, compute_uv=False) / 2.0

    def hermitian(a: Array) -> Array:
        return (a + adjoint(a)) / 2.0

    shapes = (3, 2), (2, 3), (2, 2), (2, 3, 2), (2, 1, 2, 3), (0, 2), (2, 0), (0, 3, 2)
    calls = tuple(Call(Draw(shape)) for shape in shapes)
    a, square = Draw((3, 2)), Draw((2, 3, 3), project=hermitian)
    calls += Call(a, 1e-9), Call(a, rtol=None), Call(Draw((2, 3, 2)), np.array([1e-9, 1e-12]))
    calls += Call(a, rtol=1e-9), Call(square, hermitian=True)
    sample = Sample(calls, apart=apart, complex=True)
    register("linalg.pinv", pinv, PInv, numpy=np.linalg.pinv, sample=sample)
