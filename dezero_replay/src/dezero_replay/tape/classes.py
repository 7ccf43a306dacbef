"""Classes and modules, as a recorder asks about them: without running code of the user's."""

from __future__ import annotations

import types
from typing import Any, cast

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "nothing"})()
"""Stands for nothing at a place."""

#: The flag of a type that nobody can change.
_IMMUTABLE_TYPE = 1 << 8

_CORE = {"dezero_core", "dezero_ops_basic", "dezero_ops_math", "dezero_ops_scipy", "dezero_replay"}

#: Modules that count references, or look at the stack, which copies of their code would change.
_AS_THEY_ARE = {"dezero_tools.functional.closures", "dezero_tools.wrapped"}

_OURS = {*_CORE, "dezero_dask", "dezero_replay_llvm", "dezero_tools", "dezero_nn"}


def is_core(module: str) -> bool:
    """Return whether a module is of those that note themselves what they compute."""
    return module.partition(".")[0] in _CORE or module in _AS_THEY_ARE


def is_own(module: Any) -> bool:
    """Return whether a module is one of ours, where nobody puts other functions at run time."""
    return str(module).partition(".")[0] in _OURS


def module_of(function: Any) -> str:
    """Return the name of the module that the code of a function is of, whatever it wraps."""
    function = getattr(function, "__func__", function)
    of = getattr(function, "__globals__", None)
    return str(getattr(function, "__module__", "") if of is None else of.get("__name__"))


def is_fixed(kind: type) -> bool:
    """Return whether nobody changes a class: one in C, or one of ours."""
    return bool(kind.__flags__ & _IMMUTABLE_TYPE) or is_own(kind.__module__)


def is_a(x: Any, kinds: Any) -> bool:
    """Return whether the type of an object is one of some, without asking it for ``__class__``."""
    return issubclass(type(x), kinds)


def own_of(x: Any) -> dict[str, Any]:
    """Return the ``__dict__`` of an object, without asking its class; {} if it has none."""
    if type(method_of(type(x), "__getattribute__")) is types.FunctionType:
        return cast("dict[str, Any]", object.__getattribute__(x, "__dict__"))
    return cast("dict[str, Any]", getattr(x, "__dict__", {}))


def method_of(kind: type, name: str) -> Any:
    """Return the object that a class has under a name, itself; MISSING if there is none."""
    for base in kind.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return MISSING


def runs_code(found: Any) -> bool:
    """Return whether reading an attribute runs code of Python's: of a property or a descriptor."""
    return type(found) is property or type(method_of(type(found), "__get__")) is types.FunctionType
