"""Imports: two rooms that know nothing of each other, no circle, and nothing of Dask too early.

All imports are read: also those in functions, those for type checkers alone, and names of modules
in texts, by which modules are imported when they are needed.

Promise: docs/architecture.md
"""

import json
import pkgutil
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import dezero_dask

from ..imports import graph_of, imports_of, modules_of

PACKAGE = Path(dezero_dask.__file__).parent
ROOMS = {"sums", "arrays"}

MODULES = modules_of(PACKAGE)


def arrows():
    return graph_of(MODULES)


def room_of(module):
    return module.split(".")[1] if module.count(".") else ""


def between_rooms(graph):
    """Return which room imports which: the name of a file at the top is a room of its own."""
    found = {room_of(module): set() for module in graph}
    for module, others in graph.items():
        found[room_of(module)] |= set(map(room_of, others)) - {room_of(module)}
    return found


def test_neither_room_imports_the_other_or_what_is_above_both():
    rooms = between_rooms(arrows())
    assert rooms["sums"] == {"errors", "pickling"}
    assert rooms["arrays"] == {"errors", "pickling"}
    assert (rooms["errors"], rooms["pickling"]) == (set(), {"errors"})
    assert rooms[""] | rooms["plugin"] >= ROOMS


def test_imports_close_no_circle_between_files_or_rooms():
    for graph in (arrows(), between_rooms(arrows())):
        TopologicalSorter(graph).prepare()


@pytest.mark.parametrize(
    "source",
    [
        "from ..sums.kernels import Kernel",
        "from ..sums import kernels",
        "import dezero_dask.sums.kernels",
        "from dezero_dask.sums.kernels import Kernel",
        "if TYPE_CHECKING:\n    from ..sums.kernels import Kernel",
        "def late():\n    from ..sums.kernels import Kernel",
        "import_module('dezero_dask.sums.kernels')",
        "'dezero_dask.sums.kernels:Kernel'",
    ],
)
def test_an_import_of_the_other_room_is_found(source):
    found = imports_of(source, "dezero_dask.arrays.array_type", MODULES)
    assert found == {"dezero_dask.sums", "dezero_dask.sums.kernels"}
    assert between_rooms({"dezero_dask.arrays.array_type": found})["arrays"] == {"sums"}


def test_a_circle_by_way_of_a_folder_is_found():
    table, caller = "dezero_dask.arrays.numpy_functions.table", "dezero_dask.arrays.body_array"
    graph = arrows()
    assert "dezero_dask.arrays.numpy_functions" in graph[caller]
    graph[table] = imports_of("def late():\n    from ..body_array import BodyArray", table, MODULES)
    with pytest.raises(CycleError):
        TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("source", ["from .. import compute", "import dezero_dask"])
def test_an_import_of_the_package_itself_is_found(source):
    """A room would have the names of the other one by it."""
    assert imports_of(source, "dezero_dask.sums.worker", MODULES) == {"dezero_dask"}


def test_nothing_of_dask_is_imported_with_the_plugin():
    code = (
        "import sys, json, dezero_core, dezero_dask;"
        "dezero_core.plugins();"
        "print(json.dumps([m for m in sys.modules if m.split('.')[0] in "
        "('dask', 'distributed', 'cloudpickle')]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_each_name_is_there():
    for name in dezero_dask.__all__:
        assert getattr(dezero_dask, name).__doc__
    assert set(dezero_dask.__all__) <= set(dir(dezero_dask))


def test_no_module_of_the_package_has_the_name_of_a_function_of_it():
    """Its import would put the module in the place of the function."""
    modules = {module.name for module in pkgutil.iter_modules(dezero_dask.__path__)}
    assert modules >= ROOMS
    assert not modules & set(dezero_dask.__all__)
