"""The modules of operations are imported when one of their functions is first needed.

Promise: CONTRIBUTING.md
"""

import ast
import os
import pkgutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import dezero_ops_math.families
import pytest

import dezero_core
import dezero_ops_basic
import dezero_ops_math
from dezero_core import Registrar

ANNOUNCED = dict(dezero_ops_math.families.announcements())
BASIC = sorted(m.name for m in pkgutil.iter_modules(dezero_ops_basic.__path__))
SCIPY = find_spec("dezero_ops_scipy")
FOLDERS = {
    f"dezero_ops_math.{name}": table for name, table in dezero_ops_math.families.FOLDERS.items()
}


def fresh(code):
    """Run code in a new interpreter, and return what it puts into `out`."""
    script = f"import sys\nout = {{}}\n{code}\nprint(out)"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DEZERO_")}
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert run.returncode == 0, run.stderr
    return ast.literal_eval(run.stdout)


def test_every_module_of_operations_is_announced():
    found = pkgutil.walk_packages(dezero_ops_math.__path__, "dezero_ops_math.")
    names = [m.name for m in found if hasattr(import_module(m.name), "register_ops")]
    assert sorted(names) == sorted(f"dezero_ops_math.{module}" for module in ANNOUNCED)


@pytest.mark.parametrize("module", ANNOUNCED)
def test_a_module_of_operations_registers_exactly_its_announced_names(module):
    registrar = Registrar("test")
    registrar.later(f"dezero_ops_math.{module}", **ANNOUNCED[module])
    (announcement,) = registrar.announcements
    late = announcement.registrations_of(import_module(f"dezero_ops_math.{module}"), None)
    assert late.operations.keys() == registrar.operations.keys()


#: Modules that take a millisecond and more, of which the import of the core needs none.
COSTLY = {"dataclasses", "difflib", "email", "importlib_metadata", "json", "pathlib", "traceback"}
COSTLY |= {"dezero_tools.cli", "rich", "typer"}
COSTLY |= {
    "dezero_tools.functional",
    "dezero_tools.testing",
    "zipfile",
}
COSTLY |= {"numpy.fft", "numpy.ma", "numpy.random", "zipfile"}
COSTLY |= {"dezero_tools.drawing", "graphlib", "html", "subprocess", "xml"}
COSTLY |= {"ast", "dezero_tools.numeric", "dezero_tools.observers", "dezero_tools.stubs"}


NEW = "import numpy\nbefore = set(sys.modules)\n{}\nout['new'] = sorted(set(sys.modules) - before)"


def test_importing_the_core_imports_no_plugin_and_few_modules():
    new = fresh(NEW.format("import dezero_core"))["new"]
    assert COSTLY.isdisjoint(new)
    assert {name.partition(".")[0] for name in new if name.startswith("dezero_")} == {"dezero_core"}


def test_importing_the_tools_or_replay_loads_no_plugin():
    """So that a warning of a plugin names the line of the user's first Variable."""
    new = fresh(NEW.format("import dezero_replay, dezero_tools.functional"))["new"]
    assert [name for name in new if name.startswith("dezero_ops_")] == []


def test_the_first_variable_imports_the_operators_and_no_operation_of_math():
    new = fresh(NEW.format("import dezero_core\ndezero_core.Variable(numpy.ones(2))"))["new"]
    # Those that importlib_metadata imports, which finds the plugins.
    assert COSTLY.isdisjoint({*new} - {"email", "importlib_metadata", "json", "pathlib", "zipfile"})
    assert {name for name in new if name.startswith("dezero_ops_")} == {
        *("dezero_ops_basic", *(f"dezero_ops_basic.{module}" for module in BASIC)),
        *("dezero_ops_math", "dezero_ops_math.families", "dezero_ops_math.plugin"),
        *(f"dezero_ops_scipy{module}" for module in ("", ".families", ".plugin") if SCIPY),
    }


