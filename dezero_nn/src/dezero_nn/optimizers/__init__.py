"""Optimizers, their hooks and schedules of the learning rate."""

from __future__ import annotations

from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["SGD", "Optimizer"]
