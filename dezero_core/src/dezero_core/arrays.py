"""Arrays that a Variable may hold, and operands that are none."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np

from .array_types import ARRAY_TYPES, array_type_of, call_by_type
from .errors import VariableTypeError

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

#: The types of functions of which NumPy lets a Variable know.
_DISPATCHED = np.ufunc, type(np.sum)

#: Name that an array of NumPy's, PyTorch's or autograd's makes one look for -> what to write.
INSTEAD = {
    name: f"np.{name}({'x, y' if getattr(vars(np)[name], 'nin', 1) == 2 else 'x'})"
    for name in np.__all__
    if type(vars(np).get(name)) in _DISPATCHED and not hasattr(np.ndarray, name)
} | {
    "__round__": "np.round(x, 2); of a number to be printed, round(x.item(), 2)",
    "clone": "np.copy(x)",
    "cpu": "x.data, which is in memory",
    "detach": "x.data, or Variable(x.data) for an input of its own",
    "grad_fn": "x.creator",
    "matmul": "x @ y",
    "mm": "x @ y",
    "numpy": "x.data",
    "to": "x.astype(dtype)",
    "tolist": "x.data.tolist()",
    "unsqueeze": "np.expand_dims(x, axis)",
    "view": "x.reshape(shape)",
    "zero_grad": "x.cleargrad()",
}

#: Functions of NumPy that count: the sums of their weights alone have a gradient.
COUNTING = {"bincount", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"}

#: Functions that write into an array or a file: there is no gradient to approximate.
WRITING = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}
WRITING |= {"save", "savetxt", "savez", "savez_compressed"}


def advice_for(library: str) -> str:
    """Return the advice for a function of a library, by its name, that was given a Variable."""
    advice = f"{library} takes arrays: give it x.data."
    if library.startswith("pandas."):
        advice += " To keep the gradient, take the array of the table, as in df.to_numpy() * x."
    return advice


def values_of(x: Any, variable: Any) -> Any:
    """Return `x` with the data in place of each Variable in it, also in lists and tuples."""
    if type(x) in (list, tuple):
        return type(x)(values_of(item, variable) for item in x)
    return x.data if isinstance(x, variable) else x


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
    if np.isscalar(x):
        scalar: Any = x
        return np.array(x) if array_type_of(x) is None else scalar[...]
    return x


def is_array(x: Any) -> bool:
    """Return whether `x` is an array of numbers, of NumPy's or a registered type.

    Without its mask an array has other numbers, and ``*`` of a matrix is another product.
    """
    if isinstance(x, np.generic) or not (isinstance(x, np.ndarray) or array_type_of(x)):
        return False
    if not isinstance(x.dtype, np.dtype) or x.dtype.kind not in NUMBERS:
        return False
    return type(x) is np.ndarray or not isinstance(x, (np.ma.MaskedArray, np.matrix))


def plain_array(data: Any, variable: Any = ()) -> Any:
    """Return a subclass of ndarray as a plain one, an array of a registered type as it is.

    Everything else is refused.

    `variable` is the class of Variables: for these the error has advice of its own.
    """
    if is_array(data):
        return data.view(np.ndarray) if array_type_of(data) is None else data
    kind, advice = str(type(data)), ""
    if isinstance(data, np.ma.MaskedArray):
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
        written = reprlib.repr(data)
        dtype = "" if {".", "j"}.intersection(written) else ", dtype=float"  # integers are constant
        advice = f" Write Variable(np.array({written}{dtype}))."
    elif isinstance(data, np.ndarray) or array_type_of(data) is not None:
        kind = f"{kind} of dtype {data.dtype}"
    elif hasattr(data, "__array_function__"):
        advice = " No loaded plugin registers this type of array."
    raise VariableTypeError(
        f"{kind} is not supported: a Variable holds {holds()} of numbers.{advice}",
        got=type(data),
    )


def holds() -> str:
    """Return how messages name the arrays that a Variable may hold."""
    kinds = [kind for kind in ARRAY_TYPES.values() if kind.resolve is None]  # that users make
    registered = sorted({f"a {kind.name} array" for kind in kinds})
    return " or ".join(["a numpy.ndarray", *registered])


def constant(x: Any) -> Any:
    """Return an operand that is not a Variable, for ``Function.forward``.

    Python scalars stay what they are: to NumPy they are weak, so that
    ``Variable(float32) * 2.0`` is float32. Lists of numbers become arrays, as in NumPy.
    """
    if type(x) is np.ndarray or isinstance(x, SCALARS):
        return x
    if isinstance(x, np.ndarray) or array_type_of(x) is not None:
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
    """Raise if the values of an array, which a `use` is to look at, are not known.

    Raises
    ------
    VariableTypeError (TypeError)
    """
    kind = array_type_of(array)
    if kind is not None and kind.lazy:
        also = " or x.data.compute()" if hasattr(array, "compute") else ""
        raise VariableTypeError(
            f"{use} needs values, and this {kind.name} array is lazy: it has none yet. Call "
            f"x.to_numpy(){also} on the Variable, which computes them; to choose by values within "
            "a calculation, write np.where.",
            got=type(array),
        )
