"""An array type with nothing but NumPy's protocols, over which operations are checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import ArrayType

#: Functions whose results follow from shapes and dtypes, and not from values.
_OF_THE_FORM = {np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.result_type}

_KNOWN = (np.ndarray, np.generic, bool, int, float, complex)


class StrictArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that never turns into an ndarray, shows no value, and cannot be written to.

    An operation that is right over such arrays is right over all that implement NumPy's protocols.
    Beside these, it has ``shape``, ``dtype``, ``ndim``, ``size``, ``real``, ``imag``, ``T``,
    ``astype``, ``reshape``, ``any`` and ``all``. It refuses methods of ufuncs, such as
    ``np.add.reduce``, as Dask's arrays do.

    Examples
    --------
    >>> np.exp(StrictArray([0.0, 1.0]))
    StrictArray(shape=(2,), dtype=float64)
    """

    def __init__(self, values: Any) -> None:
        self._values = np.array(values)
        self._values.flags.writeable = False

    shape = property(lambda self: self._values.shape)
    dtype = property(lambda self: self._values.dtype)
    ndim = property(lambda self: self._values.ndim)
    size = property(lambda self: self._values.size)
    real = property(lambda self: type(self)(self._values.real))
    imag = property(lambda self: type(self)(self._values.imag))
    T = property(lambda self: type(self)(self._values.T))

    def astype(self, dtype: Any, copy: bool = True) -> StrictArray:
        return type(self)(self._values.astype(dtype, copy=copy))

    def reshape(self, *shape: Any) -> StrictArray:
        return type(self)(self._values.reshape(*_with_ndarrays(shape)))

    def any(self) -> StrictArray:
        return type(self)(self._values.any())

    def all(self) -> StrictArray:
        return type(self)(self._values.all())

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> StrictArray:
        parts = index if isinstance(index, tuple) else (index,)
        if any(isinstance(part, StrictArray) for part in parts):
            raise TypeError("a StrictArray cannot be an index: it has no values yet.")
        return type(self)(self._values[index])

    __iter__ = None

    def __repr__(self) -> str:
        return f"StrictArray(shape={self.shape}, dtype={self.dtype})"

    def __bool__(self) -> bool:
        raise TypeError("a StrictArray is neither true nor false: it has no values yet.")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("a StrictArray does not turn into an ndarray.")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        known = all(isinstance(x, (StrictArray, *_KNOWN)) for x in inputs)
        if method != "__call__" or "out" in kwargs or not known:
            return NotImplemented
        return self._wrapped(ufunc(*_with_ndarrays(inputs), **_with_ndarrays(kwargs)))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        known = all(issubclass(kind, (StrictArray, np.ndarray)) for kind in types)
        if not known or kwargs.get("out") is not None:
            return NotImplemented
        y = function(*_with_ndarrays(args), **_with_ndarrays(kwargs))
        return y if function in _OF_THE_FORM else self._wrapped(y)

    def _wrapped(self, y: Any) -> Any:
        """Return results with arrays of this class in place of ndarrays and numbers."""
        if isinstance(y, _KNOWN):
            return type(self)(y)
        if isinstance(y, (list, tuple)):
            parts = map(self._wrapped, y)
            return type(y)(*parts) if hasattr(y, "_fields") else type(y)(parts)
        return y


def _with_ndarrays(x: Any) -> Any:
    """Return arguments with ndarrays in place of strict arrays."""
    if isinstance(x, StrictArray):
        return x._values
    if isinstance(x, (list, tuple)):
        return type(x)(map(_with_ndarrays, x))
    return {name: _with_ndarrays(value) for name, value in x.items()} if isinstance(x, dict) else x


STRICT = ArrayType(
    "strict",
    StrictArray,
    lazy=True,
    immutable=True,
    to_numpy=lambda array: array._values,
    from_numpy=StrictArray,
)
