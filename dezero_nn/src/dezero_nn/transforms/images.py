"""Transforms of Pillow images, and between them and arrays.

Pillow is imported when the first of them is called.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..docstrings import described
from .arrays import Shown


@described
class Convert(Shown):
    """Convert a Pillow image to another mode.

    mode: a mode of Pillow, such as ``"RGB"`` or ``"L"``, or ``"BGR"``: blue is first.
    Raises TypeError: when called, if it is not given a Pillow image.
    Raises ImportError: when called, if Pillow is not installed.
    """

    def __init__(self, mode: str = "RGB") -> None:
        self.mode = mode

    def __call__(self, img: Any) -> Any:
        image = _pillow_for(self, img)
        if self.mode != "BGR":
            return img.convert(self.mode)
        return image.merge("RGB", img.convert("RGB").split()[::-1])


@described
class Resize(Shown):
    """Change the size of a Pillow image.

    size (int or tuple of int): ``(width, height)``, as in Pillow; an int is both.
    mode (int, optional): the filter, one of ``PIL.Image.Resampling``; by default BILINEAR.
    Raises ValueError: if `size` is no such number or pair.
    Raises TypeError, ImportError: when called, as of `Convert`.
    """

    def __init__(self, size: Any, mode: Any = None) -> None:
        self.size, self.mode = _pair_for(self, size), mode

    def __call__(self, img: Any) -> Any:
        image = _pillow_for(self, img)
        return img.resize(self.size, image.Resampling.BILINEAR if self.mode is None else self.mode)


@described
class CenterCrop(Shown):
    """Cut the middle out of a Pillow image.

    size (int or tuple of int): ``(width, height)``, as in Pillow; an int is both.
    Raises ValueError: if `size` is no such number or pair; when called, if the image is smaller.
    Raises TypeError, ImportError: when called, as of `Convert`.
    """

    def __init__(self, size: Any) -> None:
        self.size = _pair_for(self, size)

    def __call__(self, img: Any) -> Any:
        _pillow_for(self, img)
        (width, height), (w, h) = img.size, self.size
        if w > width or h > height:
            raise ValueError(
                f"CenterCrop: it cuts {w} x {h} pixels out of an image, but this image has only "
                f"{width} x {height}. Apply Resize before CenterCrop."
            )
        left, up = (width - w) // 2, (height - h) // 2
        return img.crop((left, up, left + w, up + h))


@described
class ToArray(Shown):
    """Make an array of a Pillow image.

    Returns (ndarray): of shape ``(channels, height, width)``; an array is given back as it is.
    Raises ValueError: when called, if the pixels are numbers of a palette.
    Raises TypeError, ImportError: when called, as of `Convert`.
    """

    def __init__(self, dtype: Any = np.float32) -> None:
        self.dtype = dtype

    def __call__(self, img: Any) -> Any:
        if isinstance(img, np.ndarray):
            return img
        _pillow_for(self, img)
        if img.mode in ("P", "PA"):
            raise ValueError(
                f"ToArray: the pixels of an image of mode {img.mode!r} are positions in a palette, "
                'and not colours. Apply Convert("RGB") before ToArray.'
            )
        array = np.asarray(img)
        array = array[np.newaxis] if array.ndim == 2 else array.transpose(2, 0, 1)
        return array.astype(self.dtype)


@described
class ToPIL(Shown):
    """Make a Pillow image of an array.

    The array is of uint8 and of shape ``(channels, height, width)``, with 1 (grey), 3 (RGB) or 4
    channels (RGBA).

    Raises TypeError: when called, if the array is of another dtype.
    Raises ValueError: when called, if it is of another shape.
    Raises ImportError: when called, if Pillow is not installed.
    """

    def __call__(self, array: Any) -> Any:
        image = _pillow()
        array = np.asarray(array)
        if array.dtype != np.uint8:
            raise TypeError(
                f"ToPIL: an image needs an array of uint8, from 0 to 255, but this one is of "
                f"{array.dtype}. Scale the array, and apply AsType(np.uint8) before ToPIL."
            )
        if array.ndim != 3 or len(array) not in (1, 3, 4):
            raise ValueError(
                "ToPIL: an image needs an array of shape (channels, height, width), with 1, 3 "
                f"or 4 channels, but this one is of shape {array.shape}."
            )
        return image.fromarray(array[0] if len(array) == 1 else array.transpose(1, 2, 0))


@described
class RandomHorizontalFlip(Shown):
    """Exchange left and right of an image, or of the last axis of an array, at random.

    p: the probability.
    rng (numpy.random.Generator or RandomState, optional): by default ``np.random``.
    Raises ValueError: if `p` is no probability.

    >>> RandomHorizontalFlip(p=1.0)(np.array([[1, 2, 3]]))
    array([[3, 2, 1]])
    """

    def __init__(self, p: float = 0.5, rng: Any = None) -> None:
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"RandomHorizontalFlip: p is a probability, from 0 to 1, not {p!r}.")
        self.p, self.rng = p, rng

    def _drawn(self, size: int | None) -> Any:
        return (np.random if self.rng is None else self.rng).uniform(size=size) < self.p

    def __call__(self, x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return self.apply_to_batch(x[np.newaxis])[0]
        image = _pillow_for(self, x)
        return x.transpose(image.Transpose.FLIP_LEFT_RIGHT) if self._drawn(None) else x

    def apply_to_batch(self, batch: Any) -> Any:
        """Return each array of a batch, flipped or not.

        Returns (ndarray):
        Raises ValueError: if the items have no axes.
        """
        if batch.ndim < 2:
            raise ValueError(
                "RandomHorizontalFlip: it takes images or arrays with axes, but got numbers. "
                "Did you pass it as the transform of the labels?"
            )
        flips = self._drawn(len(batch)).reshape((-1,) + (1,) * (batch.ndim - 1))
        return np.where(flips, batch[..., ::-1], batch)


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(
            "transforms of images need Pillow, which cannot be imported. "
            "Install it: pip install pillow."
        ) from error
    return Image


def _pillow_for(transform: Any, img: Any) -> Any:
    """Return the module PIL.Image, if `img` is an image of it."""
    image = _pillow()
    if not isinstance(img, image.Image):
        raise TypeError(
            f"{type(transform).__name__}: it takes a Pillow image, got {type(img).__name__}. "
            "ToPIL() converts an array to an image."
        )
    return image


def _pair_for(transform: Any, size: Any) -> tuple[int, int]:
    pair = size if isinstance(size, (tuple, list)) else (size, size)
    if len(pair) != 2 or not all(isinstance(n, (int, np.integer)) and n > 0 for n in pair):
        raise ValueError(
            f"{type(transform).__name__}: size must be a number of pixels, 1 or more, or a pair of "
            f"such numbers, (width, height), got {size!r}."
        )
    return int(pair[0]), int(pair[1])
