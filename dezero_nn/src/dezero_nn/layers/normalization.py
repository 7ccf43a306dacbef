"""Layers that normalize, by the batch or by the features of each row, and one that drops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dezero_core import Parameter, Variable

from ..docstrings import described
from ..functions import batch_norm, dropout, layer_norm
from ..npz import Shape
from .layer import Layer, State, prepare, require_floating


@described
class BatchNorm(Layer):
    """Normalize each channel by the mean and the variance of the batch; then scale and shift it.

    Under ``test_mode()``, it takes the running mean and variance, which training collects.

    in_size: the number of channels; by default that of the first input.
    decay: how much of the running mean stays in each call.
    eps: added to the variance, below the root.
    Attribute gamma, beta (Parameter, shape (in_size,)): scale and shift, at first 1 and 0. Their
        data are None until `in_size` is known.
    Attribute avg_mean, avg_var (State, shape (in_size,)): the running mean and variance, at first 0
        and 1.
    Raises TypeError, ValueError: when called, if the input is not of shape
        ``(rows, in_size, ...)``.
    Source: the book's layer of that name; Ioffe and Szegedy 2015.

    >>> layer = BatchNorm()
    >>> layer(np.array([[1.0, 10.0], [3.0, 30.0]], np.float32)).data.round(3)
    array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)
    >>> layer
    BatchNorm(avg_mean: 2, avg_var: 2, gamma: 2, beta: 2)
    """

    def __init__(
        self,
        dtype: Any = np.float32,
        in_size: int | None = None,
        decay: float = 0.9,
        eps: float = 2e-5,
    ) -> None:
        require_floating(self, dtype)
        self.dtype, self.decay, self.eps = dtype, decay, eps
        self.avg_mean, self.avg_var = State(None, name="avg_mean"), State(None, name="avg_var")
        self.gamma, self.beta = Parameter(None, name="gamma"), Parameter(None, name="beta")
        if in_size is not None:
            self._begin(in_size)

    def _own_shapes(self) -> Mapping[str, Shape]:
        return dict.fromkeys(("gamma", "beta", "avg_mean", "avg_var"), (None,))

    def _begin(self, in_size: int) -> None:
        for zeros in (self.avg_mean, self.beta):
            zeros.data = np.zeros(in_size, self.dtype)
        for ones in (self.avg_var, self.gamma):
            ones.data = np.ones(in_size, self.dtype)

    def forward(self, x: Any) -> Variable:
        """Return the normalized input, of the same shape."""
        prepare(self, x, self.gamma, 1, "(rows, in_size, ...)")
        return batch_norm(
            x, self.gamma, self.beta, self.avg_mean, self.avg_var, self.decay, self.eps
        )


@described
class LayerNorm(Layer):
    """Normalize the last axis by its own mean and variance; then scale and shift it.

    size: that of the last axis; by default that of the first input.
    eps: added to the variance, below the root.
    Attribute gamma, beta (Parameter, shape (size,)): scale and shift, at first 1 and 0. Their data
        are None until `size` is known.
    Raises TypeError, ValueError: when called, if the input is not of shape ``(..., size)``.
    Source: Ba, Kiros and Hinton 2016.

    >>> layer = LayerNorm()
    >>> layer(np.array([[1.0, 3.0], [10.0, 30.0]], np.float32)).data.round(3)
    array([[-1.,  1.],
           [-1.,  1.]], dtype=float32)
    """

    def __init__(self, size: int | None = None, eps: float = 1e-5, dtype: Any = np.float32) -> None:
        require_floating(self, dtype)
        self.eps, self.dtype = eps, dtype
        self.gamma, self.beta = Parameter(None, name="gamma"), Parameter(None, name="beta")
        if size is not None:
            self._begin(size)

    def _own_shapes(self) -> Mapping[str, Shape]:
        return dict.fromkeys(("gamma", "beta"), (None,))

    def _begin(self, size: int) -> None:
        self.gamma.data, self.beta.data = np.ones(size, self.dtype), np.zeros(size, self.dtype)

    def forward(self, x: Any) -> Variable:
        """Return the normalized input, of the same shape."""
        prepare(self, x, self.gamma, -1, "(..., in_size)")
        return layer_norm(x, self.gamma, self.beta, self.eps)


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
