"""Optimizers with a rate for each element, by the squares of its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Parameter

from ..docstrings import described
from .optimizer import Optimizer
from .targets import number

# In the methods update_one, operators change a temporary array in place: on large parameters that
# takes a quarter less time than one expression, which allocates an array for each operator.


def move_mean(mean: Any, new: Any, kept: float) -> None:
    """Let a mean be ``kept * mean + (1 - kept) * new``, in place; `new` is overwritten."""
    new *= 1.0 - kept
    mean *= kept
    mean += new


@described
class AdaGrad(Optimizer):
    """AdaGrad: ``h += grad**2; p -= lr * grad / (sqrt(h) + eps)``.

    eps: keeps the divisor from being 0. PyTorch's default is 1e-10.
    Note: the first step of each element is `lr` long.
    Source: DeZero's optimizer of that name; Duchi, Hazan and Singer, "Adaptive subgradient methods
        for online learning and stochastic optimization", JMLR 12, 2011.

    >>> AdaGrad(lr=0.5).step(np.zeros(2), np.array([3.0, 300.0]))
    array([-0.5, -0.5])
    """

    state_names = ("h",)

    def __init__(self, lr: float = 0.001, eps: float = 1e-8) -> None:
        super().__init__()
        self.lr, self.eps = number(self, "lr", lr), number(self, "eps", eps)

    def update_one(self, param: Parameter) -> None:
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
    Source: DeZero's optimizer of that name; Zeiler, "ADADELTA: an adaptive learning rate method",
        2012, https://arxiv.org/abs/1212.5701.

    >>> AdaDelta(rho=0.75).step(np.zeros(1), np.array([3.0]))
    array([-0.002])
    """

    state_names = ("msg", "msdx")

    def __init__(self, rho: float = 0.95, eps: float = 1e-6, lr: float = 1.0) -> None:
        super().__init__()
        self.rho = number(self, "rho", rho, below=1.0)
        self.eps, self.lr = number(self, "eps", eps), number(self, "lr", lr)

    def update_one(self, param: Parameter) -> None:
        for data, grad, msg, msdx in self.parts(param):
            move_mean(msg, grad * grad, self.rho)
            dx = msdx + self.eps
            dx /= msg + self.eps
            dx = np.sqrt(dx)
            dx *= grad
            move_mean(msdx, dx * dx, self.rho)
            dx *= self.lr
            data -= dx


