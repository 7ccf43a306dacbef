"""Where the command ``dezero`` starts, before the plugins are loaded.

What fails then is what the command reports; so it is not warned of as well, and does not stop it.
"""

from __future__ import annotations

import os
import sys
import warnings


def main() -> None:
    """Run the command that ``sys.argv`` holds, and exit with its status."""
    os.environ.pop("DEZERO_STRICT_PLUGINS", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import dezero_core  # noqa: F401
    try:
        from dezero_core.cli import app
    except ModuleNotFoundError as error:
        if error.name not in ("rich", "typer"):
            raise
        sys.exit(
            f"dezero: this command needs {error.name}. Install it with: pip install "
            "'dezero-core[cli]'. Without it, python -m dezero_core lists the plugins."
        )
    app(prog_name="dezero")
