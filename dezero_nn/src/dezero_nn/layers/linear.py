"""The affine layer."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Parameter, Variable
from dezero_ops_math import linear

from .layer import Layer


class Linear(Layer):
    """Affine map of the last axis, ``x @ W + b``.

    The first weights are normal with variance ``1 / in_size``, and `b` is zero.

    Parameters
    ----------
    out_size : int
    nobias : bool
        Whether there is no `b`.
    dtype : data-type
    in_size : int, optional
        By default that of the first input.
    rng : numpy.random.Generator or RandomState, optional
        Draws the first weights; by default ``np.random``.

    Examples
    --------
    >>> layer = Linear(3)
    >>> layer(np.ones((2, 4), np.float32)).shape
    (2, 3)
    >>> layer.W.shape
    (4, 3)
    """

    def __init__(
        self,
        out_size: int,
        nobias: bool = False,
        dtype: Any = np.float32,
        in_size: int | None = None,
        rng: Any = None,
    ) -> None:
        self.in_size, self.out_size, self.dtype, self.rng = in_size, out_size, dtype, rng
        self.W = Parameter(None, name="W")
        self.b = None if nobias else Parameter(np.zeros(out_size, dtype), name="b")
        if in_size is not None:
            self._draw()

    def _draw(self) -> None:
        shape = self.in_size, self.out_size
        rng = np.random if self.rng is None else self.rng
        drawn = rng.standard_normal(shape) * np.sqrt(1 / self.in_size)
        self.W.data = drawn.astype(self.dtype)

    def forward(self, x: Any) -> Variable:
        """Return ``x @ W + b``, of shape ``(..., out_size)``."""
        if self.W.data is None:
            self.in_size = x.shape[-1]
            self._draw()
        return linear(x, self.W, self.b)
