"""Write dezero_core/_bound.pyi: the types that the sources of the core do not state.

These are the members that plugins of this repository bind onto Variable, and the results of `grad`.

    python dezero_core/make_bound.py

The distributions of operations must be installed. `dezero stubs` makes the same members of all
plugins that are installed, into a stub package.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path

from dezero_core.registry import manager
from dezero_tools.stubs.package import with_members

from dezero_core import grad

STUB = Path(__file__).parent / "src" / "dezero_core" / "_bound.pyi"
DISTRIBUTIONS = ("dezero-ops-basic", "dezero-ops-math")

HEADER = "# Written by `python dezero_core/make_bound.py`; a test says when it is stale."
EMPTY = '''
"""What Variable and `grad` are to type checkers.

The members of Variable are those that dezero-ops-basic and dezero-ops-math bind.
"""
from collections.abc import Sequence
from typing import Any, Literal, overload

from .variable import Variable

class Bound:
    """The base class of Variable to type checkers; there is no such class when a program runs."""
'''

#: The results of `grad` without and with `create_graph`, for one input and for several. Where
#: `create_graph` is not written in the call, either may be the result.
RESULTS = {
    "Variable": ("_numpy.ndarray[Any, Any]", "Variable"),
    "Sequence[Variable]": ("list[_numpy.ndarray[Any, Any]]", "list[Variable]"),
}
OVERLOAD = """
@overload
def grad(
    outputs: Variable | Sequence[Variable],
    inputs: {inputs},
    create_graph: {create_graph},
    grad_outputs: Any = None,
) -> {result}: ...
"""


def overloads() -> list[ast.stmt]:
    """Return the declarations of `grad`, the first with the docstring that it has in the core."""
    texts = [
        OVERLOAD.format(inputs=inputs, create_graph=create_graph, result=result)
        for inputs, (arrays, variables) in RESULTS.items()
        for create_graph, result in (
            ("Literal[False] = False", arrays),
            ("Literal[True]", variables),
            ("bool", f"{arrays} | {variables}"),
        )
    ]
    found = ast.parse("".join(texts)).body
    documentation = textwrap.indent(f"{inspect.getdoc(grad)}\n", "    ") + "    "
    found[0].body[:] = [ast.Expr(ast.Constant(documentation.lstrip()))]
    return found


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
    module = ast.parse(EMPTY)
    module.body += overloads()
    text = with_members(module, "Bound", manager.providers(), plugins)
    return f"{HEADER}\n{text}\n"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
