"""BatchNorm and LayerNorm: parameters, running means, and refused inputs."""

import numpy as np
import pytest
from dezero_nn.layers import BatchNorm, LayerNorm

from dezero_nn import test_mode as in_test_mode

RNG = np.random.default_rng(0)


def test_batch_norm_normalizes_each_channel_scales_and_shifts():
    x = RNG.normal(3.0, 2.0, (8, 2, 3, 3))
    layer = BatchNorm(dtype=np.float64, eps=0.0, in_size=2)
    layer.gamma.data, layer.beta.data = np.array([2.0, 3.0]), np.array([1.0, -1.0])
    y = layer(x).data
    np.testing.assert_allclose(y.mean((0, 2, 3)), [1.0, -1.0], atol=1e-12)
    np.testing.assert_allclose(y.std((0, 2, 3)), [2.0, 3.0])


def test_batch_norm_takes_the_running_means_in_test_mode_and_keeps_them():
    layer = BatchNorm(dtype=np.float64, decay=0.5, eps=0.0)
    x = RNG.normal(3.0, 2.0, (50, 3))
    layer(x)
    mean, var = layer.avg_mean.data, layer.avg_var.data
    np.testing.assert_allclose(mean, 0.5 * x.mean(0))
    np.testing.assert_allclose(var, 0.5 + 0.5 * x.var(0, ddof=1))
    with in_test_mode():
        np.testing.assert_allclose(layer(x).data, (x - mean) / np.sqrt(var))
    assert layer.avg_mean.data is mean
    assert layer.avg_var.data is var


def test_batch_norm_may_be_called_in_test_mode_first():
    layer = BatchNorm(eps=0.0)
    x = np.ones((2, 3), np.float32)
    with in_test_mode():
        np.testing.assert_array_equal(layer(x).data, x)


def test_running_means_are_saved_but_not_trained():
    layer = BatchNorm(in_size=3)
    assert [name for name, _ in layer.variables()] == ["avg_mean", "avg_var", "gamma", "beta"]
    assert list(layer.params()) == [layer.gamma, layer.beta]
    assert {each.dtype for _, each in layer.variables()} == {np.dtype(np.float32)}


def test_layer_norm_normalizes_each_row_scales_and_shifts():
    x = RNG.normal(3.0, 2.0, (4, 5, 6))
    layer = LayerNorm(6, eps=0.0, dtype=np.float64)
    layer.gamma.data, layer.beta.data = np.full(6, 2.0), np.full(6, 1.0)
    y = layer(x).data
    np.testing.assert_allclose(y.mean(-1), np.ones((4, 5)))
    np.testing.assert_allclose(y.std(-1), np.full((4, 5), 2.0))
    layer(x).sum().backward()
    np.testing.assert_allclose(layer.beta.grad, np.full(6, 20.0))


@pytest.mark.parametrize("make", [BatchNorm, LayerNorm])
@pytest.mark.parametrize("lazy", [True, False])
def test_an_input_of_another_kind_is_refused_and_begins_nothing(make, lazy):
    layer = make() if lazy else make(**{"in_size" if make is BatchNorm else "size": 2})
    before = layer.gamma.data
    wrong = [[[1.0, 2.0]], np.array([[1, 2]]), np.array(1.0)]
    for x in [*wrong, np.ones(2)] if make is BatchNorm else wrong:
        with pytest.raises((TypeError, ValueError), match=f"^{make.__name__}"):
            layer(x)
    assert layer.gamma.data is before


@pytest.mark.parametrize("make", [BatchNorm, LayerNorm])
def test_an_input_of_another_size_is_refused(make):
    layer = make()
    layer(np.ones((4, 3), np.float32))
    with pytest.raises(ValueError, match=r"with in_size 3, got one of shape \(4, 2\)"):
        layer(np.ones((4, 2), np.float32))
