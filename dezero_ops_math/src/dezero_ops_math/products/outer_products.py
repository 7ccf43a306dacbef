"""Products of every element with every other."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from ..docstrings import documented


class Outer(Function):
    """d(a_i b_j) = da_i b_j + a_i db_j: each gradient is gy times the other vector."""

    def forward(self, a: Array, b: Array) -> Array:
        return np.outer(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, b = self.inputs[0].data, self.inputs[1].data
        of_a, of_b = self.needs_grad
        ga = gb = None
        if of_a:
            ga = np.dot(gy, np.reshape(b, (-1,))).reshape(np.shape(a))
        if of_b:
            gb = np.dot(np.reshape(a, (-1,)), gy).reshape(np.shape(b))
        return ga, gb


@documented
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
    """Axis t of y is axis t of a and, running faster, axis t of b; gradients sum over one."""

    def forward(self, a: Array, b: Array) -> Array:
        return np.kron(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
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


@documented
def kron(a: Operand, b: Operand) -> Variable:
    """Kronecker product, `b` times each element of `a`: ``np.kron``.

    a, b: of any shape; 1 is put before the shape of fewer dimensions.
    Returns: along each axis, as many elements as both operands have there, multiplied.
    Derivative: the blocks of the gradient, times the other operand and summed.
    Raises VariableTypeError (TypeError): if an operand is no number.
    Source: ``numpy.kron``; Van Loan 2000.

    >>> kron(Variable(np.array([1.0, 2.0])), np.array([3.0, 4.0]))
    variable([3. 4. 6. 8.])
    """
    return Kron()(a, b)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    shapes: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
        ((2,), (3,)),
        ((2, 3), (2,)),
        ((2,), (3, 2)),
        ((2, 2), (2, 3)),
        ((2, 1, 2), (2,)),
        ((3,), (1, 2, 2)),
        ((), (2, 3)),
        ((2,), ()),
        ((), ()),
        ((0,), (3,)),
        ((2, 0), (2, 2)),
    )
    calls = tuple(Call(Draw(a), Draw(b)) for a, b in shapes)
    calls += Call(2.0, Draw((2,))), Call(Draw((1, 2)), 3.0)
    sample = Sample(calls, complex=True)
    register("outer", outer, Outer, numpy=np.outer, sample=sample)
    register("kron", kron, Kron, numpy=np.kron, sample=sample)
