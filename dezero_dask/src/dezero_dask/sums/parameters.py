"""Parameters of a function: nested trees, which are sent to tasks as their leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from dezero_tools.functional.tracing import data_of, name_of
from dezero_tools.functional.trees import Tree, leaves_of, like, matched, paths_of, tree_map

from dezero_core import Variable, VariableTypeError
from dezero_core.extend import INEXACT, any_array, brief


def parameters(params: Tree, function: Any) -> list[Any]:
    """Return the leaves of parameters as arrays; raise if one cannot be differentiated by."""
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
            what = brief(leaf) if array.dtype.kind == "O" else f"of {array.dtype} data"
            raise VariableTypeError(
                f"{by}, which is {what}, a constant. Pass a floating-point number, 3.0 for 3.",
                got=array.dtype,
            )
        found.append(np.asarray(array))
    return found


def form_of(params: Tree) -> Tree:
    """Return the parameters with numbers as leaves."""
    return like(params, range(len(leaves_of(params))))


def hessian_form(params: Tree) -> Tree:
    """Return the form of a Hessian: that of the parameters, with that form again as each leaf.

    Examples
    --------
    >>> hessian_form({"w": 0, "b": 1})
    {'w': {'w': 0, 'b': 1}, 'b': {'w': 0, 'b': 1}}
    """
    return tree_map(lambda _: params, params)


def vector_of(vector: Tree, params: Tree, leaves: list[Any], function: Any) -> list[Any]:
    """Return the leaves of a vector, which must have the form and shapes of the parameters.

    They get the dtypes of the parameters.
    """
    parts = list(map(np.asarray, map(data_of, matched(params, vector))))
    shapes, expected = [part.shape for part in parts], [leaf.shape for leaf in leaves]
    if shapes != expected:
        raise ValueError(
            f"a vector for {name_of(function)} needs arrays of shapes {expected}, got {shapes}."
        )
    return [part.astype(leaf.dtype) for part, leaf in zip(parts, leaves, strict=True)]
