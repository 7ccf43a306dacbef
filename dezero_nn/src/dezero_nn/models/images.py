"""Networks that sort images into the 1,000 classes of ImageNet: VGG16, and residual ones."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_ops_math import relu

from ..docstrings import described
from ..functions import average, dropout, flatten, pooling
from ..layers import BatchNorm, Conv2d, Layer, Linear
from .model import Model

Weights = str | os.PathLike[str] | None

_VGG_BLOCKS = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))
"""Channels and number of convolutions of each block; a pooling ends each."""


@described
class VGG16(Model):
    """The network of 16 layers by the Visual Geometry Group, which sorts images into 1,000 classes.

    weights (str or path, optional): a file of weights; nothing is downloaded. By default the
        weights are drawn. The names in it are those of the book's ``vgg16.npz``: ``"conv1_1/W"`` to
        ``"fc8/b"``.
    pretrained: as of `ResNet`.
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
        for block, (channels, count) in enumerate(_VGG_BLOCKS, start=1):
            for number in range(1, count + 1):
                layer = Conv2d(channels, kernel_size=3, stride=1, pad=1, rng=rng)
                setattr(self, f"conv{block}_{number}", layer)
        self.fc6, self.fc7, self.fc8 = (Linear(size, rng=rng) for size in (4096, 4096, 1000))
        load_pretrained(self, weights, pretrained, "vgg16.npz")

    def forward(self, x: Any) -> Variable:
        """Return the scores of the classes, of shape ``(N, 1000)``."""
        for block, (_, count) in enumerate(_VGG_BLOCKS, start=1):
            for number in range(1, count + 1):
                x = relu(getattr(self, f"conv{block}_{number}")(x))
            x = pooling(x, 2, 2)
        x = flatten(x)
        x = dropout(relu(self.fc6(x)), rng=self.rng)
        x = dropout(relu(self.fc7(x)), rng=self.rng)
        return self.fc8(x)

    @staticmethod
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


_BOTTLENECKS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
"""Number of layers -> how many bottlenecks each of the four blocks has."""


@described
class Bottleneck(Layer):
    """Three convolutions, of which the one of 3 x 3 has few channels, beside the input itself.

    projects: whether a convolution of 1 x 1 brings the input to the shape of the output.
    Note: as in the book, the first convolution has the stride, and not the second one.
    Source: He, Zhang, Ren and Sun 2015, figure 5.
    """

    def __init__(
        self,
        mid_channels: int,
        out_channels: int,
        stride: int = 1,
        projects: bool = False,
        rng: Any = None,
    ) -> None:
        self.conv1 = Conv2d(mid_channels, 1, stride, 0, nobias=True, rng=rng)
        self.bn1 = BatchNorm()
        self.conv2 = Conv2d(mid_channels, 3, 1, 1, nobias=True, rng=rng)
        self.bn2 = BatchNorm()
        self.conv3 = Conv2d(out_channels, 1, 1, 0, nobias=True, rng=rng)
        self.bn3 = BatchNorm()
        self.conv4: Conv2d | None = None
        if projects:
            self.conv4 = Conv2d(out_channels, 1, stride, 0, nobias=True, rng=rng)
            self.bn4 = BatchNorm()

    def forward(self, x: Any) -> Variable:
        """Return the sum of both ways, where it is positive."""
        h = relu(self.bn1(self.conv1(x)))
        h = relu(self.bn2(self.conv2(h)))
        h = self.bn3(self.conv3(h))
        return relu(h + (x if self.conv4 is None else self.bn4(self.conv4(x))))


@described
class BuildingBlock(Layer):
    """Bottlenecks in a row; the first one brings the input to the shape of the output.

    n_layers: how many bottlenecks.
    mid_channels, out_channels, stride: of the bottlenecks; the stride is that of the first one.
    """

    def __init__(
        self, n_layers: int, mid_channels: int, out_channels: int, stride: int, rng: Any = None
    ) -> None:
        self.a = Bottleneck(mid_channels, out_channels, stride, projects=True, rng=rng)
        for number in range(1, n_layers):
            setattr(self, f"b{number}", Bottleneck(mid_channels, out_channels, rng=rng))

    def forward(self, x: Any) -> Variable:
        """Return the result of the last bottleneck."""
        for bottleneck in vars(self).values():
            x = bottleneck(x)
        return x


