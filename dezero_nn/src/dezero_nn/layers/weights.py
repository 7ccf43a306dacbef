"""Files of weights: the data of Variables by their names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from dezero_core import Parameter, Variable

from ..npz import FileArray, npz_path, open_npz, write_npz

Shape = tuple[int | None, ...]
"""Of an array; None in place of a size that is not known yet."""


_GROWTH = 4
"""How many times longer an array of unknown size may become: trained weights hardly do at all."""


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
    """Write the data of Variables into a file, whole or not at all.

    path: ``.npz`` is added where it is missing.
    Raises ValueError: if a Variable has no data.
    Raises FileNotFoundError: if there is no such folder.
    """
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
    shapes: Mapping[int, Shape] = MappingProxyType({}),
) -> None:
    """Put the arrays of a file into Variables, all or none.

    path: ``.npz`` is added where it is missing.
    variables: they keep their dtype; those without data get that of the file.
    shapes: by id, the shapes that Variables without data are to get, as of `Layer.shapes_to_come`.
    Raises FileNotFoundError: if there is no such file.
    Raises ValueError: if it is no file of arrays, or its names, shapes or dtypes do not fit.
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
    variables: Mapping[str, Variable],
    arrays: Mapping[str, FileArray],
    shapes: Mapping[int, Shape],
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
