"""``checked()``: compares the arrays that are saved for ``backward`` with copies."""

from __future__ import annotations

import weakref
from functools import partial
from itertools import product
from types import FunctionType
from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array, described, label, values_in, variable_at, warn_once

from ..errors import WrittenArrayError
from .calls import Observer, place


class KeepCopies(Observer):
    """Copies the arrays that each Function saves, to compare them when its ``backward`` runs.

    It knows which Variables are views of others, to warn of writes that these do not see.
    """

    def __init__(self) -> None:
        #: Identity -> Variable that shares its memory with another one.
        self._sharing: weakref.WeakValueDictionary[int, Variable] = weakref.WeakValueDictionary()

    def recorded(self, function: Function) -> None:
        _Guard(function)
        inputs = [variable_at(edge) for edge in function._edges if edge is not None]
        outputs = [variable_at(edge) for edge in function._ports()]
        for x, y in product(inputs, outputs):
            if x is not None and y is not None and _share_memory(x, y):
                self._sharing.update({id(x): x, id(y): y})

    def written(self, variable: Variable) -> None:
        for other in [*self._sharing.values()]:
            if other is not variable and _share_memory(other, variable):
                warn_once(
                    f"{label(other)} and {label(variable)}, which is written into, are views of "
                    "one array in NumPy, and both would change. Here the first one keeps its "
                    "values: a graph knows values, and not memory. Compute it again after the "
                    "write, or leave it as it is, if the old values are meant.",
                    UserWarning,
                )


def _share_memory(x: Variable, y: Variable) -> bool:
    arrays = x.data, y.data
    return all(type(a) is np.ndarray for a in arrays) and np.may_share_memory(*arrays)


class _Guard:
    """Copies of the arrays that a Function has saved. Compares them before its ``backward``.

    The guard replaces three methods in the attributes of this one Function, so that the engine
    has no test for guards in its loop, and other Functions are as fast as before.
    """

    #: Methods before which the arrays are compared.
    readers = ("_node_for_backward", "saved_arrays")

    def __init__(self, function: Function) -> None:
        self.function = weakref.ref(function)
        self.copies = [(what, array, array.copy()) for what, array in arrays_saved_by(function)]
        vars(function).update({name: partial(self.reading, name) for name in self.readers})
        vars(function)["_end"] = self.end

    def reading(self, name: str) -> Any:
        """Compare the arrays, and call the method of that name."""
        function: Any = self.function()
        for what, array, copy in self.copies:
            if array.shape != copy.shape:
                change = f"they were of shape {copy.shape} and are of shape {array.shape}"
            else:
                changed = np.argwhere(_differ(array, copy))
                if not len(changed):
                    continue
                index = tuple(changed[0].tolist())
                change = f"{place(index)} was {copy[index]} and is {array[index]}"
            where = function._where
            message = (
                f"the data of {what} of {described(function, 'forward')}, applied at {where}, were "
                f"written to before backward: {change}. The gradient may be wrong. Make a new "
                "array, x.data = x.data + 1 in place of x.data += 1, or write after backward()."
            )
            raise WrittenArrayError(message, function=type(function), what=what, where=where)
        return getattr(type(function), name)(function)

    def end(self, how: Any) -> None:
        function: Any = self.function()
        for name in (*self.readers, "_end"):
            del vars(function)[name]
        function._end(how)


def _differ(array: Array, copy: Array) -> Any:
    """Return a mask of the elements that differ. nan equals nan here, and -0.0 differs from 0.0."""
    if array.dtype.kind == "O":  # the elements may be arrays, for which == gives no truth value
        pairs = zip(array.flat, copy.flat, strict=True)
        return np.reshape([x is not y for x, y in pairs], array.shape)
    different = (array != copy) & ((array == array) | (copy == copy))
    if array.dtype.kind == "f":
        different |= (array == 0) & (np.signbit(array) != np.signbit(copy))
    return different


def arrays_saved_by(function: Function) -> list[tuple[str, Any]]:
    """Return the arrays that ``backward`` may read, each with its name for messages."""
    found: list[tuple[str, Any]] = []
    for role, arrays in zip(("input", "output"), function.saved_arrays(), strict=True):
        found += [(f"{role} {index}", x) for index, x in enumerate(arrays)]
    attributes, read = function._own_attributes(), _names_used(type(function))
    found += values_in({name: attributes[name] for name in attributes if name in read}, "self")
    return [(what, array) for what, array in found if isinstance(array, np.ndarray)]


def _names_used(cls: type) -> set[str]:
    """Return the names that ``backward`` and the author's other methods mention."""
    members = [
        member
        for base in cls.__mro__[: cls.__mro__.index(Function)]
        for name, member in vars(base).copy().items()  # another thread may add to it
        if name not in ("forward", "__init__", "__call__", "_node_for_backward", "_operator")
    ]
    codes = []
    while members:
        member = members.pop()
        if isinstance(member, FunctionType):
            codes.append(member.__code__)
        for wrapped in ("__wrapped__", "__func__", "fget"):  # decorators, class methods, properties
            members.extend([getattr(member, wrapped)] if hasattr(member, wrapped) else [])
    names: set[str] = set()
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes.extend(const for const in code.co_consts if isinstance(const, type(code)))
    return names
