"""scaled_dot_product_attention: the formula, its masks, and queries that see nothing."""

import numpy as np
import pytest
from dezero_nn.functions import scaled_dot_product_attention
from dezero_tools.testing import check_gradient

from dezero_core import Variable
from dezero_tools import observe

RNG = np.random.default_rng(0)
Q, K, V = RNG.normal(size=(2, 3, 2)), RNG.normal(size=(2, 4, 2)), RNG.normal(size=(2, 4, 1))
MASK = RNG.random((3, 4)) < 0.6
MASK[:, 0] = True


def by_loops(query, key, value, seen, scale):
    """Return the means for each query by itself, over the keys that it sees."""
    result = np.zeros((*query.shape[:-1], value.shape[-1]))
    for *batch, row in np.ndindex(query.shape[:-1]):
        keys = [j for j in range(key.shape[-2]) if seen[row, j]]
        products = [scale * query[(*batch, row)] @ key[(*batch, j)] for j in keys]
        weights = np.exp(products) / np.exp(products).sum()
        for j, weight in zip(keys, weights, strict=True):
            result[(*batch, row)] += weight * value[(*batch, j)]
    return result


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        ({}, np.ones((3, 4), bool)),
        ({"attn_mask": MASK}, MASK),
        ({"attn_mask": MASK.tolist()}, MASK),
        ({"is_causal": True}, np.tri(3, 4, dtype=bool)),
        ({"attn_mask": MASK, "is_causal": True}, MASK & np.tri(3, 4, dtype=bool)),
        ({"scale": 0.1}, np.ones((3, 4), bool)),
    ],
    ids=["all", "mask", "list", "causal", "both", "scale"],
)
def test_attention_agrees_with_the_sum_over_the_keys_that_are_seen(options, seen):
    expected = by_loops(Q, K, V, seen, options.get("scale", 2**-0.5))
    found = scaled_dot_product_attention(Q, K, V, **options)
    np.testing.assert_allclose(found, expected, 1e-12, 1e-14)


def test_a_mask_of_numbers_is_added_and_differentiated():
    added = RNG.normal(size=(3, 4))
    logits = Q @ np.swapaxes(K, 1, 2) / np.sqrt(2.0) + added
    weights = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    found = scaled_dot_product_attention(Q, K, V, added)
    np.testing.assert_allclose(found, weights @ V, 1e-12)
    check_gradient(scaled_dot_product_attention, Q, K, V, added)


def test_a_query_that_sees_no_key_gets_0_and_gives_no_gradient():
    mask = MASK.copy()
    mask[2] = False
    query = Variable(Q.copy())
    with observe("nan"):
        y = scaled_dot_product_attention(query, K, V, mask)
        y.sum().backward()
    assert np.all(y.data[:, 2] == 0.0)
    assert np.all(query.grad[:, 2] == 0.0)
    assert np.all(query.grad[:, 1] != 0.0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_attention_keeps_the_dtype(dtype):
    x = Variable(Q.astype(dtype))
    y = scaled_dot_product_attention(x, x, x, is_causal=True)
    y.sum().backward()
    assert y.dtype == x.grad.dtype == dtype


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="mismatch"):
        scaled_dot_product_attention(Q, V, V)
