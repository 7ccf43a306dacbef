"""``dezero check``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from .. import plugin_manager
from ..discovery import PluginRecord
from ..registrar import Operation
from .checking import checked
from .lookup import loadable_operations, operation_named, plugin_named
from .result import Result, indented


@dataclass
class _Outcome:
    """What came of the checks of one plugin."""

    record: PluginRecord
    operations: list[str]
    #: Why nothing could be checked.
    problem: str | None = None
    counts: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, Any]] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problem and not self.failures


def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Plugins. By default all, for minutes."),
    ] = None,
    op: Annotated[
        list[str] | None, typer.Option(help="Check this operation only; may be repeated.")
    ] = None,
) -> Result:
    """Check all operations of a plugin.

    Values, gradients, second derivatives and manners: it is the conformance kit. Each plugin is
    checked in a process of its own: one that crashes is reported, and the rest is checked.
    """
    if names:
        plugins = [plugin_named(name) for name in dict.fromkeys(names)]
    else:
        # Those that failed as well, or nobody would miss their checks.
        plugins = [p for p in plugin_manager.seen() if p.record.state != "disabled"]
    operations, errors = loadable_operations()
    records = [plugin.record for plugin in dict.fromkeys(plugins)]
    problems = {
        record.name: f"it is not loaded ({record.state}): {record.cause}"
        for record in records
        if record.state != "loaded"
    }
    problems |= {vars(error)["plugin"]: str(error) for error in errors}
    outcomes = list(_wanted(records, operations, problems, op or []))
    _run(outcomes)
    ok = all(outcome.ok for outcome in outcomes)
    data = {"ok": ok, "plugins": [_data(outcome) for outcome in outcomes]}
    return Result(data, _printed(outcomes), ok)


def _wanted(
    records: list[PluginRecord],
    operations: tuple[Operation, ...],
    problems: dict[str, str],
    only: list[str],
) -> Iterator[_Outcome]:
    """Yield what is to be checked; of plugins that have none of the `only` ones, nothing.

    Raises
    ------
    MissingOperationError (TypeError)
        If none of the plugins has an operation of that name.
    """
    plugins = [record.name for record in records]
    found = tuple(operation for operation in operations if operation.plugin in plugins)
    if only:
        chosen = {operation_named(name, found).name for name in only}
        found = tuple(operation for operation in found if operation.name in chosen)
    for record in records:
        own = [operation.name for operation in found if operation.plugin == record.name]
        if own or not only:
            yield _Outcome(record, own, problems.get(record.name))


def _run(outcomes: list[_Outcome]) -> None:
    """Run the checks, with a progress bar where somebody looks."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=sum(len(outcome.operations) for outcome in outcomes))
        before = 0
        for outcome in outcomes:
            if not outcome.problem:
                for event in checked(outcome.record.name, outcome.operations):
                    done = before + outcome.operations.index(event["operation"])
                    what = f"{outcome.record.name}: {event['operation']}: {event['check']}"
                    bar.update(task, completed=done, description=what)
                    if "failure" in event:
                        outcome.failures.append(event)
                    elif "counts" in event:
                        outcome.counts.append(event["counts"])
            before += len(outcome.operations)


def _total(outcome: _Outcome) -> Any:
    from ..testing import Counts

    total = Counts()
    for counts in outcome.counts:
        total.add(Counts(**{**counts, "unpassed": set(counts["unpassed"])}))
    return total


def _data(outcome: _Outcome) -> dict[str, Any]:
    total = _total(outcome)
    return {
        "plugin": outcome.record.name,
        "distribution": outcome.record.distribution,
        "version": outcome.record.version,
        "ok": outcome.ok,
        "problem": outcome.problem,
        "operations": outcome.operations,
        "ran": total.ran,
        "skipped": total.skipped,
        "known_failures": total.known,
        "unpassed": sorted(total.unpassed),
        "failures": outcome.failures,
    }


def _printed(outcomes: list[_Outcome]) -> RenderableType:
    parts: list[RenderableType] = []
    for outcome in outcomes:
        title = Text(str(outcome.record), "bold")
        title.append(*_verdict(outcome))
        parts.append(title)
        lines = [outcome.problem] if outcome.problem else list(_failures(outcome))
        if not outcome.problem:
            lines.append(_total(outcome).summary(len(outcome.operations)))
        parts += map(indented, lines)
    failed = [outcome.record.name for outcome in outcomes if not outcome.ok]
    if failed:
        parts.append(Text(f"{len(failed)} of {len(outcomes)} failed: {', '.join(failed)}"))
    return Group(*parts) if parts else Text("No plugin is loaded: there is nothing to check.")


def _verdict(outcome: _Outcome) -> tuple[str, str]:
    if not outcome.ok:
        return ": FAILED", "red"
    if not _total(outcome).ran:
        return ": nothing was checked", "yellow"
    return ": passed", "green"


def _failures(outcome: _Outcome) -> Iterator[str]:
    """Yield the first failure of each operation, which often explains the others."""
    for operation in dict.fromkeys(failure["operation"] for failure in outcome.failures):
        first, *others = (f for f in outcome.failures if f["operation"] == operation)
        yield first["failure"]
        if others:
            yield f"  {operation} fails also: {'; '.join(f['check'] for f in others)}"
