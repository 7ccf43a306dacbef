"""The table of functions, by their file in ``functions``, which the plugin announces."""

from __future__ import annotations

FAMILIES = {
    "activations": "gelu leaky_relu silu softplus",
    "attention": "scaled_dot_product_attention",
    "columns": "im2col col2im",
    "convolution": "conv2d deconv2d",
    "cross_entropies": "binary_cross_entropy sigmoid_cross_entropy",
    "dropout": "dropout",
    "embedding": "embed_id",
    "losses": "mean_squared_error",
    "normalization": "batch_norm layer_norm",
    "pooling": "average_pooling pooling",
    "recurrence": "lstm",
    "simple_convolution": "conv2d_simple pooling_simple",
}
