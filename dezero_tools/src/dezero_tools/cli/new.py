"""The command ``dezero new``."""

from __future__ import annotations

import json
import keyword
import os
import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from dezero_core import PLUGIN_API, __version__, plugins
from dezero_core.extend import normalized, shown

from ..errors import ProjectError, ProjectFolderError
from .output import Result

TEMPLATE = Path(__file__).with_name("template")
SUFFIX = ".template"
_LONGEST = 64
_TAKEN = {
    "dezero": "the package of the book has that name",
    "conftest": "pytest uses a module of that name for its own settings",
    "setup": "build tools use a module of that name",
    **dict.fromkeys(("test", "tests"), "its package would have the name of the folder of tests"),
    **dict.fromkeys(
        ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))),
        "Windows has no folder of that name",
    ),
}


def new(
    name: Annotated[str, typer.Argument(help="Name of the distribution, such as my-ops.")],
    into: Annotated[Path, typer.Option(help="Folder to make the project's folder in.")] = Path(),
    description: Annotated[
        str, typer.Option(help="Its purpose, in one line.")
    ] = "Differentiable operations for dezero_core",
    author: Annotated[str, typer.Option(help="Its authors.", show_default="the NAME authors")] = "",
) -> Result:
    """Write the project of a new plugin, with tests.

    The command overwrites nothing. If it fails, it leaves nothing behind.

    Raises
    ------
    ProjectError (ValueError)
        If `name` cannot be the name of a distribution, or is in use already; if `description` or
        `author` has more than one line.
    ProjectFolderError (OSError)
        If the folder exists, or cannot be written.
    """
    for argument, text in (("description", description), ("author", author)):
        if not text.isprintable():
            raise ProjectError(
                f"--{argument} must be one line of printable characters, got {text!r}. "
                "Nothing was written. Write a longer text into the README of the project.",
                argument=argument,
                got=text,
                rule="one line of printable characters",
            )
    project = normalized(name)
    package = project.replace("-", "_")
    rule = _broken_rule(name, project, package)
    if rule is not None:
        raise ProjectError(
            f"no plugin can be called {shown(repr(name), _LONGEST + 2)}: {rule}. Nothing was "
            "written. Choose another name.",
            argument="name",
            got=name,
            rule=rule,
        )
    # All plugins share the names of operations and methods. The operation has the name of the
    # package as a prefix, so that two new projects do not collide with each other, nor with a
    # name of Variable or a keyword of Python.
    operation = f"{package}_gauss"
    folder, author = into / project, author or f"the {project} authors"
    files = _write_project(
        folder,
        name=project,
        package=package,
        operation=operation,
        function_class="".join(part.capitalize() for part in operation.split("_")),
        description=description,
        author=author,
        # A string of JSON is one of TOML, too.
        quoted_description=json.dumps(description, ensure_ascii=False),
        quoted_author=json.dumps(author, ensure_ascii=False),
        core_version=".".join(__version__.split(".")[:2]),
        plugin_api=PLUGIN_API,
    )
    steps = [
        f"cd {shlex.quote(str(folder))}",
        'pip install -e ".[dev]"',
        f"dezero check {project}",
        "pytest",
    ]
    lines = [
        f"{folder} is a plugin with one operation, {operation}. Next:",
        "",
        *(f"    {step}" for step in steps),
        "",
        f"Then replace the operation in src/{package}/__init__.py by yours; see README.md.",
    ]
    data = {"name": project, "package": package, "operation": operation, "folder": str(folder)}
    return Result(data | {"files": files, "next": steps}, "\n".join(lines))


def _broken_rule(name: str, project: str, package: str) -> str | None:
    """Return why a plugin cannot have this name."""
    if not re.fullmatch("[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", name):
        return "a name such as my-ops has ASCII letters, digits, and between them '-', '_' or '.'"
    if len(project) > _LONGEST:
        return f"it has {len(project)} characters, and at most {_LONGEST} are allowed"
    if project in _TAKEN:
        return _TAKEN[project]
    if not package.isidentifier():
        return f"its package would be {package!r}, and no identifier begins with a digit"
    if keyword.iskeyword(package):
        return f"its package would be {package!r}, which is a keyword of Python"
    if package in sys.stdlib_module_names:
        return f"its package would hide the module {package!r} of the standard library"
    for record in plugins():
        if project in (normalized(record.name), normalized(record.distribution or "")):
            return f"{record} has that name"
    import importlib.metadata  # it takes as long as the rest of this command's module

    # A distribution and its package may have different names: PyYAML has the package `yaml`.
    if any(importlib.metadata.distributions(name=project)):
        return f"the distribution {project} is installed"
    spec = find_spec(package)
    if spec is not None:
        where = spec.origin or ", ".join(spec.submodule_search_locations or ())
        return f"its package would hide {package!r}, which is imported from {where}"
    return None


def _write_project(folder: Path, **answers: Any) -> list[str]:
    """Copy the template, with answers for ``$names`` in paths and ``*.template`` files; list it."""
    if os.path.lexists(folder):
        raise ProjectFolderError(
            f"{folder} exists, and dezero new overwrites nothing. Nothing was written. "
            "Choose another name, or another parent folder with --into.",
            folder=str(folder),
            cause="it exists",
        )
    try:
        # Write into a temporary folder, and rename it at the end. So a failure leaves nothing
        # behind, and files that another program has put into `folder` meanwhile stay.
        with TemporaryDirectory(prefix=".dezero-new-", dir=folder.parent) as temporary:
            made = Path(temporary, folder.name)
            for source in filter(Path.is_file, TEMPLATE.rglob("*")):
                name = Template(source.relative_to(TEMPLATE).as_posix()).substitute(answers)
                target = made / name.removesuffix(SUFFIX)
                target.parent.mkdir(parents=True, exist_ok=True)
                text = source.read_text("utf-8")
                if source.suffix == SUFFIX:
                    text = Template(text).substitute(answers)
                target.write_text(text, "utf-8", newline="\n")
            files = [path for path in made.rglob("*") if path.is_file()]
            made.rename(folder)
    except OSError as error:
        raise ProjectFolderError(
            f"{folder} cannot be made: {error}. Nothing was written. "
            "Choose a parent folder that exists and can be written, with --into.",
            folder=str(folder),
            cause=str(error),
        ) from error
    return sorted(path.relative_to(made).as_posix() for path in files)
