"""The product that is at right angles to both vectors."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..broadcasting import summed_to
from ..docstrings import documented


class Cross(Function):
    """d(a x b) = da x b + a x db, and gy (da x b) = da (b x gy)."""

    #: Of two vectors in a plane there is one component, the third, and no axis.
    flat = False

    def __init__(self, axisa: int, axisb: int, axisc: int) -> None:
        self.axisa, self.axisb, self.axisc = axisa, axisb, axisc

    def forward(self, a: Array, b: Array) -> Array:
        y = np.cross(a, b, self.axisa, self.axisb, self.axisc)
        self.flat = np.shape(a)[self.axisa] == np.shape(b)[self.axisb] == 2
        return y

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a = _moved(self.inputs[0].data, self.axisa, -1)
        b = _moved(self.inputs[1].data, self.axisb, -1)
        of_a, of_b = self.needs_grad
        gy = _raised(gy[..., None], 2) if self.flat else _moved(gy, self.axisc, -1)
        ga = gb = None
        if of_a:
            ga = np.cross(_in_space(b), gy)[..., : a.shape[-1]]
            ga = _moved(summed_to(ga, a.shape), -1, self.axisa)
        if of_b:
            gb = np.cross(gy, _in_space(a))[..., : b.shape[-1]]
            gb = _moved(summed_to(gb, b.shape), -1, self.axisb)
        return ga, gb


@documented
def cross(
    a: Array,
    b: Array,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Variable:
    """Cross product of vectors: ``np.cross``.

    a, b: vectors of three components; the shapes of the stacks broadcast. NumPy warns of two
        components, and takes the third to be 0.
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
    if axis is not None:
        axisa = axisb = axisc = axis
    return Cross(axisa, axisb, axisc)(a, b)


def _moved(x: Array, axis: int, to: int) -> Array:
    return x if axis == to else np.moveaxis(x, axis, to)


def _in_space(x: Array) -> Array:
    """Give vectors of two components a third, 0."""
    return x if x.shape[-1] == 3 else _raised(x, 0)


def _raised(x: Array, before: int) -> Array:
    """Append zeros on the last axis, or put them before it, to make three components."""
    zeros = np.zeros((*x.shape[:-1], 3 - x.shape[-1]), x.dtype)
    return np.concatenate((zeros, x) if before else (x, zeros), axis=-1)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""
    vector, matrix, stack = Draw((3,)), Draw((2, 3)), Draw((4, 2, 3))
    calls = (
        Call(vector, vector),
        Call(matrix, matrix),
        Call(matrix, vector),
        Call(vector, stack),
        Call(Draw((4, 1, 3)), matrix),
        Call(Draw((1, 3)), vector),
        Call(Draw((3, 2)), matrix, 0),
        Call(matrix, Draw((3, 2)), axisb=0),
        Call(Draw((2, 3, 4)), Draw((2, 4, 3)), axisa=1, axisb=2, axisc=0),
        Call(Draw((3, 4)), Draw((3, 4)), axis=0),
        Call(stack, stack, axisc=-2),
        Call(Draw((0, 3)), vector),
    )
    register("cross", cross, Cross, numpy=np.cross, sample=Sample(calls, complex=True))
