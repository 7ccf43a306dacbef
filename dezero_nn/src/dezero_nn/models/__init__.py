"""Models: whole networks, under the book's names."""

from __future__ import annotations

from .model import MLP, Model, Sequential
from .resnet import ResNet, ResNet50, ResNet101, ResNet152
from .vgg import VGG16

__all__ = [
    "MLP",
    "VGG16",
    "Model",
    "ResNet",
    "ResNet50",
    "ResNet101",
    "ResNet152",
    "Sequential",
]
