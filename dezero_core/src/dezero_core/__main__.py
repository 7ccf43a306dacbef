"""``python -m dezero_core``: a list of the plugins, for which no tool need be installed."""

from __future__ import annotations

import sys

from .registry.plugins import plugins


def main() -> int:
    """List the plugins; return the exit status: 1 if one failed."""
    records = plugins()
    for record in records:
        print(f"{record}: {record.state}, {record.cause or f'{len(record.operations)} operations'}")
    if not records:
        print("No plugin is installed. The operators are in: pip install dezero-ops-basic")
    return int(any(record.is_broken for record in records))


if __name__ == "__main__":
    sys.exit(main())
