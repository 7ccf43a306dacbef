"""Imports inside the core point one way, in few layers, and none leads to an operation.

Promise: docs/architecture.md
"""

import ast
import importlib.util
import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from dezero_core.bound import Bound

from dezero_core import Variable

PACKAGE = Path(importlib.util.find_spec("dezero_core").origin).parent

#: ``config``, ``registry.loading``; ``registry`` is the ``__init__.py`` of a folder.
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}

THIRD_PARTY = {"numpy", "pluggy", "importlib_metadata"}

LAYERS = 9
LAYERS_OF_A_FOLDER = 5


class Imports(ast.NodeVisitor):
    """Collects the imports of a module, also those in functions and for type checkers alone."""

    def __init__(self, source, module="engine"):
        self.own = set()
        self.foreign = set()
        is_package = MODULES[module].name == "__init__.py" and module != "__init__"
        self._package = ["dezero_core", *module.split(".")][: None if is_package else -1]
        self.visit(ast.parse(source))

    def visit_Import(self, node):
        for alias in node.names:
            self._add(alias.name, [])

    def visit_ImportFrom(self, node):
        if node.level:
            package = self._package[: len(self._package) - node.level + 1]
            self._add(".".join([*package, *filter(None, [node.module])]), node.names)
        else:
            self._add(node.module, node.names)

    def _add(self, module, aliases):
        top, _, below = module.partition(".")
        if top != "dezero_core":
            self.foreign.add(top)
            return
        for name in [alias.name for alias in aliases] or [""]:
            inside = f"{below}.{name}".strip(".")
            # from . import loading, from .loading import load, from . import Variable
            self.own.add(inside if inside in MODULES else below or "__init__")


def imports_of(module):
    return Imports(MODULES[module].read_text("utf-8"), module)


def arrows():
    """Return module -> the modules of the core that it imports."""
    return {module: imports_of(module).own for module in MODULES}


def room_of(module):
    return module.partition(".")[0]


def between_rooms():
    """Return the same for the plan of the core, on which a folder is one room."""
    plan = {room_of(module): set() for module in MODULES}
    for module, others in arrows().items():
        plan[room_of(module)] |= set(map(room_of, others)) - {room_of(module)}
    return plan


def inside_of(folder):
    return {
        module: {other for other in others if room_of(other) == folder}
        for module, others in arrows().items()
        if room_of(module) == folder
    }


def layers(graph):
    """Return the layers of a graph of imports: each module is above all those it imports.

    Raises
    ------
    CycleError
    """
    layer_of = {}
    for module in TopologicalSorter(graph).static_order():
        layer_of[module] = 1 + max((layer_of[other] for other in graph[module]), default=0)
    return layer_of


def test_imports_of_the_core_close_no_circle_between_files_or_folders():
    for graph in (arrows(), between_rooms()):
        layers(graph)


def test_imports_of_the_core_have_few_layers():
    assert max(layers(between_rooms()).values()) <= LAYERS
    assert max(layers(inside_of("registry")).values()) <= LAYERS_OF_A_FOLDER


@pytest.mark.parametrize("module", sorted(MODULES))
def test_modules_of_the_core_import_only_declared_distributions(module):
    assert imports_of(module).foreign <= THIRD_PARTY | sys.stdlib_module_names


def test_the_test_of_imports_finds_a_circle():
    with pytest.raises(CycleError):
        layers({"engine": {"variable"}, "variable": {"edges"}, "edges": {"engine"}})


def test_the_core_has_no_stub_and_its_class_for_the_stubs_of_others_is_empty():
    assert list(PACKAGE.rglob("*.pyi")) == []
    assert Variable.__mro__ == (Variable, Bound, object)
    of_python = {"__firstlineno__", "__static_attributes__"}  # from 3.13 on
    assert vars(Bound).keys() - of_python == {"__module__", "__doc__", "__slots__"}


def test_the_core_names_no_package_of_operations():
    """Not in an import statement, nor in a text that could be imported by name."""
    for path in PACKAGE.rglob("*.py"):
        assert "dezero_ops_" not in path.read_text("utf-8")


def test_the_core_names_the_tools_in_advice_alone():
    """Such advice names what to call or to install."""
    advice = re.compile(
        r"dezero_tools\.(numeric_op\(f\)|checked\(\)|functional\.grad\(f\)|numpy)"
        r"|pip install 'dezero-tools\[cli\]'"
    )
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        named = re.findall(r"dezero[_-]tools", advice.sub("", text))
        assert not named or path.name == "registrar.py", path


@pytest.mark.parametrize(
    ("source", "own", "foreign"),
    [
        ("from .engine import grad", {"engine"}, set()),
        ("from . import errors, notes", {"errors", "notes"}, set()),
        ("from . import Variable", {"__init__"}, set()),
        ("from .registry.loading import load", {"registry.loading"}, set()),
        ("from .registry import loading", {"registry.loading"}, set()),
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
        ("if TYPE_CHECKING:\n    from .engine import grad", {"engine"}, set()),
        ("if later:\n    from .engine import grad", {"engine"}, set()),
    ],
)
def test_the_reader_of_imports_sees_every_way_to_import(source, own, foreign):
    imports = Imports(source)
    assert (imports.own, imports.foreign) == (own, foreign)


@pytest.mark.parametrize(
    ("source", "own"),
    [
        ("from . import registrar", {"registry.registrar"}),
        ("from .loading import load", {"registry.loading"}),
        ("from ..variable import Variable", {"variable"}),
        ("from .. import engine, Variable", {"engine", "__init__"}),
    ],
)
def test_the_reader_of_imports_knows_the_folder_that_a_module_is_in(source, own):
    assert Imports(source, "registry.choices").own == own


def test_a_calculation_imports_no_masked_arrays(run_python):
    """NumPy imports them when somebody asks for them, which takes longer than the core."""
    outcome = run_python(
        "import sys, numpy as np, dezero_core\n"
        "x = dezero_core.Variable(np.array([1.0, 2.0]))\n"
        "dezero_core.as_variable(x)\n"
        "try:\n    dezero_core.Variable([1.0])\nexcept TypeError:\n    pass\n"
        "out['imported'] = 'numpy.ma' in sys.modules",
        fresh=True,
    )
    assert not outcome.out.imported
