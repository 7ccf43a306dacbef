"""A calculation that is made for each chunk of some operands, which are broadcast to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np

from .trials import first_result

Array = Any


class Chunkwise:
    """A task for each chunk of some operands, which are broadcast to each other.

    The task takes the operands, Dask's arrays, ndarrays, numbers and None, with chunks in place of
    arrays. Operands that do not fit together are refused: Dask lets those without elements through.
    """

    def __init__(self, task: Any, operands: Sequence[Any]) -> None:
        self.task = task
        self._operands = [
            x if isinstance(x, da.Array) or not np.ndim(x) else da.asarray(x) for x in operands
        ]
        shapes = [x.shape for x in self._operands if isinstance(x, da.Array)]
        self.ndim = len(np.broadcast_shapes(*shapes))

    def trial_operands(self, value: Any = 1, length: int = 1) -> list[Any]:
        """Return arrays of one value in place of those of the operands, with axes of a length."""
        return [
            np.full((length,) * x.ndim, value).astype(x.dtype)
            if isinstance(x, (da.Array, np.ndarray))
            else x
            for x in self._operands
        ]

    def tried(self) -> Any:
        """Return the result of the task for operands of one element: it has the dtype of all."""
        return first_result(lambda value: self.task(*self.trial_operands(value)))

    def array(self, dtype: Any) -> Array:
        """Return the array of which each chunk is the result of the task."""
        pairs = [
            pair
            for x in self._operands
            for pair in (x, tuple(range(x.ndim))[::-1] if isinstance(x, da.Array) else None)
        ]
        return da.blockwise(
            self.task,
            tuple(range(self.ndim))[::-1],
            *pairs,
            dtype=dtype,
            meta=np.empty((0,) * self.ndim, dtype),
        )


def broadcast_chunks(operands: Sequence[Any]) -> list[Any]:
    """Return the operands of one chunk with arrays of one shape; numbers stay what they are."""
    shape = np.broadcast_shapes(*(x.shape for x in operands if isinstance(x, np.ndarray)))
    return [np.broadcast_to(x, shape) if isinstance(x, np.ndarray) else x for x in operands]
