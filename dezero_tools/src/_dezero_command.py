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
    """Take standard output, and load the plugins of dezero_core.

    Return the file for results, and the warnings about plugins.
    """
    return _take_output(), _load_plugins()


def _load_plugins() -> list[str]:
    """Load the plugins of dezero_core, and return the warnings about them.

    ``DEZERO_STRICT_PLUGINS`` is ignored: a plugin that fails must not end the command that reports
    it.
    """
    strict = os.environ.pop("DEZERO_STRICT_PLUGINS", None)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import dezero_core

            dezero_core.plugins()
    finally:
        if strict is not None:
            os.environ["DEZERO_STRICT_PLUGINS"] = strict
    return [str(w.message) for w in caught if w.category is dezero_core.PluginWarning]


def _take_output() -> TextIO:
    """Keep standard output for the results of the command, which a program may read.

    From now to the end of the process, the output of plugins goes to standard error. This function
    redirects the file descriptor, since libraries in C and child processes do not use
    ``sys.stdout``.
    """
    if sys.stdout is None:  # it was closed before the command began
        return open(os.devnull, "w")
    # The buffer of sys.stdout holds only text that a plugin has printed: it goes to standard error.
    encoding, errors = sys.stdout.encoding, sys.stdout.errors
    results = open(os.dup(1), "w", encoding=encoding, errors=errors)  # noqa: SIM115
    os.dup2(2, 1)
    return results
