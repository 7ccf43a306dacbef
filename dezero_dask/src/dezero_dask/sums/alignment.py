"""Arrays in aligned memory: those that arrive from another process often are not.

NumPy computes with unaligned arrays by small copies, which takes about three times as long.
"""

from __future__ import annotations

from operator import itemgetter, methodcaller
from typing import Any

import numpy as np


def aligned(array: Any) -> Any:
    """Return an array in aligned memory, a copy if need be; anything else as it is."""
    if isinstance(array, np.ndarray) and not array.flags.aligned:
        return array.copy(order="K")
    return array


class LocalArray:
    """An array of this process, for tasks: it arrives in others as an array that is aligned.

    Bytes are received into any memory. So the array is copied once where it arrives, and not in
    each step. What arrives needs nothing but NumPy: a worker without this package would die of it.
    """

    __slots__ = ("__weakref__", "array")

    def __init__(self, array: Any) -> None:
        self.array = aligned(array)

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self.array, np.ndarray):
            return methodcaller("copy", order="K"), (self.array,)
        return itemgetter(0), ((self.array,),)

    def __sizeof__(self) -> int:
        return int(getattr(self.array, "nbytes", 0)) + 100
