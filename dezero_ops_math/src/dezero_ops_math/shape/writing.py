"""Functions that write into a Variable, as NumPy's write into an array.

Each computes which elements get which values, and leaves the write to ``a[index] = values``: its
gradient is that of ``a[index] = values``, and so are its errors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Operand, kind_of, new_zeros

from ..arguments import data_of
from ..declaring import Call, Draw, applying
from ..docstrings import sharing

documented = sharing(
    """
    a (Variable): the result is written into it.
    arr (Variable): the result is written into it.
    dst (Variable): the result is written into it.
    mask (array_like of bool): in the shape of the array.
    """
)

_A, _SQUARE, _ROW, _ONE, _TWO = Draw((2, 3)), Draw((3, 3)), Draw((3,)), Draw(), Draw((2,))
_MASK = np.array([[True, False, True], [False, False, True]])


@applying(
    None,
    *(Call(_A, _ROW), Call(_A, _ONE), Call(_A, Draw((2, 1)), "unsafe"), Call(_ONE, _ONE)),
    *(Call(_A, _ROW, where=_MASK), Call(_A, _A, where=[True, False, True]), Call(_A, 2.0)),
    writes=True,
)
def copyto(dst: Variable, src: Operand, casting: Any = "same_kind", where: Any = True) -> None:
    """Copy values into a Variable, where a condition holds: ``np.copyto``.

    src: of a shape that broadcasts to that of `dst`.
    casting (str): which conversions to the dtype of `dst` are allowed, as in NumPy.
    where (array_like of bool): the condition; by default everywhere.
    Derivative: 1 by each element that is copied, and by each one that stays.
    Raises TypeError: if `src` may not be converted.
    Raises ValueError: if the shapes do not broadcast.

    >>> x = Variable(np.array([1.0, -2.0]))
    >>> copyto(x, 0.0, where=x.data < 0.0)
    >>> x
    variable([1. 0.])
    """
    src, where = np.asarray(src) if isinstance(src, (list, tuple)) else src, data_of(where)
    of, to = (np.empty(0, getattr(x, "dtype", type(x))) for x in (src, dst))
    np.copyto(to, of, casting)  # raises, if it may not be converted
    dst[...] = src if where is True else np.where(where, src, dst)


@applying(
    None, Call(_SQUARE, _ONE), Call(_SQUARE, _TWO), Call(Draw((4, 2)), _ONE, True), writes=True
)
def fill_diagonal(a: Variable, val: Operand, wrap: bool = False) -> None:
    """Write into the diagonal of a matrix: ``np.fill_diagonal``.

    val: the values, which are repeated.
    wrap: in a tall matrix, go on below with another diagonal.
    Derivative: 1 by each value in each place, and by each element that stays.
    Raises ValueError: if `a` has one axis, or several of different lengths.

    >>> x = Variable(np.ones((2, 2)))
    >>> fill_diagonal(x, 5.0)
    >>> x
    variable([[5. 1.]
              [1. 5.]])
    """
    _write(np.fill_diagonal, a, (), val, wrap=wrap)


@applying(
    None, Call(_A, _MASK, _TWO), Call(_A, _MASK, _ONE), Call(_A, _MASK.tolist(), _A), writes=True
)
def place(arr: Variable, mask: Any, vals: Operand) -> None:
    """Write values one after the other where a condition holds: ``np.place``.

    vals: the values, which are repeated.
    Derivative: 1 by each value in each place, and by each element that stays.
    Raises ValueError: if there are no values, or `mask` has another size.

    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> place(x, [True, False, True], np.array([7.0, 8.0]))
    >>> x
    variable([7. 2. 8.])
    """
    _write(np.place, arr, (mask,), vals)


@applying(
    None,
    *(Call(_A, [0, -1], _TWO), Call(_A, 4, _ONE), Call(_A, [1, 1], _TWO)),
    *(Call(_A, [7, 2, 0], _TWO, "wrap"), Call(_A, np.array([9, 1]), _A, mode="clip")),
    writes=True,
)
def put(a: Variable, ind: Any, v: Operand, mode: Any = "raise") -> None:
    """Write values at positions in the flattened Variable: ``np.put``.

    ind (array_like of int): the positions.
    v: the values, which are repeated.
    mode ({"raise", "wrap", "clip"}): what becomes of positions that are out of range.
    Derivative: 1 by each value in each place, and by each element that stays; of an element that is
        written twice, by the last value.
    Raises IndexError: if a position is out of range, and `mode` says ``"raise"``.

    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> put(x, [0, 2], np.array([7.0, 8.0]))
    >>> x
    variable([7. 2. 8.])
    """
    _write(np.put, a, (ind,), v, mode=mode)


@applying(
    None,
    *(Call(_A, np.array([[1], [2]]), Draw((2, 1)), 1), Call(_A, np.array([4, 0]), _TWO, None)),
    *(Call(_A, np.array([[1, 0, 1]]), _ROW, axis=0), Call(_A, np.array([[0, 2]] * 2), _ONE, -1)),
    writes=True,
)
def put_along_axis(arr: Variable, indices: Any, values: Operand, axis: int | None = -1) -> None:
    """Write values at positions along an axis: ``np.put_along_axis``.

    indices (ndarray of int): the positions, with as many axes as `arr`.
    values: of a shape that broadcasts to that of `indices`.
    axis (int or None): the axis; None is for the flattened Variable.
    Derivative: 1 by each value in each place, and by each element that stays.
    Raises IndexError: if a position is out of range.
    Raises ValueError: if the shapes do not broadcast.

    >>> x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> put_along_axis(x, np.array([[0], [1]]), 9.0, 1)
    >>> x
    variable([[9. 2.]
              [3. 9.]])
    """
    _write(np.put_along_axis, arr, (indices,), values, axis=axis)


@applying(None, Call(_A, _MASK, _A), Call(_A, _MASK, _ONE), Call(_A, _MASK, _TWO), writes=True)
def putmask(a: Variable, mask: Any, values: Operand) -> None:
    """Write the values at the same places where a condition holds: ``np.putmask``.

    values: in the size of `a`; of another size, they are repeated.
    Derivative: 1 by each value in each place, and by each element that stays.
    Raises ValueError: if `mask` has another size.

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
    values = np.asarray(values) if isinstance(values, (list, tuple)) else values
    shape = np.shape(values)
    of_values = np.arange(np.size(values)).reshape(shape)
    where = [data_of(each) for each in where]
    like = next((each for each in where if kind_of(each) is not kind_of(of_values)), of_values)
    numbers = new_zeros(like, np.shape(a), np.intp) - 1
    function(numbers, *where, of_values, **options)
    is_written = numbers >= 0
    if shape:
        places = np.unravel_index(numbers[is_written], shape)
        values = values[(0,) * len(shape) if of_values.size == 1 else places]
    a[is_written] = values
