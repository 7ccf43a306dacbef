"""The layer of learned vectors for ids, such as those of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Parameter, Variable

from ..docstrings import described
from ..functions import embed_id
from ..functions.windows import count
from .first_weights import drawn, require_floating
from .layer import Layer


@described
class EmbedID(Layer):
    """A row of `W` for each id.

    The first weights are standard normal.

    in_size: how many ids there are, from 0 to ``in_size - 1``.
    out_size: the length of each row.
    Attribute W (Parameter, shape (in_size, out_size)):
    Raises TypeError, ValueError: if a size is no integer or is negative, or `dtype` is not of
        floating-point numbers.
    Raises TypeError, IndexError: when called, if the input is not of integers, or an id is out of
        range.
    Source: the book's layer of that name.

    >>> layer = EmbedID(10, 3)
    >>> layer(np.array([[1, 2], [1, 9]])).shape
    (2, 2, 3)
    """

    def __init__(
        self, in_size: int, out_size: int, dtype: Any = np.float32, rng: Any = None
    ) -> None:
        require_floating(self, dtype)
        shape = count("EmbedID", "in_size", in_size, 0), count("EmbedID", "out_size", out_size, 0)
        self.W = Parameter(drawn(rng, shape, 1.0, dtype), name="W")

    def forward(self, x: Any) -> Variable:
        """Return the rows of ids `x`, of shape ``(*x.shape, out_size)``."""
        return embed_id(x, self.W)
