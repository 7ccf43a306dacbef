"""The operator ``@``."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand

from .broadcasting import SumTo


class _SwapLastAxes(Function):
    """Transposes each matrix of a stack."""

    saves = ()
    linear = True

    def forward(self, x: Array) -> Array:
        return np.swapaxes(x, -1, -2)

    def backward(self, gy: Array) -> Array:
        return _SwapLastAxes().of(gy)


class MatMul(Function):
    """d(X0 X1) = dX0 X1 + X0 dX1, so gX0 = gY X1^T and gX1 = X0^T gY."""

    saves = ("other inputs",)
    multilinear = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.matmul(x0, x1)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x0, x1 = self.inputs
        of_x0, of_x1 = self.needs_grad
        # NumPy reads a vector as one row on the left, as one column on the right.
        row, column = len(x0.shape) == 1, len(x1.shape) == 1
        if row and column:
            return gy * x1.data if of_x0 else None, gy * x0.data if of_x1 else None
        if column:
            gy = gy[..., None]
        if row:
            gy = gy[..., None, :]
        gx0 = gx1 = None
        if of_x0:
            gx0 = gy @ _transposed(x1.data[:, None] if column else x1.data)
            gx0 = _of_shape(gx0[..., 0, :] if row else gx0, x0.shape)
        if of_x1:
            gx1 = _transposed(x0.data[None, :] if row else x0.data) @ gy
            gx1 = _of_shape(gx1[..., 0] if column else gx1, x1.shape)
        return gx0, gx1


def _transposed(x: Array) -> Array:
    return x.mT if isinstance(x, np.ndarray) else _SwapLastAxes().of(x)


def _of_shape(gx: Array, shape: tuple[int, ...]) -> Array:
    # A stack of matrices may have been broadcast while the matrices themselves were not;
    # the engine knows only the output's shape, so this sum is the operation's own.
    return gx if gx.shape == shape else SumTo(shape).of(gx)


def matmul(x0: Operand, x1: Operand) -> Variable:
    """Matrix product, of stacks of matrices too: ``x0 @ x1``, ``np.matmul``.

    Parameters
    ----------
    x0, x1 : Variable or ndarray
        Shapes ``(..., m, k)`` and ``(..., k, n)``, or ``(k,)`` for a vector.

    Returns
    -------
    Variable
        Shape ``(..., m, n)``, without the axis of a vector. Derivative: ``gy @ x1.T, x0.T @ gy``.

    Raises
    ------
    ValueError
        If the shapes do not fit, or an operand is a scalar.

    Notes
    -----
    Source: ``numpy.matmul``; DeZero's MatMul; Giles 2008, section 2.2.

    Examples
    --------
    >>> x, w = Variable(np.array([[1.0, 2.0]])), Variable(np.array([[3.0], [4.0]]))
    >>> y = matmul(x, w)
    >>> y.backward()
    >>> y, x.grad
    (variable([[11.]]), array([[3., 4.]]))
    """
    return MatMul()(x0, x1)


def rmatmul(x0: Operand, x1: Operand) -> Variable:
    """``x1 @ x0``, with `x0` on the right; see `matmul`."""
    return matmul(x1, x0)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""
    shapes: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
        ((2, 3), (3, 2)),
        ((3,), (3,)),
        ((3,), (3, 2)),
        ((2, 3), (3,)),
        ((2, 2, 3), (2, 3, 2)),
        ((2, 3), (4, 3, 2)),
        ((4, 2, 3), (3,)),
        ((3,), (4, 3, 2)),
        ((2, 1, 2, 3), (3, 3, 2)),
        ((0, 3), (3, 2)),
        ((2, 0), (0, 3)),
    )

    def sample(kit: Any) -> Any:
        calls = (kit.Call(kit.Draw(left), kit.Draw(right)) for left, right in shapes)
        return kit.Sample(*calls, complex=True)

    bindings = {"__matmul__": MatMul, "__rmatmul__": rmatmul}
    register("matmul", matmul, MatMul, dunders=bindings, numpy=np.matmul, sample=sample)