@described
class RMSprop(Optimizer):
    """RMSprop: ``v = alpha * v + (1 - alpha) * grad**2; p -= lr * grad / (sqrt(v) + eps)``.

    alpha: the part of the mean of squares that is kept, at least 0 and less than 1.
    eps: keeps the divisor from being 0.
    momentum: if it is not 0, the step is ``buf = momentum * buf + grad / (sqrt(v) + eps)`` times
        `lr`.
    centered: whether the divisor is an estimate of the standard deviation,
        ``sqrt(v - mean**2) + eps`` with ``mean = alpha * mean + (1 - alpha) * grad``.
    Note: names, defaults and formulas are those of PyTorch; where rounding makes ``v - mean**2``
        negative, it is 0.
    Source: Hinton, Srivastava and Swersky, "Neural networks for machine learning", lecture 6a,
        2012; centered: Graves, "Generating sequences with recurrent neural networks", 2013,
        https://arxiv.org/abs/1308.0850.

    >>> RMSprop(lr=0.5, alpha=0.75).step(np.zeros(1), np.array([30.0]))
    array([-1.])
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
        for data, grad, v, *others in self.parts(param):
            move_mean(v, grad * grad, self.alpha)
            if self.centered:
                mean = others[0]
                step = grad - mean
                step *= 1.0 - self.alpha
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


@described
class Adam(Optimizer):
    """Adam: a step by the mean of the gradients and that of their squares.

    ``m += (1 - beta1) * (grad - m)``; ``v += (1 - beta2) * (grad**2 - v)``;
    ``p -= lr * m / (sqrt(v) + eps)``, where ``lr`` corrects that both begin as zeros:
    ``lr = alpha * sqrt(1 - beta2**t) / (1 - beta1**t)``.

    alpha: the learning rate.
    beta1, beta2: the parts of the means that are kept, at least 0 and less than 1.
    eps: keeps the divisor from being 0.
    eps_hat: whether `eps` is added to the root before the correction, as in the book: it is the
        epsilon with a hat in section 2 of the paper. With False it is added after the correction,
        as in the paper's algorithm 1, in PyTorch and in `AdamW`. It matters for gradients that are
        not far above `eps`, in the first steps.
    Attribute t (int): the number of updates, which all parameters share. In PyTorch each parameter
        counts the updates in which it had a gradient.
    Note: the first step of each element is about `alpha` long. PyTorch's names are `lr` for
        `alpha`, and `betas` for ``(beta1, beta2)``.
    Source: DeZero's optimizer of that name; Kingma and Ba, "Adam: a method for stochastic
        optimization", ICLR 2015, https://arxiv.org/abs/1412.6980.

    >>> from dezero_nn.layers import Linear
    >>> model = Linear(2, in_size=2)
    >>> optimizer = Adam(alpha=0.5).setup(model)
    >>> np.sum(model(np.ones((3, 2), np.float32)) * np.array([1.0, 100.0])).backward()
    >>> optimizer.update()
    >>> model.b.data.round(4)
    array([-0.5, -0.5], dtype=float32)
    """

    state_names = ("m", "v")
    rate_name = "alpha"

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        eps_hat: bool = True,
    ) -> None:
        super().__init__()
        self.alpha = number(self, "alpha", alpha)
        self.beta1 = number(self, "beta1", beta1, below=1.0)
        self.beta2 = number(self, "beta2", beta2, below=1.0)
        self.eps, self.eps_hat = number(self, "eps", eps), bool(eps_hat)

    @property
    def lr(self) -> float:
        """The corrected rate of the last update; before the first one, of that. Change `alpha`."""
        return self._corrected(self.t or 1)[0]

    @lr.setter
    def lr(self, value: float) -> None:
        raise AttributeError(
            f"{self._who}.lr is computed from alpha and t, as in the book. Write "
            f"optimizer.alpha = {value!r}."
        )

    def _corrected(self, t: int) -> tuple[float, float]:
        """Return the rate and the eps that belong to means that are not corrected."""
        root = (1.0 - self.beta2**t) ** 0.5
        return self.alpha * root / (1.0 - self.beta1**t), self.eps * (1.0 if self.eps_hat else root)

    def update_one(self, param: Parameter) -> None:
        lr, eps = self._corrected(self.t)
        for data, grad, m, v in self.parts(param):
            step = grad - m
            step *= 1.0 - self.beta1
            m += step
            move_mean(v, grad * grad, self.beta2)
            step = np.sqrt(v)
            step += eps
            step = m / step
            step *= lr
            data -= step


@described
class AdamW(Adam):
    """Adam with decoupled decay: first ``p -= alpha * weight_decay * p``, then a step of `Adam`.

    The hook `WeightDecay` adds the decay to the gradient, where Adam divides it by the root of
    the mean of squares; here it is proportional to the weight.

    eps_hat: whether `eps` is added before the correction, as in the book; PyTorch's formula, after
        it, by default.
    Source: Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019,
        https://arxiv.org/abs/1711.05101; defaults of PyTorch.

    >>> AdamW(alpha=0.5, weight_decay=0.5).step(np.array([10.0]), np.array([3.0]))
    array([7.])
    """

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        eps_hat: bool = False,
    ) -> None:
        super().__init__(alpha, beta1, beta2, eps, eps_hat)
        self.weight_decay = number(self, "weight_decay", weight_decay)

    def update_one(self, param: Parameter) -> None:
        param.data *= 1.0 - self.alpha * self.weight_decay
        super().update_one(param)
