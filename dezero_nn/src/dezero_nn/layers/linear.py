"""Layers with one matrix of weights: the affine one, and that of learned vectors for ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dezero_core import Parameter, Variable
from dezero_ops_math import linear

from ..docstrings import described
from ..functions import embed_id
from ..functions.windows import count
from ..npz import Shape
from .layer import Layer, drawn, prepare, require_floating


@described
class Linear(Layer):
    """Affine map of the last axis, ``x @ W + b``.

    The first weights are normal with variance ``1 / in_size``, and `b` is zero.

    nobias: whether there is no `b`.
    Attribute W (Parameter, shape (in_size, out_size)): its data are None until `in_size` is known.
    Attribute b (Parameter, shape (out_size,), or None):
    Raises TypeError: if a size is no integer, `nobias` no boolean, or `dtype` not of floating-point
        numbers; when called, if the input is no array of floating-point numbers.
    Raises ValueError: if a size is negative; when called, if the last axis of the input is not of
        `in_size`.
    Source: *Deep Learning from Scratch 3*, step 44.

    >>> layer = Linear(3)
    >>> layer(np.ones((2, 4), np.float32)).shape
    (2, 3)
    >>> layer
    Linear(W: 4x3, b: 3)
    """

    def __init__(
        self,
        out_size: int,
        nobias: bool = False,
        dtype: Any = np.float32,
        in_size: int | None = None,
        rng: Any = None,
    ) -> None:
        require_floating(self, dtype)
        if not isinstance(nobias, (bool, np.bool_)):
            raise TypeError(
                f"Linear takes True or False for nobias, got {nobias!r}. The first number is the "
                "size of results. The first call finds the size of inputs, or in_size= gives it."
            )
        self.out_size = count("Linear", "out_size", out_size, 0)
        self.dtype, self.rng = dtype, rng
        self.W = Parameter(None, name="W")
        self.b = None if nobias else Parameter(np.zeros(self.out_size, dtype), name="b")
        if in_size is not None:
            self._begin(count("Linear", "in_size", in_size, 0))

    @property
    def in_size(self) -> int | None:
        """The size of inputs; None until it is known."""
        return None if self.W.data is None else len(self.W)

    def _own_shapes(self) -> Mapping[str, Shape]:
        return {"W": (None, self.out_size)}

    def _begin(self, in_size: int) -> None:
        scale = np.sqrt(1 / max(in_size, 1))
        self.W.data = drawn(self.rng, (in_size, self.out_size), scale, self.dtype)

    def prepare(self, x: Any) -> None:
        """Raise an error if `x` is no input of this layer; draw the weights if it is the first.

        x (Variable or ndarray, shape (..., in_size)):
        """
        prepare(self, x, self.W, -1, "(..., in_size)")

    def forward(self, x: Any) -> Variable:
        """Return ``x @ W + b``, of shape ``(..., out_size)``."""
        self.prepare(x)
        return linear(x, self.W, self.b)


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
