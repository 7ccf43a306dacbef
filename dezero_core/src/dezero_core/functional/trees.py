"""Nested tuples, lists and dicts of arrays, flattened and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

Tree = Any
"""A leaf, or a tuple, list or dict of trees."""


def leaves_of(tree: Tree) -> list[Any]:
    """Return the leaves in order: of a dict, in that of its insertion.

    Examples
    --------
    >>> leaves_of({"w": [1.0, 2.0], "b": (3.0,)})
    [1.0, 2.0, 3.0]
    """
    return list(_leaves(tree))


def _leaves(tree: Tree) -> Iterator[Any]:
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, (tuple, list)):
        for branch in tree:
            yield from _leaves(branch)
    else:
        yield tree


def like(tree: Tree, leaves: Iterable[Any]) -> Tree:
    """Return a tree of the form of `tree` with other leaves.

    Examples
    --------
    >>> like({"w": [1.0, 2.0], "b": (3.0,)}, "xyz")
    {'w': ['x', 'y'], 'b': ('z',)}
    """
    remaining = iter(leaves)

    def build(branch: Tree) -> Tree:
        if isinstance(branch, dict):
            return type(branch)((key, build(value)) for key, value in branch.items())
        if isinstance(branch, tuple) and hasattr(branch, "_fields"):
            return type(branch)(*map(build, branch))
        if isinstance(branch, (tuple, list)):
            return type(branch)(map(build, branch))
        return next(remaining)

    return build(tree)


def matched(form: Tree, tree: Tree) -> list[Any]:
    """Return the leaves of `tree` in the order in which they stand in `form`.

    Dicts are matched by their keys: their order may differ.

    Raises
    ------
    ValueError
        If `tree` has not that form.

    Examples
    --------
    >>> matched({"w": 0.0, "b": (0.0,)}, {"b": (2.0,), "w": 1.0})
    [1.0, 2.0]
    """
    return list(_matched(form, tree))


def _matched(form: Tree, tree: Tree) -> Iterator[Any]:
    if isinstance(form, dict):
        if not isinstance(tree, dict) or form.keys() != tree.keys():
            raise ValueError(f"expected a dict with the keys {list(form)}, got {tree!r}.")
        for key, branch in form.items():
            yield from _matched(branch, tree[key])
    elif isinstance(form, (tuple, list)):
        if not isinstance(tree, (tuple, list)) or len(form) != len(tree):
            raise ValueError(f"expected a sequence of {len(form)}, got {tree!r}.")
        for branch, other in zip(form, tree, strict=True):
            yield from _matched(branch, other)
    else:
        yield tree


def mapped(function: Callable[[Any], Any], tree: Tree) -> Tree:
    """Return `tree` with `function` applied to each leaf."""
    return like(tree, map(function, _leaves(tree)))
