"""Complex conjugates of arrays of any type."""

from __future__ import annotations

import numpy as np

from dezero_core.extend import Array


def conjugated(x: Array) -> Array:
    """Return the complex conjugate: of a real ndarray itself, since the method makes no copy."""
    return x.conjugate() if hasattr(x, "conjugate") else np.conjugate(x)
