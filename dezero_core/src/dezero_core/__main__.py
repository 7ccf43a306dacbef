"""``python -m dezero_core``: a list of the plugins, for which no tool need be installed."""

from __future__ import annotations

import json
import os
import sys

from .registry.plugins import plugins


def main(arguments: list[str]) -> int:
    """List the plugins; return the exit status: 1 if one failed, 2 for other arguments."""
    records = plugins()
    if arguments == ["--json"]:
        text = json.dumps([record._asdict() for record in records], indent=2)
    elif arguments:
        print(
            f"python -m dezero_core lists the plugins, and takes only --json, not {arguments[0]!r}."
            " The commands come with: pip install 'dezero-tools[cli]'",
            file=sys.stderr,
        )
        return 2
    else:
        lines = [
            f"{record}: {record.state}, {record.cause or f'{len(record.operations)} operations'}"
            for record in records
        ]
        text = "\n".join(lines) or "No plugin is installed."
    print(text, flush=True)
    os.dup2(2, 1)  # standard output holds the list alone, whatever plugins print at exit
    return int(any(record.is_broken for record in records))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
