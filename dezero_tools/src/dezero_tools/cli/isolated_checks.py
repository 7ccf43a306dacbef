"""The conformance kit in a process of its own, so that a crash of one operation stops no others.

The process reports each check by a line of JSON before and after it: so a crashed one is known.
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

from dezero_core.extend import cause_of, shown

from .output import begin, print_result

_PROGRAM = (
    "import _dezero_command; results, _ = _dezero_command.begin(); "
    "from dezero_tools.cli.isolated_checks import main; main(results)"
)
_START = "the start of the checks"
_ALLOW_EMPTY = "allow empty"
_LINES = 8


def run_isolated(
    plugin: str, operations: Sequence[str], allow_empty: bool, array: str | None = None
) -> Iterator[dict[str, Any]]:
    """Check operations of a loaded plugin. A crash of one does not stop the checks of the others.

    Yield ``{"operation": …, "check": …}`` before a check, and after it the same with ``"failure"``,
    a message, and facts of the error, or with ``"counts"``, the fields of `testing.Counts`.
    """
    left, begun = list(operations), (plugin, _ALLOW_EMPTY if allow_empty else "", array or "")
    while left:
        event = {"operation": left[0], "check": _START}
        with tempfile.TemporaryFile("w+", errors="replace") as noise:
            with subprocess.Popen(
                [sys.executable, "-P", "-X", "faulthandler", "-c", _PROGRAM, *begun, *left],
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
            crash = _crash_message(process.returncode, noise)
        yield {**event, "failure": f"{event['operation']}: {event['check']}: {crash}"}
        if event["check"] == _START:
            return  # the checks of the other operations would not start either
        left = left[left.index(event["operation"]) + 1 :]


def _crash_message(status: int, noise: TextIO) -> str:
    """Return a message about the end of a process, with the last lines of its output."""
    how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    lines = [shown(line.rstrip()) for line in noise if line.strip()]
    fatal = [number for number, line in enumerate(lines) if line.startswith("Fatal Python error")]
    start = fatal[0] if fatal else max(len(lines) - _LINES, 0)
    said = [f"  {line}" for line in lines[start : start + _LINES]]
    return "\n".join([f"it ended the process ({how})", *said])


def main(results: TextIO) -> None:
    """Run the checks that ``sys.argv`` names, and print what they give into `results`."""
    begin(results)
    plugin, empty, array, *operations = sys.argv[1:]
    with warnings.catch_warnings(action="ignore"):
        for operation in operations:
            for event in _events(plugin, operation, empty == _ALLOW_EMPTY, array):
                print_result(json.dumps(event))
        print_result("{}")


def _events(plugin: str, operation: str, allow_empty: bool, array: str) -> Iterator[dict[str, Any]]:
    from ..testing import CheckError, checks_of

    event: dict[str, Any] = {"operation": operation, "check": "its sample"}
    try:
        for check in checks_of(plugin, [operation], allow_empty, array or None):
            event = {"operation": operation, "check": check.name}
            yield event
            try:
                counts = check.run()
            except CheckError as error:
                facts = vars(error)
                shown_as = {name: repr(facts.get(name)) for name in ("call", "expected", "got")}
                plain = {name: facts.get(name) for name in ("size", "order", "dtype")}
                yield {**event, **shown_as, **plain, "failure": str(error)}
            else:
                yield {**event, "counts": {**vars(counts), "unpassed": sorted(counts.unpassed)}}
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        yield {**event, "failure": f"{operation}: {event['check']}: {cause_of(error)}"}
