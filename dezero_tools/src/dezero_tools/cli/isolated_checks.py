"""The conformance kit in a process of its own: an operation that ends it ends no other's checks.

`run_isolated` starts such processes, and `main` is what they run. They report line by line, in
JSON, so that what was checked before a crash is known, and what was being checked.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from _dezero_command import print_result
from dezero_core.errors import cause_of, shown

_PROGRAM = (
    "import _dezero_command; _dezero_command.take_output(); _dezero_command.import_core(); "
    "from dezero_tools.cli.isolated_checks import main; main()"
)
_START = "the start of the checks"
_LINES = 8


def run_isolated(plugin: str, operations: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Check operations of a loaded plugin, each whatever becomes of the others.

    Yields
    ------
    dict
        ``{"operation": …, "check": …}`` before a check; and after it ``"failure"``, a message,
        or ``"counts"``, the fields of `testing.Counts`, with them.
    """
    left = list(operations)
    while left:
        event = {"operation": left[0], "check": _START}
        with tempfile.TemporaryFile("w+", errors="replace") as noise:
            with subprocess.Popen(
                [sys.executable, "-P", "-X", "faulthandler", "-c", _PROGRAM, plugin, *left],
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=noise,
                text=True,
            ) as process:
                assert process.stdout is not None
                for line in process.stdout:
                    event = json.loads(line)
                    if event:
                        yield event
            if not event:
                return
            noise.seek(0)
            crash = _described(process.returncode, noise)
        yield {**event, "failure": f"{event['operation']}: {event['check']}: {crash}"}
        if event["check"] == _START:
            return  # the others would not start either
        left = left[left.index(event["operation"]) + 1 :]


def _described(status: int, noise: TextIO) -> str:
    """Return how a process ended, with what it said at last."""
    how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    lines = [shown(line.rstrip()) for line in noise if line.strip()]
    fatal = [number for number, line in enumerate(lines) if line.startswith("Fatal Python error")]
    start = fatal[0] if fatal else max(len(lines) - _LINES, 0)
    said = [f"  {line}" for line in lines[start : start + _LINES]]
    return "\n".join([f"it ended the process ({how})", *said])


def main() -> None:
    """Run the checks of the operations that ``sys.argv`` names, after their plugin."""
    plugin, *operations = sys.argv[1:]
    with warnings.catch_warnings(action="ignore"):
        for operation in operations:
            for event in _events(plugin, operation):
                print_result(json.dumps(event))
        print_result("{}")


def _events(plugin: str, operation: str) -> Iterator[dict[str, Any]]:
    from ..testing import CheckError, checks_of

    event: dict[str, Any] = {"operation": operation, "check": "its sample"}
    try:
        for check in checks_of(plugin, [operation]):
            event = {"operation": operation, "check": check.name}
            yield event
            try:
                counts = check.run()
            except CheckError as error:
                facts = {name: repr(vars(error).get(name)) for name in ("call", "expected", "got")}
                yield {**event, **facts, "failure": str(error)}
            else:
                yield {**event, "counts": {**vars(counts), "unpassed": sorted(counts.unpassed)}}
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        yield {**event, "failure": f"{operation}: {event['check']}: {cause_of(error)}"}
