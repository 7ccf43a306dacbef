"""The pair that repeats an array along axes and sums it back."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand
from dezero_core.extend import sum_to as sum_array_to


class BroadcastTo(Function):
    """Repeats; its gradient sums, which the engine does wherever shapes were broadcast."""

    saves = ()
    linear = True

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def forward(self, x: Array) -> Array:
        return np.broadcast_to(x, self.shape)

    def backward(self, gy: Array) -> Array:
        return gy


class SumTo(Function):
    """Sums; its gradient repeats."""

    saves = ()
    linear = True

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        return sum_array_to(x if hasattr(x, "shape") else np.asarray(x), self.shape)

    def backward(self, gy: Array) -> Array:
        return BroadcastTo(self.from_shape).of(gy)


def broadcast_to(array: Operand, shape: Any) -> Variable:
    """Repeat `array` to `shape`: ``np.broadcast_to``.

    Parameters
    ----------
    array : Variable, ndarray or number
    shape : int or tuple of int
        A shape that ``array.shape`` broadcasts to.

    Returns
    -------
    Variable
        A read-only view of the data of `array`. Derivative: the gradient is summed back.

    Raises
    ------
    ValueError
        If ``array.shape`` does not broadcast to `shape`.

    Notes
    -----
    Source: ``numpy.broadcast_to``; DeZero's function of that name.

    Examples
    --------
    >>> broadcast_to(Variable(np.array([1.0, 2.0])), (2, 2))
    variable([[1. 2.]
              [1. 2.]])
    """
    return BroadcastTo(_as_shape(shape))(array)


def sum_to(x: Operand, shape: Any) -> Variable:
    """Sum `x` to `shape`: the opposite of `broadcast_to`.

    Parameters
    ----------
    x : Variable, ndarray or number
    shape : int or tuple of int
        A shape that broadcasts to ``x.shape``.

    Returns
    -------
    Variable
        Of `shape`. Derivative: the gradient is repeated.

    Raises
    ------
    ValueError
        If `shape` does not broadcast to ``x.shape``.

    Notes
    -----
    Source: DeZero's function of that name.

    Examples
    --------
    >>> sum_to(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), (1, 2))
    variable([[4. 6.]])
    """
    return SumTo(_as_shape(shape))(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    shapes: tuple[tuple[tuple[int, ...], Any], ...] = (
        ((3,), (2, 3)),
        ((2, 3), (2, 3)),
        ((2, 1), (4, 2, 3)),
        ((), (2,)),
        ((), ()),
        ((1,), 3),
        ((1, 3), (0, 3)),
    )

    def widened(kit: Any) -> Any:
        return kit.Sample(*(kit.Call(kit.Draw(x), shape) for x, shape in shapes), complex=True)

    def reference(x: Array, shape: Any) -> Array:
        return sum_array_to(x, _as_shape(shape))

    def summed(kit: Any) -> Any:
        calls = [kit.Call(kit.Draw(np.broadcast_shapes(x)), shape) for shape, x in shapes]
        return kit.Sample(*calls, reference=reference, complex=True)

    register(
        "broadcast_to",
        broadcast_to,
        BroadcastTo,
        methods="broadcast_to",
        numpy=np.broadcast_to,
        sample=widened,
    )
    register("sum_to", sum_to, SumTo, methods="sum_to", sample=summed)


def _as_shape(shape: Any) -> tuple[int, ...]:
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(shape)
