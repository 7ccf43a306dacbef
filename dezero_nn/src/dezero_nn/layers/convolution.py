"""Convolution of images with trained weights, and its transpose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dezero_core import Parameter, Variable

from ..docstrings import described
from ..functions.convolution import conv2d, deconv2d
from ..functions.windows import Pair, count, require_images, windows_of
from ..npz import Shape
from .layer import Layer, drawn, require_floating


@described
class _Convolution(Layer):
    """The parameters of `Conv2d` and `Deconv2d`.

    out_channels: how many channels the result has.
    kernel_size (int or (int, int)): height and width of a window.
    stride (int or (int, int)): how far it is from one window to the next.
    pad (int or (int, int)): how many zeros there are at each edge.
    nobias: whether there is no `b`.
    dtype (data-type): of the parameters.
    in_channels: how many channels the images have; by default as many as the first that it is
        given.
    Raises ValueError: if a number is too small; or the layer is given images that do not fit.
    Raises TypeError: if a number is no integer, or `dtype` is not of floating-point numbers.
    """

    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Pair,
        stride: int | Pair = 1,
        pad: int | Pair = 0,
        nobias: bool = False,
        dtype: Any = np.float32,
        in_channels: int | None = None,
        rng: Any = None,
    ) -> None:
        require_floating(self, dtype)
        name = type(self).__name__
        self.out_channels = count(name, "out_channels", out_channels)
        self.kernel_size, self.stride, self.pad = windows_of(name, kernel_size, stride, pad)
        self.in_channels, self.dtype, self.rng = in_channels, dtype, rng
        self.W = Parameter(None, name="W")
        self.b = None if nobias else Parameter(np.zeros(self.out_channels, dtype), name="b")
        if in_channels is not None:
            self._draw(in_channels)

    def _draw(self, in_channels: int) -> None:
        """Draw the weights of `conv2d`; its transpose has the first two axes the other way."""
        channels = count(type(self).__name__, "in_channels", in_channels)
        shape = (*self._ordered(self.out_channels, channels), *self.kernel_size)
        scale = np.sqrt(1 / (channels * self.kernel_size[0] * self.kernel_size[1]))
        self.W.data = drawn(self.rng, shape, scale, self.dtype)
        self.in_channels = channels

    def _own_shapes(self) -> Mapping[str, Shape]:
        return {"W": (*self._ordered(self.out_channels, None), *self.kernel_size)}

    def _ordered(self, out_channels: int, in_channels: Any) -> tuple[Any, Any]:
        return out_channels, in_channels


@described
class Conv2d(_Convolution):
    """Convolution of images, as by `dezero_nn.functions.conv2d`.

    The first weights `W`, of shape ``(out_channels, in_channels, KH, KW)``, are normal with
    variance ``1 / (in_channels * KH * KW)``; `b` is zero.

    >>> layer = Conv2d(8, kernel_size=3, pad=1)
    >>> layer(np.ones((2, 3, 5, 5), np.float32)).shape
    (2, 8, 5, 5)
    >>> layer.W.shape
    (8, 3, 3, 3)
    """

    def forward(self, x: Any) -> Variable:
        """Return the convolution of images ``(N, C, H, W)``, of shape ``(N, OC, OH, OW)``."""
        if self.W.data is None:
            require_images("Conv2d", x)
            windows_of("Conv2d", self.kernel_size, self.stride, self.pad).counts(x.shape[2:])
            self._draw(x.shape[1])
        return conv2d(x, self.W, self.b, self.stride, self.pad)


@described
class Deconv2d(_Convolution):
    """Transposed convolution of images, as by `dezero_nn.functions.deconv2d`.

    The first weights `W`, of shape ``(in_channels, out_channels, KH, KW)``, are normal with
    variance ``1 / (in_channels * KH * KW)``; `b` is zero.

    stride (int or (int, int)): how far it is, in the result, from one window to the next.
    pad (int or (int, int)): how many pixels are cut off at each edge.

    >>> layer = Deconv2d(1, kernel_size=4, stride=2, pad=1)
    >>> layer(np.ones((2, 8, 5, 5), np.float32)).shape
    (2, 1, 10, 10)
    >>> layer.W.shape
    (8, 1, 4, 4)
    """

    def forward(self, x: Any) -> Variable:
        """Return the transposed convolution of images ``(N, C, H, W)``."""
        if self.W.data is None:
            require_images("Deconv2d", x)
            windows_of("Deconv2d", self.kernel_size, self.stride, self.pad).size_of(x.shape[2:])
            self._draw(x.shape[1])
        return deconv2d(x, self.W, self.b, self.stride, self.pad)

    def _ordered(self, out_channels: int, in_channels: Any) -> tuple[Any, Any]:
        return in_channels, out_channels
