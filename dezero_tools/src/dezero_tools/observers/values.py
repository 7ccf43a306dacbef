"""Values as observers look at them, and places as they write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from dezero_core.variable import Variable


def array_of(x: Any) -> Any:
    """Return the values as an array; of what is none, as a list by mistake, an empty one."""
    if isinstance(x, Variable):
        return x.data
    return np.asarray(x if isinstance(x, (np.ndarray, np.generic, float, complex)) else ())


def place(position: Sequence[int]) -> str:
    """Return how messages write the place of an element: ``[1, 0]``."""
    return f"[{', '.join(map(str, position))}]" if len(position) else "its one element"
