"""Imports inside the core point one way, and none leads to an operation."""

import ast
import importlib.util
import re
import sys
from pathlib import Path

import pytest

PACKAGE = Path(importlib.util.find_spec("dezero_core").origin).parent

#: Each may import those before it. A new module is given its place here.
ORDER = (
    *(
        "errors",
        "memory",
        "sums",
        "forks",
        "config",
        "known",
        "operators",
        "variable",
        "edges",
        "hidden",
    ),
    *("provenance", "observing", "calls", "function"),
    *(
        "gradients",
        "engine",
        "sampling",
        "registrar",
        "conflicts",
        "registry",
        "hookspecs",
        "distributions",
        "versions",
        "discovery",
        "loading",
        "choices",
        "plugin_manager",
        "preferences",
        "exports",
        "extend",
        "__init__",
        "__main__",
    ),
)

THIRD_PARTY = {"numpy", "pluggy", "importlib_metadata"}


class Imports(ast.NodeVisitor):
    """Collects what a module of the core imports when it runs, in functions as well."""

    def __init__(self, source):
        self.own = set()
        self.foreign = set()
        self.visit(ast.parse(source))

    def visit_If(self, node):
        """Look past what only type checkers see."""
        if ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for statement in node.orelse:
                self.visit(statement)
        else:
            self.generic_visit(node)

    def visit_Import(self, node):
        for alias in node.names:
            self._add(alias.name, [])

    def visit_ImportFrom(self, node):
        prefix = "dezero_core." if node.level else ""
        module = (prefix + (node.module or "")).rstrip(".")
        self._add(module, [alias.name for alias in node.names])

    def _add(self, module, names):
        top, _, below = module.partition(".")
        if top != "dezero_core":
            self.foreign.add(top)
        elif below:
            self.own.add(below)
        else:  # from . import registry, or from dezero_core import Variable
            self.own.update(name if name in ORDER else "__init__" for name in names or [""])


def test_every_module_of_the_core_has_its_place_in_the_order():
    assert {path.stem for path in PACKAGE.glob("*.py")} == set(ORDER)


@pytest.mark.parametrize("module", ORDER)
def test_a_module_imports_only_those_below_it(module):
    imports = Imports((PACKAGE / f"{module}.py").read_text("utf-8"))
    above = ORDER[ORDER.index(module) :]
    assert imports.own.isdisjoint(above), f"{module} imports {imports.own.intersection(above)}"
    assert imports.foreign <= THIRD_PARTY | sys.stdlib_module_names


def test_the_core_names_no_package_of_operations():
    """Not in an import statement, nor in a text that could be imported by name."""
    for path in PACKAGE.rglob("*.py"):
        assert "dezero_ops_" not in path.read_text("utf-8")


def test_the_core_names_the_tools_in_advice_alone():
    """Such advice names what to call or to install."""
    advice = re.compile(
        r"dezero_tools\.(numeric_op\(f\)|checked\(\))|pip install 'dezero-tools\[cli\]'"
    )
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        named = re.findall(r"dezero[_-]tools", advice.sub("", text))
        assert not named or path.name == "hookspecs.py", path


@pytest.mark.parametrize(
    ("source", "own", "foreign"),
    [
        ("from .engine import grad", {"engine"}, set()),
        ("from . import registry, known", {"registry", "known"}, set()),
        ("from . import Variable", {"__init__"}, set()),
        ("import dezero_core", {"__init__"}, set()),
        ("import dezero_core.engine as e", {"engine"}, set()),
        ("from dezero_core.engine import grad", {"engine"}, set()),
        ("from dezero_core import Variable", {"__init__"}, set()),
        ("def f():\n    from .engine import grad", {"engine"}, set()),
        (
            "try:\n    import scipy.linalg\nexcept ImportError:\n    import os",
            set(),
            {"scipy", "os"},
        ),
        ("if TYPE_CHECKING:\n    import a\nelse:\n    import b", set(), {"b"}),
        ("if later:\n    from .engine import grad", {"engine"}, set()),
    ],
)
def test_the_reader_of_imports_sees_every_way_to_import(source, own, foreign):
    imports = Imports(source)
    assert (imports.own, imports.foreign) == (own, foreign)
