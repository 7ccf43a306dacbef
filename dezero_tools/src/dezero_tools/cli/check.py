"""The command ``dezero check``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from dezero_core import Operation, PluginLoadError, PluginRecord
from dezero_core.extend import PLUGINS, find, operations_of

from ..testing import Counts
from ..testing.checks import array_rule
from ..testing.rules import counted, worst_first
from .isolated_checks import run_isolated
from .lookup import operation_named
from .output import Result, indented

_ALLOW = "With --allow-empty that is no failure."


@dataclass
class _Outcome:
    record: PluginRecord
    operations: list[Operation]
    #: Why nothing could be checked.
    problem: str | None = None
    counts: Counts = field(default_factory=Counts)
    failures: list[dict[str, Any]] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problem and not self.failures

    @property
    def names(self) -> list[str]:
        return [operation.name for operation in self.operations]


def check(
    names: Annotated[
        list[str] | None, typer.Argument(help="Plugins. By default all, which takes minutes.")
    ] = None,
    op: Annotated[
        list[str] | None, typer.Option(help="Check this operation only; may be repeated.")
    ] = None,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Do not fail where there is nothing to check.")
    ] = False,
    array: Annotated[
        str | None,
        typer.Option(help="Check over arrays of this type as well: batched, strict, or another."),
    ] = None,
) -> Result:
    """Check all operations of a plugin.

    The command runs the conformance kit: it checks values, gradients, second derivatives and
    manners. Each plugin is checked in a process of its own. A crash is reported, and the other
    operations are still checked. An operation without a sample, and a plugin without operations,
    cannot be checked: they fail. With --array it also compares values and gradients over arrays of
    another type with those of ndarrays: "batched" arrays are those within vmap, "strict" ones the
    kit's own, and a plugin may bring others.
    """
    if names:
        plugins = [find(name) for name in names]
    else:
        # Also plugins that failed to load: otherwise nobody would notice that they are unchecked.
        plugins = [p for p in PLUGINS if p.record.operations or p.record.is_broken]
    outcomes = [_outcome(plugin.record, allow_empty) for plugin in dict.fromkeys(plugins)]
    if op:
        found = [operation for outcome in outcomes for operation in outcome.operations]
        chosen = {operation_named(name, found).name for name in op}
        for outcome in outcomes:
            outcome.operations = [each for each in outcome.operations if each.name in chosen]
        outcomes = [outcome for outcome in outcomes if outcome.operations]
    if array is not None:
        array_rule(array)  # refuses an unknown type here, once
    _run(outcomes, allow_empty, array)
    ok = all(outcome.ok for outcome in outcomes) and (allow_empty or bool(outcomes))
    data = {"ok": ok, "plugins": [_data(outcome) for outcome in outcomes]}
    return Result(data, _printed(outcomes), ok)


def _outcome(record: PluginRecord, allow_empty: bool) -> _Outcome:
    """Return the operations of a plugin that can be checked, or the reason why none can be."""
    if record.state != "loaded":
        return _Outcome(record, [], f"it is not loaded ({record.state}): {record.cause}")
    try:
        operations = list(operations_of(record.name))
    except PluginLoadError as error:
        return _Outcome(record, [], str(error))
    nothing = f"nothing was checked: it registers no operation. {_ALLOW}"
    return _Outcome(record, operations, None if operations or allow_empty else nothing)


def _run(outcomes: list[_Outcome], allow_empty: bool, array: str | None) -> None:
    """Run the checks, with a progress bar on a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("", total=sum(len(outcome.operations) for outcome in outcomes))
        before = 0
        for outcome in outcomes:
            if not outcome.problem:
                for event in run_isolated(outcome.record.name, outcome.names, allow_empty, array):
                    done = before + outcome.names.index(event["operation"])
                    what = f"{outcome.record.name}: {event['operation']}: {event['check']}"
                    bar.update(task, completed=done, description=what)
                    if "failure" in event:
                        outcome.failures.append(event)
                    elif "counts" in event:
                        outcome.counts.add(Counts(**event["counts"]))
            before += len(outcome.operations)
    for outcome in outcomes:
        outcome.failures = worst_first(outcome.failures)


def _data(outcome: _Outcome) -> dict[str, Any]:
    record, total = outcome.record, outcome.counts
    return {
        "plugin": record.name,
        "distribution": record.distribution,
        "version": record.version,
        "ok": outcome.ok,
        "problem": outcome.problem,
        "operations": outcome.names,
        "ran": total.ran,
        "skipped": total.skipped,
        "known_failures": total.known,
        "unpassed": sorted(total.unpassed),
        "failures": outcome.failures,
    }


def _printed(outcomes: list[_Outcome]) -> RenderableType:
    parts: list[RenderableType] = []
    for outcome in outcomes:
        verdict = (": passed", "green") if outcome.ok else (": FAILED", "red")
        if outcome.ok and not outcome.counts.ran:
            verdict = ": nothing was checked", "yellow"
        parts.append(Text(str(outcome.record), "bold").append(*verdict))
        lines = [outcome.problem] if outcome.problem else list(_failures(outcome))
        if not outcome.problem:
            wrong = dict.fromkeys(failure["operation"] for failure in outcome.failures)
            lines.append(outcome.counts.summary(len(outcome.operations), wrong))
        parts += map(indented, lines)
    failed = [outcome.record.name for outcome in outcomes if not outcome.ok]
    if failed:
        total = counted(len(outcomes), "plugin")
        parts.append(Text(f"{len(failed)} of {total} failed: {', '.join(failed)}"))
    nothing = f"No plugin is loaded: there is nothing to check. {_ALLOW}"
    return Group(*parts) if parts else Text(nothing)


def _failures(outcome: _Outcome) -> Iterator[str]:
    """Yield the worst failure of each operation, which often explains the others."""
    for operation in dict.fromkeys(failure["operation"] for failure in outcome.failures):
        first, *others = (f["failure"] for f in outcome.failures if f["operation"] == operation)
        yield first
        lines = (failure.partition("\n")[0].removeprefix(f"{operation}: ") for failure in others)
        if others:
            yield "\n    ".join([f"  {operation} fails also:", *lines])
