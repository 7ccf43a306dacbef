"""Gradient descent, with and without momentum."""

from __future__ import annotations

from dezero_core import Parameter

from .optimizer import Optimizer


class SGD(Optimizer):
    """Gradient descent: ``p -= lr * grad``."""

    def __init__(self, lr: float = 0.01) -> None:
        super().__init__()
        self.lr = lr

    def update_one(self, param: Parameter) -> None:
        """Change one parameter."""
        param.data -= self.lr * param.grad
