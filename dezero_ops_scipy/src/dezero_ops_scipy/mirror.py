"""Modules that mirror SciPy's: its names, which take Variables as well."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import ARRAY_TYPES, NUMPY, Array, kind_of

from .families import ALIASES, FOLDERS, SINCE
from .plugin import RELEASE


def exported(package: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of the mirror of a module of SciPy.

    A function of ours is imported when it is first asked for; all other names are SciPy's own.
    """
    folder, own = package.rpartition(".")[2], vars(sys.modules[package])
    home = {
        name: module
        for module, names in FOLDERS[folder].items()
        for name in names
        if SINCE.get(name, RELEASE) <= RELEASE
    }
    home |= {alias: home[name] for alias, name in ALIASES.items() if name in home}

    def attribute(name: str) -> Any:
        found = getattr(import_module(f"scipy.{folder}"), name)
        if name in home:
            module = import_module(f"{package}.{home[name]}")
            ours = getattr(module, ALIASES.get(name, name))
            # A distribution is more than a function, and has a mirror of its own.
            if hasattr(ours, "mirrored"):
                found = ours.mirrored(found)
            else:
                found = mirrored(found, ours, package, name)
        own[name] = found  # from now on it is there, and nobody asks here
        return found

    def names() -> list[str]:
        return sorted({*home, *dir(import_module(f"scipy.{folder}"))})

    return sorted(home), attribute, names


def mirrored(
    theirs: Callable[..., Any], ours: Callable[..., Any], package: str, name: str
) -> Callable[..., Any]:
    """Return a function that is `ours` for Variables, and SciPy's own for everything else.

    It is the attribute `name` of `package`, by which it can be pickled.
    """

    @wraps(ours)
    def function(*args: Any, **kwargs: Any) -> Any:
        if has_variable(*args, *kwargs.values()):
            return ours(*args, **kwargs)
        if ARRAY_TYPES and not isinstance(theirs, np.ufunc):
            given: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
            at = [key for key, x in given.items() if kind_of(x) is not NUMPY]
            if at:
                return Values(theirs, given, at)(*(given[key] for key in at)).data
        return theirs(*args, **kwargs)

    function.__module__, function.__qualname__ = package, name
    return function


def has_variable(*given: Any) -> bool:
    """Return whether an argument is a Variable, or a tuple or list with one in it."""
    for x in given:
        if isinstance(x, Variable) or (type(x) in (tuple, list) and has_variable(*x)):
            return True
    return False


class Values(Function):
    """SciPy's own result for arrays of a type that SciPy does not know."""

    saves = ()
    arrays = "numpy: SciPy's functions make ndarrays of their arguments"

    def __init__(self, function: Callable[..., Any], given: dict[Any, Any], at: list[Any]) -> None:
        self.function, self.given, self.at = function, given, at

    def forward(self, *arrays: Array) -> Array:
        kwargs = {**self.given, **dict(zip(self.at, arrays, strict=True))}
        args = [kwargs.pop(key) for key in self.given if isinstance(key, int)]
        return self.function(*args, **kwargs)
