"""Types of arrays besides ndarray that Variables may hold, as plugins register them.

An ndarray needs nothing of this module. Calls and the backward pass look for that exact type first;
as long as no plugin has registered a type, all others are refused as before.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from math import prod
from typing import Any, NamedTuple

import numpy as np

Array = Any


def _zeros_by_numpy(shape: tuple[int, ...], dtype: Any, like: Array) -> Array:
    return np.zeros_like(like, dtype=dtype, shape=shape)


def _sum_by_numpy(array: Array, shape: tuple[int, ...]) -> Array:
    lead = array.ndim - len(shape)
    repeated = (i for i, n in enumerate(array.shape) if i < lead or shape[i - lead] != n)
    # Short floats are added in a wider dtype: their own sums lose digits, see `sums`.
    wider = {"e": np.float64, "f": np.float64, "F": np.complex128}.get(array.dtype.char)
    total: Array = np.sum(array, axis=tuple(repeated), dtype=wider, keepdims=True)
    return np.reshape(total, shape).astype(array.dtype)


class ArrayType(NamedTuple):
    """A type of arrays, with that which NumPy's protocols leave open.

    Its arrays have ``shape``, ``dtype``, ``ndim``, ``size``, ``astype`` and ``reshape``, operators
    and indices. NumPy's functions work on them by ``__array_ufunc__`` and ``__array_function__``,
    which return NotImplemented where they meet a type that they do not know: a Variable.

    Attributes
    ----------
    name : str
        As messages name it: ``"dask"``.
    types : type or str, or tuple of them
        The classes of its arrays; derived ones belong to it. ``"dask.array:Array"`` names a class
        of a library that takes long to import: it is looked up once somebody has imported that.
    lazy : bool
        Whether there are no values yet when it is computed with. No value is looked at then:
        ``float(x)`` and ``if x:`` are refused, and operations take their general path.
    immutable : bool
        Whether nobody can write into an array, so that it need not be copied.
    zeros : callable
        ``zeros(shape, dtype, like)`` makes zeros of this type; `like` is an array of it.
        By default ``np.zeros_like``.
    sum_to : callable
        ``sum_to(array, shape)`` undoes broadcasting. By default ``np.sum``, of short floats in
        double precision.
    to_numpy : callable
        ``to_numpy(array)`` makes an ndarray, and computes it if it is lazy. By default
        ``np.asarray``.
    resolve : callable, optional
        ``resolve(array)`` returns what an operation computes with in place of an array: itself, or
        another one if there is nothing special about it any more.
    call : callable, optional
        ``call(function, args, kwargs)`` calls the method of a Function, or a function that has no
        derivative, in a way of its own: such as chunk by chunk, see ``Function.elementwise``. The
        arguments may be lists and tuples of arrays.
    fitted : callable, optional
        ``fitted(gradient, array)`` gives a gradient the form of the array that it belongs to, such
        as its chunks.
    from_numpy : callable, optional
        ``from_numpy(array)`` makes an array of this type: ``dezero check --array`` asks for it.
    without_computing : callable, optional
        Of a lazy type: returns a context manager in which computing an array raises, for
        ``dezero check --array``.

    Notes
    -----
    A gradient is an array of the same type. In an operation of an ndarray and one of this type the
    ndarray is converted by the type's own rules, and the result is of this type.
    """

    name: str
    types: Any
    lazy: bool = False
    immutable: bool = False
    zeros: Callable[[tuple[int, ...], Any, Array], Array] = _zeros_by_numpy
    sum_to: Callable[[Array, tuple[int, ...]], Array] = _sum_by_numpy
    to_numpy: Callable[[Array], Any] = np.asarray
    from_numpy: Callable[[Any], Array] | None = None
    resolve: Callable[[Array], Array] | None = None
    call: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any] | None = None
    fitted: Callable[[Array, Array], Array] | None = None
    without_computing: Callable[[], AbstractContextManager[Any]] | None = None

    @property
    def classes(self) -> tuple[type | str, ...]:
        """The `types`, as a tuple."""
        return self.types if isinstance(self.types, tuple) else (self.types,)

    def __repr__(self) -> str:
        return f"ArrayType({self.name!r}, {self.types!r})"


def broken_rule(new: Any, variable: type) -> str:
    """Return the rule that a plugin's type of arrays breaks, "" if none.

    ndarrays, numbers and the class of Variables are known otherwise. Neither they, nor a class
    derived from them, nor their base classes may be registered.
    """
    if not isinstance(new, ArrayType):
        return "it must be an ArrayType"
    if not (isinstance(new.name, str) and new.name and new.name.isprintable()):
        return "its name must be a word"
    if not new.classes:
        return "its types must be a class or more"
    known = (np.ndarray, np.generic, int, float, complex, variable)
    for cls in new.classes:
        if isinstance(cls, str) and re.fullmatch(r"\w[\w.]*:\w+", cls):
            continue
        if not isinstance(cls, type):
            return f"{cls!r} must be a class"
        for other in known:
            if issubclass(cls, other) or issubclass(other, cls):
                return f"{cls.__name__} must not be, derive from, or be a base of {other.__name__}"
        for protocol in ("__array_ufunc__", "__array_function__"):
            if not callable(getattr(cls, protocol, None)):
                return f"{cls.__name__} must define {protocol}"
        if not cls.__weakrefoffset__:
            return f"{cls.__name__} must have '__weakref__' among its __slots__"
    return ""


PLAIN = frozenset({np.ndarray})
_WITHOUT_ARRAYS = frozenset({"builtins", "numpy"})
ARRAY_TYPES: dict[type | str, ArrayType] = {}
"""Class of arrays, or name of one -> its registered type. Empty, if there are ndarrays alone."""


def array_type_of(x: Any) -> ArrayType | None:
    """Return the registered type of an array; None for an ndarray, and for what is no array."""
    if not ARRAY_TYPES or type(x) is np.ndarray:
        return None
    found = next((ARRAY_TYPES[cls] for cls in type(x).__mro__ if cls in ARRAY_TYPES), None)
    if found is None and type(x).__module__ not in _WITHOUT_ARRAYS and _look_up_names():
        return array_type_of(x)
    return found


def _look_up_names() -> bool:
    """Find classes by their names in modules that were imported; return whether there are any."""
    found = {}
    for name in [key for key in list(ARRAY_TYPES) if isinstance(key, str)]:
        module, _, attribute = name.partition(":")
        cls = getattr(sys.modules.get(module), attribute, None)
        if cls is not None and cls not in ARRAY_TYPES:
            found[cls] = ARRAY_TYPES[name]
    ARRAY_TYPES.update(found)
    return bool(found)


def resolved(x: Any) -> Any:
    """Return the array that an operation computes with, in place of one of another type."""
    kind = array_type_of(x)
    return x if kind is None or kind.resolve is None else kind.resolve(x)


def call_by_type(function: Any, args: Iterable[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function of arrays as the type of its arrays does.

    Parameters
    ----------
    function : callable
    args : iterable
        Also lists and tuples of arrays.
    kwargs : dict

    Examples
    --------
    >>> call_by_type(np.any, (np.array([False, True]),), {})
    np.True_
    """
    if ARRAY_TYPES:
        given = [*args, *kwargs.values()]
        for x in given:
            if type(x) in (list, tuple):
                given += x  # the loop goes on to these
            elif (kind := array_type_of(x)) is not None and kind.call is not None:
                return kind.call(function, tuple(args), kwargs)
    return function(*args, **kwargs)


