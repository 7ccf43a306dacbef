"""The start of the command ``dezero``, before the plugins are loaded.

A plugin that fails to load does not stop the command, and causes no warning: the command itself
reports the failure.
"""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import suppress
from typing import TextIO

EXTRA = ("rich", "typer")
"""The modules that ``dezero-tools[cli]`` installs and every command needs."""

load_warnings: list[str] = []
"""The warnings about plugins that dezero_core gave while it was imported."""

_results: TextIO | None = None


def main() -> int:
    """Run the command that ``sys.argv`` holds, and return its exit status."""
    take_output()
    import_core()
    try:
        from dezero_tools.cli import main
    except ModuleNotFoundError as error:
        if error.name not in EXTRA:
            raise
        sys.exit(
            f"dezero: this command needs {error.name}. Install it with: pip install "
            "'dezero-tools[cli]'. Without it, python -m dezero_core lists the plugins."
        )
    return main(sys.argv[1:])


def import_core() -> None:
    """Import dezero_core and keep its warnings.

    ``DEZERO_STRICT_PLUGINS`` is ignored: a plugin that fails must not end the command that reports
    it.
    """
    strict = os.environ.pop("DEZERO_STRICT_PLUGINS", None)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import dezero_core
    finally:
        if strict is not None:
            os.environ["DEZERO_STRICT_PLUGINS"] = strict
    plugin_warnings = (w.message for w in caught if w.category is dezero_core.PluginWarning)
    load_warnings.extend(map(str, plugin_warnings))


def take_output() -> None:
    """Keep standard output for the results of the command, which a program may read.

    From now to the end of the process, the output of plugins goes to standard error. This function
    redirects the file descriptor, since libraries in C and child processes do not use
    ``sys.stdout``.
    """
    global _results
    if sys.stdout is None:  # it was closed before the command began
        return
    # The buffer of sys.stdout holds only text that a plugin has printed: it goes to standard error.
    encoding, errors = sys.stdout.encoding, sys.stdout.errors
    _results = open(os.dup(1), "w", encoding=encoding, errors=errors)  # noqa: SIM115
    os.dup2(2, 1)


def results() -> TextIO:
    """Return the file that results are printed to."""
    return _results or sys.stdout


def print_result(text: str) -> None:
    """Print a result and flush it, so that a closed pipe raises BrokenPipeError here."""
    try:
        print(text, file=results(), flush=True)
    except BrokenPipeError:
        # Close the file now: otherwise Python flushes it at exit, and prints the error once more.
        with suppress(BrokenPipeError):
            results().close()
        raise
