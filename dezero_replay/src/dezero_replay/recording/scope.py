"""The recorder of one rewritten function, and the names in its code."""

from __future__ import annotations

import builtins
from types import CellType
from typing import Any

import numpy as np

from dezero_core import Variable

from ..tape.classes import MISSING, is_a
from ..tape.nested import ATOMS
from .blocks import Blocks


class Scope(Blocks):
    """The recorder of one rewritten function: ``@r`` in its code.

    It does what the code would have done. What that reads and writes beyond what it has made is
    noted in the `Surroundings` of the call. The globals (`namespace`) and free variables (`cells`)
    of a function that is one of ours (`own`) stay what they are.
    """

    __slots__ = (
        *("_around", "_cells", "_namespace", "_own", "_recorder"),
        *("call", "errors", "hashed"),
    )

    def __init__(
        self, recorder: Any, namespace: dict[str, Any], cells: dict[str, CellType], own: bool
    ) -> None:
        self._recorder, self._around = recorder, recorder.around
        self._namespace, self._cells, self._own = namespace, cells, own
        #: ``call(function, *args, **kwargs)``.
        self.call = recorder.call_of_ours if own else recorder.call
        #: The classes of errors of an ``except``; a key of a dict, or a member of a set.
        self.errors, self.hashed = recorder.whole, recorder.hashed

    # Names.

    def glob(self, name: str) -> Any:
        """Return a global variable, or what Python has built in under its name."""
        namespace, around = self._namespace, self._around
        found = namespace.get(name, MISSING)
        if found is not MISSING:
            if self._own and id(namespace) not in around.known:
                return self._of_ours(found)
            around.root(namespace)
            return around.read(namespace, "item", name, found)
        of = namespace.get("__builtins__", builtins)
        own = of if isinstance(of, dict) else vars(of)
        found = own.get(name, MISSING)
        if self._own and found is not MISSING:
            return found
        around.root(namespace)
        around.missed(namespace, "item", name)
        around.root(of)
        kind = "item" if of is own else "attribute"
        if found is MISSING:
            around.missed(of, kind, name)
            raise NameError(f"name {name!r} is not defined")
        return around.read(of, kind, name, found)

    def _of_ours(self, found: Any) -> Any:
        """Return a global or free variable of ours, which nobody sets to another object."""
        if type(found) not in ATOMS and type(found) is not np.ndarray:
            self._around.root(found)
        return found

    def free(self, name: str) -> Any:
        """Return a variable of an outer function."""
        cell, around = self._cells[name], self._around
        try:
            found = cell.cell_contents
        except ValueError:
            around.root(cell, name)
            around.missed(cell, "attribute", "cell_contents")
            raise NameError(f"cannot access free variable {name!r}") from None
        if self._own and not is_a(found, (np.ndarray, Variable)):
            return self._of_ours(found)
        around.root(cell, name)
        return around.read(cell, "attribute", "cell_contents", found)

    def set_glob(self, name: str, value: Any) -> None:
        """Set a global variable."""
        self._around.root(self._namespace)
        self._around.write(self._namespace, "item", name, value)

    def set_free(self, name: str, value: Any) -> Any:
        """Set a variable of an outer function; return the object for its cell."""
        cell, around = self._cells[name], self._around
        around.root(cell, name)
        around.write(cell, "attribute", "cell_contents", value)
        return cell.cell_contents
