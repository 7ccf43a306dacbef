"""Singular values alone."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import documented
from .singular import Svdvals


@documented
def svdvals(x: Array, /) -> Variable:
    """Singular values, descending: ``np.linalg.svdvals``.

    x: shape ``(..., m, n)``.
    Returns: shape ``(..., min(m, n))``, real.
    Derivative: ``u v*`` for the singular value of the vectors ``u`` and ``v``; 0 for one that is 0,
        as of the absolute value. Where several are equal it is right for a loss that treats them
        alike.
    Raises LinAlgError (ValueError): if `x` is no matrix, or the computation does not converge.
    Source: Giles 2008, section 3.2. Second derivatives where singular values are equal or 0 are
        nan, as those of `svd`.

    >>> x = Variable(np.array([[0.0, 3.0], [2.0, 0.0]]))
    >>> s = svdvals(x)
    >>> s.backward()
    >>> s, x.grad
    (variable([3. 2.]), array([[0., 1.],
           [1., 0.]]))
    """
    return Svdvals(False)(x)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""

    def apart(x: Array) -> Array:
        s = np.linalg.svd(x, compute_uv=False)
        return np.concatenate([np.ravel(s), np.ravel(-np.diff(s))]) / 2.0

    shapes = (3, 3), (3, 2), (2, 4), (1, 1), (2, 2, 2), (2, 1, 3, 2), (0, 0), (0, 2), (2, 3, 0)
    sample = Sample(tuple(Call(Draw(shape)) for shape in shapes), apart=apart, complex=True)
    register("linalg.svdvals", svdvals, Svdvals, numpy=np.linalg.svdvals, sample=sample)
