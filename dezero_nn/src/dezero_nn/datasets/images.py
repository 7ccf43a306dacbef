"""Images with their labels: digits of scikit-learn, and the files of MNIST and of CIFAR-10."""

from __future__ import annotations

import gzip
import io
import math
import os
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..docstrings import described
from ..transforms import Compose, Flatten, Normalize, ToFloat
from ..transforms.arrays import Transform
from .dataset import Dataset

_TRAIN_SIZE = 1437
"""Four fifths of the 1,797 digits."""

_SIXTEENTHS = Compose([Flatten(), ToFloat(), Normalize(0.0, 16.0)])


@described
class Digits(Dataset):
    """Handwritten digits of 8 x 8 pixels: 1,437 for training, 360 for the test.

    They are in a file of scikit-learn, which must be installed. Those for the test are the last in
    that file.

    transform (callable, optional): by default to flat arrays of float32, from 0 to 1.
    Attribute data (ndarray of uint8): of shape ``(n, 1, 8, 8)``, from 0 to 16.
    Attribute label (ndarray of int64): from 0 to 9.
    Raises ImportError: if there is no scikit-learn.
    Source: Alpaydin and Kaynak 1998, "Optical recognition of handwritten digits", test set.

    >>> len(Digits()), len(Digits(train=False))
    (1437, 360)
    >>> x, t = Digits()[0]
    >>> x.shape, int(t)
    ((64,), 0)
    """

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = _SIXTEENTHS,
        target_transform: Transform | None = None,
    ) -> None:
        super().__init__(train, transform, target_transform)

    def prepare(self) -> None:
        try:
            from sklearn.datasets import load_digits
        except ImportError as error:
            raise ImportError(
                "Digits: its images are in scikit-learn, which cannot be imported. "
                "Install it: pip install scikit-learn."
            ) from error
        digits = load_digits()
        part = slice(_TRAIN_SIZE) if self.train else slice(_TRAIN_SIZE, None)
        self.data = digits.images[part, np.newaxis].astype(np.uint8)
        self.label = digits.target[part].astype(np.int64)


_OF_MNIST = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/ or "
    "https://storage.googleapis.com/cvdf-datasets/mnist/ (yann.lecun.com serves it no more)"
)

_FROM_BYTES = Compose([Flatten(), ToFloat(), Normalize(0.0, 255.0)])


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
        transform: Transform | None = _FROM_BYTES,
        target_transform: Transform | None = None,
        root: Any = None,
    ) -> None:
        self.root = _folder(root)
        super().__init__(train, transform, target_transform)

    def prepare(self) -> None:
        part = "train" if self.train else "t10k"
        names = f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"
        images, labels = (
            _found(self.root, (name, f"{name}.gz"), "MNIST", _OF_MNIST) for name in names
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
    """Return the array of uint8 in an IDX file."""
    raw = _content(path)  # big-endian numbers of four bytes: 8 * 256 + axes, the size of each axis
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


_OF_CIFAR = (
    "https://www.cs.toronto.edu/~kriz/cifar.html (the binary version; that for Python is a "
    "pickle, which can run any code)"
)
_FOLDER, _ARCHIVE = "cifar-10-batches-bin", "cifar-10-binary.tar.gz"
_BYTES = 1 + 3 * 32 * 32
_NAMES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]

_AROUND_ZERO = Compose([ToFloat(), Normalize(127.5, 127.5)])


