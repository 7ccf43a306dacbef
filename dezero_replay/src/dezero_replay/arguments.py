"""The arguments of a call that is recorded: recording arrays take the places of arrays in them.

Lists, dicts and dataclasses stay the objects that they are, since the function may change them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dezero_tools.functional.trees import Tree, branches_of, fields_of

from .capture import NUMBERS
from .recorded import contents


class Arguments:
    """The positional and keyword arguments of a call.

    ``is_input(index, leaf)`` says whether a leaf is to be recorded.
    """

    def __init__(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], is_input: Callable[[int, Any], bool]
    ) -> None:
        self._tree = (args, kwargs)
        self._is_input = is_input
        #: The leaves that are to be recorded.
        self.inputs: list[Any] = []
        #: The other leaves, except numbers and strings.
        self.objects: list[Any] = []
        self._number = 0
        self._changed(self._tree, self._noted)
        #: Each list, dict or dataclass, and what was in it when the function began.
        self._before: list[tuple[Any, list[Any]]] = []

    def _noted(self, leaf: Any) -> Any:
        index, self._number = self._number, self._number + 1
        if self._is_input(index, leaf):
            self.inputs.append(leaf)
        elif not isinstance(leaf, (*NUMBERS, str, bytes)):
            self.objects.append(leaf)
        return leaf

    def with_inputs(self, recording: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Put recording arrays in the place of the inputs; return the arguments to call with."""
        given: Iterator[Any] = iter(recording)
        self._number = 0

        def by(leaf: Any) -> Any:
            index, self._number = self._number, self._number + 1
            return next(given) if self._is_input(index, leaf) else leaf

        args, kwargs = self._changed(self._tree, by)
        self._note_contents((args, kwargs))
        return args, kwargs

    def called(self, function: Callable[..., Any]) -> Any:
        """Call a function with the arguments as they are."""
        args, kwargs = self._tree
        return function(*args, **kwargs)

    def _changed(self, tree: Tree, by: Callable[[Any], Any]) -> Tree:
        """Change the leaves in place, but build tuples anew; return the tree."""
        if isinstance(tree, dict):
            for key in list(tree):
                tree[key] = self._changed(tree[key], by)
        elif isinstance(tree, list):
            tree[:] = [self._changed(item, by) for item in tree]
        elif isinstance(tree, tuple):
            items = [self._changed(item, by) for item in tree]
            if all(a is b for a, b in zip(items, tree, strict=True)):
                return tree
            return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
        elif tree is not None:
            found = fields_of(tree)
            if found is None:
                return by(tree)
            for name, value in found.items():
                object.__setattr__(tree, name, self._changed(value, by))
        return tree

    def _note_contents(self, tree: Tree) -> None:
        if branches_of(tree) is None:
            return
        items = _items(tree)
        if not isinstance(tree, tuple):
            self._before.append((tree, items))
        for item in items:
            self._note_contents(item)

    def take_back(self) -> bool:
        """Put the arrays back; return whether the function changed a list, dict or dataclass."""
        changed = False
        for holder, before in self._before:
            now = _items(holder)
            changed |= len(now) != len(before) or any(
                a is not b for a, b in zip(now, before, strict=False)
            )
            _released(holder)
        self._before.clear()
        return changed


def _items(tree: Tree) -> list[Any]:
    return list(branches_of(tree) or ())


def _released(holder: Tree) -> None:
    if isinstance(holder, dict):
        for key in list(holder):
            holder[key] = contents(holder[key])
    elif isinstance(holder, list):
        holder[:] = [contents(item) for item in holder]
    else:
        for name, value in (fields_of(holder) or {}).items():
            object.__setattr__(holder, name, contents(value))
