"""The photos of CIFAR-10, from the files of its source."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..docstrings import described
from ..transforms import Compose, Normalize, ToFloat
from ..transforms.compose import Transform
from .dataset import Dataset
from .files import content, data_folder, found

_SOURCE = (
    "https://www.cs.toronto.edu/~kriz/cifar.html (the binary version; that for Python is a "
    "pickle, which can run any code)"
)
_FOLDER, _ARCHIVE = "cifar-10-batches-bin", "cifar-10-binary.tar.gz"
_BYTES = 1 + 3 * 32 * 32
_NAMES = [
    "airplane",
    "automobile",
    "bird",
    "cat",
    "deer",
    "dog",
    "frog",
    "horse",
    "ship",
    "truck",
]

TO_FLOATS = Compose([ToFloat(), Normalize(127.5, 127.5)])


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
        transform: Transform | None = TO_FLOATS,
        target_transform: Transform | None = None,
        root: Any = None,
    ) -> None:
        self.root = data_folder(root)
        super().__init__(train, transform, target_transform)

    def prepare(self) -> None:
        """Read the files."""
        names = [f"data_batch_{n}.bin" for n in range(1, 6)] if self.train else ["test_batch.bin"]
        parts = [_records(name, raw) for name, raw in self._contents(names)]
        records = np.concatenate(parts)
        self.data = records[:, 1:].reshape(-1, 3, 32, 32)
        self.label = records[:, 0].astype(np.int64)

    def _contents(self, names: list[str]) -> Iterator[tuple[Any, bytes]]:
        """Yield the place and the content of each file."""
        archive = self.root / _ARCHIVE
        inside = f"{_FOLDER}/{names[0]}"
        path = found(self.root, (names[0], inside, _ARCHIVE), "CIFAR10", _SOURCE)
        if path == archive:
            yield from _members(archive, names)
            return
        for name in names:
            path = found(path.parent, (name,), "CIFAR10", _SOURCE)
            yield path, content(path)

    @staticmethod
    def labels() -> dict[int, str]:
        """Return the name of each label."""
        return dict(enumerate(_NAMES))


def _members(archive: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the place and the content of each of some files in an archive."""
    raw = io.BytesIO(content(archive))  # all of it, since the checksum of gzip is at the end
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
