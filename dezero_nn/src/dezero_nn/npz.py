"""Files of arrays by name, as ``np.savez`` writes them, without pickle."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

DAMAGED = (ValueError, EOFError, zipfile.BadZipFile, zlib.error)
"""The errors of `read_npz` for a file of another kind, and for one that is cut off."""


def npz_path(path: str | os.PathLike[str]) -> Path:
    """Return a path with ``.npz`` at its end, which is added where it is missing."""
    text = os.fspath(path)
    return Path(text if text.endswith(".npz") else f"{text}.npz")


def write_npz(file: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays into a file, whole or not at all.

    Parameters
    ----------
    file : Path
        One that is there stays whole until the new one is complete.
    arrays : mapping from str to ndarray

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    """
    if not file.parent.is_dir():
        raise FileNotFoundError(
            f"{file} cannot be written: there is no folder {file.parent}. Make it before: "
            f"os.makedirs({str(file.parent)!r})."
        )
    # In a folder of its own beside the file: so it can take its place in one move.
    with TemporaryDirectory(dir=file.parent, prefix=f".{file.name}-") as folder:
        made = Path(folder, "new.npz")
        with made.open("wb") as stream:
            with zipfile.ZipFile(stream, "w") as archive:  # np.savez takes no array named "file"
                for name, array in arrays.items():
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                        np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(made, file)


def read_npz(file: Path) -> dict[str, Any]:
    """Return the arrays in a file, by name.

    Parameters
    ----------
    file : Path

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError, EOFError, zipfile.BadZipFile, zlib.error
        If it is no such file, or not whole: those of `DAMAGED`.
    """
    arrays = {}
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            with archive.open(name) as entry:
                array = np.lib.format.read_array(entry, allow_pickle=False)
                arrays[name.removesuffix(".npy")] = array
    return arrays
