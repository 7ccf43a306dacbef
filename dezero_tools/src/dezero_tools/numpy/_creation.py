"""Arrays made of lists of Variables, which NumPy makes without asking the Variables."""

from __future__ import annotations

from typing import Any

import numpy

from dezero_core import VariableTypeError
from dezero_core.extend import INEXACT, constant_gradient, is_array

from ..wrapped import is_wrapped
from ._recording import Recording, has_variables, stacked, values_of


def array(object: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A002 (NumPy's name)
    """Make an array, or of Variables a Variable that is part of their graph: ``np.array``.

    Parameters
    ----------
    object : array_like, Variable, or nested lists with Variables in them
    *args, **kwargs
        As NumPy takes them; with a Variable ``dtype``, ``copy`` and ``ndmin``.

    Returns
    -------
    ndarray or Variable
        The copy of a Variable has the same gradient.

    Raises
    ------
    VariableTypeError (TypeError)
        If another option is given with a Variable.
    ValueError
        NumPy's own, if the lists are of unequal lengths, or a copy is needed and `copy` is False.

    Examples
    --------
    >>> x = Variable(np.array(2.0))
    >>> y = array([x, 3.0 * x, 1.0])
    >>> y.backward()
    >>> y, x.grad
    (variable([2. 6. 1.]), array(4.))
    """
    if not has_variables(object):
        return numpy.array(object, *args, **kwargs)
    return _variable("array", object, *args, **kwargs)


def asarray(a: Any, *args: Any, **kwargs: Any) -> Any:
    """Return an array or Variable as it is, and make one of anything else: ``np.asarray``.

    Parameters
    ----------
    a : array_like, Variable, or nested lists with Variables in them
    *args, **kwargs
        As NumPy takes them; with a Variable ``dtype`` and ``copy``.

    Returns
    -------
    ndarray or Variable
        The errors are those of `array`.

    Examples
    --------
    >>> x = Variable(np.array([1.0, 2.0]))
    >>> asarray(x) is x
    True
    """
    if not has_variables(a):
        return numpy.asarray(a, *args, **kwargs)
    return _variable("asarray", a, *args, **{"copy": None} | kwargs)


def _variable(
    name: str,
    x: Any,
    dtype: Any = None,
    *others: Any,
    copy: bool | None = True,
    ndmin: int = 0,
    **options: Any,
) -> Any:
    _refuse(name, others, options)
    if copy is False:
        numpy.array(values_of(x), dtype, copy=False)  # raises, if a copy is needed
    made = stacked(x)
    if made is x and copy:
        made = numpy.copy(x)
    if dtype is not None and made.dtype != dtype:
        made = made.astype(dtype)
    return made.reshape((1,) * (ndmin - made.ndim) + made.shape) if ndmin > made.ndim else made


def _refuse(name: str, others: tuple[Any, ...], options: dict[str, Any]) -> None:
    given = [*map(repr, others), *(f"{option}=" for option in options)]
    if given:
        raise VariableTypeError(
            f"np.{name} with a Variable takes no {', '.join(given)}: leave it out.",
            got=tuple(options) or others,
        )


def full(shape: Any, fill_value: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Make an array of one value; of a Variable, broadcast to the shape: ``np.full``.

    Parameters
    ----------
    shape : int or tuple of int
    fill_value : array_like, Variable, or nested lists with Variables in them
    dtype : data-type, optional
    *args, **kwargs
        As NumPy takes them; none with a Variable.

    Returns
    -------
    ndarray or Variable

    Raises
    ------
    VariableTypeError (TypeError)
        If another option is given with a Variable.
    ValueError
        If the value does not broadcast to the shape.

    Examples
    --------
    >>> x = Variable(np.array(2.0))
    >>> y = full((2, 3), x)
    >>> y.backward()
    >>> x.grad
    array(6.)
    """
    if not has_variables(fill_value):
        return to_be_filled(numpy.full(shape, fill_value, dtype, *args, **kwargs))
    _refuse("full", args, kwargs)
    made: Any = numpy.broadcast_to(stacked(fill_value), shape)
    return made if dtype is None or made.dtype == dtype else made.astype(dtype)


def to_be_filled(made: Any) -> Any:
    """Return a new array; within a function that is differentiated, a Variable that holds it.

    So ``out[i] = f(x)`` is recorded. Integers and booleans stay arrays: they are constants.
    """
    is_inexact = is_wrapped() and is_array(made) and made.dtype.kind in INEXACT
    return constant_gradient(made, True) if is_inexact else made


class Creation(Recording):
    """A function of NumPy, such as ``np.zeros``, that makes an array to be filled.

    Within a function that is differentiated, compiled or mapped over a batch the array is in a
    Variable, into which others can be written.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return to_be_filled(super().__call__(*args, **kwargs))


empty, empty_like = Creation(numpy.empty), Creation(numpy.empty_like)
ones, ones_like = Creation(numpy.ones), Creation(numpy.ones_like)
zeros, zeros_like = Creation(numpy.zeros), Creation(numpy.zeros_like)
full_like = Creation(numpy.full_like)


class _Joining:
    """``np.r_`` or ``np.c_``, where Variables may stand among the arrays."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, key: Any) -> Any:
        joined = getattr(numpy, self._name)
        if not has_variables(key):
            return joined[key]
        items = key if isinstance(key, tuple) else (key,)
        values = joined[values_of(items)]
        if isinstance(values, numpy.matrix):
            raise VariableTypeError(
                f"np.{self._name} with a Variable makes no matrix, as {items[0]!r} says: leave it "
                "out.",
                got=items[0],
            )
        # NumPy joins the positions of the elements; so every layout is its own.
        parts: list[Any] = []
        positions: list[Any] = []
        end = 0
        for item in items:
            if isinstance(item, str):
                positions.append(item)
                continue
            part = numpy.r_[item] if isinstance(item, slice) else stacked(item)
            start, end = end, end + numpy.size(part)
            parts.append(numpy.ravel(part))
            positions.append(numpy.arange(start, end).reshape(numpy.shape(part)))
        together = numpy.concatenate(parts, dtype=values.dtype)
        return numpy.take(together, joined[tuple(positions)])

    def __repr__(self) -> str:
        return f"np.{self._name}"


r_ = _Joining("r_")
c_ = _Joining("c_")
