"""Arrays that pass each call of NumPy on to a function of Dask's, and refuse those that are not.

The body of an operation computes with these. Dask's own arrays would do for many calls; but for
others Dask computes them, and calls NumPy.
"""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

from .indexing import picked
from .lowerings.table import of_function, of_ufunc
from .refusals import refused


class Lowered(np.lib.mixins.NDArrayOperatorsMixin):
    """One of Dask's arrays within the body of an operation.

    Parameters
    ----------
    array : dask.array.Array
    """

    __slots__ = ("__weakref__", "array")

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.array.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Data type of the array."""
        return self.array.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.array.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(self.array.size)

    @property
    def real(self) -> Lowered:
        """Real parts."""
        return Lowered(self.array.real)

    @property
    def imag(self) -> Lowered:
        """Imaginary parts."""
        return Lowered(self.array.imag)

    @property
    def T(self) -> Lowered:  # noqa: N802
        """The transposed array."""
        return Lowered(da.transpose(self.array))

    def astype(self, dtype: Any, copy: bool = True) -> Lowered:
        """Convert to another dtype."""
        return Lowered(self.array.astype(dtype))

    def reshape(self, *shape: Any) -> Any:
        """Give the elements another shape."""
        return np.reshape(self, shape[0] if len(shape) == 1 else shape)

    def any(self) -> Lowered:
        """Return whether any element is true, as an array without dimensions."""
        return Lowered(da.any(self.array))

    def all(self) -> Lowered:
        """Return whether all elements are true, as an array without dimensions."""
        return Lowered(da.all(self.array))

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, index: Any) -> Any:
        return Lowered(picked(self.array, index))

    __iter__ = None

    def __bool__(self) -> bool:
        raise refused("bool()", "its body asks for a value")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise refused("np.asarray", "its body asks for all values")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if not all(isinstance(x, (Lowered, np.ndarray, np.generic, *_NUMBERS)) for x in inputs):
            return NotImplemented
        return lowered(of_ufunc(ufunc, method, plain(inputs), plain(kwargs)))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not all(issubclass(kind, (Lowered, np.ndarray)) for kind in types):
            return NotImplemented
        return lowered(of_function(function, plain(args), plain(kwargs)))


_NUMBERS = (bool, int, float, complex)


def lowered(x: Any) -> Any:
    """Return one of Dask's arrays as a Lowered, also those in tuples and lists."""
    if isinstance(x, da.Array):
        return Lowered(x)
    if type(x) in (list, tuple):
        return type(x)(map(lowered, x))
    return {name: lowered(value) for name, value in x.items()} if type(x) is dict else x


def plain(x: Any) -> Any:
    """Return a Lowered as the array that it stands for, also in tuples, lists and dicts."""
    if isinstance(x, Lowered):
        return x.array
    if type(x) in (list, tuple):
        return type(x)(map(plain, x))
    return {name: plain(value) for name, value in x.items()} if type(x) is dict else x
