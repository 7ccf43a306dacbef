"""Imports close no circle: not in a package, nor between packages.

All imports are read: also those in functions, and those for type checkers alone.

Promise: docs/architecture.md
"""

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from ..imports import graph_of, imports_of, modules_of

ROOT = Path(__file__).parents[2]
MODULES = {
    name: path
    for folder in sorted(ROOT.glob("dezero_*/src/*"))
    for name, path in (
        modules_of(folder) if folder.name.isidentifier() else {folder.stem: folder}
    ).items()
    if path.suffix == ".py"
}


def test_the_modules_of_all_packages_are_read():
    packages = {path.name for path in ROOT.glob("dezero_*") if (path / "pyproject.toml").exists()}
    assert {name.partition(".")[0] for name in MODULES} >= packages | {"_dezero_command"}


@pytest.fixture(scope="module")
def graph():
    return graph_of(MODULES)


def test_imports_close_no_circle(graph):
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("dezero_core.errors", "from .engine import grad"),
        ("dezero_core.errors", "def late():\n    from .engine import grad"),
        ("dezero_nn.layers.layer", "if TYPE_CHECKING:\n    from ..models import Model"),
        ("dezero_tools.cli.app", "import _dezero_command"),
        ("dezero_core.slots", "import dezero_ops_math"),
    ],
)
def test_a_circle_is_found(module, source, graph):
    found = imports_of(source, module, MODULES)
    assert found - graph[module]
    with pytest.raises(CycleError):
        TopologicalSorter(graph | {module: graph[module] | found}).prepare()
