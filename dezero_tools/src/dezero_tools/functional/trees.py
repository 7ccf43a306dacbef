"""Nested tuples, lists, dicts and dataclasses of arrays: flatten them, and build them again.

A dataclass is built again of its fields alone, as `dezero_tools.functional` says: any other
attribute, such as a value that ``cached_property`` keeps, may have been computed from the old
leaves, and as a constant it would make gradients wrong without a word.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Collection, Iterable, Iterator
from copy import copy
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import NUMPY, kind_of

Tree = Any
"""A leaf, or a tuple, list, dict or dataclass of trees. None is an empty tree: it has no leaf.

A dataclass that is an array, a Variable or a Function is a leaf.
"""


#: The usual classes of leaves: nobody needs to look for branches in them.
_ARRAYS = frozenset({np.ndarray, float, int, complex, np.float64, np.float32})
_LEAVES = _ARRAYS | {Variable}


def leaves_of(tree: Tree) -> list[Any]:
    """Return the leaves in order; those of a dict in the order of insertion."""
    if type(tree) in _LEAVES:
        return [tree]
    if type(tree) is list and _LEAVES.issuperset(map(type, tree)):
        return tree.copy()
    branches = branches_of(tree)
    return [tree] if branches is None else [x for branch in branches for x in leaves_of(branch)]


def branches_of(tree: Tree) -> Collection[Tree] | None:
    """Return the trees that a tree consists of; None if it is a leaf."""
    if isinstance(tree, dict):
        return tree.values()
    if isinstance(tree, (tuple, list)):
        return tree
    if tree is None:
        return ()
    found = fields_of(tree)
    return None if found is None else found.values()


def fields_of(tree: Tree) -> dict[str, Tree] | None:
    """Return the values of the fields of a dataclass; None of anything else, and of a leaf."""
    known = isinstance(tree, (np.ndarray, Variable, Function, type))
    if known or not is_dataclass(tree) or kind_of(tree) is not NUMPY:
        return None
    # A field with init=False may have no value yet.
    names = [field.name for field in fields(tree) if hasattr(tree, field.name)]
    return {name: getattr(tree, name) for name in names}


def has_variable(trees: Tree) -> bool:
    """Return whether a leaf is a Variable. The tree may contain itself, and be of any depth."""
    if type(trees) is tuple and _ARRAYS.issuperset(map(type, trees)):
        return False
    seen: dict[int, Tree] = {}  # holds the trees, so that no other gets the identity of one
    waiting = [trees]
    while waiting:
        branch = waiting.pop()
        branches = branches_of(branch)
        if branches is None:
            if isinstance(branch, Variable):
                return True
        elif id(branch) not in seen and not _ARRAYS.issuperset(map(type, branches)):
            seen[id(branch)] = branch
            waiting += branches
    return False


def paths_of(tree: Tree, path: str) -> Iterator[str]:
    """Yield how each leaf is written, in the order of `leaves_of`, where the tree is `path`.

    >>> list(paths_of({"w": [1.0, 2.0], "b": (3.0,)}, "p"))
    ["p['w'][0]", "p['w'][1]", "p['b'][0]"]
    """
    if isinstance(tree, dict):
        for key, branch in tree.items():
            yield from paths_of(branch, f"{path}[{key!r}]")
    elif isinstance(tree, (tuple, list)):
        names = getattr(tree, "_fields", None)
        for index, branch in enumerate(tree):
            yield from paths_of(branch, f"{path}.{names[index]}" if names else f"{path}[{index}]")
    elif (found := fields_of(tree)) is not None:
        for name, branch in found.items():
            yield from paths_of(branch, f"{path}.{name}")
    elif tree is not None:
        yield path


def like(tree: Tree, leaves: Iterable[Any]) -> Tree:
    """Return a tree with the form of `tree` and other leaves."""
    if type(tree) in _LEAVES:
        return next(iter(leaves))
    leaves = iter(leaves)  # of a branch: those that the branches before it have left
    if isinstance(tree, dict):
        built = copy(tree)  # keeps the subclass and its attributes, as of a defaultdict
        for key, branch in tree.items():
            built[key] = like(branch, leaves)
        return built
    if isinstance(tree, (tuple, list)):
        if type(tree) is list and _LEAVES.issuperset(map(type, tree)):
            return list(islice(leaves, len(tree)))
        branches = [like(branch, leaves) for branch in tree]
        return type(tree)(*branches) if hasattr(tree, "_fields") else type(tree)(branches)
    found = fields_of(tree)
    if found is not None:
        kind: Any = type(tree)
        built = kind.__new__(kind)
        for name, branch in found.items():
            object.__setattr__(built, name, like(branch, leaves))  # also if it is frozen
        return built
    return None if tree is None else next(leaves)


def matched(form: Tree, tree: Tree) -> list[Any]:
    """Return the leaves of `tree`, which must have that form, in their order in `form`.

    The order of the keys of a dict and of the fields of a dataclass may differ.
    """
    pairs: Iterable[tuple[Tree, Tree]] = ()
    if isinstance(form, dict):
        if not isinstance(tree, dict) or form.keys() != tree.keys():
            raise _mismatch(f"a dict with the keys {list(form)}", tree)
        pairs = [(branch, tree[key]) for key, branch in form.items()]
    elif isinstance(form, (tuple, list)):
        if not isinstance(tree, (tuple, list)) or len(form) != len(tree):
            raise _mismatch(f"a sequence of {len(form)}", tree)
        names = getattr(form, "_fields", None)
        if names and getattr(tree, "_fields", names) != names:
            raise _mismatch(f"a {type(form).__name__} with the fields {list(names)}", tree)
        pairs = zip(form, tree, strict=True)
    elif (expected := fields_of(form)) is not None:
        found = fields_of(tree)
        if found is None or expected.keys() != found.keys():
            raise _mismatch(f"a {type(form).__name__} with the fields {list(expected)}", tree)
        pairs = [(branch, found[name]) for name, branch in expected.items()]
    elif form is not None:
        return [tree]
    return [leaf for branch, other in pairs for leaf in matched(branch, other)]


def _mismatch(expected: str, tree: Tree) -> ValueError:
    # reprlib, since the repr of a dataclass raises if a field has no value.
    return ValueError(f"expected {expected}, got {reprlib.repr(tree)}.")


def tree_map(f: Callable[..., Any], tree: Tree, *others: Tree) -> Tree:
    """Return a tree of what `f` returns for each leaf of `tree`, and the same leaf of the others.

    Parameters
    ----------
    f : callable
        Takes a leaf of each tree: whatever stands there, an array, a Variable or any other object.
    tree : nested tuples, lists, dicts and dataclasses
    *others : nested tuples, lists, dicts and dataclasses
        In the form of `tree`. Dicts are matched by their keys, dataclasses and namedtuples by the
        names of their fields; a list and a tuple of equal length match.

    Returns
    -------
    nested tuples, lists, dicts and dataclasses
        In the form and of the classes of `tree`. None is an empty tree, and stays None.

    Raises
    ------
    ValueError
        If another tree does not have the form of `tree`; the message has the path of a leaf.
    Exception
        Whatever `f` raises, with a note that has the path of the leaf.

    Examples
    --------
    >>> tree_map(lambda w, gradient: w - gradient, {"w": 3.0, "b": [1.0]}, {"w": 1.0, "b": [2.0]})
    {'w': 2.0, 'b': [-1.0]}
    """
    columns = [leaves_of(tree), *(_in_the_form(tree, other) for other in others)]
    found: list[Any] = []
    try:
        for leaves in zip(*columns, strict=True):
            found.append(f(*leaves))
    except Exception as error:
        error.add_note(f"in tree_map, at {list(paths_of(tree, 'tree'))[len(found)]}")
        raise
    return like(tree, found)


def _in_the_form(tree: Tree, other: Tree) -> list[Any]:
    """Return the leaves of `other` in the order that they have in `tree`, if these are its leaves.

    `matched` takes any tree in place of a leaf, and a leaf in place of None.
    """
    paths, others = (dict.fromkeys(paths_of(each, "tree")) for each in (tree, other))
    for path in (*paths, *others):
        if (path in paths) != (path in others):
            which = "first tree" if path in paths else "other"
            raise ValueError(
                f"tree_map takes trees of the same form, but {path} is a leaf only in the {which}."
            )
    return matched(tree, other)
