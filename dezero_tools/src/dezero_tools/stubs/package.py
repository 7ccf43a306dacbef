"""The stub package: makes its files, writes them, and finds stale ones."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

import dezero_core
from dezero_core import PluginLoadError
from dezero_tools.providers import providers

from ..errors import StubPackageError
from .bound import bound_stub

PACKAGE = "dezero_core-stubs"
"""The name of its folder, as PEP 561 asks for."""

_STUB = "bound.pyi"
_WRITTEN_BY = "# Written by `dezero stubs`: when plugins change, run that again."


def stub_package(partial: bool = False) -> dict[str, str]:
    """Return the stub package for the plugins that are loaded: name of each file -> its text.

    A partial package is for the folder that dezero_core is in. Pyright takes only one partial
    package for dezero_core, and prefers that of the environment to that of a project. So for any
    other folder the package has a stub of ``dezero_core`` itself.

    Raises
    ------
    PluginLoadError (RuntimeError)
        If a plugin is neither loaded nor disabled: the stubs would lack its members. If only a
        module of a loaded plugin cannot be imported, there is no error, and the stubs say so.
    """
    providers()  # imports all modules of operations, to find those that fail
    records = dezero_core.plugins()
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
    made_of = [f"dezero-core {dezero_core.__version__}"]
    made_of += [f"{each}, left out: {each.cause}" if each.cause else str(each) for each in records]
    return files_with(bound_stub(loaded), made_of, partial)


def files_with(stub: str, made_of: Iterable[str], partial: bool) -> dict[str, str]:
    """Return the files of a package with `stub` of `dezero_core.bound`, below lines `made_of`."""
    text = "\n".join([_WRITTEN_BY, *(f"# {line}" for line in made_of), stub, ""])
    if partial:  # type checkers read every other module from dezero_core itself
        return {"py.typed": "partial\n", _STUB: text}
    core = re.sub(r"^( *from )\.", r"\1dezero_core.", inspect.getsource(dezero_core), flags=re.M)
    return {"py.typed": "\n", "__init__.pyi": core, _STUB: text}


def write(folder: Path, partial: bool = False) -> None:
    """Write the `stub_package` into `folder`, in place of an older one, but of no other files."""
    package, files = _package_for(folder, partial)
    try:
        package.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            # A new file, for installers link what they install to a cache of all environments.
            (package / name).unlink(missing_ok=True)
            (package / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise StubPackageError(
            f"{package} cannot be written: {error.strerror}. Choose another folder: dezero stubs "
            "--output FOLDER",
            path=str(package),
        ) from error


def differences(folder: Path, partial: bool = False) -> list[str]:
    """Return a line for each stale part of the stub package in a folder; none if it is current."""
    package, files = _package_for(folder, partial)
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
    members = {
        "lacks": [name for name in after if name not in before],
        "has, though nothing binds it any more,": [name for name in before if name not in after],
        "has in another form": changed if old == new else [],
    }
    lines += [f"Variable {what} {', '.join(names)}" for what, names in members.items() if names]
    return lines or ["the files are not as they were written"]


def _package_for(folder: Path, partial: bool) -> tuple[Path, dict[str, str]]:
    """Return the folder of the package and its files; raise if foreign files are in it."""
    package, files = folder / PACKAGE, stub_package(partial)
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
    return package, files


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
        if isinstance(body, ast.ClassDef) and body.name == "Bound"
        for node in body.body
        if isinstance(node, ast.FunctionDef)
    }
