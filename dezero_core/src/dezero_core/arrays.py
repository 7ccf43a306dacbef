"""The arrays that a Variable may hold: ndarrays, and those of types that plugins have registered.

`NUMPY` is the type of ndarrays, and of all that is no array. Calls and the backward pass look for
an ndarray first, so that it needs nothing of this module.
"""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np

from .errors import VariableTypeError
from .sums import WIDER, sum_to

Array = Any
"""An ndarray or NumPy scalar; in ``backward(create_graph=True)`` a Variable."""

NUMBERS = "fciub"
"""Kinds of dtype that a Variable holds: floating, complex, integers and booleans."""

INEXACT = "fc"
"""Kinds of dtype that have a derivative."""

EXACT = "iub"
"""Kinds of dtype whose arrays are constants: integers and booleans."""

SCALARS = int, float, complex, np.generic
"""Types of single numbers."""


def _zeros_like(shape: tuple[int, ...], dtype: Any, like: Array) -> Array:
    return np.zeros_like(like, dtype=dtype, shape=shape)


def _sum_by_numpy(array: Array, shape: tuple[int, ...]) -> Array:
    lead = array.ndim - len(shape)
    repeated = (i for i, n in enumerate(array.shape) if i < lead or shape[i - lead] != n)
    wider = WIDER.get(array.dtype.char)  # sums of short floats lose digits, see `sums`
    total: Array = np.sum(array, axis=tuple(repeated), dtype=wider, keepdims=True)
    return np.reshape(total, shape).astype(array.dtype)


class ArrayType(NamedTuple):
    """A type of arrays, with the functions that NumPy's protocols do not define.

    Its arrays have ``shape``, ``dtype``, ``ndim``, ``size``, ``astype`` and ``reshape``, operators
    and indices. NumPy's functions work on them by ``__array_ufunc__`` and ``__array_function__``,
    which return NotImplemented where they meet a type that they do not know: a Variable. A gradient
    is an array of the same type. In an operation of an ndarray and one of this type the ndarray is
    converted by the type's own rules, and the result is of this type.

    Attributes
    ----------
    name : str
        As messages name it: ``"dask"``.
    types : type or str, or tuple of them
        The classes of its arrays; derived ones belong to it. ``"dask.array:Array"`` names a class
        of a library that takes long to import: it is looked up once somebody has imported that.
    lazy : bool or str
        Whether its arrays have no values until they are computed, or the reason why there is not
        one value. No value is looked at then: ``float(x)`` and ``if x:`` are refused, and
        operations take their general path.
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
    from_numpy : callable, optional
        ``from_numpy(array)`` makes an array of this type: ``dezero check --array`` asks for it.
    resolve : callable, optional
        ``resolve(array)`` returns what an operation computes with in place of an array: itself, or
        another one if there is nothing special about it any more. Users do not make such arrays.
    call : callable, optional
        ``call(function, args, kwargs)`` calls the method of a Function, or a function that has no
        derivative, in a way of its own: such as chunk by chunk, see ``Function.elementwise``. The
        arguments may be lists and tuples of arrays.
    fitted : callable, optional
        ``fitted(gradient, array)`` gives a gradient the form of the array that it belongs to, such
        as its chunks.
    others : callable, optional
        Of a type whose arrays meet those of other types in an operation: ``others(operands)``
        returns, for the index of each operand of another type, a function that gives a gradient of
        this type the type of that operand. Its `call` also runs the methods of Functions that take
        ndarrays alone.
    without_computing : callable, optional
        Of a lazy type: returns a context manager in which computing an array raises, for
        ``dezero check --array``.
    """

    name: str
    types: Any
    lazy: bool | str = False
    immutable: bool = False
    zeros: Callable[[tuple[int, ...], Any, Array], Array] = _zeros_like
    sum_to: Callable[[Array, tuple[int, ...]], Array] = _sum_by_numpy
    to_numpy: Callable[[Array], Any] = np.asarray
    from_numpy: Callable[[Any], Array] | None = None
    resolve: Callable[[Array], Array] | None = None
    call: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any] | None = None
    fitted: Callable[[Array, Array], Array] | None = None
    others: Callable[[tuple[Any, ...]], dict[int, Callable[[Array], Array]]] | None = None
    without_computing: Callable[[], AbstractContextManager[Any]] | None = None

    @property
    def classes(self) -> tuple[type | str, ...]:
        """The `types`, as a tuple."""
        return self.types if isinstance(self.types, tuple) else (self.types,)

    @property
    def an_array(self) -> str:
        """As messages name an array of this type, with the article."""
        return "an ndarray" if self is NUMPY else f"a {self.name} array"

    def __repr__(self) -> str:
        return f"ArrayType({self.name!r}, {self.types!r})"


