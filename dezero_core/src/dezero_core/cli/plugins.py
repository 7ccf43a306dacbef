"""``dezero plugins``."""

from __future__ import annotations

from rich.table import Table

from .. import plugin_manager
from .result import Result


def plugins() -> Result:
    """List every plugin that was seen: what it brings, or why it is not loaded."""
    records = plugin_manager.plugins()
    table = Table("plugin", "distribution", "version", "from", "state", "operations", "ms")
    for record in records:
        state = record.state if record.cause is None else f"{record.state}: {record.cause}"
        table.add_row(
            record.name,
            record.distribution or "",
            record.version or "",
            record.origin,
            state,
            str(len(record.operations)),
            f"{record.milliseconds:.1f}",
        )
    failed = any(record.state == "failed" for record in records)
    return Result([record._asdict() for record in records], table, ok=not failed)