@described
class ResNet(Model):
    """Residual network, which sorts images into 1,000 classes.

    n_layers: 50, 101 or 152.
    weights (str or path, optional): a file of weights, as `save_weights` writes it; nothing is
        downloaded. By default the weights are drawn.
    pretrained: as in the book, where True downloads the weights: here it is an error without
        `weights`.
    Raises FileNotFoundError: if there is no such file, or `pretrained` is True and none is given.
    Raises ValueError: if `n_layers` is another number, or the file does not fit.
    Note: it takes images of shape ``(N, 3, height, width)``. ResNet50 has 25,557,032 numbers in its
        parameters, which are drawn in the first call. A convolution before a `BatchNorm` has no
        bias, as in PyTorch; the book's first one has.
    Source: the book's model of that name; He, Zhang, Ren and Sun 2015.

    >>> ResNet(n_layers=50).fc6
    Linear(W: not known yet, b: 1000)
    """

    def __init__(
        self,
        n_layers: int = 152,
        weights: Weights = None,
        *,
        pretrained: bool = False,
        rng: Any = None,
    ) -> None:
        if n_layers not in _BOTTLENECKS:
            raise ValueError(f"ResNet has 50, 101 or 152 layers, got n_layers={n_layers!r}.")
        counts = _BOTTLENECKS[n_layers]
        self.conv1 = Conv2d(64, 7, 2, 3, nobias=True, rng=rng)
        self.bn1 = BatchNorm()
        self.res2 = BuildingBlock(counts[0], 64, 256, 1, rng)
        self.res3 = BuildingBlock(counts[1], 128, 512, 2, rng)
        self.res4 = BuildingBlock(counts[2], 256, 1024, 2, rng)
        self.res5 = BuildingBlock(counts[3], 512, 2048, 2, rng)
        self.fc6 = Linear(1000, rng=rng)
        load_pretrained(self, weights, pretrained, f"resnet{n_layers}.npz")

    def forward(self, x: Any) -> Variable:
        """Return the scores of the classes, of shape ``(N, 1000)``."""
        x = relu(self.bn1(self.conv1(x)))
        x = pooling(x, kernel_size=3, stride=2)
        for block in (self.res2, self.res3, self.res4, self.res5):
            x = block(x)
        return self.fc6(average(x, axis=(2, 3)))


@described
class ResNet50(ResNet):
    """`ResNet` of 50 layers.

    >>> len(list(ResNet50().params()))
    161
    """

    def __init__(
        self, weights: Weights = None, *, pretrained: bool = False, rng: Any = None
    ) -> None:
        super().__init__(50, weights, pretrained=pretrained, rng=rng)


@described
class ResNet101(ResNet):
    """`ResNet` of 101 layers."""

    def __init__(
        self, weights: Weights = None, *, pretrained: bool = False, rng: Any = None
    ) -> None:
        super().__init__(101, weights, pretrained=pretrained, rng=rng)


@described
class ResNet152(ResNet):
    """`ResNet` of 152 layers."""

    def __init__(
        self, weights: Weights = None, *, pretrained: bool = False, rng: Any = None
    ) -> None:
        super().__init__(152, weights, pretrained=pretrained, rng=rng)


def load_pretrained(model: Layer, weights: Weights, pretrained: bool, file: str) -> None:
    """Load the file of weights, if one is given.

    pretrained: as in the book, where True downloads a file: here a file must be given then.
    file: the usual name of the file.
    """
    if weights is None and not pretrained:
        return
    if weights is None or isinstance(weights, bool):
        raise FileNotFoundError(
            f"{type(model).__name__}: pretrained weights are not downloaded. Give the path of a "
            f"file that you have, {type(model).__name__}(weights='{file}'); the book's is called "
            f"{file}."
        )
    try:
        model.load_weights(weights)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{type(model).__name__}: there is no file {error.filename!r} of weights, and none is "
            f"downloaded. It is a file of save_weights; the book's is called {file}."
        ) from error
