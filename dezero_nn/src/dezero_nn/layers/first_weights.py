"""The weights that a layer has before it is trained."""

from __future__ import annotations

from typing import Any

import numpy as np


def require_floating(layer: Any, dtype: Any) -> None:
    """Raise a TypeError if weights of a dtype cannot be trained: integers have no gradient."""
    if np.dtype(dtype).kind not in "fc":
        raise TypeError(
            f"{type(layer).__name__} takes a dtype of floating-point numbers, got "
            f"{np.dtype(dtype)}: write dtype=np.float32."
        )


def drawn(rng: Any, shape: tuple[int, ...], scale: float, dtype: Any) -> Any:
    """Return normal numbers with mean 0 and standard deviation `scale`.

    rng: by default ``np.random``.
    """
    numbers = (np.random if rng is None else rng).standard_normal(shape)
    return (numbers * scale).astype(dtype)
