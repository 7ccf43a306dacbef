"""What is asked of the documentation of a package of operations."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import pydoc
import re
from operator import attrgetter
from types import ModuleType
from typing import Any

import numpy as np

import dezero_core
from dezero_core import Operation, ops

SECTIONS = ["Parameters", "Returns", "Raises", "Notes", "Examples"]


def modules(package: str) -> list[str]:
    """Return the names of a package and of all its modules."""
    found = pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
    return [package, *(module.name for module in found)]


def run_examples(name: str) -> doctest.TestResults:
    """Run the examples in a module, with what a reader has imported."""
    public = {name: getattr(dezero_core, name) for name in dezero_core.__all__}
    return doctest.testmod(importlib.import_module(name), extraglobs={"np": np, **public})


def operations(plugin: str) -> list[Operation]:
    return [operation for operation in ops() if operation.plugin == plugin]


def check_all_is_complete(package: ModuleType, plugin: str, names: list[str]) -> None:
    """It holds the public functions of the operations, each under its own name."""
    assert len(names) == len(set(names))
    registered = {operation.name: operation.function for operation in operations(plugin)}
    exported = {name: attrgetter(name)(package) for name in names}
    assert set(exported.values()) == set(registered.values())
    assert {name.rpartition(".")[2] for name in names} == {f.__name__ for f in exported.values()}


def sections(function: Any) -> dict[str, str]:
    """Return the sections of a docstring in NumPy's style, by heading, in their order."""
    text = inspect.getdoc(function) or ""
    parts = re.split(r"^(\w+)\n(-+)$", text, flags=re.MULTILINE)
    headings, lines, bodies = parts[1::3], parts[2::3], parts[3::3]
    assert [len(line) for line in lines] == [len(heading) for heading in headings]
    return {"": parts[0], **dict(zip(headings, bodies, strict=True))}


def check_docstring(operation: Operation) -> None:
    """`help` shows every section, types, errors, the derivative, the source, and an example."""
    function = operation.function
    found = sections(function)
    assert list(found) == ["", *SECTIONS]
    shown = pydoc.plain(pydoc.render_doc(function))
    assert [line.strip() for line in shown.splitlines() if line.strip() in SECTIONS] == SECTIONS
    assert re.match(r".+\.$", found[""].strip().splitlines()[0])
    for name in inspect.signature(function).parameters:
        described = rf"^([\w, *]*\W)?{name}\b[\w, *]* : \S"
        assert re.search(described, found["Parameters"], re.MULTILINE), name
    assert re.match(r"\n\S.*\n", found["Returns"])
    assert not operation.differentiable or "Derivative" in found["Returns"]
    assert re.search(r"^\w.*Error.*\n +[A-Z]", found["Raises"], re.MULTILINE)
    assert re.search(r"\bSource: \S", found["Notes"])
    assert ">>> " in found["Examples"]
