"""Files of checkpoints: ``.npz`` without pickle.

A file has the arrays of all parts, and one text: JSON with their numbers and texts, and with the
states of generators.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from ..layers.weights import require_folder

HEADER = "checkpoint"
"""The name of the text."""

FORMAT = 1


def with_ending(path: str | os.PathLike[str]) -> Path:
    text = os.fspath(path)
    return Path(text if text.endswith(".npz") else f"{text}.npz")


def write(file: Path, arrays: dict[str, Any]) -> None:
    """Write a file beside the old one, and put it in its place when it is complete."""
    require_folder(file)
    beside = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as stream:
            np.savez(stream, **arrays)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def read(file: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return what is in a file: its header, and the state of each part."""
    try:
        with np.load(file, allow_pickle=False) as loaded:
            arrays = dict(loaded)
        header = json.loads(str(arrays.pop(HEADER)))
        states = {name: dict(values) for name, values in header["parts"].items()}
        for key, array in arrays.items():
            name, _, rest = key.partition("/")
            states[name][rest] = array
    except _DAMAGED as error:
        raise ValueError(
            f"load_checkpoint: {file} is no checkpoint, or is damaged ({error}). Give a file that "
            "save_checkpoint has written."
        ) from error
    if header["format"] != FORMAT:
        raise ValueError(
            f"load_checkpoint: {file} is of format {header['format']}, and this version of "
            f"dezero-nn reads format {FORMAT}. Install the version that has written it."
        )
    return header, states


_DAMAGED = (
    *(ValueError, TypeError, LookupError, AttributeError),
    *(EOFError, zipfile.BadZipFile, zlib.error),
)
"""What NumPy raises for other files, and a header of another structure does."""
