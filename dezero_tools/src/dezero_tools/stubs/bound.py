"""The stub of `dezero_core.bound`: the members that plugins have bound onto Variable."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from textwrap import indent
from typing import Any

import numpy as np

from dezero_core import Operation, Variable
from dezero_core.extend import SLOTS, plugin_in_use
from dezero_tools.providers import providers

from .signatures import Signatures, alias, undecorated

_HEAD = """\
from typing import Any
from dezero_core.variable import Variable
{imports}

class Bound:
{members}
"""
#: Type checkers take a class with __eq__ and without __hash__ for one that cannot be hashed.
_HASH = "def __hash__(self) -> int: ..."


def bound_stub(plugins: Mapping[str, str], documented: bool = True) -> str:
    """Return the text of the stub, `documented` or not: docstrings name `plugins` by the values."""
    bound: dict[str, Operation] = {}
    for operations in providers().values():
        for operation in operations:
            for attribute in (*operation.dunders, *operation.methods):
                slot = SLOTS[attribute]
                if plugin_in_use(slot.name, slot.bindings) == operation.plugin:
                    bound[attribute] = operation
    signatures = Signatures(hidden=bound.keys())
    members = [
        _member(attribute, operation, signatures, provider if documented else None)
        for plugin, provider in plugins.items()
        for attribute, operation in bound.items()
        if operation.plugin == plugin
    ]
    imports = [f"import {module} as {alias(module)}" for module in sorted(signatures.modules)]
    body = indent("\n".join([*members, _HASH]), "    ")
    text = ast.unparse(ast.parse(_HEAD.format(imports="\n".join(imports), members=body)))
    # These two methods override those of object on purpose.
    overrides = ("    def __eq__(", "    def __ne__(")
    return "\n".join(
        f"{line}  # type: ignore[override]" if line.startswith(overrides) else line
        for line in text.split("\n")
    )


def _member(
    attribute: str, operation: Operation, signatures: Signatures, provider: str | None
) -> str:
    """Return the source of the member that an operation binds, without indentation."""
    value = SLOTS[attribute].value()
    text = inspect.getdoc(value) or inspect.getdoc(operation.function)
    body = f"\n    {_documented(text, provider)!r}" if provider else " ..."
    if isinstance(value, property):
        result = signatures.result(value.fget, _result(value.fget, operation))
        head = f"@{signatures.name('builtins', 'property')}"
        return f"{head}\ndef {attribute}(self) -> {result}:{body}"
    if hasattr(type(value), "__get__"):
        method = value.__get__(Variable(np.zeros(())), Variable)
        given = signatures.of_method(method, _result(method, operation))
        return f"def {attribute}{given}:{body}"
    documentation = f"\n{_documented(None, provider)!r}" if provider else ""
    return f"{attribute}: {signatures.type(type(value))}{documentation}"


def _result(function: Any, operation: Operation) -> Any:
    """Return the type of a result without an annotation, by the registration of the operation."""
    if undecorated(function) is not operation.function:
        return inspect.Parameter.empty
    return Variable if operation.differentiable else np.ndarray[Any, Any]


def _documented(text: str | None, provider: str) -> str:
    """Return a docstring with the provider named below its first paragraph."""
    summary, _, rest = (text or "").partition("\n\n")
    paragraphs = "\n\n".join(filter(None, [summary, f"Provided by {provider}.", rest]))
    inside = " " * 8  # the indentation in a method of a class
    lines = indent(paragraphs, inside).strip()
    return f"{lines}\n{inside}" if "\n" in lines else lines
