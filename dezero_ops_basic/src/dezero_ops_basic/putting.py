"""Functions of NumPy that write: `put`, `place` and others write into a Variable.

Each computes which elements get which values, and leaves the write to ``a[index] = values``: it has
that gradient, and those errors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core import Registrar, Variable
from dezero_core.extend import NUMPY, Operand, data_of, kind_of, new_zeros

from .in_place import operand, write_by
from .writing import SetItem, setitem


def fill_diagonal(a: Variable, val: Operand, wrap: bool = False) -> None:
    """Write into the diagonal of a matrix: ``np.fill_diagonal``.

    Parameters
    ----------
    a : Variable
        Of two axes, or of more with one length.
    val : Variable, ndarray or number
        The values, which are repeated.
    wrap : bool
        In a tall matrix, go on below with another diagonal.

    Returns
    -------
    None
        Derivative: 1 by each value in each place, and by each element that stays.

    Raises
    ------
    ValueError
        If `a` has one axis, or more than two of different lengths.

    Notes
    -----
    Source: ``numpy.fill_diagonal``.

    Examples
    --------
    >>> x = Variable(np.ones((2, 2)))
    >>> fill_diagonal(x, 5.0)
    >>> x
    variable([[5. 1.]
              [1. 5.]])
    """
    _write(np.fill_diagonal, a, (), val, wrap=wrap)


def place(arr: Variable, mask: Any, vals: Operand) -> None:
    """Write values one after the other where a condition holds: ``np.place``.

    Parameters
    ----------
    arr : Variable
    mask : array_like of bool
        The condition, in the shape of `arr`.
    vals : Variable, ndarray or number
        The values, which are repeated.

    Returns
    -------
    None
        Derivative: 1 by each value in each place, and by each element that stays.

    Raises
    ------
    ValueError
        If there are no values, or `mask` has another size.

    Notes
    -----
    Source: ``numpy.place``.

    Examples
    --------
    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> place(x, [True, False, True], np.array([7.0, 8.0]))
    >>> x
    variable([7. 2. 8.])
    """
    _write(np.place, arr, (mask,), vals)


def put(a: Variable, ind: Any, v: Operand, mode: Any = "raise") -> None:
    """Write values at positions in the flattened Variable: ``np.put``.

    Parameters
    ----------
    a : Variable
    ind : array_like of int
        The positions.
    v : Variable, ndarray or number
        The values, which are repeated.
    mode : {"raise", "wrap", "clip"}
        The treatment of positions that are out of range.

    Returns
    -------
    None
        Derivative: 1 by each value in each place, and by each element that stays.
        Of an element that is written twice, the last value counts.

    Raises
    ------
    IndexError
        If a position is out of range, and `mode` is ``"raise"``.

    Notes
    -----
    Source: ``numpy.put``.

    Examples
    --------
    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> put(x, [0, 2], np.array([7.0, 8.0]))
    >>> x
    variable([7. 2. 8.])
    """
    _write(np.put, a, (ind,), v, mode=mode)


def put_along_axis(arr: Variable, indices: Any, values: Operand, axis: int | None = -1) -> None:
    """Write values at positions along an axis: ``np.put_along_axis``.

    Parameters
    ----------
    arr : Variable
    indices : ndarray of int
        The positions, with as many axes as `arr`.
    values : Variable, ndarray or number
        Of a shape that broadcasts to that of `indices`.
    axis : int or None
        The axis; None is for the flattened Variable.

    Returns
    -------
    None
        Derivative: 1 by each value in each place, and by each element that stays.

    Raises
    ------
    IndexError
        If a position is out of range.
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.put_along_axis``.

    Examples
    --------
    >>> x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> put_along_axis(x, np.array([[0], [1]]), 9.0, 1)
    >>> x
    variable([[9. 2.]
              [3. 9.]])
    """
    _write(np.put_along_axis, arr, (indices,), values, axis=axis)


def putmask(a: Variable, mask: Any, values: Operand) -> None:
    """Write the values at the same places where a condition holds: ``np.putmask``.

    Parameters
    ----------
    a : Variable
    mask : array_like of bool
        The condition, in the shape of `a`.
    values : Variable, ndarray or number
        In the size of `a`; of another size, they are repeated.

    Returns
    -------
    None
        Derivative: 1 by each value in each place, and by each element that stays.

    Raises
    ------
    ValueError
        If `mask` has another size.

    Notes
    -----
    Source: ``numpy.putmask``.

    Examples
    --------
    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> putmask(x, [True, False, True], np.array([7.0, 8.0, 9.0]))
    >>> x
    variable([7. 2. 9.])
    """
    _write(np.putmask, a, (mask,), values)


def _write(function: Callable[..., Any], a: Any, where: Any, values: Any, **options: Any) -> None:
    """Write into an array as a function of NumPy does.

    NumPy's is asked where it would write which value: it gets their numbers.
    """
    values = operand(values)
    shape = np.shape(values)
    of_values = np.arange(np.size(values)).reshape(shape)
    where = [data_of(each) for each in where]
    like = next((each for each in where if kind_of(each) is not NUMPY), of_values)
    numbers = new_zeros(like, np.shape(a), np.intp) - 1
    function(numbers, *where, of_values, **options)
    is_written = numbers >= 0
    if shape:
        places = np.unravel_index(numbers[is_written], shape)
        values = values[(0,) * len(shape) if of_values.size == 1 else places]
    write_by(setitem, SetItem, a, is_written, values)


def _calls(kit: Any) -> dict[str, tuple[Any, ...]]:
    """Return the calls of each function in tests."""
    call, mask = kit.Call, np.array([[True, False, True], [False, False, True]])
    shapes = ((2, 3), (3, 3), (3,), (), (2,), (2, 1))
    a, square, row, one, two, column = map(kit.Draw, shapes)
    along = np.array([[1], [2]]), np.array([4, 0]), np.array([[1, 0, 1]]), np.array([[0, 2]] * 2)
    return {
        "fill_diagonal": (call(square, one), call(square, two), call(a, one, True)),
        "place": (call(a, mask, two), call(a, mask, one), call(a, mask.tolist(), a)),
        "put": (
            *(call(a, [0, -1], two), call(a, 4, one), call(a, [1, 1], two)),
            *(call(a, [7, 2, 0], two, "wrap"), call(a, np.array([9, 1]), a, mode="clip")),
        ),
        "put_along_axis": (
            *(call(a, along[0], column, 1), call(a, along[1], two, None)),
            *(call(a, along[2], row, axis=0), call(a, along[3], one, -1)),
        ),
        "putmask": (call(a, mask, a), call(a, mask, one), call(a, mask, two)),
    }


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    for function in (fill_diagonal, place, put, put_along_axis, putmask):
        name = function.__name__

        def sample(kit: Any, name: str = name) -> Any:
            return kit.Sample(*_calls(kit)[name], complex=True, writes=True)

        register(name, function, numpy=getattr(np, name), sample=sample)
