"""The layers of convolution: their weights, and the images that they are given."""

import dezero_nn.functions as F  # noqa: N812
import numpy as np
import pytest
from dezero_nn.layers import Conv2d, Deconv2d
from dezero_nn.models import Model
from dezero_nn.optimizers import SGD

from dezero_core import Variable
from dezero_replay import compiled

LAYERS = [Conv2d, Deconv2d]
X = np.ones((2, 3, 6, 7), np.float32)


def test_a_convolution_computes_that_of_its_weights():
    layer = Conv2d(4, (2, 3), stride=(2, 1), pad=(0, 1), rng=np.random.default_rng(0))
    layer.b.data[...] = [1.0, 2.0, 3.0, 4.0]
    y = layer(X)
    assert layer.W.shape == (4, 3, 2, 3)
    expected = F.conv2d(X, layer.W.data, layer.b.data, (2, 1), (0, 1))
    np.testing.assert_array_equal(y.data, expected)


def test_a_transposed_convolution_computes_that_of_its_weights():
    layer = Deconv2d(4, (2, 3), stride=(2, 1), pad=(0, 1), rng=np.random.default_rng(0))
    layer.b.data[...] = [1.0, 2.0, 3.0, 4.0]
    y = layer(X)
    assert layer.W.shape == (3, 4, 2, 3)
    expected = F.deconv2d(X, layer.W.data, layer.b.data, (2, 1), (0, 1))
    np.testing.assert_array_equal(y.data, expected)


@pytest.mark.parametrize("layer", LAYERS)
def test_the_names_and_the_order_of_the_parameters_are_the_book_s(layer):
    assert [name for name, _ in layer(2, 3).variables()] == ["W", "b"]
    assert [name for name, _ in layer(2, 3, nobias=True).variables()] == ["W"]


@pytest.mark.parametrize("layer", LAYERS)
def test_the_first_weights_have_the_variance_of_the_book(layer):
    weights = layer(64, (3, 5), in_channels=32, rng=np.random.default_rng(0)).W.data
    assert weights.dtype == np.float32
    assert weights.mean() == pytest.approx(0.0, abs=1e-3)
    assert weights.var() == pytest.approx(1.0 / (32 * 15), rel=0.03)


@pytest.mark.parametrize("layer", LAYERS)
def test_weights_drawn_at_the_first_input_are_those_of_that_number_of_channels(layer):
    later = layer(4, 3, rng=np.random.default_rng(0))
    assert (later.W.data, later.in_channels) == (None, None)
    later(X)
    at_once = layer(4, 3, in_channels=3, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(later.W.data, at_once.W.data)
    assert later.in_channels == at_once.in_channels == 3


@pytest.mark.parametrize("layer", LAYERS)
def test_weights_are_drawn_from_the_global_generator_as_in_the_book(layer):
    np.random.seed(0)
    drawn = layer(4, 3, in_channels=2).W.data
    np.random.seed(0)
    expected = np.random.randn(*drawn.shape) * np.sqrt(1 / 18)
    np.testing.assert_array_equal(drawn, expected.astype(np.float32))


@pytest.mark.parametrize("layer", LAYERS)
def test_the_dtype_is_that_of_both_parameters(layer):
    made = layer(4, 3, dtype=np.float64, in_channels=3)
    assert made.W.dtype == made.b.dtype == made(X).dtype == np.float64
    assert layer(4, 3)(X).dtype == np.float32


@pytest.mark.parametrize("layer", LAYERS)
def test_without_b_zeros_give_zeros(layer):
    made = layer(4, 3, nobias=True)
    assert made.b is None
    assert not made(0 * X).data.any()


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize(
    ("x", "given", "message"),
    [
        (X[0], {}, r"\(\) takes images of shape.*\(3, 6, 7\)"),
        (X[:, :0], {}, "in_channels 1 or more, got 0"),
    ],
)
def test_images_that_do_not_fit_draw_no_weights(layer, x, given, message):
    rng = np.random.default_rng(0)
    made = layer(4, 3, rng=rng, **given)
    with pytest.raises(ValueError, match=f"{layer.__name__}.*{message}"):
        made(x)
    assert (made.W.data, made.in_channels) == (None, None)
    assert rng.random() == np.random.default_rng(0).random()


@pytest.mark.parametrize(
    ("made", "message"),
    [(Conv2d(4, 8), "8 x 8 is larger"), (Deconv2d(4, 1, pad=3), "nothing is left")],
)
def test_windows_that_do_not_fit_draw_no_weights(made, message):
    with pytest.raises(ValueError, match=message):
        made(X)
    assert (made.W.data, made.in_channels) == (None, None)


@pytest.mark.parametrize("layer", LAYERS)
def test_images_of_another_number_of_channels_are_refused(layer):
    made = layer(4, 3, in_channels=5)
    with pytest.raises(ValueError, match="of 5 channels, got images of 3"):
        made(X)


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"out_channels": 0}, ValueError, "out_channels 1 or more, got 0"),
        ({"out_channels": 2.0}, TypeError, "out_channels integers, got 2.0"),
        ({"kernel_size": (3, 0)}, ValueError, "kernel_size 1 or more, got 0"),
        ({"stride": (1, 2, 3)}, ValueError, "stride one or two integers"),
        ({"pad": -1}, ValueError, "pad 0 or more, got -1"),
        ({"in_channels": 0}, ValueError, "in_channels 1 or more, got 0"),
    ],
)
def test_wrong_numbers_are_refused_when_the_layer_is_made(layer, given, error, message):
    with pytest.raises(error, match=rf"{layer.__name__}\(\) takes for {message}"):
        layer(**{"out_channels": 4, "kernel_size": 3} | given)


class Net(Model):
    def __init__(self):
        rng = np.random.default_rng(0)
        self.conv = Conv2d(4, 3, pad=1, rng=rng)
        self.deconv = Deconv2d(3, 2, stride=2, rng=rng)

    def forward(self, x):
        return self.deconv(F.pooling(F.relu(self.conv(x)), 2, 2))


def training():
    model = Net()
    optimizer = SGD(lr=0.001).setup(model)

    def step(x):
        loss = F.mean_squared_error(model(x), x)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return model, step


def test_training_makes_the_loss_smaller_and_compiled_gives_the_same_bits():
    (model, eager), (other, step) = training(), training()
    step = compiled(step, strict=True)
    x = np.random.default_rng(1).normal(size=(2, 3, 6, 6)).astype(np.float32)
    losses = []
    for _ in range(6):
        losses.append(eager(x).data.item())
        assert step(x).data.item() == losses[-1]
    assert losses[-1] < 0.9 * losses[0]
    assert step.stats["replayed"] > 0
    for (name, mine), (_, others) in zip(model.variables(), other.variables(), strict=True):
        assert mine.data.tobytes() == others.data.tobytes(), name


def test_a_layer_takes_variables():
    x = Variable(X.copy())
    Conv2d(2, 3)(x).backward()
    assert x.grad.shape == X.shape
