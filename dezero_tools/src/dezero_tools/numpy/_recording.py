"""Functions of NumPy that take lists of Variables as well, and the namespaces that have them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy

from dezero_core import Variable
from dezero_core.extend import INEXACT

#: Functions that take sequences of arrays: an item of these stands for an array, and not the whole.
_OF_SEQUENCES = {"choose", "column_stack", "concatenate", "dstack", "hstack", "multi_dot", "select"}
_OF_SEQUENCES |= {"stack", "vstack"}


def variables_in(x: Any) -> Iterator[Variable]:
    """Yield each Variable in nested lists and tuples; the operand, if it is one itself."""
    if isinstance(x, Variable):
        yield x
    elif isinstance(x, (list, tuple)):
        for item in x:
            yield from variables_in(item)


def has_variables(x: Any) -> bool:
    """Return whether there is a Variable in nested lists and tuples, or the operand is one."""
    return next(variables_in(x), None) is not None


def values_of(x: Any) -> Any:
    """Return nested lists and tuples with the data of each Variable in its place."""
    if isinstance(x, (list, tuple)):
        return (tuple if isinstance(x, tuple) else list)(map(values_of, x))
    return x.data if isinstance(x, Variable) else x


def stacked(x: Any) -> Any:
    """Return nested lists with Variables in them as one Variable, anything else as it is."""
    if isinstance(x, (list, tuple)) and has_variables(x):
        numpy.array(values_of(x))  # np.stack would name only the shapes of the innermost lists
        return _stacked(x)
    return x


def _stacked(x: Any) -> Any:
    is_list = isinstance(x, (list, tuple)) and has_variables(x)
    return numpy.stack([_stacked(item) for item in x]) if is_list else x


def _operand(x: Any) -> Any:
    # Lists of integer Variables may be shapes or indices, and have no gradient to keep.
    return stacked(x) if any(y.dtype.kind in INEXACT for y in variables_in(x)) else x


def _items(x: Any) -> Any:
    return [_operand(item) for item in x] if isinstance(x, (list, tuple)) else x


class Recording:
    """A function of NumPy that takes lists of Variables as well, with its attributes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._take = _items if function.__name__ in _OF_SEQUENCES else _operand

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        kwargs = {name: self._take(value) for name, value in kwargs.items()}
        return self._function(*map(self._take, args), **kwargs)

    def __getattr__(self, name: str) -> Any:  # such as the ``reduce`` of a ufunc
        return getattr(self.__wrapped__, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._function,)

    def __repr__(self) -> str:
        return repr(self._function)


def namespace(
    name: str, module: ModuleType, modules: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a ``__getattr__`` and ``__dir__`` that give a module the names of one of NumPy's.

    The module is called `name`, and imports `modules` of its own when they are needed.
    """
    own = vars(sys.modules[name])

    def attribute(attribute: str) -> Any:
        if attribute in modules:
            return import_module(f"{name}.{attribute}")
        found = getattr(module, attribute)
        is_function = isinstance(found, numpy.ufunc) or hasattr(found, "_implementation")
        if is_function and attribute != "block":  # whose nested lists say where arrays go
            found = Recording(found)
        own[attribute] = found  # from now on it is there, and nobody asks here
        return found

    def names() -> list[str]:
        return sorted({*own, *dir(module)})

    return attribute, names
