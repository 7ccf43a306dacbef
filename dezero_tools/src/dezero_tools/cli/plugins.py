"""The command ``dezero plugins``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dezero_core.registry import manager
from dezero_core.registry.discovery import PluginRecord
from rich.console import Group, RenderableType
from rich.text import Text

from .result import Result, indented

_STYLES = {"loaded": "green", "disabled": "yellow"}
_ALIGN = {"operations": ">", "ms": ">"}


def plugins() -> Result:
    """List the plugins, including those that are not loaded, with the reasons."""
    manager.providers()  # imports all modules of operations, to find those that fail
    records = manager.plugins()
    header, *rows = plugin_rows(records)
    lines: list[RenderableType] = [header]
    for record, row in zip(records, rows, strict=True):
        lines += [row, indented(record.origin, "dim", 4)]
        if record.cause:
            lines.append(indented(record.cause, by=4))
    ok = not any(record.is_broken for record in records)
    return Result([record._asdict() for record in records], Group(*lines), ok)


def plugin_rows(records: Iterable[PluginRecord], **more: Sequence[str]) -> list[Text]:
    """Return a header and a line for each plugin, without causes. `more` are further columns.

    A table of rich does not serve here, since the caller prints other lines between the rows.
    """
    records = list(records)
    columns: dict[str, Sequence[str]] = {
        "plugin": [record.name for record in records],
        "distribution": [record.distribution or "" for record in records],
        "version": [record.version or "" for record in records],
        "state": [record.state for record in records],
        "operations": [str(len(record.operations)) for record in records],
        "ms": [f"{record.milliseconds:.1f}" for record in records],
        **more,
    }
    lines = [Text() for _ in ("header", *records)]
    for title, cells in columns.items():
        width = max(map(len, (title, *cells)))
        lines[0].append(f"{title:{_ALIGN.get(title, '<')}{width}}  ", "bold")
        for line, cell, record in zip(lines[1:], cells, records, strict=True):
            styled = "red" if record.is_broken else _STYLES.get(record.state, "red")
            style = styled if title == "state" else ""
            line.append(f"{cell:{_ALIGN.get(title, '<')}{width}}  ", style)
    for line in lines:
        line.rstrip()
    return lines
