"""The book's functions: those of this package, and those of the two op packages beside them.

Where an op package has a function with other arguments, as ``softmax`` with its last axis, that of
`arrays` or `reductions` is here, with the book's.
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
from .arrays import clip, flatten, get_item
from .attention import scaled_dot_product_attention
from .average_pooling import average_pooling
from .columns import col2im, im2col
from .convolution import conv2d
from .cross_entropies import binary_cross_entropy, sigmoid_cross_entropy
from .deconvolution import deconv2d
from .dropout import dropout
from .embedding import embed_id
from .losses import mean_squared_error
from .metrics import accuracy
from .normalization import batch_norm, layer_norm
from .pooling import pooling
from .recurrence import lstm
from .reductions import average, log_softmax, logsumexp, max, mean, min, softmax, sum
from .simple import (
    linear_simple,
    mean_squared_error_simple,
    sigmoid_simple,
    softmax_cross_entropy_simple,
    softmax_simple,
)
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
