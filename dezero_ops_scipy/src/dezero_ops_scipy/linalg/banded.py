"""Linear systems of matrices that have few diagonals, which are stored as rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from dezero_ops_math.declaring import Call, Draw, applying
from dezero_ops_math.gradients import conjugated
from dezero_ops_math.linalg.spectra import swapped

from dezero_core import Variable
from dezero_core.extend import Array

from ..arguments import refuse_derivative
from .systems import STACKS, HermitianSystem, System
from .systems import documented as documented


class SolveBanded(System):
    """The system of A with ``ab[u + i - j, j] == A[i, j]``."""

    def __init__(self, lower: int, upper: int, check_finite: Any = False) -> None:
        self.lower, self.upper, self.check_finite = lower, upper, check_finite

    def forward(self, ab: Array, b: Array) -> Array:
        widths = self.lower, self.upper
        return scipy.linalg.solve_banded(widths, ab, b, check_finite=self.check_finite)

    def adjoint_solution(self, gx: Array) -> Array:
        # Of the transposed matrix the lowest diagonal becomes the first, from its first element on.
        rows, n = _wide(self.inputs[0].data, self.lower, self.upper), gx.shape[-2]
        turned = [rows[..., -1 - k, k : k + n] for k in range(self.lower + self.upper + 1)]
        return SolveBanded(self.upper, self.lower).of(np.stack(turned, axis=-2), gx)

    def of_matrix(self, b: Array, x: Array, gx: Array, gb: Array) -> Array:
        return -_band(gb, x, self.lower, self.upper)


class SolvehBanded(HermitianSystem):
    """The system of a matrix of which one triangle is stored."""

    def forward(self, ab: Array, b: Array) -> Array:
        return scipy.linalg.solveh_banded(ab, b, lower=self.lower, check_finite=self.check_finite)

    def of_matrix(self, b: Array, x: Array, gx: Array, gb: Array) -> Array:
        rows = self.inputs[0].shape[-2]
        lower, upper = (rows - 1, 0) if self.lower else (0, rows - 1)
        # Each element stands for itself, and its conjugate for that across the diagonal.
        ga = _band(gb, x, lower, upper) + _band(conjugated(x), conjugated(gb), lower, upper)
        halves = np.where(np.arange(rows) == upper, 0.5, 1.0).astype(ga.real.dtype)
        return -ga * halves[:, None]


def _wide(x: Array, left: int, right: int) -> Array:
    """Return rows with zeros before and behind them."""
    around = [np.zeros((*x.shape[:-1], n), x.dtype) for n in (left, right)]
    return np.concatenate((around[0], x, around[1]), axis=-1)


def _band(x: Array, y: Array, lower: int, upper: int) -> Array:
    """Return the diagonals of ``x @ y.T`` as they are stored, 0 where nothing is."""
    rows, columns = _wide(swapped(x), upper, lower), swapped(y)
    n = columns.shape[-1]
    diagonals = [rows[..., k : k + n] * columns for k in range(lower + upper + 1)]
    return np.stack([np.sum(each, axis=-2) for each in diagonals], axis=-2)


def _draw(shape: tuple[int, ...], diagonal: int) -> Any:
    plus = np.zeros(shape[-2:])
    plus[diagonal] = 8.0
    return Draw(shape, (-1.0, 1.0), plus=plus)


_B, _B_STACK, _ROWS = Draw((4, 2)), Draw((2, 4, 2)), Draw((4,))


@applying(
    SolveBanded,
    *(Call((1, 1), _draw((3, 4), 1), b) for b in (_ROWS, _B)),
    *(Call((2, 1), _draw((4, 4), 1), _ROWS), Call((0, 2), _draw((3, 4), 2), _B)),
    Call((1, 0), _draw((2, 4), 0), _B),
    Call((1, 1), _draw((3, 4), 1), _B, overwrite_ab=False, overwrite_b=False, check_finite=False),
    *(Call((1, 1), _draw((2, 3, 4), 1), _ROWS), Call((1, 1), _draw((3, 4), 1), _B_STACK)) * STACKS,
    *(Call((1, 1), _draw((3, 4), 1), Draw((4, 0))),) * STACKS,
    reference=scipy.linalg.solve_banded,
)
def solve_banded(
    l_and_u: tuple[int, int],
    ab: Array,
    b: Array,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Variable:
    """Solution x of ``a @ x == b`` for a band matrix: ``scipy.linalg.solve_banded``.

    l_and_u (tuple of int): how many diagonals are below and above the main one.
    ab: shape ``(l + u + 1, n)``, the diagonals: ``ab[u + i - j, j] == a[i, j]``.
    b: shape ``(n,)`` or ``(n, k)``.
    Returns: shape of `b`.
    Derivative: as of `solve_triangular`; 0 for the elements of `ab` that stand for nothing.
    Raises LinAlgError (ValueError): if the matrix is singular.
    Source: Giles 2008, section 2.3.
    Note: stacks, ``(..., l + u + 1, n)``, as far as SciPy takes them.

    >>> ab = Variable(np.array([[0.0, 1.0], [2.0, 4.0]]))
    >>> x = solve_banded((0, 1), ab, np.array([4.0, 8.0]))
    >>> x.backward()
    >>> x, ab.grad
    (variable([1. 2.]), array([[-0.  , -1.  ],
           [-0.5 , -0.25]]))
    """
    lower, upper = l_and_u
    refuse_derivative("linalg.solve_banded", l=lower, u=upper)
    return SolveBanded(int(lower), int(upper), check_finite)(ab, b)


@applying(
    SolvehBanded,
    *(Call(_draw((rows, 4), rows - 1), _B) for rows in (1, 2, 3)),
    *(Call(_draw((rows, 4), 0), _ROWS, lower=True) for rows in (1, 2, 3)),
    Call(_draw((2, 4), 1), _B, overwrite_ab=False, overwrite_b=False, check_finite=False),
    *(Call(_draw((2, 3, 4), 2), _ROWS), Call(_draw((2, 4), 1), _B_STACK)) * STACKS,
    reference=scipy.linalg.solveh_banded,
)
def solveh_banded(
    ab: Array,
    b: Array,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    lower: bool = False,
    check_finite: bool = True,
) -> Variable:
    """Solution x of ``a @ x == b`` for a positive definite one: ``scipy.linalg.solveh_banded``.

    ab: shape ``(u + 1, n)``, the diagonals from the uppermost to the main one:
        ``ab[u + i - j, j] == a[i, j]``. Those across the diagonal are their conjugates.
    b: shape ``(n,)`` or ``(n, k)``.
    lower (bool): the diagonals are the main one and those below: ``ab[i - j, j] == a[i, j]``.
    Returns: shape of `b`.
    Derivative: as of `cho_solve`; 0 for the elements of `ab` that stand for nothing.
    Raises LinAlgError (ValueError): if the matrix is not positive definite.
    Source: Giles 2008, section 2.3.
    Note: stacks, ``(..., u + 1, n)``, as far as SciPy takes them.

    >>> ab, b = Variable(np.array([[0.0, 2.0], [4.0, 5.0]])), np.array([8.0, 12.0])
    >>> solveh_banded(ab, b)
    variable([1. 2.])
    """
    return SolvehBanded(lower, check_finite)(ab, b)
