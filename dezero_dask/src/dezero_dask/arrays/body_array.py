"""Arrays that pass each call of NumPy on to a function of Dask's, and refuse those that are not.

The body of an operation computes with these. Dask's own arrays would do for many calls; but for
others Dask computes them, and calls NumPy.
"""

from __future__ import annotations

from functools import partial, partialmethod
from operator import attrgetter
from typing import Any, NoReturn

import dask.array as da
import numpy as np

from ..errors import refused
from .numpy_functions.indexing import picked
from .numpy_functions.table import mapped, of_function, of_ufunc


class BodyArray(np.lib.mixins.NDArrayOperatorsMixin):
    """One of Dask's arrays within the body of an operation."""

    __slots__ = ("__weakref__", "array")

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(self.array.size)

    @property
    def nbytes(self) -> int:
        """Number of bytes of all elements."""
        return self.size * int(self.itemsize)

    @property
    def mT(self) -> Any:  # noqa: N802
        """The transposed matrices."""
        return np.matrix_transpose(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(
                f"an array in the body of an operation has those of an ndarray, and "
                f"{name!r} is none of them.",
                name=name,
                obj=self,
            )
        if name in _KNOWN:
            return getattr(self.array, name)
        if name in _LAZY:
            return BodyArray(getattr(self.array, name))
        if name in _WITHIN:
            raise refused(f"x.{name}", _WRITES, _NEW)
        function = _METHODS.get(name, getattr(np, name, None))
        if not callable(function):
            reason = f"x.{name} is not among the attributes that are certain to be lazy"
            raise refused(f"x.{name}", reason)
        return partial(function, self)

    def astype(
        self,
        dtype: Any,
        order: str = "K",
        casting: Any = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> BodyArray:
        """Convert to another dtype."""
        return BodyArray(self.array.astype(dtype, casting=casting))

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, index: Any) -> Any:
        return BodyArray(picked(self.array, index))

    def __setitem__(self, index: Any, value: Any) -> None:
        raise refused("x[index] = y", _WRITES, _NEW)

    __iter__ = None

    def _refuse_value(self, kind: str) -> NoReturn:
        raise refused(f"{kind}()", "its body asks for a value")

    __bool__ = partialmethod(_refuse_value, "bool")
    __float__ = partialmethod(_refuse_value, "float")
    __int__ = partialmethod(_refuse_value, "int")
    __complex__ = partialmethod(_refuse_value, "complex")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise refused("np.asarray", "its body asks for all values")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if not all(
            isinstance(x, (BodyArray, np.ndarray, np.generic, int, float, complex)) for x in inputs
        ):
            return NotImplemented
        return wrapped(of_ufunc(ufunc, method, unwrapped(inputs), unwrapped(kwargs)))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not all(issubclass(kind, (BodyArray, np.ndarray)) for kind in types):
            return NotImplemented
        if function in _MADE_OF_OTHERS:
            return function._implementation(*args, **kwargs)
        return wrapped(of_function(function, unwrapped(args), unwrapped(kwargs)))


#: Functions of which NumPy's own code, in Python, does nothing but call others that are here.
_MADE_OF_OTHERS = {np.dsplit, np.dstack, np.hsplit, np.hstack, np.split, np.vsplit, np.vstack}

_WRITES, _NEW = "its body writes into an array", "Make a new one, as by np.where or np.stack."


def _reshape(x: BodyArray, *shape: Any, order: Any = "C", copy: Any = None) -> Any:
    return np.reshape(x, shape[0] if len(shape) == 1 else shape, order=order)


def _transpose(x: BodyArray, *axes: Any) -> Any:
    several = len(axes) == 1 and not isinstance(axes[0], int)
    return np.transpose(x, axes[0] if several else axes or None)


def _compress(x: BodyArray, condition: Any, axis: Any = None, out: None = None) -> Any:
    return np.compress(condition, x, axis)


#: Attributes that are those of the array, and attributes that are arrays.
_KNOWN, _LAZY = {"shape", "dtype", "ndim", "itemsize"}, {"real", "imag", "T"}

#: Methods of an ndarray that are not called as the function of NumPy of the same name.
_METHODS: dict[str, Any] = {
    "compress": _compress,
    "flatten": np.ravel,
    "reshape": _reshape,
    "transpose": _transpose,
}

#: Methods that write into the array; the function of NumPy of that name may return another one.
_WITHIN = {"fill", "partition", "put", "resize", "setfield", "setflags", "sort"}


def wrapped(x: Any) -> Any:
    """Return one of Dask's arrays as a BodyArray, also those in tuples, lists and dicts."""
    return mapped(BodyArray, da.Array, x)


def unwrapped(x: Any) -> Any:
    """Return a BodyArray as the array that it stands for, also in tuples, lists and dicts."""
    return mapped(attrgetter("array"), BodyArray, x)
