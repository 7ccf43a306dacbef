"""The book's functions: those of this package, and those of the two op packages beside them.

Where an op package has a function with other arguments, as ``softmax`` with its last axis, that of
`book` is here, with the book's.
"""

from __future__ import annotations

from dezero_ops_basic import broadcast_to, matmul, sum_to
from dezero_ops_math import (
    cos,
    exp,
    expand_dims,
    linear,
    log,
    relu,
    reshape,
    sigmoid,
    sin,
    softmax_cross_entropy,
    tanh,
    transpose,
)

from .activations import gelu, leaky_relu, silu, softplus
from .attention import scaled_dot_product_attention
from .book import (
    accuracy,
    average,
    clip,
    flatten,
    get_item,
    linear_simple,
    log_softmax,
    logsumexp,
    max,
    mean,
    mean_squared_error_simple,
    min,
    sigmoid_simple,
    softmax,
    softmax_cross_entropy_simple,
    softmax_simple,
    sum,
)
from .columns import col2im, im2col
from .convolution import conv2d, deconv2d
from .cross_entropies import binary_cross_entropy, sigmoid_cross_entropy
from .dropout import dropout
from .embedding import embed_id
from .losses import mean_squared_error
from .normalization import batch_norm, layer_norm
from .pooling import average_pooling, pooling
from .recurrence import lstm
from .simple_convolution import conv2d_simple, pooling_simple

__all__ = [
    "accuracy",
    "average",
    "average_pooling",
    "batch_norm",
    "binary_cross_entropy",
    "broadcast_to",
    "clip",
    "col2im",
    "conv2d",
    "conv2d_simple",
    "cos",
    "deconv2d",
    "dropout",
    "embed_id",
    "exp",
    "expand_dims",
    "flatten",
    "gelu",
    "get_item",
    "im2col",
    "layer_norm",
    "leaky_relu",
    "linear",
    "linear_simple",
    "log",
    "log_softmax",
    "logsumexp",
    "lstm",
    "matmul",
    "max",
    "mean",
    "mean_squared_error",
    "mean_squared_error_simple",
    "min",
    "pooling",
    "pooling_simple",
    "relu",
    "reshape",
    "scaled_dot_product_attention",
    "sigmoid",
    "sigmoid_cross_entropy",
    "sigmoid_simple",
    "silu",
    "sin",
    "softmax",
    "softmax_cross_entropy",
    "softmax_cross_entropy_simple",
    "softmax_simple",
    "softplus",
    "sum",
    "sum_to",
    "tanh",
    "transpose",
]
