"""Matrices that are made of fewer numbers: along diagonals, or of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from dezero_ops_math.declaring import Call, Draw, LinearMap, applying
from dezero_ops_math.gradients import summed_to

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from .systems import STACKS
from .systems import documented as documented

_NDARRAYS = "numpy: SciPy makes ndarrays of its arguments"

#: SciPy itself takes stacks of vectors as of 1.17, and made one vector of them before.
_toeplitz: Any = np.vectorize(scipy.linalg.toeplitz, signature="(m),(n)->(m,n)")


class Toeplitz(LinearMap):
    """Element (i, j) is c[i - j] or, above the diagonal, r[j - i]."""

    arrays = _NDARRAYS

    def forward(self, c: Array, r: Array) -> Array:
        make = scipy.linalg.toeplitz if c.ndim == r.ndim == 1 else _toeplitz
        return make(c, r)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        sums, (m, n) = DiagonalSums().of(gy), gy.shape[-2:]
        c, r = self.inputs[0].shape, self.inputs[1].shape
        of_r = sums[..., m : m + n] * (np.arange(n) > 0)  # the first of r is not used
        return summed_to(sums[..., m:0:-1], c), summed_to(of_r, r)


class DiagonalSums(LinearMap):
    """The sums along the diagonals, from the lowest on, between two zeros: the main one at m."""

    arrays = _NDARRAYS

    def forward(self, x: Array) -> Array:
        m, n = x.shape[-2:]
        # From the last row on, each row begins one place later than that before it: so it is if
        # rows of one more element are read as rows of one less.
        stack, width = x.shape[:-2], m + n + 1
        rows = np.zeros((*stack, m, width + 1), x.dtype)
        rows[..., 1 : n + 1] = x[..., ::-1, :]
        flat = rows.reshape(*stack, m * (width + 1))[..., : m * width]
        return np.sum(flat.reshape(*stack, m, width), axis=-2)

    def backward(self, gy: Array) -> Array:
        m, n = self.inputs[0].shape[-2:]
        return Toeplitz().of(gy[..., m:0:-1], gy[..., m : m + n])


def _vector(x: Operand) -> Operand:
    """Return a number as a vector of length 1."""
    return np.reshape(x, (1,)) if np.ndim(x) == 0 else x


_C, _R = Draw((3,)), Draw((4,))


@applying(
    Toeplitz,
    *(Call(_C), Call(_C, _R), Call(_R, _C), Call(Draw((1,)), _R), Call(_C, Draw((1,)))),
    *(Call(Draw(()), Draw(())), Call(Draw((2, 3)), _R), Call(Draw((2, 2, 3)), Draw((2, 3)))),
    reference=lambda c, r=None: _toeplitz(
        np.atleast_1d(c), np.atleast_1d(np.conjugate(c) if r is None else r)
    ),
)
def toeplitz(c: Operand, r: Operand | None = None) -> Variable:
    """Toeplitz matrix, constant along its diagonals: ``scipy.linalg.toeplitz``.

    c: shape ``(m,)``, the first column. Its first element is that on the diagonal.
    r (Variable or ndarray, optional): shape ``(n,)``, the first row; the conjugate of `c` by
        default. Its first element is not used.
    Returns: shape ``(m, n)``.
    Derivative: sums along the diagonals.
    Raises ValueError: if the shapes of stacks do not broadcast.
    Source: ``scipy.linalg.toeplitz``.
    Note: stacks of vectors, ``(..., m)``, as SciPy takes them as of 1.17.

    >>> toeplitz(Variable(np.array([1.0, 2.0])), np.array([1.0, 5.0, 6.0]))
    variable([[1. 5. 6.]
              [2. 1. 5.]])
    """
    c = _vector(c)
    return Toeplitz()(c, np.conjugate(c) if r is None else _vector(r))


@applying(
    Toeplitz,
    *map(Call, (_C, Draw((1,)), Draw(()), Draw((2, 3)))),
    reference=lambda c: np.vectorize(scipy.linalg.circulant, signature="(n)->(n,n)")(
        np.atleast_1d(c)
    ),
)
def circulant(c: Operand) -> Variable:
    """Circulant matrix, whose columns are turned on by one each: ``scipy.linalg.circulant``.

    c: shape ``(n,)``, the first column.
    Returns: shape ``(n, n)``.
    Derivative: sums along the diagonals, which go on at the other side.
    Source: ``scipy.linalg.circulant``.
    Note: stacks of vectors, ``(..., n)``, as SciPy takes them as of 1.15.

    >>> circulant(Variable(np.array([1.0, 2.0, 3.0])))
    variable([[1. 3. 2.]
              [2. 1. 3.]
              [3. 2. 1.]])
    """
    c = _vector(c)
    return Toeplitz()(c, np.roll(np.flip(c, -1), 1, -1))


class BlockDiag(LinearMap):
    """Matrices one after the other along the diagonal."""

    arrays = _NDARRAYS

    def forward(self, *arrs: Array) -> Array:
        return scipy.linalg.block_diag(*arrs)

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        gradients, row, column = [], 0, 0
        for i, wanted in enumerate(self.needs_grad):
            given = self.inputs[i].shape
            m, n = (1, 1, *given)[-2:]
            block = gy[..., row : row + m, column : column + n]
            shape = given if len(given) > 1 else (m, n)
            gradients.append(summed_to(block, shape).reshape(given) if wanted else None)
            row, column = row + m, column + n
        return tuple(gradients)


@applying(
    BlockDiag,
    *(Call(Draw((2, 3)), Draw((1, 2))), Call(Draw((2, 2))), Call(Draw((2, 0)), Draw((2, 1)))),
    *(Call(Draw(()), Draw((2,)), Draw((2, 2))), Call(Draw((2, 2)), Draw((2, 2)), Draw((1, 1)))),
    *(Call(Draw((2, 1, 2)), Draw((2,))), Call(Draw((3, 1, 2, 1)), Draw((2, 1, 1)))) * STACKS,
    reference=scipy.linalg.block_diag,
)
def block_diag(*arrs: Operand) -> Variable:
    """Matrix of blocks along its diagonal, and 0 elsewhere: ``scipy.linalg.block_diag``.

    arrs (Variable or ndarray): shapes ``(m, n)``; ``(n,)`` is a row, and a number a block.
    Returns: as many rows and columns as all together.
    Derivative: that of each block is there where it stands.
    Raises ValueError: if one has more dimensions than SciPy takes, or those of stacks do not
        broadcast.
    Source: ``scipy.linalg.block_diag``.
    Note: stacks of matrices, ``(..., m, n)``, as far as SciPy takes them.

    >>> block_diag(Variable(np.array([[1.0, 2.0]])), 3.0)
    variable([[1. 2. 0.]
              [0. 0. 3.]])
    """
    return BlockDiag()(*arrs)
