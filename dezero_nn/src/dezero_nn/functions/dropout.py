"""Dropout."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from dezero_ops_math.declaring import Call, Draw, applying

from dezero_core import Config, Function, Variable
from dezero_core.extend import Array, Operand


class Dropout(Function):
    """dy = mask dx / (1 - ratio).

    The mask is an output of its own: so `backward` has it, also that of a compiled function of
    dezero-replay, where each call draws another one.
    """

    saves = ("outputs",)
    materialize_grads = False

    def __init__(self, ratio: float, rng: Any) -> None:
        # One of np.float64 would make results of float32 wider.
        self.ratio, self.rng = float(ratio), rng

    def forward(self, x: Array) -> tuple[Array, Array]:
        mask = self.rng.random(np.shape(x)) >= self.ratio
        y = x * mask
        in_place = isinstance(y, np.ndarray) and y.dtype.kind in "fc"
        return np.divide(y, 1.0 - self.ratio, out=y if in_place else None), mask

    def backward(self, gy: Array, gmask: None) -> Array:
        return gy * self.outputs[1]().data / (1.0 - self.ratio)


def _reference(x: Array, dropout_ratio: float = 0.5, rng: Any = None) -> Array:
    mask = rng.random(np.shape(x)) >= dropout_ratio
    return np.where(mask, x, np.zeros_like(x)) / (1.0 - dropout_ratio)


#: Draws the same numbers in each call, which a check can compare with others.
_RNG = SimpleNamespace(random=lambda shape: np.random.default_rng(0).random(shape))


@applying(
    Dropout,
    *(Call(Draw((4, 3)), rng=_RNG), Call(Draw((3, 2, 2)), 0.2, _RNG)),
    *(Call(Draw(), dropout_ratio=0.9, rng=_RNG), Call(Draw((0, 3)), 0.0, _RNG)),
    reference=_reference,
)
def dropout(x: Operand, dropout_ratio: float = 0.5, rng: Any = None) -> Variable:
    """Set elements to 0 at random in training, and divide the others by ``1 - dropout_ratio``.

    x (Variable or ndarray): of any shape.
    dropout_ratio: the probability of 0, from 0 to 1, less than 1.
    rng (numpy.random.Generator or RandomState, optional): by default ``np.random``.
    Returns: of the shape and floating dtype of `x`. The expected value of each element stays the
        same. Under ``test_mode()``, where ``Config.train`` is False, it is `x` itself.
    Derivative: that of ``mask * x / (1 - dropout_ratio)``, with the mask of 0 and 1 that was drawn.
    Raises ValueError: if `dropout_ratio` is not from 0 to 1, or is 1.
    Source: DeZero's function of that name, the book's step 54; Srivastava et al. 2014.

    >>> x = Variable(np.ones(5))
    >>> dropout(x, rng=np.random.default_rng(0))
    variable([2. 0. 0. 0. 2.])
    >>> with using_config("train", False):
    ...     dropout(x) is x
    True
    """
    if not 0.0 <= dropout_ratio < 1.0:
        raise ValueError(
            f"dropout: dropout_ratio must be from 0 to 1, and less than 1, and is {dropout_ratio}."
        )
    if not Config.train:
        return x
    y, _ = Dropout(dropout_ratio, np.random if rng is None else rng)(x)
    return y
