"""Models: whole networks, under the book's names."""

from __future__ import annotations

from .model import MLP, Model, Sequential

__all__ = ["MLP", "Model", "Sequential"]