NUMPY = ArrayType(
    *("numpy", np.ndarray),
    zeros=lambda shape, dtype, like: np.zeros(shape, dtype),
    sum_to=sum_to,
    from_numpy=np.asarray,
)
ARRAY_TYPES: dict[str, ArrayType] = {}
"""Name -> registered type of arrays. Empty, if there are ndarrays alone."""
OF_NUMPY = frozenset({np.ndarray, np.float64, float, int, bool, complex, type(None)})
"""The classes of most arguments, which are of no registered type."""
_without_arrays = frozenset({"builtins", "numpy", f"{__package__}.variable"})
_by_class: dict[type, ArrayType] = {}


def kind_of(x: Any) -> ArrayType:
    """Return the type of an array; `NUMPY` for an ndarray, and for what is no array."""
    cls = type(x)
    if not ARRAY_TYPES or cls is np.ndarray or cls.__module__ in _without_arrays:
        return NUMPY
    found = _by_class.get(cls)
    if found is None or ARRAY_TYPES.get(found.name) is not found:
        kinds = list(ARRAY_TYPES.values())  # once: another thread may load a plugin
        of_class = [(_imported(each), kind) for kind in kinds for each in kind.classes]
        found = next(
            (kind for base in cls.__mro__ for each, kind in of_class if each is base), None
        )
        if found is None:
            return NUMPY
        _by_class[cls] = found
    return found


def _imported(cls: type | str) -> Any:
    """Return a class, also one that is named; None if nobody has imported its module yet."""
    if isinstance(cls, type):
        return cls
    module, _, attribute = cls.partition(":")
    return getattr(sys.modules.get(module), attribute, None)


