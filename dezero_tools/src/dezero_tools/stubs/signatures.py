"""Signatures of functions as source text for a stub."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection
from enum import Enum
from inspect import Parameter
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from dezero_core import Variable


class Source(str):
    """Source text, where `inspect.Signature` would write the repr of a value."""

    __repr__ = str.__str__


class Signatures:
    """Writes signatures, and collects the modules that their types need."""

    def __init__(self, hidden: Collection[str]) -> None:
        #: Names of built-in types that a member of the class hides, such as a method ``float``.
        self.hidden = hidden
        #: The modules that the stub must import, each under the name that `alias` returns.
        self.modules: set[str] = set()

    def of_method(self, method: Any, result: Any) -> str:
        """Return the parameters of a bound method, with self, and its result; see `result`."""
        parameters = [
            parameter.replace(
                annotation=Source(self._annotation(parameter.annotation, method)),
                default=_default(parameter.default),
            )
            for parameter in inspect.signature(method).parameters.values()
        ]
        kinds = (Parameter.POSITIONAL_OR_KEYWORD, *(parameter.kind for parameter in parameters))
        signature = inspect.Signature([Parameter("self", min(kinds)), *parameters])
        return f"{signature} -> {self.result(method, result)}"

    def result(self, function: Any, result: Any) -> str:
        """Return the annotation of the result of a function; `result` if it has none."""
        annotation = inspect.signature(function).return_annotation
        return self._annotation(result if annotation is Parameter.empty else annotation, function)

    def _annotation(self, annotation: Any, function: Any) -> str:
        """Return an annotation in names of the stub; Any if it is missing or unknown."""
        if isinstance(annotation, str):
            # Variable is in them only where the module imports it for more than annotations.
            names = {"Variable": Variable, **getattr(undecorated(function), "__globals__", {})}
            try:
                annotation = eval(annotation, names)
            except Exception:  # a name that only type checkers import, or no annotation at all
                annotation = Any
        return self.type(annotation)

    def type(self, annotation: Any) -> str:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self.type(arguments[0])
        if origin is Literal:
            values = (
                f"{self.type(type(value))}.{value.name}" if isinstance(value, Enum) else repr(value)
                for value in arguments
            )
            return f"{self.name('typing', 'Literal')}[{', '.join(values)}]"
        if origin in (Union, UnionType):
            return " | ".join(map(self.type, arguments))
        if origin is not None and arguments:
            return f"{self.type(origin)}[{', '.join(map(self.type, arguments))}]"
        if isinstance(annotation, list):  # the parameters of a Callable
            return f"[{', '.join(map(self.type, annotation))}]"
        if annotation in (None, NoneType, Ellipsis):
            return "..." if annotation is Ellipsis else "None"
        named = origin or annotation
        unknown = not isinstance(named, type) or named in (Any, Parameter.empty)
        if unknown or "<locals>" in named.__qualname__:  # the stub cannot import a local class
            return "Any"
        return self.name(named.__module__, named.__qualname__)

    def name(self, module: str, name: str) -> str:
        """Return the name in the stub for a name of a module."""
        if module == Variable.__module__ or (module == "builtins" and name not in self.hidden):
            return name
        self.modules.add(module)
        return f"{alias(module)}.{name}"


def alias(module: str) -> str:
    """Return the name under which a stub imports a module. No method has such a name."""
    return "_" + module.replace(".", "_")


def undecorated(function: Any) -> Any:
    """Return the function below decorators, and below the object that it is bound to."""
    return inspect.unwrap(getattr(function, "__func__", function))


def _default(value: Any) -> Any:
    """Return a default value for the stub: ``...`` if it is no literal."""
    if value is Parameter.empty:
        return value
    try:
        ast.literal_eval(repr(value))
    except (SyntaxError, ValueError):
        return Source("...")
    return value
