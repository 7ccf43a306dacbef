"""Adding to elements, as often as each is picked: ``np.add.at`` and ``np.subtract.at``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core import Registrar, Variable
from dezero_core.extend import Array, any_array, kind_of, placed

from .arithmetic import Add
from .in_place import Writing, calls_of, operand, own_copy, require_no_loss, write_by
from .indexing import GetItem, Index, PlacedAtPositions, fixed_index
from .writing import summed


class AddAt(Writing):
    """Adds to elements, as often as each is picked: the gradient goes to both."""

    writes = np.add.at

    def forward(self, x: Array, value: Array) -> Array:
        x, value = any_array(x), any_array(value)
        shape = x[self.index].shape
        if value.ndim > len(shape):  # NumPy's own at() would end the process
            shapes = f"values of shape {value.shape} at an index that picks an array of {shape}"
            raise ValueError(f"cannot add {shapes}: they have more axes.")
        if value.shape not in ((), shape):
            value = np.broadcast_to(value, shape)  # without, some sums of NumPy's are wrong
        elif self.in_place:
            return x
        kinds = kind_of(x), kind_of(value)
        if any(kind.immutable or kind.others is not None for kind in kinds):
            return x + placed(np.broadcast_to(value, shape).astype(x.dtype), x.shape, self.index)
        y = own_copy(x, value)
        np.add.at(y, self.index, value)
        return y

    def backward(self, gy: Array) -> tuple[Array, Array | None]:
        gv = GetItem(self.index).of(gy) if self.needs_grad[1] else None
        return gy, None if gv is None else summed(gv, self.inputs[1].shape)


def _at(ufunc: Any, verb: str, result: str, slope: int, shown: str) -> Callable[..., None]:
    """Return ``ufunc.at``, which adds or subtracts, for Variables."""

    def function(a: Variable, indices: Index, b: Any) -> None:
        write_by(_added_at, AddAt, a, indices, b if slope > 0 else -operand(b))

    name = ufunc.__name__
    function.__name__ = function.__qualname__ = f"{name}_at"
    function.__doc__ = f"""{verb} elements, as often as each is picked: ``np.{name}.at``.

    Parameters
    ----------
    a : Variable
        The {result} is written into it, as `write` does, with the same errors.
    indices : int, slice, array_like, Variable, tuple of these, ``...`` or None
        As of ``a[indices]``.
    b : Variable, ndarray or number
        Of a shape that broadcasts to that of ``a[indices]``.

    Returns
    -------
    None
        Derivative: 1 by each element of `a`, and {slope} by each element of `b` in each place.

    Raises
    ------
    ValueError
        If `b` has more axes than the array that the index picks: NumPy's own function would crash.

    Notes
    -----
    Source: ``numpy.ufunc.at``.

    Examples
    --------
    >>> a = Variable(np.array([1.0, 2.0, 3.0]))
    >>> {name}_at(a, [0, 0], np.array([10.0, 20.0]))
    >>> a
    variable({shown})
    """
    return function


def _added_at(x: Variable, index: Index, value: Any) -> Variable:
    """Return the sum of `x` and of values at an index, a new Variable; as of `setitem`."""
    value = operand(value)
    require_no_loss(x, value)
    index, positions = fixed_index(index)
    if positions:
        return Add()(x, PlacedAtPositions(index, np.shape(x))(value, *positions))
    return AddAt(index)(x, value)


add_at = _at(np.add, "Add to", "sum", 1, "[31.  2.  3.]")
subtract_at = _at(np.subtract, "Subtract from", "difference", -1, "[-29.   2.   3.]")


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def sample(kit: Any) -> Any:
        return kit.Sample(*calls_of(kit), complex=True, writes=True)

    register("add_at", add_at, AddAt, numpy=np.add.at, sample=sample)
    register("subtract_at", subtract_at, AddAt, numpy=np.subtract.at, sample=sample)
