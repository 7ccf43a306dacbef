"""The weights that a layer has before it is trained."""

from __future__ import annotations

from typing import Any

import numpy as np


def drawn(rng: Any, shape: tuple[int, ...], scale: float, dtype: Any) -> Any:
    """Return normal numbers with mean 0 and standard deviation `scale`.

    Parameters
    ----------
    rng : numpy.random.Generator, RandomState or None
        By default ``np.random``.
    """
    numbers = (np.random if rng is None else rng).standard_normal(shape)
    return (numbers * scale).astype(dtype)
