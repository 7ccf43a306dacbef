"""EmbedID and Dropout: what they pass on to the functions of those names."""

import numpy as np
import pytest
from dezero_nn.layers import Dropout, EmbedID

from dezero_nn import test_mode as in_test_mode


def test_embed_id_gives_the_row_of_each_id_and_adds_up_their_gradients():
    layer = EmbedID(4, 2, dtype=np.float64)
    ids = np.array([[1, 1], [3, 0]])
    y = layer(ids)
    np.testing.assert_array_equal(y.data, layer.W.data[ids])
    y.sum().backward()
    np.testing.assert_array_equal(layer.W.grad, [[1, 1], [2, 2], [0, 0], [1, 1]])


def test_embed_id_is_drawn_by_its_rng():
    layer = EmbedID(100, 90, rng=np.random.default_rng(0))
    assert layer.W.dtype == np.float32
    np.testing.assert_allclose(layer.W.data.std(), 1.0, rtol=0.02)
    again = EmbedID(100, 90, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(layer.W.data, again.W.data)


@pytest.mark.parametrize("ids", [np.array([4]), np.array([-1])])
def test_embed_id_refuses_an_id_out_of_range(ids):
    with pytest.raises(IndexError):
        EmbedID(4, 2)(ids)


def test_dropout_drops_the_ratio_and_scales_the_rest():
    y = Dropout(0.25, rng=np.random.default_rng(0))(np.ones(10_000))
    np.testing.assert_allclose(np.unique(y), [0.0, 4 / 3])
    np.testing.assert_allclose((y == 0).mean(), 0.25, atol=0.02)


def test_dropout_is_off_in_test_mode():
    x = np.ones(100)
    with in_test_mode():
        np.testing.assert_array_equal(Dropout()(x), x)


def test_dropout_draws_anew_in_each_call():
    layer = Dropout(rng=np.random.default_rng(0))
    assert np.any(layer(np.ones(100)).data != layer(np.ones(100)).data)


@pytest.mark.parametrize("ratio", [-0.1, 1.0, float("nan")])
def test_dropout_refuses_a_ratio_that_is_no_chance_or_drops_all(ratio):
    with pytest.raises(ValueError, match="Dropout takes a ratio of at least 0 and below 1, got"):
        Dropout(ratio)
