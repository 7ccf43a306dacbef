"""Products of stacks of matrices with stacks of vectors, which broadcast."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..broadcasting import summed_to
from ..conjugation import conjugated
from ..docstrings import documented


class MatVec(Function):
    """d(A v) = dA v + A dv."""

    def forward(self, x1: Array, x2: Array) -> Array:
        return np.matvec(x1, x2)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, v = self.inputs[0].data, self.inputs[1].data
        of_a, of_v = self.needs_grad
        ga = gv = None
        if of_a:
            ga = summed_to(gy[..., :, None] * v[..., None, :], a.shape)
        if of_v:
            gv = summed_to((gy[..., None, :] @ a)[..., 0, :], v.shape)
        return ga, gv


@documented
def matvec(x1: Array, x2: Array, /) -> Variable:
    """Product of matrices with vectors: ``np.matvec``, of NumPy 2.2 and later.

    x1: matrices, of shape ``(..., m, n)``.
    x2: vectors, of shape ``(..., n)``.
    Returns: shape ``(..., m)``.
    Derivative: the outer product of the gradient with `x2`, and the gradient times `x1`.
    Raises ValueError: if the lengths differ, or the stacks do not broadcast.
    Raises AttributeError: if NumPy has no such function.

    >>> matvec(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), np.array([1.0, 10.0]))
    variable([21. 43.])
    """
    return MatVec()(x1, x2)


class VecMat(Function):
    """d(conj(v) A) = conj(dv) A + conj(v) dA."""

    def forward(self, x1: Array, x2: Array) -> Array:
        return np.vecmat(x1, x2)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        v, a = self.inputs[0].data, self.inputs[1].data
        of_v, of_a = self.needs_grad
        gv = ga = None
        if of_v:
            gv = summed_to(conjugated((a @ gy[..., :, None])[..., 0]), v.shape)
        if of_a:
            ga = summed_to(conjugated(v)[..., :, None] * gy[..., None, :], a.shape)
        return gv, ga


@documented
def vecmat(x1: Array, x2: Array, /) -> Variable:
    """Product of vectors, conjugated, with matrices: ``np.vecmat``, of NumPy 2.2 and later.

    x1: vectors, of shape ``(..., n)``.
    x2: matrices, of shape ``(..., n, m)``.
    Returns: shape ``(..., m)``.
    Derivative of real operands: `x2` times the gradient, and the outer product of `x1` with the
        gradient.
    Raises ValueError: if the lengths differ, or the stacks do not broadcast.
    Raises AttributeError: if NumPy has no such function.

    >>> vecmat(Variable(np.array([1.0, 10.0])), np.array([[1.0, 2.0], [3.0, 4.0]]))
    variable([31. 42.])
    """
    return VecMat()(x1, x2)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    shapes: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
        ((2, 3), (3,)),
        ((4, 2, 3), (3,)),
        ((2, 3), (4, 3)),
        ((4, 1, 2, 3), (2, 3)),
        ((1, 2, 3), (3,)),
        ((1, 1), (1,)),
        ((0, 3), (3,)),
        ((2, 0), (0,)),
    )
    turned = [(v, (*a[:-2], a[-1], a[-2])) for a, v in shapes]
    both = ("matvec", matvec, MatVec, shapes), ("vecmat", vecmat, VecMat, turned)
    for name, function, cls, each in [entry for entry in both if hasattr(np, entry[0])]:
        calls = tuple(Call(Draw(left), Draw(right)) for left, right in each)
        sample = Sample(calls, complex=True)
        register(name, function, cls, numpy=getattr(np, name), sample=sample)
