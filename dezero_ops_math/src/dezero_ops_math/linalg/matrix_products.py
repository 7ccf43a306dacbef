"""Products of several matrices, and powers of one."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array

from ..arguments import refuse_out
from ..declaring import Call, Draw, applying, operation
from ..products import dot
from .spectra import swapped

_A, _STACK = Draw((3, 3)), Draw((2, 2, 2))
_REGULAR = Draw((3, 3), (-1.0, 1.0), plus=4.0 * np.eye(3))
_CHAINS = (
    ((2, 3), (3, 2)),
    ((3,), (3, 2)),
    ((2, 3), (3, 4), (4, 2)),
    ((3,), (3, 4), (4, 2)),
    ((2, 3), (3, 4), (4,)),
    ((3,), (3, 4), (4,)),
    ((2, 3), (3, 1), (1, 4), (4, 2)),
    ((3,), (3, 2), (2, 3), (3, 1), (1,)),
    ((2, 0), (0, 3), (3, 2)),
    ((0, 2), (2, 3), (3, 2)),
)


class MatrixPower(Function):
    """Power of square matrices: ``np.linalg.matrix_power``.

    a: shape ``(..., m, m)``.
    n: may be negative, or 0.
    Returns: shape of `a`.
    Derivative: the sum of ``a^k da a^(n-1-k)`` for k from 0 to n - 1; if ``n < 0``, of ``inv(a)``.
    Raises LinAlgError (ValueError): if `a` is not square; if it is singular and `n` negative.
    Raises TypeError: if `n` is no integer.
    Source: ``numpy.linalg.matrix_power``; Higham 2008, chapter 3.

    >>> matrix_power(Variable(np.array([[1.0, 1.0], [0.0, 1.0]])), 5)
    variable([[1. 5.]
              [0. 1.]])
    """

    def __init__(self, n: int) -> None:
        self.n = n

    def forward(self, a: Array) -> Array:
        return np.linalg.matrix_power(a, self.n)

    def backward(self, gy: Array) -> Array:
        # d(A^n) is the sum of A^k dA A^(n-1-k); its adjoint is the same sum with A^T and gy.
        n = operator.index(self.n)
        if n == 0:
            return np.zeros(gy.shape, gy.dtype)
        power, change = swapped(self.inputs[0].data), gy
        if n < 0:
            power = np.linalg.inv(power)
            change = -(power @ change @ power)
        # By repeated squaring, as the power itself; each product with its change.
        rest, of_rest, n = power, change, abs(n) - 1
        while n > 0:
            n, odd = divmod(n, 2)
            if odd:
                rest, of_rest = rest @ power, of_rest @ power + rest @ change
            if n > 0:
                power, change = power @ power, change @ power + power @ change
        return of_rest


class MultiDot(Function):
    """The gradient of a factor is gy between the transposes of all before it and after it."""

    multilinear = True

    def forward(self, *arrays: Array) -> Array:
        return np.linalg.multi_dot(arrays)

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        arrays = [x.data for x in self.inputs]
        shapes = [x.shape for x in arrays]
        # NumPy reads a vector as one row at the left end, as one column at the right.
        if len(shapes[0]) == 1:
            arrays[0] = arrays[0][None, :]
        if len(shapes[-1]) == 1:
            arrays[-1] = arrays[-1][:, None]
        gy = gy.reshape((arrays[0].shape[0], arrays[-1].shape[1]))
        turned = [swapped(x) for x in arrays]
        return tuple(
            np.linalg.multi_dot([*turned[:k][::-1], gy, *turned[k + 1 :][::-1]]).reshape(shape)
            if needed
            else None
            for k, (needed, shape) in enumerate(zip(self.needs_grad, shapes, strict=True))
        )


@applying(MultiDot, *(Call([Draw(shape) for shape in chain]) for chain in _CHAINS))
def multi_dot(arrays: Any, *, out: None = None) -> Variable:
    """Product of several matrices, in the order that is fastest: ``np.linalg.multi_dot``.

    arrays (sequence of Variable or ndarray): two or more matrices; the outer ones may be vectors.
    Derivative by a matrix: the gradient between the transposes of those before and after it.
    Raises ValueError: if there are fewer than two, or their shapes do not fit.
    Raises LinAlgError (ValueError): if one is of another number of dimensions.
    Source: ``numpy.linalg.multi_dot``; Cormen et al. 2009, section 15.2.

    >>> a = Variable(np.array([[1.0, 2.0]]))
    >>> multi_dot([a, np.array([[3.0], [4.0]]), np.array([5.0])])
    variable([55.])
    """
    refuse_out("linalg.multi_dot", out)
    if len(arrays) == 2:
        return dot(*arrays)
    return MultiDot()(*arrays)


matrix_power = operation(
    MatrixPower,
    *(Call(_A, n) for n in range(7)),
    *(Call(_STACK, n) for n in (1, 2, 5)),
    *(Call(_REGULAR, n) for n in (-1, -2, -3)),
    *(Call(Draw((1, 1)), 3), Call(Draw((0, 0)), 2), Call(Draw((0, 2, 2)), n=2)),
    Call(Draw((2, 1, 2, 2), plus=6.0 * np.eye(2)), n=-2),
    name="matrix_power",
)
