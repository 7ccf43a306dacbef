"""The command ``dezero ops``."""

from __future__ import annotations

import inspect
import re
from textwrap import indent
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Group, RenderableType
from rich.text import Text

import dezero_core
from dezero_core import Operation, PluginError
from dezero_core.extend import OPERATORS, find, numpy_name, public_name
from dezero_tools.providers import answers, is_in_use, providers

from ..testing.samples import order_of, sample_of
from .lookup import all_operations, by_advice, operation_named, symbols
from .output import Result, indented, table

_ORDERS = {0: "none", 1: "once", "any": "any order", None: "unknown"}


def ops(
    name: Annotated[
        str | None, typer.Argument(help="An operation, such as exp, np.linalg.inv or +.")
    ] = None,
    plugin: Annotated[
        str | None, typer.Option(help="List only the operations of this plugin.")
    ] = None,
) -> Result:
    """List the operations, or show all facts about one."""
    chosen = None if plugin is None else find(plugin).record.name
    operations = all_operations()
    if chosen is not None:
        operations = tuple(each for each in operations if each.plugin == chosen)
    if name is not None:
        found = operation_named(name, operations)
        page = _page(found)
        return Result(page, _printed_page(found, page))
    missing = [] if chosen else _not_provided(operations)
    errors = [
        f"{record}: {record.cause}"
        for record in dezero_core.plugins()
        if record.state == "loaded" and record.cause and chosen in (None, record.name)
    ]
    data = {
        "operations": [_row(operation) for operation in operations],
        "errors": errors,
        "not_provided": missing,
    }
    return Result(data, _printed(data, operations), ok=not errors)


def _row(operation: Operation) -> dict[str, Any]:
    return {
        "name": operation.name,
        "plugin": operation.plugin,
        "numpy": list(map(public_name, operation.numpy)),
        "dunders": list(operation.dunders),
        "methods": list(operation.methods),
        "order": _times_differentiable(operation),
        "approximate": operation.approximate or None,
        "in_use": is_in_use(operation),
    }


def _times_differentiable(operation: Operation) -> int | str | None:
    """Return how often it can be differentiated; None if its sample, which says it, is broken."""
    try:
        order = order_of(operation)
    except PluginError:
        return None
    return "any" if order > 1 else order


def _not_provided(operations: tuple[Operation, ...]) -> list[dict[str, Any]]:
    """Return the functions that no loaded plugin provides, and which distribution to look for.

    Operators, and functions and methods of NumPy that take a Variable.
    """
    names = {ufunc for _, ufunc in OPERATORS.values()}
    for module in (np, np.linalg, np.fft):
        functions: list[Any] = [vars(module).get(name) for name in module.__all__]
        for function in functions:
            if isinstance(function, np.ufunc) or hasattr(function, "_implementation"):
                names.add(numpy_name(function))
    names |= {name for name in vars(np.ndarray) if not name.startswith("_")}
    provided = {
        name
        for operation in operations
        for name in (operation.name, *operation.methods, *map(numpy_name, operation.numpy))
    }
    missing = ((name, name) for name in sorted(names - provided))
    return [each for each in by_advice(missing, "operations") if each["distribution"] is not None]


def _printed(data: dict[str, Any], operations: tuple[Operation, ...]) -> RenderableType:
    rows = data["operations"]
    columns = {
        "operation": [row["name"] for row in rows],
        "plugin": [row["plugin"] if row["in_use"] else f"({row['plugin']})" for row in rows],
        "derivative": list(map(_derivative, operations)),
        "on Variable": [
            " ".join([*symbols(row["dunders"]), *(f".{each}" for each in row["methods"])]) or "none"
            for row in rows
        ],
        "NumPy": [
            "yes" if row["numpy"] == [f"np.{row['name']}"] else ", ".join(row["numpy"]) or "none"
            for row in rows
        ],
    }
    parts: list[RenderableType] = list(table(columns)) if operations else []
    parts.append(Text(f"{len(operations)} operations"))
    if not all(row["in_use"] for row in rows):
        parts.append(Text("In brackets: a plugin that is not in use for it; see dezero doctor."))
    parts += [Text(error, "red") for error in data["errors"]]
    for each in data["not_provided"]:
        parts.append(Text(f"\n{len(each['operations'])} more: {each['advice']}"))
        parts.append(indented(" ".join(each["operations"]), "dim"))
    return Group(*parts)


