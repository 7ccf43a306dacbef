"""Files of arrays by name, as ``np.savez`` writes them, without pickle; and Variables in them."""

from __future__ import annotations

import errno
import io
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import inf, prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dezero_core import Parameter, Variable

_LONGER = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
"""How many times longer bytes become at most that are read: 1032 is the limit of the format."""

_LONGEST_LIST = 2**24
"""Bytes of the list of arrays in a file, of which 100,000 arrays have a list."""

Shape = tuple[int | None, ...]
"""Of an array; None in place of a size that is not known yet."""

_GROWTH = 4
"""How many times longer an array of unknown size may become: trained weights hardly do at all."""


def npz_path(path: str | os.PathLike[str]) -> Path:
    """Return a path with ``.npz`` at its end, which is added where it is missing."""
    text = os.fspath(path)
    return Path(text if text.endswith(".npz") else f"{text}.npz")


def write_npz(file: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays into a file, whole or not at all: one that is there stays until then."""
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


@dataclass(frozen=True)
class FileArray:
    """An array in an open file: what it will be like is known before it is read."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    _archive: zipfile.ZipFile
    _info: zipfile.ZipInfo

    @property
    def growth(self) -> float:
        """How many times the bytes that it takes in the file it needs in memory."""
        return self._info.file_size / self._info.compress_size

    def require_plain(self) -> None:
        """Refuse an array of which nobody knows how large it should be, if it is compressed.

        Else a short file could take all memory.
        """
        if self.growth > 1:
            raise ValueError(f"{self.name} is compressed, but save_checkpoint compresses no array")

    def copy(self) -> Any:
        """Read it, or raise a ValueError if the file is damaged."""
        with readable(self.name, MemoryError), self._archive.open(self._info) as entry:
            array = np.lib.format.read_array(entry, allow_pickle=False)
            entry.read(1)  # at its end, and there alone, its checksum is compared
            return array


class _Stream(io.BufferedReader):
    """An open file. No read is longer than `longest`: zipfile reads its list of entries at once."""

    longest: float = _LONGEST_LIST

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > self.longest:
            raise ValueError(f"it is longer than {_LONGEST_LIST} bytes")
        return super().read(size)


@contextmanager
def open_npz(file: Path) -> Iterator[dict[str, FileArray]]:
    """Open a file for a block, in which its arrays can be read, by name.

    Raises FileNotFoundError, ValueError: if there is no such file, or it is not whole.
    """
    if file.exists() and not file.is_file():
        raise ValueError("it is a folder, a pipe or a device, and no file")  # opening may wait
    with ExitStack() as opened:
        stream = opened.enter_context(_Stream(file.open("rb", buffering=0)))
        with readable("the list of arrays"):
            archive = opened.enter_context(zipfile.ZipFile(stream))
            stream.longest = inf
            infos = archive.infolist()
            if len({info.filename.removesuffix(".npy") for info in infos}) < len(infos):
                raise ValueError("two arrays have one name")
            if sum(info.compress_size for info in infos) > os.fstat(stream.fileno()).st_size:
                raise ValueError("the arrays are longer than the file")
        arrays = [_file_array(archive, info) for info in infos]
        yield {array.name: array for array in arrays}


def _file_array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> FileArray:
    """Read shape and dtype of an array of numbers or text, which the bytes that it has must fit."""
    name = info.filename.removesuffix(".npy")
    with readable(name):
        factor = _LONGER.get(info.compress_type)
        if factor is None or info.file_size > factor * info.compress_size:
            raise ValueError("it is compressed in a way that np.savez_compressed does not have")
        with archive.open(info) as entry:
            # Headers of other versions may be of any length; numbers and text have this one.
            if np.lib.format.read_magic(entry) != (1, 0):
                raise ValueError("it is no array of numbers or text")
            shape, _, dtype = np.lib.format.read_array_header_1_0(entry)
            size = info.file_size - entry.tell()
        if dtype.hasobject or min(shape, default=0) < 0:
            raise ValueError(f"it is no array of numbers or text, but {dtype}{list(shape)}")
        if prod(shape) * dtype.itemsize != size or (not dtype.itemsize and prod(shape) > 1):
            raise ValueError(f"it has {size} bytes, which are no {dtype}{list(shape)}")
    return FileArray(name, shape, dtype, archive, info)


@contextmanager
def readable(name: str, *honest: type[Exception]) -> Iterator[None]:
    """Let any error of a block that reads a file be a ValueError with the name of the entry.

    A file that somebody has changed makes zipfile, zlib, NumPy, JSON and the parser of Python raise
    a dozen types, MemoryError and RecursionError among them.

    honest: errors that stay: a MemoryError where no more is read than the file has.
    Raises OSError: of the disk. A damaged file gives EINVAL alone: a place in it that is below
        zero.
    """
    try:
        yield
    except honest:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno not in (errno.EINVAL, None):
            raise
        text = str(error) or type(error).__name__
        reason = f"there is no {text}" if isinstance(error, KeyError) else text
        raise ValueError(f"{name}: {reason}") from error


def fits(array: Any, shape: Shape | None) -> bool:
    """Return whether an array has a shape; None is that of each array."""
    if shape is None:
        return True
    same = (size in (None, length) for size, length in zip(shape, array.shape, strict=False))
    return len(shape) == len(array.shape) and all(same)


def accepts(variable: Variable, dtype: Any) -> bool:
    """Return whether a Variable without data may get data of a dtype: a Parameter has floats."""
    return dtype.kind in ("fc" if isinstance(variable, Parameter) else "fcbiu")


def shape_text(shape: Shape | None) -> str:
    """Return how messages write a shape: ``(?, 3)``."""
    return str(shape).replace("None", "?")


def save_variables(path: str | os.PathLike[str], variables: Mapping[str, Variable]) -> None:
    """Write the data of Variables into a file, whole or not at all; see `Layer.save_weights`."""
    target = npz_path(path)
    for name, variable in variables.items():
        if variable.data is None:
            raise ValueError(
                f"{target}: {name} has no data yet, so nothing was saved. Call the model once, "
                "with an input of the right shape; or give the layer its in_size."
            )
    write_npz(target, {name: variable.to_numpy() for name, variable in variables.items()})


def load_variables(
    path: str | os.PathLike[str],
    variables: Mapping[str, Variable],
    shapes: Mapping[int, Shape],
) -> None:
    """Put the arrays of a file into Variables, all or none; see `Layer.load_weights`.

    shapes: by id, the shapes that Variables without data are to get, as of `Layer.shapes_to_come`.
    """
    source = npz_path(path)
    try:
        with open_npz(source) as arrays:
            dtypes, problems = _compared(variables, arrays, shapes)
            # An array that does not fit is not read: it could take any memory.
            new = {} if problems else {name: arrays[name].copy() for name in dtypes}
    except ValueError as error:
        raise ValueError(
            f"{source} is not a file of weights, or is cut off: {error}. Such a file is written by "
            "save_weights, or by np.savez."
        ) from error
    if problems:
        raise ValueError(
            f"the weights in {source} do not fit this model, and nothing was changed: "
            f"{'; '.join(sorted(problems))}."
        )
    new = {name: array.astype(dtypes[name], copy=False) for name, array in new.items()}
    for name, array in new.items():
        variables[name].data = array


def _compared(
    variables: Mapping[str, Variable], arrays: Mapping[str, FileArray], shapes: Mapping[int, Shape]
) -> tuple[dict[str, Any], list[str]]:
    """Return the dtypes that the arrays of a file are to get, by name; and what does not fit."""
    problems = [f"{name} is not in the file" for name in variables if name not in arrays]
    problems += [f"{name} is only in the file" for name in arrays if name not in variables]
    dtypes = {}
    for name in variables.keys() & arrays.keys():
        variable, array = variables[name], arrays[name]
        data = variable.data
        shape = shapes.get(id(variable)) if data is None else data.shape
        dtypes[name] = array.dtype if data is None else data.dtype
        if not fits(array, shape):
            problems.append(
                f"{name} needs shape {shape_text(shape)}, got {array.shape} in the file"
            )
        elif data is None and not accepts(variable, array.dtype):
            problems.append(f"{name} takes numbers, got {array.dtype} in the file")
        elif data is None and array.growth > _GROWTH:
            problems.append(
                f"{name} is compressed to less than 1/{_GROWTH}, and the model does not know its "
                "size, which could take all memory: call the model once before"
            )
        elif not np.can_cast(array.dtype, dtypes[name], "same_kind"):
            problems.append(f"{name} needs {dtypes[name]}, got {array.dtype} in the file")
    return dtypes, problems
