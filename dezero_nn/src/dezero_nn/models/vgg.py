"""VGG16: sixteen layers with weights, thirteen of them of small convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_ops_math import relu

from ..docstrings import described
from ..functions import dropout, flatten, pooling
from ..layers import Conv2d, Linear
from .model import Model
from .pretrained import Weights, load_pretrained

_BLOCKS = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))
"""Channels and number of convolutions of each block; a pooling ends each."""


@described
class VGG16(Model):
    """The network of 16 layers by the Visual Geometry Group, which sorts images into 1,000 classes.

    weights (str or path, optional): a file of weights; nothing is downloaded. By default the
        weights are drawn. The names in it are those of the book's ``vgg16.npz``: ``"conv1_1/W"`` to
        ``"fc8/b"``.
    pretrained: as in the book, where True downloads the weights: here it is an error without
        `weights`.
    rng (numpy.random.Generator or RandomState, optional): draws the first weights and what is
        dropped; by default ``np.random``.
    Raises FileNotFoundError: if there is no such file, or `pretrained` is True and none is given.
    Raises ValueError: if the file does not fit.
    Note: it takes images of shape ``(N, 3, height, width)``, and has 138,357,544 numbers in its
        parameters for those of 224 x 224 pixels; they are drawn in the first call.
    Source: *Deep Learning from Scratch 3*, step 58; Simonyan and Zisserman 2014.

    >>> VGG16().conv5_3
    Conv2d(W: not known yet, b: 512)
    """

    def __init__(
        self, weights: Weights = None, *, pretrained: bool = False, rng: Any = None
    ) -> None:
        self.rng = rng
        for block, (channels, count) in enumerate(_BLOCKS, start=1):
            for number in range(1, count + 1):
                layer = Conv2d(channels, kernel_size=3, stride=1, pad=1, rng=rng)
                setattr(self, f"conv{block}_{number}", layer)
        self.fc6, self.fc7, self.fc8 = (Linear(size, rng=rng) for size in (4096, 4096, 1000))
        load_pretrained(self, weights, pretrained, "vgg16.npz")

    def forward(self, x: Any) -> Variable:
        """Return the scores of the classes, of shape ``(N, 1000)``."""
        for block, (_, count) in enumerate(_BLOCKS, start=1):
            for number in range(1, count + 1):
                x = relu(getattr(self, f"conv{block}_{number}")(x))
            x = pooling(x, 2, 2)
        x = flatten(x)
        x = dropout(relu(self.fc6(x)), rng=self.rng)
        x = dropout(relu(self.fc7(x)), rng=self.rng)
        return self.fc8(x)

    @staticmethod
    @described
    def preprocess(
        image: Any, size: tuple[int, int] | None = (224, 224), dtype: Any = np.float32
    ) -> Any:
        """Return a Pillow image as an array that the book's weights expect.

        image (PIL.Image.Image):
        size (tuple of int or None): width and height; None keeps those of the image.
        Returns (ndarray, shape (3, height, width)): blue, green and red, less the mean of each
            channel of ImageNet.
        """
        image = image.convert("RGB")
        if size is not None:
            image = image.resize(size)
        pixels = np.asarray(image, dtype)[:, :, ::-1]
        return (pixels - np.array([103.939, 116.779, 123.68], dtype)).transpose((2, 0, 1))
