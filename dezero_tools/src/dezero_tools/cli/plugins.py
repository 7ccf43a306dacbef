"""The command ``dezero plugins``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import distribution
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

import dezero_core
from dezero_core import PluginRecord
from dezero_core.extend import attempt, shown
from dezero_tools.providers import providers

from .output import Result, indented, table

#: In red is every other state, and a loaded plugin that is broken.
_STYLES = {"loaded": "green", "disabled": "yellow"}


def plugins() -> Result:
    """List the plugins, including those that are not loaded, with the reasons."""
    providers()  # imports all modules of operations, to find those that fail
    records = [record._replace(origin=_origin_of(record)) for record in dezero_core.plugins()]
    header, *rows = plugin_rows(records)
    lines: list[RenderableType] = [header]
    for record, row in zip(records, rows, strict=True):
        lines += [row, indented(record.origin, "dim", 4)]
        if record.cause:
            lines.append(indented(record.cause, by=4))
    ok = not any(record.is_broken for record in records)
    return Result([record._asdict() for record in records], Group(*lines), ok)


def plugin_rows(records: Sequence[PluginRecord], **more: Sequence[str]) -> list[Text]:
    """Return a header and a line for each plugin, without causes. `more` are further columns."""
    columns: dict[str, Sequence[str | Text]] = {
        "plugin": [record.name for record in records],
        "distribution": [record.distribution or "" for record in records],
        "version": [record.version or "" for record in records],
        "state": [
            Text(record.state, "red" if record.is_broken else _STYLES.get(record.state, "red"))
            for record in records
        ],
        "operations": [str(len(record.operations)) for record in records],
        "ms": [f"{record.milliseconds:.1f}" for record in records],
    }
    return table(columns | more, to_the_right=("operations", "ms"))


def _origin_of(record: PluginRecord) -> str:
    """Return the URL or folder that a plugin was installed from; else its module."""
    name: Any = record.distribution
    text = attempt(lambda: distribution(name).read_text("direct_url.json"))
    facts = attempt(lambda: json.loads(text), {})
    origin = attempt(lambda: facts["url"] + " (editable)" * facts["dir_info"].get("editable", 0))
    origin = origin or attempt(lambda: facts["url"])
    return shown(origin or attempt(lambda: str(distribution(name).locate_file("")), record.origin))
