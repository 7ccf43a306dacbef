"""The members that a plugin has bound onto Variable, as source text for the stub of the class."""

from __future__ import annotations

import ast
import inspect
from enum import Enum
from inspect import Parameter
from textwrap import indent
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np
from dezero_core.registry.operation import Operation
from dezero_core.slots import SLOTS
from dezero_core.variable import Variable


class Members:
    """Writes the members that operations bind, and collects the modules that their types need.

    Attributes
    ----------
    modules : set of str
        The modules that the stub must import, each under the name that `alias` returns.
    """

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self._example = Variable(np.zeros(()))

    def of(self, attribute: str, operation: Operation, provider: str) -> str:
        """Return the source of the member that an operation binds, without indentation.

        Its docstring names the provider.
        """
        value = SLOTS[attribute].value()
        text = inspect.getdoc(value) or inspect.getdoc(operation.function)
        documentation = f"\n    {_documented(text, provider)!r}"
        if isinstance(value, property):
            result = self._result(value.fget, operation)
            return f"@property\ndef {attribute}(self) -> {result}:{documentation}"
        if hasattr(type(value), "__get__"):
            method = value.__get__(self._example, Variable)
            result = self._result(method, operation)
            return f"def {attribute}{self._signature(method)} -> {result}:{documentation}"
        return f"{attribute}: {self._written(type(value))}\n{_documented(None, provider)!r}"

    def _signature(self, method: Any) -> inspect.Signature:
        """Return the signature of a method, whose text is the one for the stub."""
        parameters = [
            parameter.replace(
                annotation=self._annotation(parameter.annotation, method),
                default=_default(parameter.default),
            )
            for parameter in inspect.signature(method).parameters.values()
        ]
        kinds = (Parameter.POSITIONAL_OR_KEYWORD, *(parameter.kind for parameter in parameters))
        return inspect.Signature([Parameter("self", min(kinds)), *parameters])

    def _result(self, function: Any, operation: Operation) -> str:
        """Return the annotation of the result; without one, the type that the registration says."""
        annotation = inspect.signature(function).return_annotation
        if annotation is Parameter.empty and _undecorated(function) is operation.function:
            annotation = Variable if operation.differentiable else np.ndarray[Any, Any]
        return self._annotation(annotation, function)

    def _annotation(self, annotation: Any, function: Any) -> _Source:
        """Return an annotation in names of the stub; Any if it is missing or unknown."""
        if isinstance(annotation, str):
            names = getattr(_undecorated(function), "__globals__", {})
            try:
                annotation = eval(annotation, dict(names))
            except Exception:  # a name that only type checkers import, or no annotation at all
                annotation = Any
        return _Source(self._written(annotation))

    def _written(self, annotation: Any) -> str:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self._written(arguments[0])
        if origin is Literal:
            return f"{self._name('typing', 'Literal')}[{', '.join(map(self._value, arguments))}]"
        if origin in (Union, UnionType):
            return " | ".join(map(self._written, arguments))
        if origin is not None and arguments:
            return f"{self._written(origin)}[{', '.join(map(self._written, arguments))}]"
        if isinstance(annotation, list):  # the parameters of a Callable
            return f"[{', '.join(map(self._written, annotation))}]"
        if annotation in (None, NoneType, Ellipsis):
            return "..." if annotation is Ellipsis else "None"
        named = origin or annotation
        if not isinstance(named, type) or named in (Any, Parameter.empty):
            return "Any"
        if "<locals>" in named.__qualname__:  # a class of a function: the stub cannot import it
            return "Any"
        return self._name(named.__module__, named.__qualname__)

    def _value(self, value: Any) -> str:
        """Return a value as source text, for a Literal."""
        if isinstance(value, Enum):
            return f"{self._written(type(value))}.{value.name}"
        return repr(value)

    def _name(self, module: str, name: str) -> str:
        if module in (Variable.__module__, "builtins"):
            return name
        self.modules.add(module)
        return f"{alias(module)}.{name}"


class _Source(str):
    """Source text, where `inspect.Signature` would write the repr of a value."""

    __repr__ = str.__str__


def alias(module: str) -> str:
    """Return the name under which a stub imports a module. No method has such a name."""
    return "_" + module.replace(".", "_")


def _default(value: Any) -> Any:
    """Return a default value for the stub: ``...`` if it is no literal."""
    if value is Parameter.empty:
        return value
    try:
        ast.literal_eval(repr(value))
    except (SyntaxError, ValueError):
        return _Source("...")
    return value


def _documented(text: str | None, provider: str) -> str:
    """Return a docstring with the provider named below its first paragraph."""
    summary, _, rest = (text or "").partition("\n\n")
    paragraphs = "\n\n".join(filter(None, [summary, f"Provided by {provider}.", rest]))
    inside = " " * 8  # the indentation in a method of a class
    lines = indent(paragraphs, inside).strip()
    return f"{lines}\n{inside}" if "\n" in lines else lines


def _undecorated(function: Any) -> Any:
    return inspect.unwrap(getattr(function, "__func__", function))