@pytest.mark.parametrize(
    ("use", "modules"),
    [
        ("np.sin(x)", ["dezero_ops_math.elementwise.trigonometric"]),
        ("x.max(), np.amax(x)", ["dezero_ops_math.reductions.extrema"]),
        ("x.T", ["dezero_ops_math.shape.axes"]),
        ("np.linalg.matrix_transpose(np.eye(2) * x)", ["dezero_ops_math.shape.axes"]),
        ("np.fft.fft(x)", ["dezero_ops_math.fft.standard"]),
        ("np.array_equal(x, x)", ["dezero_ops_math.elementwise.logic"]),
    ],
)
def test_the_first_use_of_an_operation_imports_its_module(use, modules):
    families = [f"dezero_ops_math.{module}" for module in ANNOUNCED]
    out = fresh(
        "import numpy as np\nfrom dezero_core import Variable\n"
        f"x = Variable(np.array([1.0, 2.0]))\n{use}\n"
        f"out['imported'] = [name for name in {families} if name in sys.modules]"
    )
    assert set(modules) <= set(out["imported"])
    assert len(out["imported"]) <= 4  # those that it imports in turn


def test_packages_export_their_functions_before_the_modules_are_imported():
    out = fresh(
        """
import dezero_ops_basic, dezero_ops_math, dezero_core
out["modules"] = len(sys.modules)
out["listed"] = "sin" in dir(dezero_ops_math), "tanh" in dir(dezero_ops_math.elementwise)
out["all"] = [len(dezero_ops_math.__all__), "sin" in dezero_ops_math.__all__]
out["same"] = [
    dezero_ops_math.sin is dezero_ops_math.elementwise.sin,
    dezero_ops_math.sin is dezero_ops_math.elementwise.trigonometric.sin,
    dezero_ops_math.linalg.inv is dezero_ops_math.linalg.inverses.inv,
    dezero_ops_basic.add is dezero_ops_basic.arithmetic.add,
    "sin" in vars(dezero_ops_math),
]
import dezero_ops_math.elementwise.hyperbolic
from dezero_ops_math import sum, linalg, shape
from dezero_ops_math.fft import fft
from dezero_core import Variable
import numpy as np
y = dezero_ops_math.elementwise.hyperbolic.tanh(Variable(np.zeros(2)))
out["value"] = sum(y).data.tolist(), fft(y).data.real.tolist()
for package in (dezero_ops_basic, dezero_ops_math, linalg):
    try:
        package.nonsense
    except AttributeError as error:
        out[package.__name__] = str(error)
out["states"] = [record.state for record in dezero_core.plugins()]
"""
    )
    assert out["listed"] == (True, True)
    assert out["all"] == [len(dezero_ops_math.__all__), True]
    assert out["same"] == [True] * 5
    assert out["value"] == (0.0, [0.0, 0.0])
    for package in ("dezero_ops_basic", "dezero_ops_math", "dezero_ops_math.linalg"):
        assert out[package] == f"module {package!r} has no attribute 'nonsense'"
    assert set(out["states"]) == {"loaded"}


@pytest.mark.parametrize("package", ["dezero_ops_basic", "dezero_ops_math", *FOLDERS])
def test_a_star_import_of_a_package_brings_every_function(package):
    namespace = {}
    exec(f"from {package} import *", namespace)
    listed = import_module(package).__all__
    assert listed == sorted(set(listed))
    assert set(listed) == namespace.keys() - {"__builtins__"}
    assert set(listed) <= set(dir(import_module(package)))


@pytest.mark.parametrize("package", FOLDERS)
def test_no_function_has_the_name_of_a_module_in_its_package(package):
    """When that is imported, it would take its place in the package."""
    beside = {m.name for m in pkgutil.iter_modules(import_module(package).__path__)}
    assert beside.isdisjoint(import_module(package).__all__)


def seen_by_type_checkers(package):
    """Return the modules whose names a package imports for type checkers."""
    tree = ast.parse(Path(import_module(package).__file__).read_text())
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    return sorted(
        node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
    )


def test_type_checkers_see_every_function_of_the_packages():
    for folder, table in FOLDERS.items():
        assert seen_by_type_checkers(folder) == sorted(table)
    top = {"elementwise", "products", "reductions", "shape"}
    assert set(seen_by_type_checkers("dezero_ops_math")) == top


def test_a_plugin_that_is_unloaded_and_loaded_again_keeps_its_operations():
    def registered():
        # A file of operators makes the functions for the kit each time that it registers.
        return [operation._replace(sample=None) for operation in dezero_core.ops()]

    before = registered()
    for name in ("basic", "math"):
        dezero_core.unregister(name)
        dezero_core.register(name)
    assert registered() == before
