"""Gradient descent, with and without momentum."""

from __future__ import annotations

from dezero_core import Parameter

from ..docstrings import described
from .optimizer import Optimizer
from .targets import number


@described
class SGD(Optimizer):
    """Gradient descent: ``p -= lr * grad``.

    Source: step 46 of the book; Robbins and Monro, "A stochastic approximation method", 1951.

    >>> from dezero_nn.layers import Linear
    >>> model = Linear(1, in_size=2)
    >>> optimizer = SGD(lr=0.5).setup(model)
    >>> np.sum(model(np.ones((3, 2), np.float32))).backward()
    >>> optimizer.update()
    >>> model.b
    variable([-1.5])
    """

    def __init__(self, lr: float = 0.01) -> None:
        super().__init__()
        self.lr = number(self, "lr", lr)

    def update_one(self, param: Parameter) -> None:
        for data, grad in self.parts(param):
            data -= self.lr * grad


@described
class MomentumSGD(Optimizer):
    """Gradient descent with momentum: ``v = momentum * v - lr * grad; p += v``.

    momentum: the part of the velocity that is kept, at least 0 and less than 1.
    Note: as in the book, the rate is a part of `v`. PyTorch's ``SGD(momentum=...)`` has it outside
        of the velocity: the two are equal while `lr` is constant, and where `lr` is changed, the
        older gradients keep their older rate here.
    Source: step 46 of the book; Polyak, "Some methods of speeding up the convergence of iteration
        methods", 1964; in this form Sutskever et al., "On the importance of initialization and
        momentum in deep learning", ICML 2013.

    >>> optimizer = MomentumSGD(lr=0.5)
    >>> p = optimizer.step(np.zeros(1), np.ones(1))
    >>> optimizer.step(p, np.ones(1))
    array([-1.45])
    """

    state_names = ("v",)

    def __init__(self, lr: float = 0.01, momentum: float = 0.9) -> None:
        super().__init__()
        self.lr = number(self, "lr", lr)
        self.momentum = number(self, "momentum", momentum, below=1.0)

    def update_one(self, param: Parameter) -> None:
        for data, grad, v in self.parts(param):
            v *= self.momentum
            v -= self.lr * grad
            data += v
