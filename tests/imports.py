"""Reads which modules import which, also in functions, for type checkers alone, and by name.

An import by name is a text that is the full name of a module, as ``"dezero_nn.layers:Linear"``.
"""

import ast
import importlib.util
import re

_NAME = re.compile(r"\w+(\.\w+)+")


def modules_of(package):
    """Return the modules in the folder of a package: name -> path.

    The ``__init__.py`` of a folder has the name of the folder: ``dezero_dask.sums``.
    """
    return {
        ".".join((package.name, *path.relative_to(package).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): path
        for path in sorted(package.rglob("*.py"))
    }


def names_imported(source, package):
    """Return the names that a module of a package imports: of modules, and of things in them."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            relative = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(relative, package)
            names += [f"{base}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.partition(":")[0]
            names += [name] if _NAME.fullmatch(name) else []
    return names


def imports_of(source, module, modules):
    """Return the modules of a package, of these names and paths, that a module of it imports.

    A folder is among them if its ``__init__.py`` runs for the import, and not before.
    """
    package = module if modules[module].name == "__init__.py" else module.rpartition(".")[0]
    above = set(_folders_of(module, modules))
    found = set()
    for name in names_imported(source, package):
        several = _folders_of(name, modules)
        # The last one is named; of a folder around it, the `__init__.py` runs first.
        found |= {*several[-1:], *(folder for folder in several if folder not in above)}
    return found - {module}


def graph_of(modules):
    """Return module -> the modules of its package that it imports, from names and paths."""
    return {
        name: imports_of(path.read_text("utf-8"), name, modules) for name, path in modules.items()
    }


def _folders_of(name, modules):
    """Return a module and the folders that it is in, from the name of it or of something in it."""
    parts = name.split(".")
    found = [".".join(parts[:n]) for n in range(1, len(parts) + 1)]
    return [part for part in found if part in modules]
