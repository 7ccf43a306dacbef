"""Adam, and AdamW, whose decay of the weights is no part of the gradient."""

from __future__ import annotations

import numpy as np

from dezero_core import Parameter

from ..docstrings import described
from .arguments import number
from .optimizer import Optimizer


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
    Raises TypeError, ValueError: if a number is none, or out of its range.
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
        """Change one parameter."""
        lr, eps = self._corrected(self.t)
        # A temporary array is changed in place: on large parameters that takes a quarter less
        # time than one expression, which allocates an array for each operator.
        for data, grad, m, v in self.parts(param):
            step = grad - m
            step *= 1.0 - self.beta1
            m += step
            step = grad * grad
            step *= 1.0 - self.beta2
            v *= self.beta2
            v += step
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
    Raises TypeError, ValueError: if a number is none, or out of its range.
    Source: Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019,
        https://arxiv.org/abs/1711.05101; defaults of PyTorch.

    >>> from dezero_nn.layers import Linear
    >>> model = Linear(1, in_size=2)
    >>> model.b.data[:] = 10.0
    >>> optimizer = AdamW(alpha=0.5, weight_decay=0.5).setup(model)
    >>> np.sum(model(np.ones((3, 2), np.float32))).backward()
    >>> optimizer.update()
    >>> model.b
    variable([7.])
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
        """Change one parameter."""
        param.data *= 1.0 - self.alpha * self.weight_decay
        super().update_one(param)
