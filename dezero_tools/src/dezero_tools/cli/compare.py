"""The command ``dezero compare``."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from dezero_core.extend import find
from dezero_tools.providers import providers

from ..testing import compare as compared
from .lookup import all_operations, operation_named
from .output import Result


def compare(
    operation: Annotated[str, typer.Argument(help="The name of the operation, such as exp.")],
    a: Annotated[
        str | None,
        typer.Option("--a", help="A plugin that provides it. Not needed if there are only two."),
    ] = None,
    b: Annotated[str | None, typer.Option("--b", help="Another one.")] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Fail if a relative difference is larger, or a shape or dtype differs. By "
            "default any difference is allowed.",
        ),
    ] = None,
) -> Result:
    """Compare the results of two plugins for one operation, and their time.

    Both are called as the samples of their registrations say. The command fails if one of them
    raises an error.
    """
    operation = operation_named(operation, all_operations()).name
    comparison = compared(operation, *_two_of(operation, a, b))
    ok = not comparison.failures
    lines = [str(comparison)]
    if tolerance is not None:
        ok = comparison.within(tolerance)
        lines.append(f"{'Within' if ok else 'Not within'} the tolerance of {tolerance:g}.")
    data = {
        "ok": ok,
        "operation": operation,
        "a": comparison.a.plugin,
        "b": comparison.b.plugin,
        "approximate": {each.plugin: each.approximate for each in (comparison.a, comparison.b)},
        "tolerance": tolerance,
        "verdict": comparison.verdict,
        "calls": comparison.calls,
        "differences": [
            {"what": what, "absolute": _json(found), "relative": _json(comparison.relative[what])}
            for what, found in comparison.absolute.items()
        ],
        "mismatches": [vars(mismatch) for mismatch in comparison.mismatches],
        "failures": [vars(failure) for failure in comparison.failures],
        "seconds": comparison.seconds,
        "rounds": comparison.rounds,
    }
    return Result(data, "\n".join(lines), ok)


def _two_of(operation: str, *named: str | None) -> list[str]:
    """Return two plugins: those that are named, and otherwise the only ones that provide it."""
    known = {find(name).record.name for name in named if name}
    plugins = [each.plugin for each in providers().get(operation, ())]
    others = [plugin for plugin in plugins if plugin not in known]
    if None in named and len(others) != named.count(None):
        problem = f"{operation!r} is provided by {', '.join(plugins)}"
        if len(plugins) > 1:
            raise typer.BadParameter(f"Name two plugins by --a and --b: {problem}")
        raise typer.BadParameter(f"A comparison needs two plugins, and {problem}")
    return [name or others.pop(0) for name in named]


def _json(difference: Any) -> dict[str, Any]:
    """Return a difference for JSON, which has neither infinities nor complex numbers."""
    size = difference.size if math.isfinite(difference.size) else str(difference.size)
    return vars(difference) | {"size": size, "a": str(difference.a), "b": str(difference.b)}
