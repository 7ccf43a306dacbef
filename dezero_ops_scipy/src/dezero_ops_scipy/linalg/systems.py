"""Linear systems of a matrix, triangles of products, and the fields that docstrings share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from dezero_ops_math.docstrings import sharing
from dezero_ops_math.gradients import conjugated, summed_to
from dezero_ops_math.linalg.spectra import swapped
from scipy.linalg.blas import get_blas_funcs

from dezero_core import Function
from dezero_core.extend import Array

from ..plugin import RELEASE

LAPACK = "numpy: SciPy computes it with LAPACK"

STACKS = RELEASE >= (1, 16)
"""Whether all functions of this SciPy take stacks of matrices, and empty arrays."""

documented = sharing(
    """
    lower (bool): read the lower triangle; by default, the upper one.
    overwrite_a, overwrite_b, overwrite_ab (bool): without effect: a Variable's data are shared.
    check_finite (bool): raise a ValueError if there is an inf or a nan.
    Raises ValueError: if the shapes do not fit, or there is an inf or a nan.
    """
)


class System(Function):
    """Solution x of ``A x = b``, where A is made of the first operand, and b is the second.

    The right-hand sides are the columns of b, or b itself if it has one dimension. From
    ``A dx = db - dA x`` follows gA = -gb x^T, where A^T gb = gx.

    Attributes
    ----------
    adjoint_solution : method
        Takes gx, and returns the solution of ``A^T gb = gx``.
    of_matrix : method
        Takes b, x, gx and gb, and returns the gradient of the array of which A is made.
    """

    saves = ("inputs", "outputs")
    arrays = LAPACK
    adjoint_solution: Callable[[Array], Array]
    of_matrix: Callable[[Array, Array, Array, Array], Array]

    def backward(self, gx: Array) -> tuple[Array | None, ...]:
        b, x = self.inputs[1].data, self.outputs[0]().data
        vector = b.ndim == 1
        if vector:
            b, x, gx = b[..., None], x[..., None], gx[..., None]
        gb = self.adjoint_solution(gx)
        ga = self.of_matrix(b, x, gx, gb) if self.needs_grad[0] else None
        others = [None for _ in self.inputs[2:]]
        return fitted((ga, gb[..., 0] if vector else gb, *others), self.inputs)


class HermitianSystem(System):
    """That of a Hermitian A: its transpose is its conjugate. One triangle is read, or a factor."""

    def __init__(self, lower: Any, check_finite: Any = False) -> None:
        self.lower, self.check_finite = lower, check_finite

    def adjoint_solution(self, gx: Array) -> Array:
        return conjugated(type(self)(self.lower).of(self.inputs[0].data, conjugated(gx)))


class Outer(Function):
    """The lower or upper triangle of ``x @ y.T``: the products of columns, added up."""

    arrays = LAPACK

    def __init__(self, lower: Any, without_diagonal: Any = False) -> None:
        self.lower, without = lower, int(without_diagonal)
        #: The highest diagonal that belongs to the lower part.
        self.highest = -without if lower else without - 1

    def forward(self, x: Array, y: Array) -> Array:
        if x.ndim > 2 or not x.size * y.size:
            product = x @ swapped(y)
        else:
            # By SciPy's BLAS as all the rest: NumPy has one of its own, and the threads of both
            # would get in each other's way.
            product = get_blas_funcs("gemm", (x, y))(1.0, y, x, trans_b=True).T
        lower = np.tri(product.shape[-1], k=self.highest, dtype=bool)
        np.copyto(product, 0.0, where=~lower if self.lower else lower)
        return product

    def backward(self, gy: Array) -> tuple[Array, Array]:
        x, y = (x.data for x in self.inputs)
        gy = np.tril(gy, self.highest) if self.lower else np.triu(gy, self.highest + 1)
        return gy @ y, swapped(gy) @ x


def fitted(gradients: tuple[Any, ...], inputs: Any) -> tuple[Array | None, ...]:
    """Return gradients in the shapes of the inputs, each of which may be shared by a stack."""
    pairs = zip(gradients, inputs, strict=True)
    return tuple(None if g is None else summed_to(g, x.shape) for g, x in pairs)


def in_single(x: Array, *operands: Array) -> Array:
    """Return a result in single precision, if its operands are so and SciPy made it double."""
    if np.result_type(*operands).char not in "fF":
        return x
    return x.astype(np.complex64 if np.iscomplexobj(x) else np.float32, copy=False)
