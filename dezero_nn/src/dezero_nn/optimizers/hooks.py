"""Hooks, which change gradients before an update, in the order in which they were added.

A hook of your own is any callable that takes the list of parameters with gradients.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dezero_core import Parameter

from ..docstrings import described
from ..layers import Layer
from .targets import number


@described
class WeightDecay:
    """Adds ``rate * p`` to each gradient: the gradient of ``rate / 2 * sum(p**2)`` in the loss.

    Raises TypeError, ValueError: if a number is none, or out of its range.
    Source: DeZero's hook of that name; PyTorch's optimizers call it `weight_decay`. `AdamW` does
        something else.

    >>> p = Parameter(np.array([1.0, 2.0]))
    >>> p.grad = np.zeros(2)
    >>> WeightDecay(0.5)([p])
    >>> p.grad
    array([0.5, 1. ])
    """

    def __init__(self, rate: float) -> None:
        self.rate = number(self, "rate", rate)

    def __call__(self, params: list[Parameter]) -> None:
        for param in params:
            # A new array: others may hold the old one.
            param.grad = param.grad + self.rate * param.data


@described
class ClipGrad:
    """Scales all gradients by one factor, so that their common norm is at most `max_norm`.

    The factor is ``min(1, max_norm / (norm + 1e-6))``, `norm` the root of the sum of the squares
    of all elements of all gradients. No square overflows.

    Raises FloatingPointError: in an update, if there is an inf or a nan in a gradient. Nothing is
        changed then. PyTorch makes all gradients nan by default.
    Note: add it before `WeightDecay`, as in PyTorch: then the decay is not clipped.
    Source: DeZero's hook of that name; Pascanu, Mikolov and Bengio, "On the difficulty of training
        recurrent neural networks", ICML 2013.

    >>> p, q = Parameter(np.zeros(1)), Parameter(np.zeros(1))
    >>> p.grad, q.grad = np.array([3e200]), np.array([-4e200])
    >>> ClipGrad(1.0)([p, q])
    >>> p.grad, q.grad
    (array([0.6]), array([-0.8]))
    """

    def __init__(self, max_norm: float) -> None:
        self.max_norm = number(self, "max_norm", max_norm)

    def __call__(self, params: list[Parameter]) -> None:
        grads = [param.grad for param in params if param.grad.size]
        # No element is larger, so the squares of the quotients are at most 1. Without branches
        # on values, dezero-replay has one program for gradients that are clipped and that are not.
        scale = np.float64(_EPS)
        for grad in grads:
            scale = np.maximum(scale, np.abs(grad).max())
        total = np.float64(0.0)
        for grad in grads:
            part = grad / scale.astype(np.result_type(grad, np.float32))
            total = total + np.vdot(part, part).real
        if not np.isfinite(total):
            bad = [param for param in params if not np.isfinite(param.grad).all()]
            raise FloatingPointError(
                f"ClipGrad: {len(bad)} of {len(params)} gradients hold nan or inf, the first is of "
                f"{bad[0].name or 'a parameter'} with shape {bad[0].grad.shape}, and such a norm "
                "cannot be clipped. Catch this error to leave out the step, or look for its cause "
                "with a smaller learning rate."
            )
        factor = np.minimum(1.0, self.max_norm / scale / (np.sqrt(total) + _EPS / scale))
        for param in params:
            param.grad = param.grad * factor.astype(param.grad.real.dtype)


_EPS = 1e-6
"""Is added to a norm before the division, as in the book and in PyTorch."""


@described
class FreezeParam:
    """Keeps parameters as they are: their gradients are set to None in each update.

    frozen: of a layer, all parameters that it has at the time of an update.
    Raises TypeError: if one is neither.
    Source: DeZero's hook of that name.

    >>> p, q = Parameter(np.zeros(1)), Parameter(np.zeros(1))
    >>> p.grad, q.grad = np.ones(1), np.ones(1)
    >>> FreezeParam(p)([p, q])
    >>> p.grad, q.grad
    (None, array([1.]))
    """

    def __init__(self, *frozen: Layer | Parameter) -> None:
        for each in frozen:
            if not isinstance(each, (Layer, Parameter)):
                raise TypeError(
                    f"FreezeParam takes layers and parameters, and got {type(each)}. Write "
                    "FreezeParam(model.l1, model.l2.b)."
                )
        self.frozen = frozen

    def ids(self) -> Iterator[int]:
        """Yield the id of each parameter that is kept as it is.

        Yields (int):
        """
        for each in self.frozen:
            params: Any = each.params() if isinstance(each, Layer) else (each,)
            yield from map(id, params)

    def __call__(self, params: list[Parameter]) -> None:
        frozen = set(self.ids())
        for param in params:
            if id(param) in frozen:
                param.cleargrad()
