"""The base of models, and models made of a list of layers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from dezero_ops_math import sigmoid

from .. import utils
from ..docstrings import described
from ..layers import Layer, Linear


@described
class Model(Layer):
    """A layer that is a whole network, and that can be drawn.

    Source: *Deep Learning from Scratch 3*, step 45.
    """

    def plot(self, *inputs: Any, to_file: str | os.PathLike[str] = "model.svg") -> Any:
        """Draw the graph of the outputs for some inputs.

        inputs (Variable or ndarray): as `forward` takes them.
        to_file (str or path): ``.svg``, ``.dot`` and ``.mmd`` need no Graphviz; ``.png``, the
            book's default, and ``.pdf`` do.
        Returns (dezero_tools.drawing.Picture): a notebook shows it.
        Raises ImportError: if dezero-tools, which draws, is not installed.
        Raises GraphvizError (RuntimeError): if Graphviz is needed, and is not installed.
        """
        return utils.plot_dot_graph(self.forward(*inputs), to_file=to_file)


@described
class Stack(Model):
    """A model with a list of layers, which are attributes, too: ``l0``, ``l1`` and so on.

    The names of their parameters are those of the book, ``"l0/W"``.

    Attribute layers (list of Layer or callable): it may be changed.
    """

    layers: list[Any]

    def __getattr__(self, name: str) -> Any:
        number = self._number(name)
        if number is None:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}.")
        return self.layers[number]

    def __setattr__(self, name: str, value: Any) -> None:
        number = self._number(name)
        if number is None:
            super().__setattr__(name, value)
        else:
            self.layers[number] = value

    def _number(self, name: str) -> int | None:
        """Return the position of the layer that an attribute stands for."""
        digits, count = name[1:], len(vars(self).get("layers", ()))
        is_one = name.startswith("l") and digits.isdecimal() and int(digits) < count
        return int(digits) if is_one else None

    def _members(self) -> Iterable[tuple[str, Any]]:
        others = [(name, value) for name, value in vars(self).items() if name != "layers"]
        return [*others, *((f"l{number}", each) for number, each in enumerate(self.layers))]


@described
class Sequential(Stack):
    """Layers and functions, each of the result of the one before.

    layers (Layer or callable):
    Raises TypeError: if one cannot be called, as a list of layers.

    >>> model = Sequential(Linear(3, in_size=2), np.tanh, Linear(1, in_size=3))
    >>> model(np.ones((5, 2), np.float32)).shape
    (5, 1)
    >>> model
    Sequential(
      l0: Linear(W: 2x3, b: 3)
      l2: Linear(W: 3x1, b: 1)
    )
    """

    def __init__(self, *layers: Callable[..., Any]) -> None:
        for layer in layers:
            if not callable(layer):
                raise TypeError(
                    f"Sequential takes layers and functions, got a {type(layer).__name__}: of a "
                    "list, write Sequential(*layers)."
                )
        self.layers = list(layers)

    def forward(self, x: Any) -> Any:
        """Return the result of the last layer."""
        for layer in self.layers:
            x = layer(x)
        return x


@described
class MLP(Stack):
    """Fully connected layers with an activation between each two.

    fc_output_sizes (sequence of int): the sizes of the layers' outputs; at least one.
    activation (callable):
    in_size: the size of inputs; by default that of the first input.
    Raises TypeError: if the sizes are no sequence.
    Raises ValueError: if there is no layer.
    Source: *Deep Learning from Scratch 3*, step 45.

    >>> model = MLP((10, 1), in_size=2)
    >>> model
    MLP(
      l0: Linear(W: 2x10, b: 10)
      l1: Linear(W: 10x1, b: 1)
    )
    """

    def __init__(
        self,
        fc_output_sizes: Sequence[int],
        activation: Callable[..., Any] = sigmoid,
        in_size: int | None = None,
        dtype: Any = np.float32,
        rng: Any = None,
    ) -> None:
        if not np.iterable(fc_output_sizes):
            raise TypeError(
                f"MLP takes a tuple with the size of each layer, got {fc_output_sizes!r}: of one "
                f"layer, write MLP(({fc_output_sizes!r},))."
            )
        if not len(fc_output_sizes):
            raise ValueError("MLP takes the size of one layer at least, as in MLP((10, 1)).")
        self.activation = activation
        layers = []
        for size in fc_output_sizes:
            layers.append(Linear(size, in_size=in_size, dtype=dtype, rng=rng))
            in_size = None if in_size is None else size
        self.layers = layers

    def forward(self, x: Any) -> Any:
        """Return the result of the last layer, without the activation."""
        *hidden, last = self.layers
        for layer in hidden:
            x = self.activation(layer(x))
        return last(x)
