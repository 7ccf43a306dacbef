"""The handwritten digits of MNIST, from the files of its source."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from ..docstrings import described
from ..transforms import Compose, Flatten, Normalize, ToFloat
from ..transforms.compose import Transform
from .dataset import Dataset
from .files import content, data_folder, found

_SOURCE = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/ or "
    "https://storage.googleapis.com/cvdf-datasets/mnist/ (yann.lecun.com serves it no more)"
)

TO_ROWS = Compose([Flatten(), ToFloat(), Normalize(0.0, 255.0)])


@described
class MNIST(Dataset):
    """Handwritten digits of 28 x 28 pixels: 60,000 for training, 10,000 for the test.

    Nothing is downloaded. The four files of the source are looked for in one folder, as they are
    (``train-images-idx3-ubyte.gz``, ...) or decompressed (without ``.gz``). The same files of
    Fashion-MNIST can be read, too.

    transform (callable, optional): by default that of the book: flat, float32, from 0 to 1.
    root (path, optional): the folder; by default the environment variable ``DEZERO_DATA``, else
        ``~/.dezero``.
    Attribute data (ndarray of uint8): of shape ``(n, 1, 28, 28)``.
    Attribute label (ndarray of int64): from 0 to 9.
    Raises FileNotFoundError: if there is no such file; it says where to get it and where to put it.
    Raises ValueError: if a file is not what it is by its name, or not whole.
    Source: step 51 of the book; LeCun, Cortes and Burges, "The MNIST database of handwritten
        digits".
    """

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = TO_ROWS,
        target_transform: Transform | None = None,
        root: Any = None,
    ) -> None:
        self.root = data_folder(root)
        super().__init__(train, transform, target_transform)

    def prepare(self) -> None:
        """Read the files."""
        part = "train" if self.train else "t10k"
        names = f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"
        images, labels = (
            found(self.root, (name, f"{name}.gz"), "MNIST", _SOURCE) for name in names
        )
        data, label = _idx(images, 3), _idx(labels, 1)
        if data.shape[1:] != (28, 28):
            raise ValueError(f"{images} must have images of 28 x 28 pixels, not {data.shape[1:]}.")
        if len(data) != len(label):
            raise ValueError(
                f"{images} and {labels} must belong together, but have {len(data)} images and "
                f"{len(label)} labels."
            )
        self.data, self.label = data[:, np.newaxis], label.astype(np.int64)

    @staticmethod
    def labels() -> dict[int, str]:
        """Return the name of each label."""
        return {digit: str(digit) for digit in range(10)}


def _idx(path: Path, axes: int) -> Any:
    """Return the array of uint8 in an IDX file.

    It begins with big-endian numbers of four bytes: 8 * 256 + axes, and the size of each axis.
    """
    raw = content(path)
    magic, wanted = int.from_bytes(raw[:4], "big"), 8 * 256 + axes
    if magic != wanted:
        raise ValueError(
            f"{path} must begin with the number {wanted}, as an IDX file of bytes with {axes} "
            f"axes does, but begins with {magic}. Is it another file under this name?"
        )
    start = 4 + 4 * axes
    sizes = raw[4:start].ljust(4 * axes, b"\0")  # those that a short file has not are 0
    shape = tuple(int(size) for size in np.frombuffer(sizes, ">u4"))
    if len(raw) != start + math.prod(shape):
        raise ValueError(
            f"{path} must have {start + math.prod(shape)} bytes for its sizes {shape}, but has "
            f"{len(raw)}. Get the file again."
        )
    return np.frombuffer(bytearray(raw), np.uint8, offset=start).reshape(shape)
