"""Where elements are, in an array or among others: plain answers, without a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, elementwise
from dezero_core.extend import Operand

from .plain import BOOLEANS, A, plain

Plain = Any

POSITIONS = "ndarray of int"
NO_AXES = "ValueError\n    If `a` has no dimensions."


@plain(A, returns=f"tuple of {POSITIONS}, one for each axis", raises=NO_AXES)
def nonzero(a: Operand) -> Plain:
    """Positions of the elements that are not 0: ``np.nonzero``, ``a.nonzero()``.

    >>> nonzero(Variable(np.array([0.0, 2.0, 3.0])))
    (array([1, 2]),)
    """
    return np.nonzero(a)


@plain(A, returns=POSITIONS)
def flatnonzero(a: Operand) -> Plain:
    """Positions in ``np.ravel(a)`` of the elements that are not 0: ``np.flatnonzero``.

    >>> flatnonzero(Variable(np.array([[0.0, 2.0], [3.0, 0.0]])))
    array([1, 2])
    """
    return np.flatnonzero(a)


@plain(A, returns=f"{POSITIONS}, a row for each of them")
def argwhere(a: Operand) -> Plain:
    """Positions of the elements that are not 0, in rows: ``np.argwhere``.

    >>> argwhere(Variable(np.array([[0.0, 2.0], [3.0, 0.0]])))
    array([[0, 1],
           [1, 0]])
    """
    return np.argwhere(a)


@plain(
    "a : Variable or array_like\n    Of one dimension, ascending, unless `sorter` is given.",
    "v : Variable or array_like\n    What is to be inserted.",
    "side : 'left' or 'right'\n    Before or after elements that are equal.",
    "sorter : Variable or array_like of int, or None\n    Positions that sort `a`.",
    returns=f"{POSITIONS}, in the shape of `v`",
    raises="ValueError\n    If `a` has not one dimension, or `sorter` not its length.",
)
def searchsorted(a: Operand, v: Operand, side: Any = "left", sorter: Any = None) -> Plain:
    """Where `v` is to be inserted to keep `a` sorted: ``np.searchsorted``, ``a.searchsorted(v)``.

    >>> searchsorted(Variable(np.array([1.0, 2.0, 3.0])), [0.0, 2.0])
    array([0, 1])
    """
    return np.searchsorted(a, v, side, sorter)


@plain(
    "x : Variable or array_like",
    "bins : Variable or array_like\n    Of one dimension, ascending or descending.",
    "right : bool\n    Whether the right edge of an interval belongs to it, instead of the left.",
    returns=f"{POSITIONS}, in the shape of `x`",
    raises="ValueError\n    If `bins` is not monotonic.",
)
def digitize(x: Operand, bins: Operand, right: bool = False) -> Plain:
    """In which of the intervals between `bins` each element is: ``np.digitize``.

    >>> digitize(Variable(np.array([0.5, 2.0, 9.0])), [1.0, 2.0, 3.0])
    array([0, 2, 3])
    """
    return np.digitize(x, bins, right)


@plain(
    "element : Variable or array_like",
    "test_elements : Variable or array_like",
    "assume_unique : bool\n    Say that no element is twice in either, which is faster.",
    "invert : bool\n    Ask whether it is not there.",
    "kind : 'sort', 'table' or None\n    How it is computed.",
    returns=f"{BOOLEANS}, in the shape of `element`",
    raises="ValueError\n    If `kind` is 'table' and the elements are no integers.",
)
def isin(
    element: Operand,
    test_elements: Operand,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
) -> Plain:
    """Whether each element is among `test_elements`: ``np.isin``.

    >>> isin(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), [2.0, 3.0])
    array([[False,  True],
           [ True, False]])
    """
    return np.isin(element, test_elements, assume_unique, invert, kind=kind)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    arrays = elementwise((-3.0, 3.0))
    axes = Sample(tuple(call for call in arrays.calls if call.draws()[0].shape))
    a, v = Draw((2, 3)), Draw((4,))
    edges, order = np.array([-2.0, -0.5, 0.0, 1.5]), np.array([3, 1, 0, 2])
    insertions = Sample(
        (
            Call(v, a),
            Call(v, 0.5),
            Call(edges, a, "right"),
            Call(edges, Draw(), side="right"),
            Call(v, a, sorter=order),
            Call(v, Draw((0,)), "left", order.tolist()),
        )
    )
    intervals = Sample(
        (Call(a, edges), Call(Draw(), edges[::-1], True), Call(Draw((0,)), edges, right=True))
    )
    among = Sample(
        (
            Call(a, v),
            Call(a, edges.tolist(), True, True),
            Call(edges, v, invert=True, kind="sort"),
            Call(Draw(), 0.5, assume_unique=True),
        )
    )
    methods = {"nonzero", "searchsorted"}
    for function, numpy, sample in (
        (nonzero, np.nonzero, axes),
        (flatnonzero, np.flatnonzero, arrays),
        (argwhere, np.argwhere, arrays),
        (searchsorted, np.searchsorted, insertions),
        (digitize, np.digitize, intervals),
        (isin, np.isin, among),
    ):
        name = function.__name__
        register(
            name,
            function,
            differentiable=False,
            methods=methods & {name},
            numpy=numpy,
            sample=sample,
        )
