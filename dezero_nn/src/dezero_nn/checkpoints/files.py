"""How the parts of a checkpoint are in a file.

A file has the arrays of all parts, and one text: JSON with their numbers and texts, and with the
states of generators.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..npz import DAMAGED, read_npz

HEADER = "checkpoint"
"""The name of the text."""

FORMAT = 1


def read(file: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the header of a file, and the state of each part."""
    try:
        arrays = read_npz(file)
        header = json.loads(str(arrays.pop(HEADER)))
        states = {name: dict(values) for name, values in header["parts"].items()}
        for key, array in arrays.items():
            name, _, rest = key.partition("/")
            states[name][rest] = array
    except (*DAMAGED, TypeError, LookupError, AttributeError) as error:
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
