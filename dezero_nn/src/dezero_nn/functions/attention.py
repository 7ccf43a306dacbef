"""Attention."""

from __future__ import annotations

import math

import numpy as np
from dezero_ops_math.declaring import Call, Draw, applying

from dezero_core import Variable
from dezero_core.extend import Array, Operand
from dezero_ops_basic import matmul
from dezero_ops_math import softmax, swapaxes, where


def _reference(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Array:
    dtype = np.result_type(query, key, value, np.float16)
    scale = 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = np.matmul(query, np.swapaxes(key, -1, -2)).astype(dtype) * scale
    if attn_mask is not None:
        is_bool = attn_mask.dtype.kind == "b"
        scores = scores + (np.where(attn_mask, 0.0, -1e4) if is_bool else attn_mask)
    if is_causal:
        scores = scores + np.where(np.tri(*scores.shape[-2:], dtype=np.bool_), 0.0, -1e4)
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
    return np.matmul(weights, value).astype(dtype)


_QUERY, _KEY, _VALUE = Draw((2, 3)), Draw((4, 3)), Draw((4, 2))
_MASK = np.array([[True, False, True, True], [False, False, False, True]])


@applying(
    None,
    Call(_QUERY, _KEY, _VALUE),
    Call(_QUERY, _KEY, _VALUE, _MASK),
    Call(_QUERY, _KEY, _VALUE, Draw((2, 4))),
    Call(_QUERY, _KEY, _VALUE, is_causal=True),
    Call(_QUERY, _KEY, _VALUE, _MASK | (np.arange(4) == 0), True, 0.3),
    Call(Draw((2, 1, 3, 2)), Draw((3, 3, 2)), Draw((3, 3, 1)), scale=1.0),
    reference=_reference,
    complex=False,
    ulps=128,
    integers=False,
)
def scaled_dot_product_attention(
    query: Operand,
    key: Operand,
    value: Operand,
    attn_mask: Operand | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Variable:
    """Means of the values, with weights by how well the keys fit the query.

    query (Variable or ndarray): of shape ``(..., queries, size)``.
    key (Variable or ndarray): of shape ``(..., keys, size)``.
    value (Variable or ndarray): of shape ``(..., keys, out)``.
    attn_mask (Variable or ndarray, optional): of a shape that broadcasts to
        ``(..., queries, keys)``. Of bool: True where a query sees the key. Of numbers: added to
        the products.
    is_causal: whether a query sees no key after the one at its own place.
    scale (float, optional): factor of the products of queries and keys; by default
        ``1 / sqrt(size)``.
    Returns: of shape ``(..., queries, out)``: ``softmax(scale * query @ key.T) @ value``. A query
        that sees no key by a mask of bool or by `is_causal` gets 0.
    Derivative: that of these operations.
    Raises ValueError: if the shapes do not fit.
    Source: Vaswani et al. 2017, equation 1; PyTorch's function of that name, without its dropout.

    >>> x = Variable(np.array([[0.0, 0.0], [0.0, 2.0]]))
    >>> scaled_dot_product_attention(x, x, x, is_causal=True)
    variable([[0.         0.        ]
              [0.         1.88838556]])
    """
    size = np.shape(query)[-1]
    scores = matmul(query, swapaxes(key, -1, -2))
    scores = scores * (1.0 / math.sqrt(size) if scale is None else float(scale))
    seen = None
    if attn_mask is not None:
        mask = attn_mask if hasattr(attn_mask, "dtype") else np.asarray(attn_mask)
        if mask.dtype.kind == "b":
            seen = mask
        else:
            scores = scores + mask
    if is_causal:
        past = np.tri(*scores.shape[-2:], dtype=np.bool_)
        seen = past if seen is None else past & seen
    if seen is None:
        return matmul(softmax(scores, axis=-1), value)
    lowest = float(np.finfo(scores.dtype).min)  # not -inf: observe("nan") would stop here
    weights = softmax(where(seen, scores, lowest), axis=-1)
    return matmul(where(seen, weights, 0.0), value)
