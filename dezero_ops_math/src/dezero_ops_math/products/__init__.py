"""Products of vectors, matrices and more axes."""

from __future__ import annotations

from . import (
    affine,
    contractions,
    cross_products,
    inner_products,
    outer_products,
    stacks,
    summation,
    vectors,
)
from .affine import linear
from .contractions import tensordot
from .cross_products import cross
from .inner_products import dot, inner
from .outer_products import kron, outer
from .stacks import matvec, vecmat
from .summation import einsum
from .vectors import vdot, vecdot

FAMILIES = (
    inner_products,
    vectors,
    contractions,
    outer_products,
    cross_products,
    stacks,
    summation,
    affine,
)

__all__ = [
    "cross",
    "dot",
    "einsum",
    "inner",
    "kron",
    "linear",
    "matvec",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
    "vecmat",
]
