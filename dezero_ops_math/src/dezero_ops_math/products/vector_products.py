"""Products of vectors: outer products, cross products, and those with stacks of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from ..declaring import Call, Draw, Sample, applying, operation
from ..gradients import conjugated, summed_to
from .inner_products import moved

_SHAPES: Any = (
    *(((2,), (3,)), ((2, 3), (2,)), ((2,), (3, 2)), ((2, 2), (2, 3)), ((2, 1, 2), (2,))),
    *(((3,), (1, 2, 2)), ((), (2, 3)), ((2,), ()), ((), ()), ((0,), (3,)), ((2, 0), (2, 2))),
)
_SAMPLE = Sample(
    *(Call(Draw(a), Draw(b)) for a, b in _SHAPES),
    *(Call(2.0, Draw((2,))), Call(Draw((1, 2)), 3.0)),
    complex=True,
)


class Outer(Function):
    """d(a_i b_j) = da_i b_j + a_i db_j: each gradient is gy times the other vector."""

    multilinear = True

    def forward(self, a: Array, b: Array) -> Array:
        return np.outer(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, b = self.inputs[0].data, self.inputs[1].data
        of_a, of_b = self.needs_grad
        return (
            np.dot(gy, np.reshape(b, (-1,))).reshape(np.shape(a)) if of_a else None,
            np.dot(np.reshape(a, (-1,)), gy).reshape(np.shape(b)) if of_b else None,
        )


@applying(Outer, _SAMPLE)
def outer(a: Operand, b: Operand, out: None = None) -> Variable:
    """Product of each element of `a` with each of `b`: ``np.outer``.

    a, b: of any shape, which does not matter.
    Returns: a matrix.
    Derivative: ``gy @ b`` and ``a @ gy``.
    Raises VariableTypeError (TypeError): if an operand is no number.

    >>> outer(Variable(np.array([1.0, 2.0])), np.array([3.0, 4.0]))
    variable([[3. 4.]
              [6. 8.]])
    """
    refuse_out("outer", out)
    return Outer()(a, b)


class Kron(Function):
    """Kronecker product, `b` times each element of `a`: ``np.kron``.

    a, b: of any shape; 1 is put before the shape of fewer dimensions.
    Returns: along each axis, as many elements as both operands have there, multiplied.
    Derivative: the blocks of the gradient, times the other operand and summed.
    Raises VariableTypeError (TypeError): if an operand is no number.
    Source: ``numpy.kron``; Van Loan 2000.

    >>> kron(Variable(np.array([1.0, 2.0])), np.array([3.0, 4.0]))
    variable([3. 4. 6. 8.])
    """

    multilinear = True

    def forward(self, a: Operand, b: Operand) -> Array:
        return np.kron(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        # Axis t of y is axis t of a and, running faster, axis t of b; gradients sum over one.
        a, b = self.inputs[0].data, self.inputs[1].data
        of_a, of_b = self.needs_grad
        ndim = gy.ndim
        shape_a = (1,) * (ndim - np.ndim(a)) + np.shape(a)
        shape_b = (1,) * (ndim - np.ndim(b)) + np.shape(b)
        both = tuple(n for pair in zip(shape_a, shape_b, strict=True) for n in pair)
        gy = gy.reshape(both)
        all_axes = range(ndim)
        ga = gb = None
        if of_a:
            axes = range(1, 2 * ndim, 2), all_axes
            ga = np.tensordot(gy, np.reshape(b, shape_b), axes).reshape(np.shape(a))
        if of_b:
            axes = range(0, 2 * ndim, 2), all_axes
            gb = np.tensordot(gy, np.reshape(a, shape_a), axes).reshape(np.shape(b))
        return ga, gb


_VECTOR, _MATRIX, _STACK = Draw((3,)), Draw((2, 3)), Draw((4, 2, 3))


class Cross(Function):
    """Cross product of vectors: ``np.cross``.

    a, b: vectors of three components, or two, with a warning, in stacks that broadcast.
    axisa, axisb: the axis along which the vectors of `a`, and those of `b`, lie.
    axisc: the same of the result.
    axis: stands for all three.
    Returns: vectors; numbers, their third component, if both operands have two.
    Derivative: the cross products of `b` with the gradient, and of the gradient with `a`.
    Raises ValueError: if there are other than two or three components.
    Raises AxisError (ValueError, IndexError): if an operand has no such axis.
    Source: ``numpy.cross``; NIST DLMF 1.6(i).

    >>> cross(Variable(np.array([1.0, 0.0, 0.0])), np.array([0.0, 1.0, 0.0]))
    variable([0. 0. 1.])
    """

    multilinear = True

    #: Of two vectors in a plane there is one component, the third, and no axis.
    flat = False

    def __init__(
        self, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
    ) -> None:
        if axis is not None:
            axisa = axisb = axisc = axis
        self.axisa, self.axisb, self.axisc = axisa, axisb, axisc

    def forward(self, a: Array, b: Array) -> Array:
        y = np.cross(a, b, self.axisa, self.axisb, self.axisc)
        self.flat = np.shape(a)[self.axisa] == np.shape(b)[self.axisb] == 2
        return y

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        # d(a x b) = da x b + a x db, and gy (da x b) = da (b x gy).
        a = moved(self.inputs[0].data, self.axisa, -1)
        b = moved(self.inputs[1].data, self.axisb, -1)
        of_a, of_b = self.needs_grad
        gy = _raised(gy[..., None], 2) if self.flat else moved(gy, self.axisc, -1)
        ga = gb = None
        if of_a:
            ga = np.cross(_in_space(b), gy)[..., : a.shape[-1]]
            ga = moved(summed_to(ga, a.shape), -1, self.axisa)
        if of_b:
            gb = np.cross(gy, _in_space(a))[..., : b.shape[-1]]
            gb = moved(summed_to(gb, b.shape), -1, self.axisb)
        return ga, gb


class MatVec(Function):
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

    multilinear = True

    def forward(self, x1: Array, x2: Array, /) -> Array:
        return np.matvec(x1, x2)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, v = self.inputs[0].data, self.inputs[1].data
        of_a, of_v = self.needs_grad
        return (
            summed_to(gy[..., :, None] * v[..., None, :], a.shape) if of_a else None,
            summed_to((gy[..., None, :] @ a)[..., 0, :], v.shape) if of_v else None,
        )


class VecMat(Function):
    """Product of vectors, conjugated, with matrices: ``np.vecmat``, of NumPy 2.2 and later.

    x1: vectors, of shape ``(..., n)``.
    x2: matrices, of shape ``(..., n, m)``.
    Returns: shape ``(..., m)``.
    Derivative of real operands: `x2` times the gradient, and the outer product of `x1` with it.
    Raises ValueError: if the lengths differ, or the stacks do not broadcast.
    Raises AttributeError: if NumPy has no such function.

    >>> vecmat(Variable(np.array([1.0, 10.0])), np.array([[1.0, 2.0], [3.0, 4.0]]))
    variable([31. 42.])
    """

    multilinear = True

    def forward(self, x1: Array, x2: Array, /) -> Array:
        return np.vecmat(x1, x2)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        v, a = self.inputs[0].data, self.inputs[1].data
        of_v, of_a = self.needs_grad
        return (
            summed_to(conjugated((a @ gy[..., :, None])[..., 0]), v.shape) if of_v else None,
            summed_to(conjugated(v)[..., :, None] * gy[..., None, :], a.shape) if of_a else None,
        )


kron = operation(Kron, _SAMPLE)
cross = operation(
    Cross,
    *(Call(_VECTOR, _VECTOR), Call(_MATRIX, _MATRIX), Call(_MATRIX, _VECTOR)),
    *(Call(_VECTOR, _STACK), Call(Draw((4, 1, 3)), _MATRIX), Call(Draw((1, 3)), _VECTOR)),
    *(Call(Draw((3, 2)), _MATRIX, 0), Call(_MATRIX, Draw((3, 2)), axisb=0)),
    Call(Draw((2, 3, 4)), Draw((2, 4, 3)), axisa=1, axisb=2, axisc=0),
    *(Call(Draw((3, 4)), Draw((3, 4)), axis=0), Call(_STACK, _STACK, axisc=-2)),
    Call(Draw((0, 3)), _VECTOR),
)


def _in_space(x: Array) -> Array:
    """Give vectors of two components a third, 0."""
    return x if x.shape[-1] == 3 else _raised(x, 0)


def _raised(x: Array, before: int) -> Array:
    """Append zeros on the last axis, or put them before it, to make three components."""
    zeros = np.zeros((*x.shape[:-1], 3 - x.shape[-1]), x.dtype)
    return np.concatenate((zeros, x) if before else (x, zeros), axis=-1)


_OF_STACKS: Any = (
    *(((2, 3), (3,)), ((4, 2, 3), (3,)), ((2, 3), (4, 3)), ((4, 1, 2, 3), (2, 3))),
    *(((1, 2, 3), (3,)), ((1, 1), (1,)), ((0, 3), (3,)), ((2, 0), (0,))),
)
_TURNED = [(v, (*a[:-2], a[-1], a[-2])) for a, v in _OF_STACKS]

matvec = operation(MatVec, *(Call(Draw(a), Draw(v)) for a, v in _OF_STACKS))
vecmat = operation(VecMat, *(Call(Draw(v), Draw(a)) for v, a in _TURNED))
