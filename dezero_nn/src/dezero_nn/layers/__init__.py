"""Layers: functions with parameters, under the book's names."""

from __future__ import annotations

from .convolution import Conv2d, Deconv2d
from .layer import Layer, State
from .linear import Linear

__all__ = ["Conv2d", "Deconv2d", "Layer", "Linear", "State"]
