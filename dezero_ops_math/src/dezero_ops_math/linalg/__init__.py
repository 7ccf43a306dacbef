"""Linear algebra, under the names of ``numpy.linalg``."""

from __future__ import annotations

from . import (
    conditioning,
    contractions,
    determinants,
    diagonals,
    eigenvalues,
    hermitian,
    inverses,
    least_squares,
    matrix_products,
    norms,
    norms_by_kind,
    orthogonal,
    positive_definite,
    products,
    pseudoinverses,
    singular,
    singular_values,
    solvers,
)
from .conditioning import cond, matrix_rank
from .contractions import tensordot, vecdot
from .determinants import det, slogdet
from .diagonals import diagonal, trace
from .eigenvalues import eig, eigvals
from .hermitian import eigh, eigvalsh
from .inverses import inv, tensorinv
from .least_squares import lstsq
from .matrix_products import matrix_power, multi_dot
from .norms import norm
from .norms_by_kind import matrix_norm, vector_norm
from .orthogonal import qr
from .positive_definite import cholesky
from .products import cross, matmul, outer
from .pseudoinverses import pinv
from .singular import svd
from .singular_values import svdvals
from .solvers import solve, tensorsolve

FAMILIES = (
    conditioning,
    eigenvalues,
    hermitian,
    norms,
    norms_by_kind,
    orthogonal,
    singular,
    singular_values,
    products,
    contractions,
    matrix_products,
    inverses,
    pseudoinverses,
    determinants,
    diagonals,
    solvers,
    least_squares,
    positive_definite,
)

__all__ = [
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]
