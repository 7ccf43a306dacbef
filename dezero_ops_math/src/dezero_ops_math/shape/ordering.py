"""Positions in order of size: they have no derivative and are plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample
from dezero_core.extend import Array

from ..docstrings import sharing
from .positions import plain

documented = sharing(
    """
    Positions (ndarray of int):
    axis: along which to sort; None for the flattened array.
    order: NumPy's place for names of fields, which a Variable has not.
    """
)

Positions = np.ndarray[Any, Any]


@documented
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
    return np.argsort(plain(a), axis, kind, order, stable=stable)


@documented
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
