"""Where elements are, in an array or among others: plain answers, without a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import Operand

from ..declaring import Booleans, Call, Draw, Positions, elementwise, without_derivative

_A, _V = Draw((2, 3)), Draw((4,))
_EDGES, _ORDER = np.array([-2.0, -0.5, 0.0, 1.5]), np.array([3, 1, 0, 2])
_ARRAYS = elementwise((-3.0, 3.0))
_SHAPES = (2, 3), (3,), (1, 1), (2, 1, 2), (0,), (2, 0, 3)


@without_derivative(*(Call(Draw(shape)) for shape in _SHAPES))
def nonzero(a: Operand) -> Any:
    """Positions of the elements that are not 0: ``np.nonzero``, ``a.nonzero()``.

    Returns (tuple of ndarray of int): one for each axis.
    Raises ValueError: if `a` has no dimensions.

    >>> nonzero(Variable(np.array([0.0, 2.0, 3.0])))
    (array([1, 2]),)
    """
    return np.nonzero(a)


@without_derivative(_ARRAYS)
def flatnonzero(a: Operand) -> Positions:
    """Positions in ``np.ravel(a)`` of the elements that are not 0: ``np.flatnonzero``.

    >>> flatnonzero(Variable(np.array([[0.0, 2.0], [3.0, 0.0]])))
    array([1, 2])
    """
    return np.flatnonzero(a)


@without_derivative(_ARRAYS)
def argwhere(a: Operand) -> Positions:
    """Positions of the elements that are not 0, in rows: ``np.argwhere``.

    Returns: a row for each of them.

    >>> argwhere(Variable(np.array([[0.0, 2.0], [3.0, 0.0]])))
    array([[0, 1],
           [1, 0]])
    """
    return np.argwhere(a)


@without_derivative(
    *(Call(_V, _A), Call(_V, 0.5), Call(_EDGES, _A, "right"), Call(_EDGES, Draw(), side="right")),
    *(Call(_V, _A, sorter=_ORDER), Call(_V, Draw((0,)), "left", _ORDER.tolist())),
)
def searchsorted(a: Operand, v: Operand, side: Any = "left", sorter: Any = None) -> Positions:
    """Where `v` is to be inserted to keep `a` sorted: ``np.searchsorted``, ``a.searchsorted(v)``.

    a (Variable or array_like): of one dimension, ascending, unless `sorter` is given.
    v (Variable or array_like): the elements to insert.
    side ('left' or 'right'): before or after elements that are equal.
    sorter (Variable or array_like of int, or None): positions that sort `a`.
    Returns: shape of `v`.
    Raises ValueError: if `a` has not one dimension, or `sorter` not its length.

    >>> searchsorted(Variable(np.array([1.0, 2.0, 3.0])), [0.0, 2.0])
    array([0, 1])
    """
    return np.searchsorted(a, v, side, sorter)


@without_derivative(
    Call(_A, _EDGES), Call(Draw(), _EDGES[::-1], True), Call(Draw((0,)), _EDGES, right=True)
)
def digitize(x: Operand, bins: Operand, right: bool = False) -> Positions:
    """In which of the intervals between `bins` each element is: ``np.digitize``.

    x (Variable or array_like): any shape.
    bins (Variable or array_like): of one dimension, ascending or descending.
    right: whether the right edge of an interval belongs to it, in place of the left one.
    Returns: shape of `x`.
    Raises ValueError: if `bins` is not monotonic.

    >>> digitize(Variable(np.array([0.5, 2.0, 9.0])), [1.0, 2.0, 3.0])
    array([0, 2, 3])
    """
    return np.digitize(x, bins, right)


@without_derivative(
    *(Call(_A, _V), Call(_A, _EDGES.tolist(), True, True)),
    *(Call(_EDGES, _V, invert=True, kind="sort"), Call(Draw(), 0.5, assume_unique=True)),
)
def isin(
    element: Operand,
    test_elements: Operand,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
) -> Booleans:
    """Whether each element is among `test_elements`: ``np.isin``.

    element, test_elements (Variable or array_like): of any shapes.
    assume_unique: say that no element is twice in either, which is faster.
    invert: ask whether it is not there.
    kind ('sort', 'table' or None): how it is computed.
    Returns: shape of `element`.
    Raises ValueError: if `kind` is 'table' and the elements are no integers.

    >>> isin(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), [2.0, 3.0])
    array([[False,  True],
           [ True, False]])
    """
    return np.isin(element, test_elements, assume_unique, invert, kind=kind)
