"""Nested arrays as one vector, and the way back."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dezero_core import Variable, VariableTypeError
from dezero_core.extend import NUMBERS, Array, any_array, call_by_type, data_of, is_array

from .trees import Tree, leaves_of, like, paths_of


def flatten(tree: Tree) -> tuple[Any, Callable[[Any], Tree]]:
    """Return the numbers of nested arrays as one vector, and a function that builds them again.

    Parameters
    ----------
    tree : nested tuples, lists, dicts and dataclasses of arrays, Variables and numbers
        The numbers are in the order of the leaves; those of a dict in the order of insertion.

    Returns
    -------
    vector : ndarray or Variable
        Shape ``(n,)``. NumPy promotes the dtypes of the leaves, where integers and booleans count
        as float64: float32 and an integer give float64. A Variable if a leaf is one: gradients go
        through it.
    unflatten : callable
        Takes a vector of shape ``(n,)``, and returns a tree of the form of `tree`, of ndarrays, or
        of Variables if the vector is one. Each has the shape and the dtype of its leaf, but
        float64 for integers and booleans: a step would be lost in them. Of a complex vector, a real
        leaf gets the real part. It can be pickled.

    Raises
    ------
    VariableTypeError (TypeError)
        If a leaf is anything but numbers; the message has its path. From `unflatten`, if the vector
        is complex and no leaf is, or is not of numbers.
    ValueError
        From `unflatten`, if the vector is of another shape.

    Examples
    --------
    >>> vector, unflatten = flatten({"w": np.array([[1.0, 2.0]]), "b": 3.0})
    >>> vector
    array([1., 2., 3.])
    >>> unflatten(10 * vector)
    {'w': array([[10., 20.]]), 'b': array(30.)}
    """
    leaves = numbers_of(tree, "tree", "flatten")
    specs = [(leaf.shape, np.result_type(leaf.dtype, 0.0)) for leaf in leaves]
    dtype = np.result_type(*(dtype for _, dtype in specs)) if specs else np.dtype(float)
    # Without the leaves, which may be large, or part of a graph.
    form = like(tree, [0.0] * len(leaves))
    line = call_by_type(concatenated, ([_of_dtype(leaf, dtype) for leaf in leaves],), {})
    return line, partial(_unflattened, form, specs, dtype)


def concatenated(leaves: list[Array]) -> Array:
    """Return the numbers of some arrays one after the other."""
    return np.concatenate([np.ravel(leaf) for leaf in leaves]) if leaves else np.zeros(0)


def _unflattened(
    form: Tree, specs: list[tuple[tuple[int, ...], Any]], dtype: Any, vector: Any
) -> Tree:
    """Return the numbers of a vector in a form, each in the shape and the dtype of its leaf."""
    numbers = _numbers(vector, "its vector", "unflatten")
    sizes = [int(np.prod(shape)) for shape, _ in specs]
    if numbers.shape != (sum(sizes),):
        raise ValueError(
            f"unflatten takes a vector of shape ({sum(sizes)},), as flatten has returned it, got "
            f"an array of shape {numbers.shape}."
        )
    if numbers.dtype.kind == "c" and dtype.kind != "c":
        raise VariableTypeError(
            f"unflatten takes a real vector, as flatten has returned it, got {numbers.dtype}. "
            "Write np.real(vector), or flatten complex numbers.",
            got=numbers.dtype,
        )
    parts = np.split(numbers, np.cumsum(sizes)[:-1])
    # Where there are no leaves, there is one part, which is empty.
    pairs = zip(parts, specs, strict=bool(specs))
    return like(form, [_of_dtype(np.reshape(x, shape), dtype) for x, (shape, dtype) in pairs])


def _of_dtype(x: Array, dtype: Any) -> Array:
    """Return an array, or a Variable, in another dtype; of complex numbers the real parts."""
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = np.real(x)
    return x if x.dtype == dtype else x.astype(dtype)


def numbers_of(tree: Tree, path: str, user: str) -> list[Array]:
    """Return the leaves of a tree at `path`, arrays and Variables: `user` takes numbers alone."""
    pairs = zip(leaves_of(tree), paths_of(tree, path), strict=True)
    return [_numbers(leaf, where, user) for leaf, where in pairs]


def _numbers(leaf: Any, path: str, user: str) -> Array:
    data = data_of(leaf)
    array = data if isinstance(data, np.ndarray) else any_array(data)
    if not is_array(array):
        got = f"a {type(array).__name__}"
        if array.dtype.kind not in NUMBERS:
            got = f"of {array.dtype} data: {reprlib.repr(array.tolist())}"
        raise VariableTypeError(f"{user} takes numbers, and {path} is {got}.", got=array.dtype)
    return leaf if isinstance(leaf, Variable) else array