def any_array(x: Any, dtype: Any = None) -> Array:
    """Return a number or an ndarray as an ndarray, an array of a registered type as one of it."""
    if array_type_of(x) is None:
        return np.asarray(x, dtype)
    return x if dtype is None or x.dtype == dtype else x.astype(dtype)


def shape_of(x: Any) -> tuple[int, ...]:
    """Return the shape of an array of any type, or of a number."""
    found: tuple[int, ...] = x.shape if hasattr(x, "shape") else np.shape(x)
    return found


def zeros_as(shape: tuple[int, ...], dtype: Any, like: Array) -> Array:
    """Return zeros of the type of an array."""
    kind = array_type_of(like)
    return np.zeros(shape, dtype) if kind is None else kind.zeros(shape, dtype, like)


def copied(array: Array, of: Array = None) -> Array:
    """Return a copy that nobody else can see; an immutable array needs none.

    A gradient gets the form of the array that it is a gradient `of`.
    """
    kind = array_type_of(array)
    if kind is None:
        return np.array(array)
    if kind.fitted is not None and array_type_of(of) is kind and of.shape == array.shape:
        array = kind.fitted(array, of)
    return array if kind.immutable else np.copy(array)


def is_lazy(x: Any) -> bool:
    """Return whether an array, or a number, has no values until it is computed.

    A method of a Function asks so before it makes an ndarray of the size of such an array.

    Parameters
    ----------
    x : array or number

    Examples
    --------
    >>> is_lazy(np.array([1.0, 2.0]))
    False
    """
    kind = array_type_of(x)
    return kind is not None and kind.lazy


def certain(condition: Array) -> bool:
    """Return whether a condition holds for certain: False for an array without values.

    A method of a Function asks so before it takes a short way that is right for some values alone.

    Parameters
    ----------
    condition : bool, or array of one element

    Examples
    --------
    >>> certain(np.isfinite(np.array([1.0, 2.0])).all())
    True
    """
    return not is_lazy(condition) and bool(condition)


def possible(condition: Array) -> bool:
    """Return whether a condition may hold: True for an array without values.

    A method of a Function asks so before it leaves out what only some values need.

    Parameters
    ----------
    condition : bool, or array of one element

    Examples
    --------
    >>> possible(np.isnan(np.array([1.0, 2.0])).any())
    False
    """
    return is_lazy(condition) or bool(condition)


def placed(values: Array, shape: tuple[int, ...], index: Any, once: bool = False) -> Array:
    """Return zeros of a shape, with `values` added at an index: the gradient of ``x[index]``.

    Parameters
    ----------
    values : ndarray, or array of a registered type
        Of the shape of ``x[index]``, or one that broadcasts to it.
    shape : tuple of int
    index : index of ndarrays
        Known, and so of no registered type.
    once : bool
        Whether it is known that no element is picked twice: then nothing needs to be added.

    Examples
    --------
    >>> placed(np.array([1.0, 2.0]), (3,), [0, 0])
    array([3., 0., 0.])
    """
    if isinstance(values, (np.ndarray, np.generic)):
        zeros = np.zeros(shape, values.dtype)
        if once:
            zeros[index] = values
        else:
            np.add.at(zeros, index, values)
        return zeros
    placed_by_sums: Array = call_by_type(added_up, (values, shape, index), {})
    return placed_by_sums


def added_up(values: Array, shape: tuple[int, ...], index: Any) -> Array:
    """Return the same for arrays that nobody can write into."""
    at = np.arange(prod(shape)).reshape(shape)[index]
    values = np.reshape(np.broadcast_to(values, at.shape), (-1,))

    def added(weights: Array) -> Array:
        return np.bincount(at.reshape(-1), weights, prod(shape))

    is_complex = values.dtype.kind == "c"
    total = added(values.real) + 1j * added(values.imag) if is_complex else added(values)
    return np.reshape(total, shape).astype(values.dtype)
