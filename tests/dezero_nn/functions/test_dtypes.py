"""Numbers of np.float64, as of np.linspace, make no results of float32 wider."""

import dezero_nn.functions as F  # noqa: N812
import numpy as np
import pytest

from dezero_core import Variable

HALF = np.float64(0.5)
ONES, ZEROS = np.ones(3, np.float32), np.zeros(3, np.float32)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.leaky_relu(x, HALF),
        lambda x: F.dropout(x, HALF, np.random.default_rng(0)),
        lambda x: F.layer_norm(x, ONES, ZEROS, HALF),
        lambda x: F.batch_norm(x, ONES, ZEROS, ZEROS.copy(), ONES.copy(), HALF, HALF),
        lambda x: F.scaled_dot_product_attention(x, x, x, scale=HALF),
    ],
    ids=["leaky_relu", "dropout", "layer_norm", "batch_norm", "attention"],
)
def test_a_number_of_float64_leaves_float32_as_it_is(function):
    x = Variable(np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32))
    y = function(x)
    y.backward(create_graph=True)
    assert (y.dtype, x.grad.dtype) == (np.float32, np.float32)
