"""The base of all optimizers."""

from __future__ import annotations

from typing import Any

from dezero_core import Parameter

from ..layers import Layer


class Optimizer:
    """Changes the parameters of a model by their gradients.

    A subclass defines ``update_one(param)``.
    """

    def __init__(self) -> None:
        self.target: Layer | None = None
        self.hooks: list[Any] = []

    def setup(self, target: Layer) -> Any:
        """Take the model whose parameters are trained, and return the optimizer itself."""
        self.target = target
        return self

    def update(self) -> None:
        """Change each parameter that has a gradient."""
        params = [param for param in self.target.params() if param.grad is not None]
        for hook in self.hooks:
            hook(params)
        for param in params:
            self.update_one(param)

    def update_one(self, param: Parameter) -> None:
        """Change one parameter; a subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} defines no update_one(param).")

    def add_hook(self, hook: Any) -> None:
        """Call ``hook(params)`` at each update, after the hooks that were added before."""
        self.hooks.append(hook)
