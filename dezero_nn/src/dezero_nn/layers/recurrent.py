"""Recurrent layers: each call is one step of a sequence, and the layer keeps its state."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_ops_math import sigmoid

from ..docstrings import described
from ..functions.recurrence import lstm
from ..functions.windows import count
from .layer import Layer, require_floats
from .linear import Linear


@described
class Recurrent(Layer):
    """The base of recurrent layers: the two affine maps, and the hidden state.

    A copy by the module `copy` or by `pickle` has the values of the hidden state, without the graph
    behind it.

    Raises TypeError, ValueError: when called, if the input is not of shape ``(rows, in_size)``, or
        if it has another number of rows than the step before.
    """

    #: How many blocks of columns the weights have, one for each gate.
    blocks = 1
    #: Whether the hidden state has a bias of its own.
    biased_state = False

    def __init__(
        self, hidden_size: int, in_size: int | None = None, dtype: Any = np.float32, rng: Any = None
    ) -> None:
        self.hidden_size = count(type(self).__name__, "hidden_size", hidden_size, 0)
        size = self.blocks * hidden_size
        self.x2h = Linear(size, dtype=dtype, in_size=in_size, rng=rng)
        self.h2h = Linear(
            size, nobias=not self.biased_state, dtype=dtype, in_size=hidden_size, rng=rng
        )
        self.reset_state()

    def __getstate__(self) -> dict[str, Any]:
        # The graph behind the hidden state leads to these parameters, and not to those of a copy.
        return {
            name: Variable(x.data) if isinstance(x, Variable) and x.creator is not None else x
            for name, x in vars(self).items()
        }

    def reset_state(self) -> None:
        """Forget the hidden state, and the cells of an LSTM, before another sequence.

        A step that dezero-replay compiles begins and ends with this call: a compiled function
        leaves no graph behind, and the hidden state has one.
        """
        self.h: Any = None

    def _prepare(self, x: Any, axis: int = 0) -> None:
        """Raise an error if `x` is no input, or has not as many rows as the step before."""
        require_floats(self, x)
        if x.ndim != axis + 2:
            axes = ("(rows, in_size)", "(steps, rows, in_size)")[axis]
            raise ValueError(
                f"{type(self).__name__} takes an input of shape {axes}, got one of shape {x.shape}."
            )
        if self.h is not None and len(self.h) != x.shape[axis]:
            raise ValueError(
                f"{type(self).__name__} has a hidden state of {len(self.h)} rows, and got an input "
                f"of shape {x.shape}: call reset_state() before another sequence."
            )
        self.x2h.prepare(x)


@described
class RNN(Recurrent):
    """Recurrent layer with tanh: ``h = tanh(x @ W + b + h @ W')``, one step in each call.

    Attribute x2h, h2h (Linear): the affine maps of the input, and of the hidden state.
    Attribute h (Variable or None): the hidden state, of shape ``(rows, hidden_size)``. It is
        neither trained nor saved.
    Note: ``loss.unchain_backward()`` ends the graph behind the hidden state: truncated
        backpropagation through time.
    Source: *Deep Learning from Scratch 3*, step 59; Elman 1990.

    >>> layer = RNN(10)
    >>> for x in np.ones((5, 2, 4), np.float32):
    ...     h = layer(x)
    >>> h.shape
    (2, 10)
    >>> layer.reset_state()
    """

    def forward(self, x: Any) -> Variable:
        """Return the hidden state after a step, of shape ``(rows, hidden_size)``."""
        self._prepare(x)
        z = self.x2h(x)
        self.h = np.tanh(z if self.h is None else z + self.h2h(self.h))
        return self.h


@described
class LSTM(Recurrent):
    """Long short-term memory, one step in each call; `sequence` takes all steps at once.

    The formulas are those of `dezero_nn.functions.lstm`, and the gates are in the order i, f, g, o,
    as in PyTorch: its ``weight_ih_l0.T`` is ``x2h.W``, ``weight_hh_l0.T`` is ``h2h.W``, and
    ``bias_ih_l0 + bias_hh_l0`` is ``x2h.b``.

    Attribute x2h, h2h (Linear): the affine maps of the input, and of the hidden state, to the four
        gates.
    Attribute h, c (Variable or None): the hidden state and the cells, of shape
        ``(rows, hidden_size)``. They are neither trained nor saved.
    Note: ``loss.unchain_backward()`` ends the graph behind the state, as of `RNN`.
    Source: *Deep Learning from Scratch 3*, step 60; Hochreiter and Schmidhuber 1997.

    >>> layer = LSTM(10)
    >>> for x in np.ones((5, 2, 4), np.float32):
    ...     h = layer(x)
    >>> h.shape, layer.c.shape
    ((2, 10), (2, 10))
    >>> layer.reset_state()
    >>> hs = layer.sequence(np.ones((5, 2, 4), np.float32))
    >>> np.array_equal(hs[-1].data, h.data)
    True
    """

    blocks = 4

    def reset_state(self) -> None:
        super().reset_state()
        self.c: Any = None
        self._last: Any = None

    def forward(self, x: Any) -> Variable:
        """Return the hidden state after a step, of shape ``(rows, hidden_size)``."""
        self._prepare(x)
        hs, cs = self._steps(np.reshape(x, (1, *x.shape)))
        self.h, self.c = hs.reshape(hs.shape[1:]), cs.reshape(cs.shape[1:])
        self._last = self.h
        return self.h

    def sequence(self, x: Any) -> Variable:
        """Return the hidden states after each step of a sequence, faster than step by step.

        x (Variable or ndarray, shape (steps, rows, in_size)):
        Returns (Variable, shape (steps, rows, hidden_size)):
        """
        self._prepare(x, axis=1)
        hs, cs = self._steps(x)
        self.h, self.c = hs[-1], cs[-1]
        self._last = hs
        return hs

    def _steps(self, x: Any) -> tuple[Variable, Variable]:
        if self._last is not None and self._last.creator is None:
            # The caller's loss ended the graph behind the result, but has not seen the cells.
            self.h.unchain()
            self.c.unchain()
        return lstm(x, self.x2h.W, self.h2h.W, self.x2h.b, self.h, self.c)


@described
class GRU(Recurrent):
    """Gated recurrent unit, one step in each call.

    The gates are in the order r, z, n, and the reset gate comes after the product, as in PyTorch::

        r = sigmoid(x @ Wr + br + h @ Ur + cr)
        z = sigmoid(x @ Wz + bz + h @ Uz + cz)
        n = tanh(x @ Wn + bn + r * (h @ Un + cn))
        h = (1 - z) * n + z * h

    Attribute x2h, h2h (Linear): the affine maps of the input, ``[Wr Wz Wn]`` and ``[br bz bn]``,
        and of the hidden state, ``[Ur Uz Un]`` and ``[cr cz cn]``.
    Attribute h (Variable or None): the hidden state, of shape ``(rows, hidden_size)``. It is
        neither trained nor saved.
    Source: Cho et al. 2014, *Learning Phrase Representations using RNN Encoder-Decoder*.

    >>> layer = GRU(10)
    >>> for x in np.ones((5, 2, 4), np.float32):
    ...     h = layer(x)
    >>> h.shape
    (2, 10)
    """

    blocks = 3
    biased_state = True

    def forward(self, x: Any) -> Variable:
        """Return the hidden state after a step, of shape ``(rows, hidden_size)``."""
        self._prepare(x)
        h = self.h
        if h is None:
            h = np.zeros((len(x), self.hidden_size), self.x2h.W.dtype)
        of_x, of_h = self.x2h(x), self.h2h(h)
        size = self.hidden_size
        r, z = np.split(sigmoid(of_x[:, : 2 * size] + of_h[:, : 2 * size]), 2, axis=1)
        n = np.tanh(of_x[:, 2 * size :] + r * of_h[:, 2 * size :])
        self.h = n + z * (h - n)
        return self.h
