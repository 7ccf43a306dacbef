"""Positions in order of size: they have no derivative and are plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample
from dezero_core.extend import Operand

from .positions import plain

Array = np.ndarray[Any, Any]


def argsort(
    a: Operand,
    axis: int | None = -1,
    kind: Any = None,
    order: None = None,
    *,
    stable: bool | None = None,
) -> Array:
    """Positions that would sort: ``np.argsort``, ``x.argsort()``.

    Parameters
    ----------
    a : Variable or ndarray
    axis : int or None
        Along which to sort; None for the flattened array.
    kind : {"quicksort", "heapsort", "mergesort", "stable"}
        The algorithm.
    order : None
        NumPy's place for names of fields, which a Variable has not.
    stable : bool
        Another way to say ``kind="stable"``.

    Returns
    -------
    ndarray of int
        Without a derivative: nothing is recorded.

    Raises
    ------
    AxisError (ValueError, IndexError)
        If `a` has no such axis.

    Notes
    -----
    Source: ``numpy.argsort``.

    Examples
    --------
    >>> argsort(Variable(np.array([3.0, 1.0, 2.0])))
    array([1, 2, 0])
    """
    return np.argsort(plain(a), axis, kind, order, stable=stable)


def argpartition(
    a: Operand, kth: Any, axis: int | None = -1, kind: Any = "introselect", order: None = None
) -> Array:
    """Positions that would partition: ``np.argpartition``, ``x.argpartition(kth)``.

    Parameters
    ----------
    a : Variable or ndarray
    kth : int or sequence of int
        The places that get the element which sorting would put there.
    axis : int or None
        Along which to sort; None for the flattened array.
    kind : {"introselect"}
        The algorithm.
    order : None
        NumPy's place for names of fields, which a Variable has not.

    Returns
    -------
    ndarray of int
        Without a derivative: nothing is recorded.

    Raises
    ------
    AxisError (ValueError, IndexError)
        If `a` has no such axis.
    ValueError
        If `kth` is out of range.

    Notes
    -----
    Source: ``numpy.argpartition``.

    Examples
    --------
    >>> argpartition(Variable(np.array([3.0, 1.0, 2.0])), 0)[0]
    np.int64(1)
    """
    return np.argpartition(plain(a), kth, axis, kind, order)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a = Draw((3, 4))
    calls: tuple[Call, ...] = (
        Call(Draw((5,))),
        Call(a),
        Call(a, 0),
        Call(a, axis=None),
        Call(a, 0, "heapsort"),
    )
    calls += Call(a, stable=True), Call(Draw((0, 2)), axis=0)
    sample = Sample(calls)
    register(
        "argsort", argsort, differentiable=False, methods="argsort", numpy=np.argsort, sample=sample
    )
    calls = Call(Draw((9,)), 4), Call(a, 1), Call(a, [0, 2], 0), Call(a, 5, axis=None)
    register(
        "argpartition",
        argpartition,
        differentiable=False,
        methods="argpartition",
        numpy=np.argpartition,
        sample=Sample(calls),
    )
