"""Linear: what it computes, how it is drawn, and which inputs it refuses."""

import numpy as np
import pytest
from dezero_nn.layers import Linear

from dezero_core import Variable


def test_it_is_the_affine_map_of_the_last_axis_with_its_gradients():
    layer = Linear(2, in_size=3, dtype=np.float64)
    layer.b.data = np.array([1.0, -1.0])
    x = Variable(np.arange(12.0).reshape(2, 2, 3))
    y = layer(x)
    np.testing.assert_allclose(y.data, x.data @ layer.W.data + [1.0, -1.0])
    y.sum().backward()
    np.testing.assert_allclose(layer.W.grad, np.outer(x.data.sum((0, 1)), [1.0, 1.0]))
    np.testing.assert_allclose(layer.b.grad, [4.0, 4.0])
    np.testing.assert_allclose(x.grad, np.broadcast_to(layer.W.data.sum(1), (2, 2, 3)))


def test_without_a_bias_it_is_the_product():
    layer = Linear(2, nobias=True)
    x = np.ones((1, 3), np.float32)
    np.testing.assert_array_equal(layer(x).data, x @ layer.W.data)
    assert layer.b is None
    assert len(list(layer.params())) == 1


def test_weights_are_drawn_in_the_first_call_with_the_variance_of_the_book():
    layer = Linear(1000, rng=np.random.default_rng(0))
    assert layer.W.data is None
    assert layer.in_size is None
    layer(np.ones((1, 400), np.float32))
    assert layer.in_size == 400
    assert layer.W.dtype == layer.b.dtype == np.float32
    np.testing.assert_allclose(layer.W.data.var(), 1 / 400, rtol=0.02)
    np.testing.assert_array_equal(layer.b.data, np.zeros(1000))


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_the_same_seed_draws_the_same_weights(make):
    first, second = (Linear(3, in_size=2, rng=make(7)).W.data for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_weights_come_from_np_random_by_default():
    np.random.seed(3)
    first = Linear(3, in_size=2).W.data
    np.random.seed(3)
    np.testing.assert_array_equal(first, Linear(3, in_size=2).W.data)


@pytest.mark.parametrize("layer", [Linear(3, in_size=2), Linear(3)], ids=["drawn", "not drawn"])
@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (
            [[1.0, 2.0]],
            TypeError,
            "Linear takes an ndarray or a Variable, got a list: write",
        ),
        (2.0, TypeError, "got a float"),
        (
            np.array([[1, 2]]),
            TypeError,
            r"got int64 of shape \(1, 2\): .* For ids, .* EmbedID",
        ),
        (Variable(np.array([True])), TypeError, "got bool"),
        (np.array(1.0), ValueError, r"input of shape \(..., in_size\).* got one of shape \(\)"),
    ],
)
def test_an_input_of_another_kind_is_refused_and_draws_nothing(layer, x, error, message):
    before = layer.W.data
    with pytest.raises(error, match=message):
        layer(x)
    assert layer.W.data is before


def test_an_input_of_another_size_is_refused():
    message = r"Linear\(W: 2x3, b: 3\) takes .* with in_size 2, got one of shape \(5, 4\)"
    with pytest.raises(ValueError, match=message):
        Linear(3, in_size=2)(np.ones((5, 4)))
