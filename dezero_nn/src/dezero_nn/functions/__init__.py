"""The book's functions: those of this package, and those of the two op packages beside them."""

from __future__ import annotations

from dezero_ops_math import linear, relu, sigmoid, softmax_cross_entropy

from .losses import mean_squared_error

__all__ = ["linear", "mean_squared_error", "relu", "sigmoid", "softmax_cross_entropy"]
