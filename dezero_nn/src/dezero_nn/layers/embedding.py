"""The layer of learned vectors for ids, such as those of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Parameter, Variable

from ..functions import embed_id
from .first_weights import drawn
from .layer import Layer


class EmbedID(Layer):
    """A row of `W` for each id.

    The first weights are standard normal.

    Parameters
    ----------
    in_size : int
        How many ids there are, from 0 to ``in_size - 1``.
    out_size : int
        The length of each row.
    dtype : data-type
    rng : numpy.random.Generator or RandomState, optional
        Draws the first weights; by default ``np.random``.

    Attributes
    ----------
    W : Parameter, shape (in_size, out_size)

    Raises
    ------
    TypeError, IndexError
        When called, if the input is not of integers, or an id is out of range.

    Notes
    -----
    Source: the book's layer of that name.

    Examples
    --------
    >>> layer = EmbedID(10, 3)
    >>> layer(np.array([[1, 2], [1, 9]])).shape
    (2, 2, 3)
    """

    def __init__(
        self, in_size: int, out_size: int, dtype: Any = np.float32, rng: Any = None
    ) -> None:
        self.W = Parameter(drawn(rng, (in_size, out_size), 1.0, dtype), name="W")

    def forward(self, x: Any) -> Variable:
        """Return the rows of ids `x`, of shape ``(*x.shape, out_size)``."""
        return embed_id(x, self.W)
