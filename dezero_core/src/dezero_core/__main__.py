"""``python -m dezero_core``: the command ``dezero``; without its extra, a list of the plugins."""

from __future__ import annotations

import json
import sys

from _dezero_command import EXTRA, print_result, take_output

from . import plugins


def list_plugins(arguments: list[str]) -> int:
    """List the plugins; return the exit status, 1 if one failed."""
    records = plugins()
    if arguments == ["--json"]:
        print_result(json.dumps([record._asdict() for record in records], indent=2))
    elif arguments:
        print(
            f"python -m dezero_core lists the plugins, and takes only --json, not {arguments[0]!r}."
            " The commands come with: pip install 'dezero-core[cli]'",
            file=sys.stderr,
        )
        return 2
    else:
        lines = [
            f"{record}: {record.state}, {record.cause or f'{len(record.operations)} operations'}"
            for record in records
        ]
        print_result("\n".join(lines) or "No plugin is installed.")
    return int(any(record.is_broken for record in records))


if __name__ == "__main__":
    take_output()
    try:
        from .cli import main
    except ModuleNotFoundError as error:
        if error.name not in EXTRA:
            raise
        main = list_plugins
    sys.exit(main(sys.argv[1:]))
