"""Nested tuples, lists, dicts and dataclasses of plain arrays, as an optimizer's parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dezero_core import Parameter

from ..layers import Layer
from ..utils import tree_functions


class ArrayTree(Layer):
    """A Parameter for each array of a tree, under its path: ``tree['w'][0]``.

    who: whose parameters they are, for errors.
    Raises TypeError: if a leaf is something else.
    """

    def __init__(self, tree: Any, who: str) -> None:
        leaves = {"tree": None} if tree is None else paths(tree)
        self._params = {
            path: Parameter(copied(leaf, path, who), name=path) for path, leaf in leaves.items()
        }

    def _members(self) -> Iterable[tuple[str, Any]]:
        return list(self._params.items())

    def take(self, tree: Any, gradients: Any, who: str) -> None:
        """Let the Parameters have the values of a tree, and gradients in its form.

        Raises TypeError: if a leaf is no floating-point array or number.
        Raises ValueError: if the tree or the gradients have another form. Nothing is changed then.
        """
        leaves = paths(tree)
        if leaves.keys() != self._params.keys():
            path = min(leaves.keys() ^ self._params.keys())
            raise ValueError(
                f"{who}: the tree has another form than before: {path} is in one of them alone. "
                "Call optimizer.setup(tree), which begins anew."
            )
        try:
            grads = tree_functions().matched(tree, gradients)
        except ValueError as error:
            raise ValueError(
                f"{who}: the gradients have another form than the tree: {error}"
            ) from error
        arrays = [copied(leaf, path, who) for path, leaf in leaves.items()]
        for path, array, grad in zip(leaves, arrays, grads, strict=True):
            is_number = isinstance(grad, (float, complex))
            self._params[path].data = array
            self._params[path].grad = np.array(grad) if is_number else grad

    def like(self, tree: Any) -> Any:
        """Return the values of the Parameters in the form of a tree."""
        arrays = [
            self._params[path].data if isinstance(leaf, np.ndarray) else self._params[path].data[()]
            for path, leaf in paths(tree).items()
        ]
        return tree_functions().like(tree, arrays)


def paths(tree: Any) -> dict[str, Any]:
    """Return the leaves of a tree by their paths."""
    trees = tree_functions()
    return dict(zip(trees.paths_of(tree, "tree"), trees.leaves_of(tree), strict=True))


def copied(leaf: Any, path: str, who: str) -> Any:
    """Return a leaf as an array of its own.

    Raises TypeError: if it is no floating-point array or number.
    """
    if isinstance(leaf, (float, complex)):  # NumPy's float64 is a float, too
        leaf = np.array(leaf)
    if not isinstance(leaf, (np.ndarray, np.generic)) or leaf.dtype.kind not in "fc":
        raise TypeError(
            f"{who} takes a Layer or Model, a list of Parameters, or nested tuples, lists, dicts "
            "and dataclasses of floating-point arrays, and got "
            f"{leaf.dtype if isinstance(leaf, (np.ndarray, np.generic)) else type(leaf)} at {path}."
        )
    return leaf.copy() if isinstance(leaf, np.ndarray) else np.array(leaf)
