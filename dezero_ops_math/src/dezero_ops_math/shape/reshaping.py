"""The same elements in another shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..docstrings import sharing

documented = sharing(
    """
    order ({"C", "F"}): whether the last or the first index runs fastest.
    """
)


class Reshape(Function):
    """The gradient is given the input's shape again."""

    saves = ()

    def __init__(self, shape: Any, order: Any, copy: bool | None = None) -> None:
        self.shape, self.order, self.copy = shape, order, copy

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        if self.copy is None:
            return np.reshape(x, self.shape, self.order)
        return np.reshape(x, self.shape, self.order, copy=self.copy)  # since NumPy 2.1

    def backward(self, gy: Array) -> Array:
        return np.reshape(gy, self.from_shape, self.order)


@documented
def reshape(a: Operand, /, shape: Any, order: Any = "C", *, copy: bool | None = None) -> Variable:
    """Give the elements another shape: ``np.reshape``, ``a.reshape(2, 3)``.

    shape (int or tuple of int): as many elements as `a` has; one length may be -1.
    copy: True copies the data always, False never, and raises instead; by default, if need be.
    Returns: a view of the data where NumPy gives one.
    Derivative: 1 for every element.
    Raises ValueError: if the number of elements differs, a copy is forbidden and needed, or for
        another `order`.
    Source: ``numpy.reshape``; DeZero's Reshape.

    >>> reshape(Variable(np.arange(4.0)), (2, 2))
    variable([[0. 1.]
              [2. 3.]])
    """
    return Reshape(shape, _fixed(order), copy)(a)


@documented
def ravel(a: Operand, order: Any = "C") -> Variable:
    """All elements along one axis: ``np.ravel``, ``a.ravel()``.

    Returns: a view of the data where NumPy gives one.
    Derivative: 1 for every element.
    Raises ValueError: for another `order`.

    >>> ravel(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), order="F")
    variable([1. 3. 2. 4.])
    """
    return Reshape(-1, _fixed(order))(a)


class Flatten(Reshape):
    """As `Reshape`, with data of its own."""

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        return x.flatten(self.order) if type(x) is np.ndarray else np.copy(np.ravel(x, self.order))


@documented
def flatten(x: Operand, order: Any = "C") -> Variable:
    """All elements along one axis, copied: ``x.flatten()``.

    Returns: a copy of the data.
    Derivative: 1 for every element.
    Raises ValueError: for another `order`.
    Source: ``numpy.ndarray.flatten``.

    >>> flatten(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([1. 2. 3. 4.])
    """
    return Flatten(-1, _fixed(order))(x)


def _fixed(order: Any) -> Any:
    """Return `order` unless its meaning depends on how the data lie in memory."""
    if order not in ("C", "F", "c", "f"):
        raise ValueError(
            f"order must be 'C' or 'F', got {order!r}: 'A' and 'K' depend on how the data lie in "
            "memory, and so would the values."
        )
    return order


def _reshaped(x: Variable, *shape: Any, order: Any = "C", copy: bool | None = None) -> Variable:
    """The method: the lengths may be given one by one; see `reshape`."""
    if not shape:
        raise TypeError("reshape() takes a shape, and none was given")  # as of an ndarray
    return reshape(x, shape[0] if len(shape) == 1 else shape, order, copy=copy)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a = Draw((2, 6))
    calls: tuple[Call, ...] = Call(a, (3, 4)), Call(a, -1), Call(a, [2, -1, 3])
    calls += Call(a, (4, 3), order="F"), Call(a, (4, 3), copy=True), Call(a, (2, 6), copy=False)
    calls += Call(Draw(), (1, 1)), Call(Draw((1,)), ()), Call(Draw((0, 3)), (3, 0))
    sample, bindings = Sample(calls, complex=True), {"reshape": _reshaped}
    register("reshape", reshape, Reshape, methods=bindings, numpy=np.reshape, sample=sample)
    shapes = Draw((2, 3)), Draw((2, 3, 4)), Draw(()), Draw((3,)), Draw((0, 2)), Draw((1, 1))
    calls = *(Call(shape) for shape in shapes), *(Call(shape, order="F") for shape in shapes)
    sample = Sample(calls, complex=True)
    register("ravel", ravel, Reshape, methods="ravel", numpy=np.ravel, sample=sample)
    sample = Sample(calls, reference=lambda x, order="C": x.flatten(order), complex=True)
    register("flatten", flatten, Flatten, methods="flatten", sample=sample)
