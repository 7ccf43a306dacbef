"""Nested tuples, lists and dicts of arrays: flatten them, and build them again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any

Tree = Any
"""A leaf, or a tuple, list or dict of trees. None is an empty tree: it has no leaf."""


def leaves_of(tree: Tree) -> list[Any]:
    """Return the leaves in order; those of a dict in the order of insertion.

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
    elif tree is not None:
        yield tree


def paths_of(tree: Tree, path: str) -> Iterator[str]:
    """Yield how each leaf is written, in the order of `leaves_of`, where the tree is `path`.

    Examples
    --------
    >>> list(paths_of({"w": [1.0, 2.0], "b": (3.0,)}, "p"))
    ["p['w'][0]", "p['w'][1]", "p['b'][0]"]
    """
    if isinstance(tree, dict):
        for key, branch in tree.items():
            yield from paths_of(branch, f"{path}[{key!r}]")
    elif isinstance(tree, (tuple, list)):
        fields = getattr(tree, "_fields", None)
        for index, branch in enumerate(tree):
            yield from paths_of(branch, f"{path}.{fields[index]}" if fields else f"{path}[{index}]")
    elif tree is not None:
        yield path


def like(tree: Tree, leaves: Iterable[Any]) -> Tree:
    """Return a tree with the form of `tree` and other leaves.

    Examples
    --------
    >>> like({"w": [1.0, 2.0], "b": (3.0,)}, "xyz")
    {'w': ['x', 'y'], 'b': ('z',)}
    """
    return _built(tree, iter(leaves))


def _built(tree: Tree, leaves: Iterator[Any]) -> Tree:
    if isinstance(tree, dict):
        built = copy(tree)  # keeps the subclass and its attributes, as of a defaultdict
        for key, branch in tree.items():
            built[key] = _built(branch, leaves)
        return built
    if isinstance(tree, (tuple, list)):
        branches = [_built(branch, leaves) for branch in tree]
        return type(tree)(*branches) if hasattr(tree, "_fields") else type(tree)(branches)
    return None if tree is None else next(leaves)


def matched(form: Tree, tree: Tree) -> list[Any]:
    """Return the leaves of `tree` in the order that they have in `form`.

    Dicts are matched by their keys; the order of the keys may differ.

    Raises
    ------
    ValueError
        If `tree` does not have that form.

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
    elif form is not None:
        yield tree


def mapped(function: Callable[[Any], Any], tree: Tree) -> Tree:
    """Return `tree` with `function` applied to each leaf."""
    return like(tree, map(function, _leaves(tree)))
