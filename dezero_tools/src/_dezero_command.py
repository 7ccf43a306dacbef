"""Where the command ``dezero`` starts, before the plugins are loaded.

What fails then is what the command reports; so it is not warned of as well, and does not stop it.
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
"""What dezero_core has warned of when it was imported."""

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
    """Import dezero_core, whatever ``DEZERO_STRICT_PLUGINS`` says: failures are to be reported."""
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
    """Keep standard output for results, which a program may read; nobody else reaches it.

    Output of plugins, from now to the end of the process, goes to standard error. That is done to
    the file descriptor, since libraries in C and child processes know no ``sys.stdout``.
    """
    global _results
    if sys.stdout is None:  # it was closed before the command began
        return
    # What is in the buffer now a plugin has printed: it goes where the rest will go.
    encoding, errors = sys.stdout.encoding, sys.stdout.errors
    _results = open(os.dup(1), "w", encoding=encoding, errors=errors)  # noqa: SIM115
    os.dup2(2, 1)


def results() -> TextIO:
    """Return where results are printed."""
    return _results or sys.stdout


def print_result(text: str) -> None:
    """Print a result, at once: so it is the caller who learns that the reader is gone."""
    try:
        print(text, file=results(), flush=True)
    except BrokenPipeError:
        with suppress(BrokenPipeError):  # or Python would say at the end that it is still there
            results().close()
        raise
