"""The values of a call as arrays, and the place of an element in messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import NUMPY, kind_of


def array_of(x: Any) -> Any:
    """Return the values of `x` as an array; an empty one if `x` has none: a list, a lazy array."""
    if isinstance(x, Variable):
        x = x.data
    kind = kind_of(x)
    if kind is not NUMPY and not kind.lazy:
        return kind.to_numpy(x)
    return np.asarray(x if isinstance(x, (np.ndarray, np.generic, float, complex)) else ())


def place(position: Sequence[int]) -> str:
    """Return the place of an element as messages write it: ``[1, 0]``."""
    return f"[{', '.join(map(str, position))}]" if len(position) else "its one element"
