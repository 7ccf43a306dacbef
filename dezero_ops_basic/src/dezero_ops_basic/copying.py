"""Copying into a Variable, where a condition holds: ``np.copyto``."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand, data_of

from .in_place import become, dtype_of, operand, require_no_loss, write_by
from .writing import SetItem, setitem


class CopyTo(Function):
    """Replaces elements where a condition holds, the third operand."""

    saves = ("other inputs",)
    elementwise = True

    def forward(self, x: Array, value: Array, where: Array) -> Array:
        y: Any = np.where(where, value, x)
        return y.astype(x.dtype)

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        where = self.inputs[2].data
        return CopyTo().of(gy, 0.0, where), CopyTo().of(gy, 0.0, np.logical_not(where)), None


def copyto(dst: Variable, src: Operand, casting: Any = "same_kind", where: Any = True) -> None:
    """Copy values into a Variable, where a condition holds: ``np.copyto``.

    Parameters
    ----------
    dst : Variable
        The values are written into it, as by ``dst[...] = src``.
    src : Variable, ndarray or number
        Of a shape that broadcasts to that of `dst`.
    casting : str
        Which conversions to the dtype of `dst` are allowed, as in NumPy.
    where : array_like of bool
        The condition, of a shape that broadcasts to that of `dst`; by default everywhere.

    Returns
    -------
    None
        Derivative: 1 by each element that is copied, and by each one that stays.

    Raises
    ------
    TypeError
        If `src` may not be converted.
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.copyto``.

    Examples
    --------
    >>> x = Variable(np.array([1.0, -2.0]))
    >>> copyto(x, 0.0, where=x.data < 0.0)
    >>> x
    variable([1. 0.])
    """
    src, where = operand(src), data_of(operand(where))
    to, of = (np.empty(0, dtype_of(x)) for x in (dst, src))
    np.copyto(to, of, casting)  # raises, if it may not be converted
    shapes = [np.shape(x) for x in (dst, src, where)]
    if np.broadcast_shapes(*shapes) != shapes[0]:
        raise ValueError(
            f"cannot copy values of shape {shapes[1]}, where a condition of shape {shapes[2]} "
            f"holds, to shape {shapes[0]}."
        )
    if where is True:
        write_by(setitem, SetItem, dst, ..., src)
    elif isinstance(dst, Variable):
        require_no_loss(dst, src)
        become(dst, lambda: CopyTo()(dst, src, where))
    else:
        dst[...] = CopyTo()(dst, src, where)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""
    mask = np.array([[True, False, True], [False, False, True]])

    def sample(kit: Any) -> Any:
        a, row, one, column = map(kit.Draw, ((2, 3), (3,), (), (2, 1)))
        calls = [(a, row), (a, one), (a, column, "unsafe"), (one, one), (a, 2.0)]
        somewhere = kit.Call(a, row, where=mask), kit.Call(a, a, where=[True, False, True])
        made = [*(kit.Call(*each) for each in calls), *somewhere]
        return kit.Sample(*made, complex=True, writes=True)

    register("copyto", copyto, CopyTo, numpy=np.copyto, sample=sample)
