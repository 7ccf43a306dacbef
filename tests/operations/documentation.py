"""What is asked of the documentation of a package of operations."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
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


def public_functions(package: ModuleType) -> list[Any]:
    return [getattr(package, name) for name in package.__all__]


def operations(plugin: str) -> list[Operation]:
    return [operation for operation in ops() if operation.plugin == plugin]


def check_all_is_sorted_and_complete(package: ModuleType, plugin: str) -> None:
    """It holds the public functions of the operations, each under its own name."""
    assert package.__all__ == sorted(package.__all__)
    functions = [operation.function for operation in operations(plugin)]
    registered = {function.__name__: function for function in functions}
    assert {name: getattr(package, name) for name in package.__all__} == registered


def sections(function: Any) -> dict[str, str]:
    """Return the sections of a docstring in NumPy's style, by heading, in their order."""
    text = inspect.getdoc(function) or ""
    parts = re.split(r"^(\w+)\n(-+)$", text, flags=re.MULTILINE)
    headings, lines, bodies = parts[1::3], parts[2::3], parts[3::3]
    assert [len(line) for line in lines] == [len(heading) for heading in headings]
    return {"": parts[0], **dict(zip(headings, bodies, strict=True))}


def check_docstring(function: Any, plain: bool) -> None:
    """It has every section, says the derivative and the source, and has an example.

    `plain` says that the function returns plain arrays, which have no derivative.
    """
    found = sections(function)
    assert list(found) == ["", *SECTIONS]
    assert re.match(r".+\.$", found[""].strip().splitlines()[0])
    for name in inspect.signature(function).parameters:
        assert re.search(rf"^([\w, *]*\W)?{name}\b", found["Parameters"], re.MULTILINE), name
    assert plain or "Derivative" in found["Returns"]
    assert re.search(r"^ +\S|^\w.*Error", found["Raises"], re.MULTILINE)
    assert re.search(r"^Source: \S", found["Notes"], re.MULTILINE)
    assert ">>> " in found["Examples"]
