"""The start of the command ``dezero``, before the plugins are loaded.

A plugin that fails to load does not stop the command, and causes no warning: the command itself
reports the failure.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import TextIO

EXTRA = ("rich", "typer")
"""The modules that ``dezero-tools[cli]`` installs and every command needs."""


def main() -> int:
    """Run the command that ``sys.argv`` holds, and return its exit status."""
    results, load_warnings = begin()
    try:
        from dezero_tools.cli import main
    except ModuleNotFoundError as error:
        if error.name not in EXTRA:
            raise
        sys.exit(
            f"dezero: this command needs {error.name}. Install it with: pip install "
            "'dezero-tools[cli]'. Without it, python -m dezero_core lists the plugins."
        )
    return main(sys.argv[1:], results, load_warnings)


def begin() -> tuple[TextIO, list[str]]:
    """Take standard output, load plugins, and return the file for results and their warnings.

    Standard output is for results, which a program may read: from now to the end of the process,
    the output of plugins goes to standard error. The file descriptor is redirected, since libraries
    in C and child processes do not use ``sys.stdout``.
    """
    if sys.stdout is None:  # it was closed before the command began
        results: TextIO = open(os.devnull, "w")  # noqa: SIM115
    else:  # the buffer of sys.stdout holds only text of plugins: it goes to standard error
        encoding, errors = sys.stdout.encoding, sys.stdout.errors
        results = open(os.dup(1), "w", encoding=encoding, errors=errors)  # noqa: SIM115
        os.dup2(2, 1)
    # A plugin that fails must not end the command that reports it.
    strict = os.environ.pop("DEZERO_STRICT_PLUGINS", None)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import dezero_core

            dezero_core.plugins()
    finally:
        if strict is not None:
            os.environ["DEZERO_STRICT_PLUGINS"] = strict
    return results, [str(w.message) for w in caught if w.category is dezero_core.PluginWarning]
