"""The directives ``operations`` and ``all-operations``: the functions of plugins.

    .. operations:: math linalg

documents the functions of a plugin, family by family. A family is a module of the plugin; its title
is the module's name, and the first line of the module's docstring stands below. The second argument
is a folder of the plugin; without it, the modules that are in none.

    .. all-operations:: basic math

lists the operations of these plugins by all their names, from A to Z, each with a link to its
documentation.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from itertools import groupby
from typing import Any

from docutils import nodes
from operation_names import folder_of, module_of, names_in_numpy, public_name
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from dezero_core import Operation, ops


def bound_to(operation: Operation) -> str:
    """Return in a sentence what calls it."""
    numpy = [f"``{_numpy_name(function)}``" for function in operation.numpy]
    dunders = [f"``{name}``" for name in operation.dunders if name != "__array_priority__"]
    methods = [f"``x.{name}``" for name in operation.methods]
    callers = ", ".join([*numpy, *methods, *dunders])
    return f"Bound to: {callers}." if callers else "Bound to nothing; call it by its name."


def _numpy_name(function: Any) -> str:
    module = getattr(function, "__module__", None) or "numpy"
    return f"{module}.{function.__name__}".replace("numpy", "np", 1)


class Operations(SphinxDirective):
    """Documents each function of the families, with what it is bound to."""

    required_arguments = 1
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        plugin, folder = (*self.arguments, "")[:2]
        found = [op for op in ops() if op.plugin == plugin and folder_of(op) == folder]
        if not found:
            raise self.error(f"plugin {plugin!r} has no operations in {folder!r}")
        text = []
        for module, family in groupby(sorted(found, key=module_of), module_of):
            title = module.rpartition(".")[2].replace("_", " ").capitalize()
            text += [title, "-" * len(title), "", first_line(importlib.import_module(module)), ""]
            for operation in family:
                signature = declared_signature(operation.function)
                text += [f".. autofunction:: {place_of(operation)}{signature}", ""]
        return self.parse_text_to_nodes("\n".join(text), allow_section_headings=True)


def place_of(operation: Operation) -> str:
    """Return the public name, with ``::`` behind the module if an object has the function."""
    name = public_name(operation)
    module, _, rest = name.rpartition(".")
    while importlib.util.find_spec(module) is None:
        module, _, owner = module.rpartition(".")
        rest = f"{owner}.{rest}"
    return f"{module}::{rest}" if "." in rest else name


class AllOperations(SphinxDirective):
    """Lists the operations of plugins by name, each with a link, its purpose and its plugin."""

    required_arguments = 1
    optional_arguments = 99

    def run(self) -> list[nodes.Node]:
        found = [operation for operation in ops() if operation.plugin in self.arguments]
        named = [(name, op) for op in found for name in names_in_numpy(op) or [op.name]]
        text = []
        for letter, group in groupby(sorted(named, key=by_last_name), initial):
            text += [letter, "-" * len(letter), "", ".. list-table::", "   :widths: 30 60 10", ""]
            for name, operation in group:
                text += [
                    f"   * - :py:func:`{name} <{public_name(operation)}>`",
                    f"     - {first_line(operation.function)}",
                    f"     - {operation.plugin}",
                ]
            text.append("")
        return self.parse_text_to_nodes("\n".join(text), allow_section_headings=True)


def declared_signature(function: Any) -> str:
    """Return the signature of a function that its class declares, of others an empty string.

    Sphinx reads defaults from the source. A declared function has none, and before Python 3.13
    inspect gives the source of the function above it.
    """
    if f"def {function.__name__}(" in inspect.getsource(function):
        return ""
    signature = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(inspect.Signature(bare)).replace("<no value>", "np._NoValue")


def by_last_name(named: tuple[str, Operation]) -> tuple[str, str]:
    """Order ``np.linalg.inv`` by ``inv``, and then by the whole name."""
    return named[0].rpartition(".")[2], named[0]


def initial(named: tuple[str, Operation]) -> str:
    """Return the letter that a name is listed under."""
    return by_last_name(named)[0][0].upper()


def first_line(documented: Any) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def add_bindings(app: Any, what: str, name: str, item: Any, options: Any, lines: list[str]) -> None:
    """Say below the first line of an operation's docstring what it is bound to."""
    operation = next((op for op in ops() if public_name(op) == name), None)
    if operation is not None:
        lines[1:1] = ["", bound_to(operation)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directives."""
    app.add_directive("operations", Operations)
    app.add_directive("all-operations", AllOperations)
    # Before napoleon takes the sections apart.
    app.connect("autodoc-process-docstring", add_bindings, priority=400)
    return {"parallel_read_safe": True}
