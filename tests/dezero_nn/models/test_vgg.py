"""VGG16: its layers, its parameters, files of weights, and images."""

from itertools import pairwise

import numpy as np
import pytest
from dezero_nn.models import VGG16

from dezero_core import no_grad
from dezero_nn import test_mode as in_test_mode

# Of the paper, configuration D: channels of the convolutions, and sizes of the affine layers.
CHANNELS = 3, 64, 64, 128, 128, 256, 256, 256, 512, 512, 512, 512, 512, 512
SIZES = 512 * 7 * 7, 4096, 4096, 1000


def numbers(sizes):
    """Return how many numbers the parameters have, with affine layers of these sizes."""
    convolutions = sum((9 * a + 1) * b for a, b in pairwise(CHANNELS))
    return convolutions + sum((a + 1) * b for a, b in pairwise(sizes))


@pytest.fixture(scope="module")
def called():
    """Return VGG16 after a call with one image of 32 x 32, and the scores."""

    class Zeros:
        def standard_normal(self, shape):
            return np.zeros(shape)

    model = VGG16(rng=Zeros())
    with in_test_mode(), no_grad():
        return model, model(np.ones((1, 3, 32, 32), np.float32))


def test_it_has_the_parameters_of_the_paper(called):
    model, scores = called
    assert numbers(SIZES) == 138_357_544
    # Of an image of 32 x 32 one pixel is left before the affine layers.
    assert sum(each.size for each in model.params()) == numbers((512, *SIZES[1:]))
    assert scores.shape == (1, 1000)


def test_its_names_are_those_of_the_book(called):
    model, _ = called
    counts = enumerate((2, 2, 3, 3, 3), start=1)
    layers = [f"conv{block}_{n}" for block, count in counts for n in range(1, count + 1)]
    layers += ["fc6", "fc7", "fc8"]
    names = [name for name, _ in model.variables()]
    assert names == [f"{layer}/{each}" for layer in layers for each in "Wb"]


def test_each_convolution_is_followed_by_relu_and_each_block_by_a_pooling(called):
    """With a single way through the channels, a network of the largest pixels is left."""
    model, _ = called
    before = {each: each.data for each in model.params()}
    try:
        for each in model.params():
            each.data = np.zeros_like(each.data)
            if each.ndim == 4:
                each.data[0, 0, 1, 1] = 1.0
            elif each.ndim == 2:
                each.data[0, 0] = 1.0
        x = np.random.default_rng(0).normal(size=(2, 3, 32, 32)).astype(np.float32)
        x[1] = -np.abs(x[1])
        with in_test_mode(), no_grad():
            scores = model(x).data
    finally:
        for each, data in before.items():
            each.data = data
    np.testing.assert_array_equal(scores[:, 0], [x[0, 0].max(), 0.0])
    np.testing.assert_array_equal(scores[:, 1:], np.zeros((2, 999)))


def test_dropout_draws_by_the_rng_of_the_model(called, monkeypatch):
    model, _ = called
    monkeypatch.setattr(model.fc7.b, "data", np.arange(4096, dtype=np.float32))
    monkeypatch.setattr(model.fc8.W, "data", np.ones((4096, 1000), np.float32))
    scores = []
    for seed in (0, 0, 1):
        monkeypatch.setattr(model, "rng", np.random.default_rng(seed))
        with no_grad():
            scores.append(model(np.ones((1, 3, 32, 32), np.float32)).data[0, 0])
    assert scores[0] == scores[1] != scores[2]


def test_a_file_of_other_weights_is_refused(tmp_path):
    np.savez(tmp_path / "part.npz", **{"fc6/b": np.ones(4096), "fc7/b": np.ones(4096)})
    with pytest.raises(ValueError, match="conv1_1/W is not in the file"):
        VGG16(weights=tmp_path / "part.npz")


@pytest.mark.parametrize("options", [{"pretrained": True}, {"weights": True}])
def test_pretrained_weights_are_not_downloaded(options):
    with pytest.raises(FileNotFoundError, match=r"not downloaded.* VGG16\(weights='vgg16.npz'\)"):
        VGG16(**options)


def test_a_missing_file_of_weights_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file .*mine\.npz' of weights, and none is"):
        VGG16(tmp_path / "mine.npz")


class Image:
    """Stands in for an image of Pillow of one colour."""

    def __init__(self, colour, size, mode="P"):
        self.colour, self.size, self.mode = colour, size, mode

    def convert(self, mode):
        return Image(self.colour, self.size, mode)

    def resize(self, size):
        return Image(self.colour, size, self.mode)

    def __array__(self, dtype=None, copy=None):
        assert self.mode == "RGB"
        return np.full((*self.size[::-1], 3), self.colour, dtype)


@pytest.mark.parametrize(("options", "shape"), [({}, (224, 224)), ({"size": None}, (2, 3))])
def test_an_image_becomes_blue_green_and_red_less_their_means(options, shape):
    pixels = VGG16.preprocess(Image((10, 20, 30), (3, 2)), **options)
    assert pixels.shape == (3, *shape)
    assert pixels.dtype == np.float32
    expected = np.array([30 - 103.939, 20 - 116.779, 10 - 123.68])
    np.testing.assert_allclose(pixels, np.broadcast_to(expected[:, None, None], pixels.shape))


def test_no_images_have_no_scores(zeros):
    with in_test_mode():
        assert VGG16(rng=zeros)(np.zeros((0, 3, 32, 32), np.float32)).shape == (0, 1000)
