"""Where the files of datasets are looked for, and how they are read."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def data_folder(root: Any = None) -> Path:
    """Return the folder with the files of datasets.

    root: by default the environment variable ``DEZERO_DATA``, and if it is not set, ``~/.dezero``.
    """
    return Path(root or os.environ.get("DEZERO_DATA") or Path.home() / ".dezero").expanduser()


def found(folder: Path, names: Sequence[str], who: str, source: str) -> Path:
    """Return the first of some files that is in a folder.

    names: the file may have each of these names; the last is that at the source.
    who, source: the dataset and where it comes from, for the error.
    Raises FileNotFoundError: if there is none of them.
    """
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(
        f"{who}: there is no file {' or '.join(names)} in the folder {folder}. Nothing is "
        f"downloaded: get {names[-1]} from {source}, and put it there. Or give the folder that has "
        "it, by root= or the environment variable DEZERO_DATA."
    )


def content(path: Path) -> bytes:
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
