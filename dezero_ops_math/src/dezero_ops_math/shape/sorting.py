"""Elements in order of size, and their positions in that order."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array, call_by_type, certain, is_lazy, new_zeros

from ..arguments import data_of
from ..declaring import Call, Draw, LinearMap, applying, operation
from ..docstrings import sharing
from .positions import AddAt, PickAt, between, in_flat

documented = sharing(
    """
    Positions (ndarray of int):
    axis: along which to sort; None for the flattened array.
    order: NumPy's place for names of fields, which a Variable has not.
    """
)

_A, _B, _LINE = Draw((3, 4)), Draw((2, 3, 2)), Draw((5,))


def _places(x: Array, axis: int | None) -> Array:
    """Return where in the flattened `x` are the elements of its stable sort."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    order = np.argsort(x, axis=axis)
    places = in_flat(order, axis)
    ordered = np.moveaxis(np.take(x, places), axis, -1)
    # A stable sort takes several times as long, and is the same unless there are ties (or nan).
    if not certain(np.all(ordered[..., 1:] > ordered[..., :-1])):
        places = in_flat(np.argsort(x, axis=axis, stable=True), axis)
    return places


class Sort(Function):
    """Elements in order of size: ``np.sort``.

    kind ({"quicksort", "heapsort", "mergesort", "stable"}): the algorithm; in the gradient, stable.
    stable: another way to say ``kind="stable"``.
    Returns: shape and dtype of `a`.
    Derivative: 1 from each element to the place it gets; equal elements keep their order.
    Raises ValueError: if `order` is given, or `kind` and `stable` both are.
    Note: there is no method: that of ndarray works in place.

    >>> x = Variable(np.array([3.0, 1.0, 2.0]))
    >>> y = sort(x)
    >>> y.grad = np.array([10.0, 20.0, 30.0])
    >>> y.backward()
    >>> y, x.grad
    (variable([1. 2. 3.]), array([30., 10., 20.]))
    """

    def __init__(
        self,
        axis: int | None = -1,
        kind: Any = None,
        order: None = None,
        *,
        stable: bool | None = None,
    ) -> None:
        self.axis, self.kind, self.order, self.stable = axis, kind, order, stable

    def forward(self, a: Array) -> Array:
        return np.sort(a, self.axis, self.kind, self.order, stable=self.stable)

    def backward(self, gy: Array) -> Array:
        x = data_of(self.inputs[0].data)
        if is_lazy(x):
            order, back = call_by_type(_orders, (x, self.axis), {})
            return _InOrder(back, order, self.axis).of(gy).reshape(x.shape)
        return AddAt(call_by_type(_places, (x, self.axis), {}), x.shape).of(gy)


def _orders(x: Array, axis: int | None) -> tuple[Array, Array]:
    """Return the order of a stable sort along an axis, and that which takes it back."""
    order = np.argsort(x, axis=axis, stable=True)
    return order, np.argsort(order, axis=axis)


class _InOrder(LinearMap):
    """Puts the elements of each line along an axis in an order; `back` is that of its gradient."""

    def __init__(self, order: Array, back: Array, axis: int | None) -> None:
        self.order, self.back, self.axis = order, back, axis

    def forward(self, x: Array) -> Array:
        return np.take_along_axis(x, self.order, self.axis)

    def backward(self, gy: Array) -> Array:
        return _InOrder(self.back, self.order, self.axis).of(gy)


class Partition(Function):
    """The k-th smallest in its place, smaller ones before it: ``np.partition``.

    kth (int or sequence of int): the places that get the element which sorting would put there.
    kind ({"introselect"}): the algorithm.
    Returns: shape and dtype of `a`.
    Derivative: 1 from each element to the place it gets; equal elements keep their order.
    Raises ValueError: if `kth` is out of range, or `order` is given.

    >>> partition(Variable(np.array([3.0, 1.0, 2.0])), 0).data[0]
    np.float64(1.0)
    """

    saves = ("inputs", "outputs")

    def __init__(
        self, kth: Any, axis: int | None = -1, kind: Any = "introselect", order: None = None
    ) -> None:
        self.kth, self.axis, self.kind, self.order = kth, axis, kind, order

    def forward(self, a: Array) -> Array:
        return np.partition(a, self.kth, self.axis, self.kind, self.order)

    def backward(self, gy: Array) -> Array:
        # np.argpartition need not do what np.partition does; sorted, both arrays are the same.
        x, y = data_of(self.inputs[0].data), data_of(self.outputs[0]().data)
        were, are = (call_by_type(_places, (each, self.axis), {}) for each in (x, y))
        if not isinstance(were, np.ndarray):
            return AddAt(were, x.shape).of(PickAt(are).of(gy))
        became = new_zeros(are, (x.size,), np.intp)
        became[were] = are
        return PickAt(became.reshape(x.shape)).of(gy)


Positions = np.ndarray[Any, Any]


@applying(
    None,
    *(Call(_LINE), Call(_A), Call(_A, 0), Call(_A, axis=None), Call(_A, 0, "heapsort")),
    *(Call(_A, stable=True), Call(Draw((0, 2)), axis=0)),
    differentiable=False,
)
def argsort(
    a: Array,
    axis: int | None = -1,
    kind: Any = None,
    order: None = None,
    *,
    stable: bool | None = None,
) -> Positions:
    """Positions that would sort: ``np.argsort``, ``x.argsort()``.

    kind ({"quicksort", "heapsort", "mergesort", "stable"}): the algorithm.
    stable: another way to say ``kind="stable"``.
    Without a derivative: nothing is recorded.

    >>> argsort(Variable(np.array([3.0, 1.0, 2.0])))
    array([1, 2, 0])
    """
    return call_by_type(np.argsort, (data_of(a), axis, kind, order), {"stable": stable})


@applying(
    None,
    *(Call(Draw((9,)), 4), Call(_A, 1), Call(_A, [0, 2], 0), Call(_A, 5, axis=None)),
    differentiable=False,
)
def argpartition(
    a: Array, kth: Any, axis: int | None = -1, kind: Any = "introselect", order: None = None
) -> Positions:
    """Positions that would partition: ``np.argpartition``, ``x.argpartition(kth)``.

    kth (int or sequence of int): the places that get the element which sorting would put there.
    kind ({"introselect"}): the algorithm.
    Without a derivative: nothing is recorded.
    Raises ValueError: if `kth` is out of range.

    >>> argpartition(Variable(np.array([3.0, 1.0, 2.0])), 0)[0]
    np.int64(1)
    """
    return call_by_type(np.argpartition, (data_of(a), kth, axis, kind, order), {})


sort = operation(
    Sort,
    *(Call(_LINE), Call(_A), Call(_A, 0), Call(_A, axis=None), Call(_B, 1), Call(_B, axis=-2)),
    *(Call(_A, 0, "heapsort"), Call(_A, kind="stable"), Call(_A, stable=True), Call(Draw((1,)))),
    *(Call(Draw(), axis=None), Call(Draw((0,))), Call(Draw((2, 0, 3)), 0)),
    Call(Draw((0, 2)), None),
    apart=between,
)
partition = operation(
    Partition,
    *(Call(Draw((9,)), 4), Call(Draw((9,)), (2, -1)), Call(_A, 1), Call(_A, [0, 2], 0)),
    *(Call(_A, 5, axis=None), Call(_B, 1, axis=-2), Call(_A, 2, kind="introselect")),
    *(Call(Draw((1,)), 0), Call(Draw(), 0, axis=None), Call(Draw((0, 2)), 1)),
    apart=between,
)
