"""An array for each example of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from dezero_core import VariableTypeError

from .batch import Batch


class Batched(np.lib.mixins.NDArrayOperatorsMixin):
    """The arrays of all examples of a batch, which looks like the array of one of them.

    Its indices, and NumPy's protocols, are in ``protocols.py``.

    Parameters
    ----------
    values : array
        Shape ``(n, ...)``: an ndarray, or an array of another batch, around this one.
    batch : Batch
        Of the length ``n``.
    """

    __slots__ = ("__weakref__", "batch", "dtype", "is_shared", "ndim", "shape", "values")
    #: Above that of all arrays that may be within it, such as those that record.
    __array_priority__ = 2000.0

    def __init__(self, values: Any, batch: Batch, is_shared: bool = False) -> None:
        self.values, self.batch = values, batch
        #: Of the array of one example. They are read several times in each operation.
        self.shape, self.ndim, self.dtype = values.shape[1:], values.ndim - 1, values.dtype
        #: Whether others may see it, such as a graph: then it cannot be written to.
        self.is_shared = is_shared

    size = property(lambda self: int(np.prod(self.shape)), doc="Number of elements of that.")
    real = property(lambda self: np.real(self), doc="The real parts.")
    imag = property(lambda self: np.imag(self), doc="The imaginary parts.")
    T = property(lambda self: np.transpose(self), doc="The transposed array.")
    mT = property(lambda self: np.swapaxes(self, -1, -2))  # noqa: N815 (NumPy's name)

    def astype(self, dtype: Any, **options: Any) -> Batched:
        """Return the array in another dtype."""
        return Batched(self.values.astype(dtype, **options), self.batch)

    def reshape(self, *shape: Any, **options: Any) -> Any:
        """Return the array in another shape."""
        return np.reshape(self, shape[0] if len(shape) == 1 else shape, **options)

    def transpose(self, *axes: Any) -> Any:
        """Return the array with its axes in another order."""
        return np.transpose(self, axes[0] if len(axes) == 1 else axes or None)

    def compress(self, condition: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the parts of the array where a condition holds."""
        return np.compress(condition, self, *args, **kwargs)

    def require_writeable(self) -> None:
        """Raise a ValueError, as NumPy does, if others may see the array."""
        if self.is_shared:
            raise ValueError(
                "assignment destination is read-only: a Variable holds it, or a graph. Write into "
                "a copy, np.copy(x)."
            )

    def copy(self, order: str = "C") -> Batched:
        """Return a copy."""
        return Batched(np.copy(self.values), self.batch)

    def __getattr__(self, name: str) -> Any:
        # The methods of an ndarray are functions of NumPy: x.sum() is np.sum(x).
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"an array of a batch has no attribute {name!r}.")
        function = getattr(np, {"conj": "conjugate", "flatten": "ravel"}.get(name, name), None)
        if function is None or name == "resize":  # the method changes x, and np.resize does not
            self._refuse(f".{name}")
        if name in ("sort", "partition"):  # likewise
            return lambda *args, **kwargs: self.__setitem__(..., function(self, *args, **kwargs))
        return lambda *args, **kwargs: function(self, *args, **kwargs)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of an array without dimensions")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("iteration over an array without dimensions")
        return (self[index] for index in range(len(self)))

    if TYPE_CHECKING:  # protocols.py, which imports the rules, binds them

        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: Any, values: Any) -> None: ...
        def __array_ufunc__(self, ufunc: Any, method: str, *xs: Any, **kwargs: Any) -> Any: ...
        def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any: ...

    def __repr__(self) -> str:
        return f"<{self.dtype}{list(self.shape)} of each of {self.batch.length} examples>"

    def _refuse(self, use: str) -> NoReturn:
        raise VariableTypeError(
            f"{use} needs one value, and within vmap({self.batch.name}) an array has one for each "
            "example. To choose by values, write np.where; to fill an array, np.stack.",
            got=type(self),
        )

    def __bool__(self) -> bool:
        self._refuse("a condition, as of `if`,")

    def __float__(self) -> float:
        self._refuse("float()")

    def __complex__(self) -> complex:
        self._refuse("complex()")

    def __int__(self) -> int:
        self._refuse("int()")

    def __index__(self) -> int:
        self._refuse("an index or a shape")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise VariableTypeError(
            "write np.stack([x, y]) in place of np.array([x, y]), Variable(a)[i].data in place of "
            "a[i] of an ndarray, and np.zeros_like(x) for an array to be filled. An array of "
            f"one example of vmap({self.batch.name}) does not turn into an ndarray.",
            got=type(self),
        )
