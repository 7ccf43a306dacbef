"""Write dezero_core/_bound.pyi: the members that plugins of this repository bind onto Variable.

    python dezero_core/make_bound.py

The distributions of operations must be installed. `dezero stubs` makes the same members of all
plugins that are installed, into a stub package.
"""

from __future__ import annotations

import ast
from pathlib import Path

from dezero_core.registry import manager
from dezero_tools.stubs.package import with_members

STUB = Path(__file__).parent / "src" / "dezero_core" / "_bound.pyi"
DISTRIBUTIONS = ("dezero-ops-basic", "dezero-ops-math")

HEADER = "# Written by `python dezero_core/make_bound.py`; a test says when it is stale."
EMPTY = '''
"""The members of Variable that dezero-ops-basic and dezero-ops-math bind, for type checkers."""
from typing import Any

from .variable import Variable

class Bound:
    """The base class of Variable to type checkers; there is no such class when a program runs."""
'''


def stub() -> str:
    """Return the text of the file.

    Raises
    ------
    SystemExit
        If a distribution is not loaded: the file would lack its members.
    """
    loaded = {
        record.distribution: record.name for record in manager.plugins() if record.state == "loaded"
    }
    missing = [distribution for distribution in DISTRIBUTIONS if distribution not in loaded]
    if missing:
        raise SystemExit(f"not installed, or not loaded: {', '.join(missing)}")
    plugins = {loaded[distribution]: distribution for distribution in DISTRIBUTIONS}
    text = with_members(ast.parse(EMPTY), "Bound", manager.providers(), plugins)
    return f"{HEADER}\n{text}\n"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
