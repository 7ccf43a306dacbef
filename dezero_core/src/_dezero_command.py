"""Where the command ``dezero`` starts, before the plugins are loaded.

What fails then is what the command reports; so it is not warned of as well, and does not stop it.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

EXTRA = ("rich", "typer")
"""The modules that ``dezero-core[cli]`` installs and every command needs."""

load_warnings: list[str] = []
"""What dezero_core has warned of when it was imported."""


def main() -> int:
    """Run the command that ``sys.argv`` holds, and return its exit status."""
    import_core()
    try:
        from dezero_core.cli import main
    except ModuleNotFoundError as error:
        if error.name not in EXTRA:
            raise
        sys.exit(
            f"dezero: this command needs {error.name}. Install it with: pip install "
            "'dezero-core[cli]'. Without it, python -m dezero_core lists the plugins."
        )
    return main(sys.argv[1:])


def import_core() -> None:
    """Import dezero_core, whatever ``DEZERO_STRICT_PLUGINS`` says: failures are to be reported."""
    strict = os.environ.pop("DEZERO_STRICT_PLUGINS", None)
    try:
        with aside(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import dezero_core
    finally:
        if strict is not None:
            os.environ["DEZERO_STRICT_PLUGINS"] = strict
    plugin_warnings = (w.message for w in caught if w.category is dezero_core.PluginWarning)
    load_warnings.extend(map(str, plugin_warnings))


@contextmanager
def aside() -> Iterator[None]:
    """Send what is printed meanwhile to standard error, and ignore warnings.

    For code of plugins: standard output is for results, which a program may read. The file
    descriptor is redirected, since libraries in C and child processes know no ``sys.stdout``.
    """
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.stdout.flush()
        os.dup2(output, 1)
        os.close(output)
