"""The directive ``operations``: the functions of a plugin, family by family.

    .. operations:: math linalg

A family is a module of the plugin, and its title the first line of that module's docstring. The
second argument is a folder of the plugin; without it, the modules that are in none.
"""

from __future__ import annotations

import importlib
from itertools import groupby
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from dezero_core import Operation, ops


def module_of(operation: Operation) -> str:
    """Return the module that has the operation's function."""
    return operation.function.__module__


def folder_of(operation: Operation) -> str:
    """Return the folder of the plugin it is in: ``linalg``, or an empty string."""
    return ".".join(module_of(operation).split(".")[1:-1])


def public_name(operation: Operation) -> str:
    """Return the name to import the operation's function by."""
    package, *_ = module_of(operation).split(".")
    namespace = operation.name.rpartition(".")[0]
    return ".".join(filter(None, (package, namespace, operation.function.__name__)))


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
            title = (importlib.import_module(module).__doc__ or module).splitlines()[0].rstrip(".")
            text += [title, "-" * len(title), ""]
            for operation in family:
                text += [f".. autofunction:: {public_name(operation)}", ""]
        return self.parse_text_to_nodes("\n".join(text), allow_section_headings=True)


def add_bindings(app: Any, what: str, name: str, item: Any, options: Any, lines: list[str]) -> None:
    """Say below the first line of an operation's docstring what it is bound to."""
    operation = next((op for op in ops() if public_name(op) == name), None)
    if operation is not None:
        lines[1:1] = ["", bound_to(operation)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive."""
    app.add_directive("operations", Operations)
    # Before napoleon takes the sections apart.
    app.connect("autodoc-process-docstring", add_bindings, priority=400)
    return {"parallel_read_safe": True}
