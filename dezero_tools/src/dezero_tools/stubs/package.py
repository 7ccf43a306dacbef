"""The stub package: makes its files, writes them, and finds stale ones."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from dezero_core.contests import in_use
from dezero_core.errors import PluginLoadError
from dezero_core.registry import manager
from dezero_core.registry.discovery import PluginRecord
from dezero_core.registry.operation import Operation
from dezero_core.slots import SLOTS

from dezero_core import __version__, variable

from ..errors import StubPackageError
from .members import Members, alias
from .source import stub_of

PACKAGE = "dezero_core-stubs"
"""The name of its folder, as PEP 561 asks for."""

_STUB = "variable.pyi"
_OF_THE_CORE = "_bound.pyi"
_WRITTEN_BY = "# Written by `dezero stubs`: when plugins change, run that again."


def stub_package() -> dict[str, str]:
    """Return the stub package for the plugins that are loaded: name of each file -> its text.

    Raises
    ------
    PluginLoadError (RuntimeError)
        If a plugin is neither loaded nor disabled: the stubs would lack its members. If only a
        module of a loaded plugin cannot be imported, there is no error, and the stubs say so.
    """
    providers, records = manager.providers(), manager.plugins()
    missing = [record for record in records if record.state not in ("loaded", "disabled")]
    if missing:
        causes = " ".join(f"{record} is {record.state}: {record.cause}" for record in missing)
        without = ",".join(record.name for record in missing)
        raise PluginLoadError(
            f"the stubs would lack the members of plugins that are not loaded. "
            f"{causes.rstrip('.')}. To write the stubs without them: "
            f"DEZERO_DISABLE_PLUGINS={without} dezero stubs",
            plugin=missing[0].name,
            distribution=missing[0].distribution,
            version=missing[0].version,
        )
    loaded = {record.name: str(record) for record in records if record.state == "loaded"}
    text = with_members(stub_of(variable), "Variable", providers, loaded)
    made_of = [f"# dezero-core {__version__}", *(f"# {_described(record)}" for record in records)]
    stub = "\n".join([_WRITTEN_BY, *made_of, text, ""])
    # Of a package that has partial stubs elsewhere, pyright sees no stub beside the sources.
    others = Path(variable.__file__).with_name(_OF_THE_CORE).read_text(encoding="utf-8")
    # "partial": type checkers read every other module from dezero_core itself.
    return {"py.typed": "partial\n", _STUB: stub, _OF_THE_CORE: others}


def write(folder: Path) -> None:
    """Write the stub package into `folder`, and replace an older stub package.

    Raises
    ------
    StubPackageError (OSError)
        If the folder of the package has other files, or cannot be written.
    PluginLoadError (RuntimeError)
        As for `stub_package`.
    """
    package, files = folder / PACKAGE, stub_package()
    _refuse_foreign(package, files)
    try:
        package.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (package / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise StubPackageError(
            f"{package} cannot be written: {error.strerror}. Choose another folder: dezero stubs "
            "--output FOLDER",
            path=str(package),
        ) from error


def differences(folder: Path) -> list[str]:
    """Return a line for each stale part of the stub package in a folder; no line if it is current.

    Raises
    ------
    StubPackageError (OSError)
        If the folder of the package has other files.
    PluginLoadError (RuntimeError)
        As for `stub_package`.
    """
    package, files = folder / PACKAGE, stub_package()
    _refuse_foreign(package, files)
    found = {name: _read(package / name) for name in files}
    if not found[_STUB]:
        return [f"{folder} has no {PACKAGE}"]
    if found == files:
        return []
    old, new = _made_of(found[_STUB]), _made_of(files[_STUB])
    before, after = _members(found[_STUB]), _members(files[_STUB])
    lines = [f"made with {line}" for line in old if line not in new]
    lines += [f"there is now {line}" for line in new if line not in old]
    changed = [name for name in after if after[name] != before.get(name, after[name])]
    for what, names in (
        ("lacks", [name for name in after if name not in before]),
        ("has, though nothing binds it any more,", [n for n in before if n not in after]),
        ("has in another form", changed if old == new else []),
    ):
        if names:
            lines.append(f"Variable {what} {', '.join(names)}")
    return lines or ["the files are not as they were written"]


def with_members(
    tree: ast.Module,
    name: str,
    providers: Mapping[str, tuple[Operation, ...]],
    plugins: Mapping[str, str],
) -> str:
    """Return the text of a stub whose class of that name has the members that plugins bind.

    Parameters
    ----------
    tree : ast.Module
        The stub without these members. It has an import at least.
    name : str
    providers : mapping from str to tuple of Operation
        As `manager.providers` returns them.
    plugins : mapping from str to str
        Name of each plugin whose members it has -> the name for it in docstrings.
    """
    bound: dict[str, Operation] = {}
    for operations in providers.values():
        for operation in operations:
            for attribute in (*operation.dunders, *operation.methods):
                slot = SLOTS[attribute]
                if in_use(slot.written, slot.bindings) == operation.plugin:
                    bound[attribute] = operation
    members = Members()
    sources = [
        members.of(attribute, operation, provider)
        for plugin, provider in plugins.items()
        for attribute, operation in bound.items()
        if operation.plugin == plugin
    ]
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    # Type checkers take a class with __eq__ and without __hash__ for one that cannot be hashed.
    nodes = [node for source in sources for node in ast.parse(source).body]
    nodes += ast.parse("def __hash__(self) -> int: ...").body
    classes[name].body += nodes
    _Unshadowed({getattr(node, "name", "") for node in nodes}).visit(classes[name])
    below = tree.body.index(imports[-1]) + 1
    more = [ast.alias(module, alias(module)) for module in sorted(members.modules | {"builtins"})]
    tree.body[below:below] = [ast.Import([each]) for each in more]
    return _with_exemptions(ast.unparse(tree))


class _Unshadowed(ast.NodeTransformer):
    """Writes ``builtins.float`` for float if Variable has a method ``float`` that would hide it."""

    def __init__(self, methods: set[str]) -> None:
        self.shadowed = methods & set(dir(builtins))

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id not in self.shadowed:
            return node
        return ast.Attribute(ast.Name(alias("builtins")), node.id)


def _with_exemptions(text: str) -> str:
    """Return the text with a comment at the methods that override those of object on purpose."""
    compares = ("    def __eq__(", "    def __ne__(")
    return "\n".join(
        f"{line}  # type: ignore[override]" if line.startswith(compares) else line
        for line in text.split("\n")
    )


def _described(record: PluginRecord) -> str:
    return f"{record}, left out: {record.cause}" if record.cause else str(record)


def _refuse_foreign(package: Path, files: dict[str, str]) -> None:
    stub = package / _STUB
    others = [path for path in package.glob("*") if path.name not in files]
    if stub.exists() and not _read(stub).startswith(_WRITTEN_BY):
        others.append(stub)
    if others:
        raise StubPackageError(
            f"{min(others)} was not written by dezero stubs, and is left as it is. Remove "
            f"{package}, or choose another folder: dezero stubs --output FOLDER",
            path=str(min(others)),
        )


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _made_of(text: str) -> list[str]:
    """Return the lines of a stub that name the core and the plugins: its comments from line 2."""
    comments = takewhile(lambda line: line.startswith("# "), text.split("\n"))
    return [line.removeprefix("# ") for line in comments][1:]


def _members(text: str) -> dict[str, str]:
    """Return the members of Variable in a stub; none if the stub is not valid Python."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    return {
        node.name: ast.dump(node)
        for body in tree.body
        if isinstance(body, ast.ClassDef) and body.name == "Variable"
        for node in body.body
        if isinstance(node, ast.FunctionDef)
    }
