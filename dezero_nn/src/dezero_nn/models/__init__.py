"""Models: whole networks, under the book's names."""

from __future__ import annotations

from .images import VGG16, ResNet, ResNet50, ResNet101, ResNet152
from .model import MLP, Model, Sequential

__all__ = ["MLP", "VGG16", "Model", "ResNet", "ResNet50", "ResNet101", "ResNet152", "Sequential"]
