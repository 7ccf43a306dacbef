"""Arrays in the shape of a Variable, which do not depend on its values."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..docstrings import sharing

documented = sharing(
    """
    dtype (data-type, optional): as in NumPy.
    order ({"K", "A", "C", "F"}): as in NumPy.
    subok: as in NumPy.
    shape (int or sequence of int, optional): as in NumPy.
    device ({"cpu"}, optional): as in NumPy.
    Raises TypeError: if NumPy has no such dtype.
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

    >>> zeros_like(Variable(np.array([1.0, 2.0])))
    array([0., 0.])
    """
    return np.zeros_like(values(a), dtype, order, subok, shape, device=device)


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

    >>> ones_like(Variable(np.array([1.0, 2.0])))
    array([1., 1.])
    """
    return np.ones_like(values(a), dtype, order, subok, shape, device=device)


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

    >>> empty_like(Variable(np.array([1.0, 2.0]))).shape
    (2,)
    """
    return np.empty_like(values(prototype), dtype, order, subok, shape, device=device)


def values(x: Operand) -> Any:
    """Return what is in a Variable, anything else as it is."""
    return x.data if isinstance(x, Variable) else x


def register_ops(register: Registrar) -> None:
    """Register the operations of this file, none of which has a derivative."""
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
