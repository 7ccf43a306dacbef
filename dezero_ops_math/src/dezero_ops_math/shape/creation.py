"""Arrays in the shape of a Variable, which do not depend on its values; and its copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable, VariableTypeError
from dezero_core.extend import Array, Operand, call_by_type

from ..docstrings import sharing

documented = sharing(
    """
    dtype (data-type, optional): as in NumPy.
    order ({"K", "A", "C", "F"}): as in NumPy.
    subok: as in NumPy.
    shape (int or sequence of int, optional): as in NumPy.
    device ({"cpu"}, optional): as in NumPy.
    """
)


@documented
def zeros_like(
    a: Operand,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    """Zeros in the shape and dtype of `a`: ``np.zeros_like``.

    Returns (ndarray): it does not depend on the values of `a`.
    Raises TypeError: if NumPy has no such dtype.

    >>> zeros_like(Variable(np.array([1.0, 2.0])))
    array([0., 0.])
    """
    return call_by_type(np.zeros_like, (values(a), dtype, order, subok, shape), {"device": device})


@documented
def ones_like(
    a: Operand,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    """Ones in the shape and dtype of `a`: ``np.ones_like``.

    Returns (ndarray): it does not depend on the values of `a`.
    Raises TypeError: if NumPy has no such dtype.

    >>> ones_like(Variable(np.array([1.0, 2.0])))
    array([1., 1.])
    """
    return call_by_type(np.ones_like, (values(a), dtype, order, subok, shape), {"device": device})


@documented
def empty_like(
    prototype: Operand,
    /,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    """An array in the shape and dtype of `prototype`, not filled: ``np.empty_like``.

    Returns (ndarray): of any values.
    Raises TypeError: if NumPy has no such dtype.

    >>> empty_like(Variable(np.array([1.0, 2.0]))).shape
    (2,)
    """
    return call_by_type(
        np.empty_like, (values(prototype), dtype, order, subok, shape), {"device": device}
    )


def values(x: Operand) -> Any:
    """Return the data of a Variable, anything else as it is."""
    return x.data if isinstance(x, Variable) else x


@documented
def full_like(
    a: Operand,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    """An array in the shape and dtype of `a`, filled: ``np.full_like``.

    fill_value (number or array_like): broadcast to the shape.
    Returns (ndarray): it does not depend on the values of `a`.
    Raises TypeError: if NumPy has no such dtype.
    Raises VariableTypeError (TypeError): if `fill_value` is a Variable.

    >>> full_like(Variable(np.array([1.0, 2.0])), 7.0)
    array([7., 7.])
    """
    if isinstance(fill_value, Variable):
        raise VariableTypeError(
            "np.full_like gives an ndarray, and a Variable for 'fill_value' would get no "
            "gradient. Write np.broadcast_to(fill_value, a.shape), or give fill_value.data.",
            got=type(fill_value),
        )
    return call_by_type(
        np.full_like, (values(a), fill_value, dtype, order, subok, shape), {"device": device}
    )


class Copy(Function):
    """The gradient is passed on."""

    saves = ()
    elementwise = True

    def __init__(self, order: Any) -> None:
        self.order = order

    def forward(self, x: Array) -> Array:
        return np.copy(x, self.order)

    def backward(self, gy: Array) -> Array:
        return gy


@documented
def copy(a: Operand, order: Any = "K", subok: bool = False) -> Variable:
    """A Variable of its own with the same values: ``np.copy``, ``x.copy()``.

    order ({"K", "A", "C", "F"}): how the copied data lie in memory.
    subok: without effect: the data of a Variable are plain arrays.
    Returns: part of the graph, as any result; for the values alone, ``x.data.copy()``.
    Derivative: 1 for every element.
    Raises ValueError: for another `order`.

    >>> x = Variable(np.array([1.0, 2.0]))
    >>> y = copy(x)
    >>> y.backward()
    >>> x.grad
    array([1., 1.])
    """
    return Copy(order)(a)


def _copied(x: Variable, order: Any = "C") -> Variable:
    """The method, with the order it has of an ndarray; see `copy`."""
    return copy(x, order)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a, point, empty = Draw((2, 3)), Draw(), Draw((0, 2))
    calls: tuple[Call, ...] = Call(a), Call(a, int), Call(a, dtype=np.float32, order="F")
    calls += Call(point), Call(empty), Call(a, shape=(2, 2))
    calls += Call(a, None, "C", True, 3), Call(a, device="cpu")
    for function, of_numpy in ((zeros_like, np.zeros_like), (ones_like, np.ones_like)):
        register(
            function.__name__, function, differentiable=False, numpy=of_numpy, sample=Sample(calls)
        )
    # With elements, no two results of np.empty_like need be equal.
    calls = Call(empty), Call(a, shape=0), Call(a, complex, shape=(2, 0)), Call(empty, device="cpu")
    register(
        "empty_like",
        empty_like,
        differentiable=False,
        numpy=np.empty_like,
        sample=Sample(calls),
    )

    calls = Call(a, 2.0), Call(a, 2, int), Call(a, [1.0, 2.0, 3.0], order="F")
    calls += Call(a, fill_value=5, shape=(3, 1)), Call(a, True, device="cpu")
    calls += Call(point, 1j, "c8"), Call(empty, np.nan)
    register("full_like", full_like, differentiable=False, numpy=np.full_like, sample=Sample(calls))

    calls = Call(a), Call(point), Call(empty)
    calls += Call(a, "F"), Call(a, order="A")
    sample, bindings = Sample(calls, complex=True), {"copy": _copied}
    register("copy", copy, Copy, methods=bindings, numpy=np.copy, sample=sample)
