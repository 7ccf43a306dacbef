"""The book's functions: those of this package, and those of the two op packages beside them."""

from __future__ import annotations

from dezero_ops_math import linear, relu, sigmoid, softmax_cross_entropy

from .average_pooling import average_pooling
from .columns import col2im, im2col
from .convolution import conv2d
from .deconvolution import deconv2d
from .losses import mean_squared_error
from .pooling import pooling
from .simple_convolution import conv2d_simple, pooling_simple

__all__ = [
    "average_pooling",
    "col2im",
    "conv2d",
    "conv2d_simple",
    "deconv2d",
    "im2col",
    "linear",
    "mean_squared_error",
    "pooling",
    "pooling_simple",
    "relu",
    "sigmoid",
    "softmax_cross_entropy",
]
