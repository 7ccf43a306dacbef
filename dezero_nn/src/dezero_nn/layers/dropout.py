"""The layer that drops elements by chance."""

from __future__ import annotations

from typing import Any

from dezero_core import Variable

from ..docstrings import described
from ..functions import dropout
from .layer import Layer


@described
class Dropout(Layer):
    """Set elements to 0 by chance, and scale the others, in training only.

    ratio: the chance of an element to be dropped, from 0 on and below 1.
    rng (numpy.random.Generator or RandomState, optional): draws; by default ``np.random``.
    Raises ValueError: if `ratio` is not from 0 on and below 1.
    Source: *Deep Learning from Scratch 3*, step 54; Srivastava et al. 2014.

    >>> layer = Dropout(0.5, rng=np.random.default_rng(0))
    >>> np.unique(layer(np.ones(100)))
    array([0., 2.])
    """

    def __init__(self, ratio: float = 0.5, rng: Any = None) -> None:
        if not 0.0 <= ratio < 1.0:
            raise ValueError(f"Dropout takes a ratio of at least 0 and below 1, got {ratio!r}.")
        self.ratio, self.rng = ratio, rng

    def forward(self, x: Any) -> Variable:
        """Return `x` with elements dropped; under ``test_mode()``, `x` itself."""
        return dropout(x, self.ratio, self.rng)
