"""Checks of what a layer is called with."""

from __future__ import annotations

from typing import Any


def require_floats(layer: Any, x: Any) -> None:
    """Raise a TypeError if the input of a layer is no array of floating-point numbers."""
    name = type(layer).__name__
    if not (hasattr(x, "dtype") and hasattr(x, "shape")):
        raise TypeError(
            f"{name} takes an ndarray or a Variable, got a {type(x).__name__}: write "
            "np.array(x, dtype=np.float32)."
        )
    if x.dtype.kind not in "fc":
        raise TypeError(
            f"{name} takes floating-point numbers, got {x.dtype} of shape {x.shape}: write "
            "x.astype(np.float32). For ids, use EmbedID."
        )


def require_size(layer: Any, x: Any, weights: Any, axis: int, axes: str) -> None:
    """Raise a ValueError if the input has no such axis, or one not as long as the weights.

    Weights without data yet fit each length.
    """
    known = weights.data is not None
    if x.ndim < max(axis + 1, -axis) or (known and x.shape[axis] != len(weights)):
        size = f" with in_size {len(weights)}" if known else ""
        raise ValueError(
            f"{layer!r} takes an input of shape {axes}{size}, got one of shape {x.shape}."
        )