def _derivative(operation: Operation) -> str:
    """Return the order of differentiation, with the approximation if it is not exact."""
    order = _ORDERS[_times_differentiable(operation)]
    return f"{order}, {operation.approximate}" if operation.approximate else order


def _page(operation: Operation) -> dict[str, Any]:
    record = find(operation.plugin).record
    documentation = inspect.getdoc(operation.function)
    others = providers()[operation.name]
    return {
        **_row(operation),
        "also_by": [each.plugin for each in others if each.plugin != operation.plugin],
        "answers": {name: by for each in others for name, by in answers(each).items()},
        "distribution": record.distribution,
        "version": record.version,
        "signature": _signature(operation),
        "documentation": documentation,
        "derivative": _derivative_part(documentation),
        "backward": _location(getattr(operation.function_class, "backward", None)),
        "source": _location(operation.function),
        "function": getattr(operation.function_class, "__qualname__", None),
        "samples": [str(call)[len("Call") :] for call in sample_of(operation).calls],
    }


def _signature(operation: Operation) -> str:
    try:
        signature = inspect.signature(operation.function)
    except (TypeError, ValueError):  # a function that is not written in Python
        return f"{operation.name}(...)"
    # The documentation names the types. The annotations are often only aliases of Any.
    empty = inspect.Parameter.empty
    parameters = [p.replace(annotation=empty) for p in signature.parameters.values()]
    return f"{operation.name}{inspect.Signature(parameters)}"


def _derivative_part(documentation: str | None) -> str | None:
    """Return the part of a docstring from the word Derivative to the end of the paragraph."""
    found = re.search(r"\bDerivative\b.*?(?=\n\s*\n|\Z)", documentation or "", re.DOTALL)
    if found is None:
        return None
    return " ".join(found.group().split()).removeprefix("Derivative: ").replace("``", "")


def _location(function: Any) -> str | None:
    """Return the place of a function, ``file.py:12``; None if it is not written in Python."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else None


def _printed_page(operation: Operation, page: dict[str, Any]) -> RenderableType:
    distribution = " ".join(filter(None, (page["distribution"], page["version"])))
    samples = page["samples"]
    others = page["also_by"]
    answered: dict[str | None, list[str]] = {}
    for name, plugin in page["answers"].items():
        answered.setdefault(plugin, []).append(name)
    in_use = [f"{by or 'none, using it raises'}: {', '.join(of)}" for by, of in answered.items()]
    listed = {
        "plugin": f"{page['plugin']} ({distribution})" if distribution else page["plugin"],
        "also by": f"{', '.join(others)}: see dezero compare" if others else None,
        "in use": "\n".join(in_use) if others else None,
        "NumPy": ", ".join(page["numpy"]),
        "operators": " ".join(page["dunders"]),
        "methods": ", ".join(page["methods"]),
        "order": f"{_derivative(operation)}{'' if operation.approximate else ', exact'}",
        "derivative": page["derivative"],
        "backward": page["backward"],
        "source": page["source"],
        "samples": "\n".join(f"{operation.name}{sample}" for sample in samples),
    }
    # One Text, which is printed without line breaks, so that paths can be copied.
    printed = Text(page["signature"], "bold")
    if page["documentation"]:
        printed.append(f"\n\n{indent(page['documentation'], '    ')}\n", "not bold")
    titles, lines = [], []
    for title, value in listed.items():
        for number, line in enumerate((value or "").splitlines()):
            titles.append("" if number else title)
            lines.append(Text(line, "not bold"))
    for row in table({"": titles, " ": lines})[1:]:
        printed.append("\n").append(row)
    return printed
