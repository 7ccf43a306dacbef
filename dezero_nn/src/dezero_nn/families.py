"""The table of functions, by their file in ``functions``, which the plugin announces."""

from __future__ import annotations

FAMILIES = {
    "average_pooling": "average_pooling",
    "columns": "im2col col2im",
    "convolution": "conv2d",
    "deconvolution": "deconv2d",
    "losses": "mean_squared_error",
    "pooling": "pooling",
    "simple_convolution": "conv2d_simple pooling_simple",
}
