"""How the parts of a checkpoint are in a file.

A file has the arrays of all parts, and one text: JSON with their numbers and texts, and with the
states of generators.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ..npz import FileArray, open_npz, readable

HEADER = "checkpoint"
"""The name of the text."""

FORMAT = 1

GLOBAL = "np.random"
"""The key of the state of NumPy's own generator in the text."""

State = dict[str, Any]
"""Of a part: numbers, texts, and arrays that are in the open file."""


@contextmanager
def opened(file: Path) -> Iterator[tuple[Any, dict[str, State]]]:
    """Open a file for a block: return the state of ``np.random``, and those of the parts by name.

    Raises FileNotFoundError: if there is no such file.
    Raises ValueError: if it is no checkpoint, or is damaged.
    """
    with ExitStack() as stack:
        try:
            arrays = stack.enter_context(open_npz(file))
            with readable(HEADER, MemoryError):
                header = json.loads(str(read_all(arrays.pop(HEADER))))
                made, found = header["format"], None
                if made == FORMAT:
                    found = header[GLOBAL], _states(header["parts"], arrays)
        except ValueError as error:
            raise ValueError(
                f"load_checkpoint: {file} is no checkpoint, or is damaged ({error}). Give a file "
                "that save_checkpoint has written."
            ) from error
        if found is None:
            raise ValueError(
                f"load_checkpoint: {file} is of format {made!r}, and this version of dezero-nn "
                f"reads format {FORMAT}. Install the version that wrote the file."
            )
        yield found


def read_all(array: FileArray) -> Any:
    """Read an array of which nobody knows how large it should be.

    Raises ValueError: if it is compressed.
    """
    array.require_plain()
    return array.copy()


def _states(parts: Mapping[str, Any], arrays: Mapping[str, FileArray]) -> dict[str, State]:
    states = {name: dict(values) for name, values in parts.items()}
    for name, state in states.items():
        for key, value in state.items():
            if not isinstance(value, (bool, int, float, str, type(None))):
                raise ValueError(
                    f"{name}/{key} is {type(value).__name__}, and not a number or text"
                )
    for path, array in arrays.items():
        name, key = parts_of(path)
        if not key or key in states[name]:
            raise ValueError(f"{path!r} is not the name of an array")
        states[name][key] = array
    return states


def parts_of(path: str) -> tuple[str, str]:
    """Return the names of a part and of an array of it, of which a file has the path."""
    name, _, key = path.partition("/")
    return name, key
