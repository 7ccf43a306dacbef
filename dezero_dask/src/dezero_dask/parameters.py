"""Parameters of a function: nested trees, which are sent to tasks as their leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from dezero_core.array_types import any_array
from dezero_core.arrays import INEXACT
from dezero_core.errors import VariableTypeError
from dezero_core.notes import written
from dezero_core.variable import Variable
from dezero_tools.functional.tracing import name_of, plain
from dezero_tools.functional.trees import Tree, leaves_of, like, matched, paths_of


def parameters(params: Tree, function: Any) -> list[Any]:
    """Return the leaves of parameters as arrays.

    Raises
    ------
    VariableTypeError (TypeError)
        If one is an integer, a Variable, or nothing that could be differentiated by.
    """
    found = []
    for path, leaf in zip(paths_of(params, "argument 0"), leaves_of(params), strict=True):
        by = f"{name_of(function)} is differentiated by {path}"
        if isinstance(leaf, Variable):
            raise VariableTypeError(
                f"{by}, a Variable, and no graph reaches into other processes. Pass its array, "
                "x.data.",
                got=Variable,
            )
        array = any_array(leaf)
        if not isinstance(array, (np.ndarray, np.generic)):
            raise VariableTypeError(
                f"{by}, got {type(leaf)}. Parameters are sent to each task: pass an ndarray.",
                got=type(leaf),
            )
        if array.dtype.kind not in INEXACT:
            what = written(leaf) if array.dtype.kind == "O" else f"of {array.dtype} data"
            raise VariableTypeError(
                f"{by}, which is {what}, a constant. Pass a floating-point number, 3.0 for 3.",
                got=array.dtype,
            )
        found.append(np.asarray(array))
    return found


def form_of(params: Tree) -> Tree:
    """Return the parameters with numbers as leaves."""
    return like(params, range(len(leaves_of(params))))


def blocks_of(hessian: Tree, params: Tree) -> list[Any]:
    """Return the blocks of a Hessian, row by row: one for each two leaves of the parameters.

    Examples
    --------
    >>> form = {"w": 0, "b": 1}
    >>> blocks_of({"w": {"w": "ww", "b": "wb"}, "b": {"w": "bw", "b": "bb"}}, form)
    ['ww', 'wb', 'bw', 'bb']
    """
    return [block for row in matched(params, hessian) for block in matched(params, row)]


def hessian_of(blocks: Iterable[Any], params: Tree) -> Tree:
    """Return a Hessian by its blocks: the form of the parameters, with that form as each leaf.

    Examples
    --------
    >>> hessian_of(["ww", "wb", "bw", "bb"], {"w": 0, "b": 1})
    {'w': {'w': 'ww', 'b': 'wb'}, 'b': {'w': 'bw', 'b': 'bb'}}
    """
    waiting = iter(blocks)
    return like(params, [like(params, waiting) for _ in leaves_of(params)])


def vector_of(vector: Tree, params: Tree, leaves: list[Any], function: Any) -> list[Any]:
    """Return the leaves of a vector in the form of the parameters, and of their dtypes.

    Raises
    ------
    ValueError
        If it does not have their form and shapes.
    """
    parts = list(map(np.asarray, map(plain, matched(params, vector))))
    shapes, expected = [part.shape for part in parts], [leaf.shape for leaf in leaves]
    if shapes != expected:
        raise ValueError(
            f"a vector for {name_of(function)} needs arrays of shapes {expected}, got {shapes}."
        )
    return [part.astype(leaf.dtype) for part, leaf in zip(parts, leaves, strict=True)]