@described
class CIFAR10(Dataset):
    """Photos of 32 x 32 pixels of ten kinds: 50,000 for training, 10,000 for the test.

    Nothing is downloaded. The binary version of the source is looked for in one folder: the files
    ``data_batch_1.bin`` to ``data_batch_5.bin`` and ``test_batch.bin``, or a folder
    ``cifar-10-batches-bin`` with them, or the archive ``cifar-10-binary.tar.gz``.

    transform (callable, optional): by default to float32, from -1 to 1.
    root (path, optional): the folder; by default the environment variable ``DEZERO_DATA``, else
        ``~/.dezero``.
    Attribute data (ndarray of uint8): of shape ``(n, 3, 32, 32)``; the channels are red, green and
        blue.
    Attribute label (ndarray of int64): from 0 to 9; `labels` has their names.
    Raises FileNotFoundError: if there is no such file; it says where to get it and where to put it.
    Raises ValueError: if a file is not what it is by its name, or not whole.
    Source: Krizhevsky 2009, "Learning multiple layers of features from tiny images".
    """

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = _AROUND_ZERO,
        target_transform: Transform | None = None,
        root: Any = None,
    ) -> None:
        self.root = _folder(root)
        super().__init__(train, transform, target_transform)

    def prepare(self) -> None:
        names = [f"data_batch_{n}.bin" for n in range(1, 6)] if self.train else ["test_batch.bin"]
        records = np.concatenate([_records(name, raw) for name, raw in self._contents(names)])
        self.data = records[:, 1:].reshape(-1, 3, 32, 32)
        self.label = records[:, 0].astype(np.int64)

    def _contents(self, names: list[str]) -> Iterator[tuple[Any, bytes]]:
        """Yield the place and the content of each file."""
        archive = self.root / _ARCHIVE
        inside = f"{_FOLDER}/{names[0]}"
        path = _found(self.root, (names[0], inside, _ARCHIVE), "CIFAR10", _OF_CIFAR)
        if path == archive:
            yield from _members(archive, names)
            return
        for name in names:
            path = _found(path.parent, (name,), "CIFAR10", _OF_CIFAR)
            yield path, _content(path)

    @staticmethod
    def labels() -> dict[int, str]:
        """Return the name of each label."""
        return dict(enumerate(_NAMES))


def _members(archive: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the place and the content of each of some files in an archive."""
    raw = io.BytesIO(_content(archive))  # all of it, since the checksum of gzip is at the end
    try:
        with tarfile.open(fileobj=raw) as files:
            for name in names:
                member = files.extractfile(f"{_FOLDER}/{name}")
                if member is None:
                    raise KeyError(f"{name} is not a file.")
                yield f"{_FOLDER}/{name} in {archive}", member.read()
    except (KeyError, tarfile.TarError) as error:
        raise ValueError(
            f"{archive} must be an archive with {', '.join(names)} in a folder {_FOLDER} "
            f"({error}). It has {archive.stat().st_size} bytes. Get the file again."
        ) from error


def _records(place: Any, raw: bytes) -> Any:
    """Return the records in a file: a row for each image, of its label and its pixels."""
    if not raw or len(raw) % _BYTES:
        raise ValueError(
            f"{place} must have {_BYTES} bytes for each image, but has {len(raw)}. "
            "Get the file again."
        )
    records = np.frombuffer(raw, np.uint8).reshape(-1, _BYTES)
    if records[:, 0].max() > 9:
        raise ValueError(
            f"{place} must have labels from 0 to 9, and has {records[:, 0].max()}. Is it another "
            "file under this name?"
        )
    return records


def _folder(root: Any) -> Path:
    """Return the folder with the files of datasets: that of a user, or the default one."""
    return Path(root or os.environ.get("DEZERO_DATA") or Path.home() / ".dezero").expanduser()


def _found(folder: Path, names: Sequence[str], who: str, source: str) -> Path:
    """Return the file of a folder that has one of some names; the last is that at its source."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(
        f"{who}: there is no file {' or '.join(names)} in the folder {folder}. Nothing is "
        f"downloaded: get {names[-1]} from {source}, and put it there. Or give the folder that has "
        "it, by root= or the environment variable DEZERO_DATA."
    )


def _content(path: Path) -> bytes:
    """Return the content of a file, decompressed if its name ends with ``.gz``."""
    if path.suffix != ".gz":
        return path.read_bytes()
    try:
        with gzip.open(path) as file:
            return file.read()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(
            f"{path} is not a complete gzip file ({error}). It has {path.stat().st_size} bytes. "
            "Get the file again."
        ) from error
