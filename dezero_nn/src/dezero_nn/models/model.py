"""The base of models, and models made of a list of layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dezero_ops_math import sigmoid

from ..layers import Layer, Linear


class Model(Layer):
    """A layer that is a whole network."""


class Sequential(Model):
    """Layers and functions, each of the result of the one before.

    Parameters
    ----------
    *layers : Layer or callable
    """

    def __init__(self, *layers: Callable[..., Any]) -> None:
        self.layers = list(layers)

    def forward(self, x: Any) -> Any:
        """Return the result of the last layer."""
        for layer in self.layers:
            x = layer(x)
        return x


class MLP(Model):
    """Fully connected layers with an activation between each two.

    Parameters
    ----------
    fc_output_sizes : sequence of int
        The sizes of the layers' outputs.
    activation : callable
    rng : numpy.random.Generator or RandomState, optional
        Draws the first weights; by default ``np.random``.
    """

    def __init__(
        self,
        fc_output_sizes: Sequence[int],
        activation: Callable[..., Any] = sigmoid,
        rng: Any = None,
    ) -> None:
        self.activation = activation
        self.layers = [Linear(size, rng=rng) for size in fc_output_sizes]

    def forward(self, x: Any) -> Any:
        """Return the result of the last layer, without the activation."""
        *hidden, last = self.layers
        for layer in hidden:
            x = self.activation(layer(x))
        return last(x)
