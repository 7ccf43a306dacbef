"""The table of functions, by their file in ``functions``, which the plugin announces."""

from __future__ import annotations

FAMILIES = {
    "activations": "gelu leaky_relu silu softplus",
    "attention": "scaled_dot_product_attention",
    "dropout": "dropout",
    "embedding": "embed_id",
    "losses": "binary_cross_entropy mean_squared_error sigmoid_cross_entropy",
    "normalization": "batch_norm layer_norm",
    "recurrence": "lstm",
}
