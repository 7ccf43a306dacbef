"""Layers: functions with parameters, under the book's names."""

from __future__ import annotations

from .layer import Layer, State
from .linear import Linear

__all__ = ["Layer", "Linear", "State"]
