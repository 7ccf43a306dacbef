"""Optimizers with a rate for each element, by the squares of its gradients."""

from __future__ import annotations

import numpy as np

from dezero_core import Parameter

from ..docstrings import described
from .arguments import number
from .optimizer import Optimizer

# In the methods update_one, operators change a temporary array in place: on large parameters that
# takes a quarter less time than one expression, which allocates an array for each operator.


@described
class AdaGrad(Optimizer):
    """AdaGrad: ``h += grad**2; p -= lr * grad / (sqrt(h) + eps)``.

    lr: the learning rate.
    eps: keeps the divisor from being 0. PyTorch's default is 1e-10.
    Note: the first step of each element is `lr` long.
    Raises TypeError, ValueError: if a number is none, or out of its range.
    Source: DeZero's optimizer of that name; Duchi, Hazan and Singer, "Adaptive subgradient methods
        for online learning and stochastic optimization", JMLR 12, 2011.

    >>> from dezero_nn.layers import Linear
    >>> model = Linear(2, in_size=2)
    >>> optimizer = AdaGrad(lr=0.5).setup(model)
    >>> np.sum(model(np.ones((3, 2), np.float32)) * np.array([1.0, 100.0])).backward()
    >>> optimizer.update()
    >>> model.b
    variable([-0.5 -0.5])
    """

    state_names = ("h",)

    def __init__(self, lr: float = 0.001, eps: float = 1e-8) -> None:
        super().__init__()
        self.lr, self.eps = number(self, "lr", lr), number(self, "eps", eps)

    def update_one(self, param: Parameter) -> None:
        """Change one parameter."""
        for data, grad, h in self.parts(param):
            h += grad * grad
            step = np.sqrt(h)
            step += self.eps
            step = grad / step
            step *= self.lr
            data -= step


@described
class AdaDelta(Optimizer):
    """AdaDelta, whose steps have the size of those before.

    ``msg = rho * msg + (1 - rho) * grad**2``;
    ``dx = sqrt((msdx + eps) / (msg + eps)) * grad``;
    ``msdx = rho * msdx + (1 - rho) * dx**2``; ``p -= lr * dx``.

    rho: the part of the means that is kept, at least 0 and less than 1. PyTorch's default is 0.9.
    eps: gives the first steps their size.
    lr: a factor, for schedules; the book and the paper have none.
    Raises TypeError, ValueError: if a number is none, or out of its range.
    Source: DeZero's optimizer of that name; Zeiler, "ADADELTA: an adaptive learning rate method",
        2012, https://arxiv.org/abs/1212.5701.

    >>> from dezero_nn.layers import Linear
    >>> model = Linear(1, in_size=2)
    >>> optimizer = AdaDelta(rho=0.75).setup(model)
    >>> np.sum(model(np.ones((3, 2), np.float32))).backward()
    >>> optimizer.update()
    >>> model.b
    variable([-0.002])
    """

    state_names = ("msg", "msdx")

    def __init__(self, rho: float = 0.95, eps: float = 1e-6, lr: float = 1.0) -> None:
        super().__init__()
        self.rho = number(self, "rho", rho, below=1.0)
        self.eps, self.lr = number(self, "eps", eps), number(self, "lr", lr)

    def update_one(self, param: Parameter) -> None:
        """Change one parameter."""
        rest = 1.0 - self.rho
        for data, grad, msg, msdx in self.parts(param):
            square = grad * grad
            square *= rest
            msg *= self.rho
            msg += square
            dx = msdx + self.eps
            dx /= msg + self.eps
            dx = np.sqrt(dx)
            dx *= grad
            square = dx * dx
            square *= rest
            msdx *= self.rho
            msdx += square
            dx *= self.lr
            data -= dx


@described
class RMSprop(Optimizer):
    """RMSprop: ``v = alpha * v + (1 - alpha) * grad**2; p -= lr * grad / (sqrt(v) + eps)``.

    lr: the learning rate.
    alpha: the part of the mean of squares that is kept, at least 0 and less than 1.
    eps: keeps the divisor from being 0.
    momentum: if it is not 0, the step is ``buf = momentum * buf + grad / (sqrt(v) + eps)`` times
        `lr`.
    centered: whether the divisor is an estimate of the standard deviation,
        ``sqrt(v - mean**2) + eps`` with ``mean = alpha * mean + (1 - alpha) * grad``.
    Raises TypeError, ValueError: if a number is none, or out of its range.
    Note: names, defaults and formulas are those of PyTorch; where rounding makes ``v - mean**2``
        negative, it is 0.
    Source: Hinton, Srivastava and Swersky, "Neural networks for machine learning", lecture 6a,
        2012; centered: Graves, "Generating sequences with recurrent neural networks", 2013,
        https://arxiv.org/abs/1308.0850.

    >>> from dezero_nn.layers import Linear
    >>> model = Linear(1, in_size=2)
    >>> optimizer = RMSprop(lr=0.5, alpha=0.75).setup(model)
    >>> np.sum(model(np.ones((3, 2), np.float32))).backward()
    >>> optimizer.update()
    >>> model.b
    variable([-1.])
    """

    def __init__(
        self,
        lr: float = 0.01,
        alpha: float = 0.99,
        eps: float = 1e-8,
        momentum: float = 0.0,
        centered: bool = False,
    ) -> None:
        super().__init__()
        self.lr, self.eps = number(self, "lr", lr), number(self, "eps", eps)
        self.alpha = number(self, "alpha", alpha, below=1.0)
        self.momentum = number(self, "momentum", momentum, below=1.0)
        self.centered = bool(centered)
        # Decided once: a momentum that becomes 0 later is a factor of 0.
        self._has_momentum = self.momentum > 0.0
        means = ("mean",) if centered else ()
        self.state_names = ("v", *means, *(("buf",) if self._has_momentum else ()))

    def update_one(self, param: Parameter) -> None:
        """Change one parameter."""
        rest = 1.0 - self.alpha
        for data, grad, v, *others in self.parts(param):
            square = grad * grad
            square *= rest
            v *= self.alpha
            v += square
            if self.centered:
                mean = others[0]
                step = grad - mean
                step *= rest
                mean += step
                step = np.sqrt(np.maximum(v - mean * mean, 0.0))
            else:
                step = np.sqrt(v)
            step += self.eps
            step = grad / step
            if self._has_momentum:
                buf = others[-1]
                buf *= self.momentum
                buf += step
                step = self.lr * buf
            else:
                step *= self.lr
            data -= step