def call_by_type(function: Any, args: Iterable[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function of arrays as the type of its arrays does; also of lists and tuples of them.

    Examples
    --------
    >>> call_by_type(np.any, (np.array([False, True]),), {})
    np.True_
    """
    if ARRAY_TYPES and (kwargs or not OF_NUMPY.issuperset(map(type, args))):
        given = [*args, *kwargs.values()]
        for x in given:
            if type(x) in (list, tuple):
                given += x  # the loop goes on to these
            elif (call := kind_of(x).call) is not None:
                return call(function, tuple(args), kwargs)
    return function(*args, **kwargs)


def as_array(x: Any) -> Any:
    """Return a scalar as a 0-d array, anything else as it is.

    Parameters
    ----------
    x : ndarray or number

    Returns
    -------
    ndarray

    Examples
    --------
    >>> as_array(np.float64(2.0))
    array(2.)
    """
    if isinstance(x, SCALARS) or np.isscalar(x):  # the second knows more, and takes longer
        scalar: Any = x
        return np.array(x) if kind_of(x) is NUMPY else scalar[...]
    return x


def is_array(x: Any) -> bool:
    """Return whether `x` is an array of numbers, of NumPy's or a registered type.

    A masked array hides some of its numbers, and ``*`` multiplies matrices: both are refused.
    """
    if isinstance(x, (np.generic, np.matrix)) or is_masked(x):
        return False
    if not isinstance(x, np.ndarray) and kind_of(x) is NUMPY:
        return False
    return isinstance(x.dtype, np.dtype) and x.dtype.kind in NUMBERS


def is_masked(x: Any) -> bool:
    """Return whether `x` is a masked array: none is while nobody has imported numpy.ma."""
    return isinstance(x, getattr(sys.modules.get("numpy.ma"), "MaskedArray", ()))


def plain_array(data: Any, variable: Any = ()) -> Any:
    """Return a subclass of ndarray as a plain one, an array of a registered type as it is.

    Everything else is refused; the error has advice of its own for the class of Variables.
    """
    if is_array(data):
        return data.view(np.ndarray) if kind_of(data) is NUMPY else data
    got, advice = str(type(data)), ""
    if is_masked(data):
        advice = " Write Variable(x.filled(0.0))."
    elif isinstance(data, np.matrix):
        advice = (
            " Its * is the product of matrices, and that of a Variable is elementwise. Write "
            "np.asarray(x), and @ for the product of matrices."
        )
    elif isinstance(data, variable):
        advice = " Write Variable(x.data)."
    elif isinstance(data, (list, tuple)) and any(isinstance(x, variable) for x in data):
        advice = " Write np.stack([x, ...]), or np.array([x.data, ...]) for their values."
    elif isinstance(data, (*SCALARS, list, tuple)):
        listed = reprlib.repr(data)
        dtype = "" if {".", "j"}.intersection(listed) else ", dtype=float"  # integers are constant
        advice = f" Write Variable(np.array({listed}{dtype}))."
    elif isinstance(data, np.ndarray) or kind_of(data) is not NUMPY:
        got = f"{got} of dtype {data.dtype}"
    elif hasattr(data, "__array_function__"):
        advice = " No loaded plugin registers this type of array."
    raise VariableTypeError(
        f"{got} is not supported: a Variable holds {holds()} of numbers.{advice}", got=type(data)
    )


def holds() -> str:
    """Return how messages name the arrays that a Variable may hold."""
    known = ARRAY_TYPES.values()  # of which users make some
    kinds = sorted(k.an_array for k in known if k.resolve is None and k.others is None)
    return " or ".join(["a numpy.ndarray", *kinds])


def constant(x: Any) -> Any:
    """Return an operand that is not a Variable, for ``Function.forward``.

    Python scalars stay what they are: to NumPy they are weak, so that
    ``Variable(float32) * 2.0`` is float32. Lists of numbers become arrays, as in NumPy.
    """
    if type(x) is np.ndarray or isinstance(x, SCALARS):
        return x
    if isinstance(x, np.ndarray) or kind_of(x) is not NUMPY:
        return plain_array(x)
    if isinstance(x, (list, tuple)):
        return plain_array(call_by_type(np.asarray, (x,), {}))  # a Variable in it is refused
    advice = " Write x.grad." if isinstance(x, memoryview) else getattr(x, "advice", "")
    for method in ("to_numpy", "toarray"):  # as of pandas' tables and SciPy's sparse matrices
        if hasattr(type(x), method):
            advice = f" Write its .{method}()."
    raise VariableTypeError(
        f"{type(x)} is not supported: an operand is a Variable, an ndarray or a number.{advice}",
        got=type(x),
    )


def require_values(array: Array, use: str) -> None:
    """Raise a VariableTypeError if an array is lazy; `use` names what needs its values."""
    kind = kind_of(array)
    if kind.lazy:
        also = " or x.data.compute()" if hasattr(array, "compute") else ""
        lazy = f"is lazy: it has none yet. Call x.to_numpy(){also} on the Variable, which computes "
        reason = f"{lazy}them" if kind.lazy is True else kind.lazy
        raise VariableTypeError(
            f"{use} needs values, and this {kind.name} array {reason}; to choose by values within "
            "a calculation, write np.where.",
            got=type(array),
        )


def shape_of(x: Any) -> tuple[int, ...]:
    """Return the shape of an array of any type, or of a number."""
    found: tuple[int, ...] = x.shape if hasattr(x, "shape") else np.shape(x)
    return found


def copied(array: Array, of: Array = None) -> Array:
    """Return a copy that nobody else can see; an immutable array needs none.

    A gradient gets the form of the array that it is a gradient `of`.
    """
    kind = kind_of(array)
    if kind is NUMPY:
        return np.array(array)  # np.copy takes twice as long
    if kind.fitted is not None and kind_of(of) is kind and of.shape == array.shape:
        array = kind.fitted(array, of)
    return array if kind.immutable else np.copy(array)
