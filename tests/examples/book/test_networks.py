"""The programs of steps 55 to 60, and the book's examples.

Promise: docs/coming_from/book.md
"""

from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
from sklearn.datasets import load_digits

from .printed import losses_in, numbers, numbers_after


def test_step_57_computes_convolution_and_pooling_as_loops_do(run):
    printed = run("step57_convolution").printed
    assert numbers_after(printed, "size 4, kernel 3, stride 1, pad 1:") == [4.0]
    assert numbers_after(printed, "columns of (1, 3, 7, 7):") == [9.0, 75.0]
    assert numbers_after(printed, "columns of (10, 3, 7, 7):") == [90.0, 75.0]
    assert numbers_after(printed, "conv2d: shape") == [2.0, 8.0, 12.0, 12.0, 8.0, 5.0, 3.0, 3.0]
    for name in ("conv2d", "conv2d_simple"):
        assert numbers_after(printed, f"{name} differs from the loops by")[0] < 1e-12
    *shape, difference = numbers_after(printed, "pooling: shape")
    assert shape == [2.0, 5.0, 6.0, 6.0]
    assert difference == 0.0


#: Channels of the convolutions of VGG16, and sizes of its affine layers (Simonyan and Zisserman).
CHANNELS = (3, 64, 64, 128, 128, 256, 256, 256, 512, 512, 512, 512, 512, 512)
SIZES = (512, 4096, 4096, 1000)


def test_step_58_counts_the_parameters_of_vgg16(run):
    """Images of 32 pixels are halved five times, so that one pixel of 512 channels is left."""
    ran = run("step58_vgg16", "--size", 32)
    count = sum(9 * n * m + m for n, m in pairwise(CHANNELS))
    count += sum(n * m + m for n, m in pairwise(SIZES))
    printed = ran.printed.replace(",", "")
    assert numbers_after(printed, "parameters:") == [count]
    assert numbers_after(printed, "sum of the probabilities of 1000 classes:") == [1.0]
    texts = list(ElementTree.parse(ran.folder / "step58_vgg16.svg").getroot().itertext())
    drawn = [texts.count(name) for name in ("Conv2d", "Pooling", "Linear", "Dropout")]
    assert drawn == [13, 5, 3, 2]


def test_step_59_learns_to_go_on_with_a_curve(run):
    ran = run("step59_rnn", "--epochs", 6)
    losses = losses_in(ran.printed)
    assert losses[-1] < losses[0] / 10.0
    assert_prediction(ran, "step59_rnn.png", largest=0.2)


def test_step_60_learns_to_go_on_with_a_curve(run):
    ran = run("step60_lstm", "--epochs", 20)
    losses = losses_in(ran.printed)
    assert losses[-1] < losses[0] / 10.0
    assert_prediction(ran, "step60_lstm.png", largest=0.2)


def assert_prediction(ran, picture, largest):
    """The printed error is that of the drawn curve against the cosine, one value later."""
    (axes,) = ran.figures[picture].axes
    _, predicted = axes.lines
    x, y = predicted.get_data()
    truth = np.cos(np.linspace(0.0, 4.0 * np.pi, 1000))
    error = np.mean(np.abs(y[:-1] - truth[x[:-1]]))
    assert numbers_after(ran.printed, "mean error of the prediction:") == [round(error, 3)]
    assert error < largest


def test_the_gan_draws_images_whose_mean_comes_near_that_of_digits(run):
    ran = run("gan", "--epochs", 4)
    distances = [numbers(line)[0] for line in ran.printed.splitlines() if "distance" in line]
    assert distances[-1] < distances[0] / 2.0
    drawn = np.array([axes.images[0].get_array() for axes in ran.figures["gan.png"].axes])
    assert drawn.shape == (32, 8, 8)
    assert drawn.std(axis=0).max() > 0.2  # not one image for all
    digits = load_digits().images.mean(axis=0) / 16.0
    assert np.sqrt(np.mean((drawn.mean(axis=0) - digits) ** 2)) < 0.2


def test_the_vae_is_better_than_one_image_for_all_digits(run):
    """The loss of the mean image is the best that is possible without knowing the digit."""
    ran = run("vae", "--epochs", 7)
    mean = load_digits().images[:1437].mean(axis=0) / 16.0
    mean = mean[(mean > 0.0) & (mean < 1.0)]
    without = -np.sum(mean * np.log(mean) + (1.0 - mean) * np.log(1.0 - mean))
    losses = losses_in(ran.printed)
    assert losses[-1] < without < losses[0]


def test_grad_cam_weights_channels_as_the_last_layer_does(run):
    ran = run("grad_cam", "--epochs", 4)
    accuracy, count = numbers_after(ran.printed, "test accuracy:")
    assert accuracy > 60.0
    assert count == 360
    assert numbers_after(ran.printed, "weights differ from those of the last layer by")[0] < 1e-6
    above, below = np.split(np.array(ran.figures["grad_cam.png"].axes), 2)
    assert [axes.get_title() for axes in above] == [str(digit) for digit in range(10)]
    assert all(axes.images[0].get_array().shape == (8, 8) for axes in above)
    maps = np.array([axes.images[0].get_array() for axes in below])
    assert maps.shape == (10, 4, 4)
    assert maps.min() >= 0.0
    assert maps.max() > 0.0
