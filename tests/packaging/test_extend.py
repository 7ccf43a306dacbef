"""All packages import `dezero_core` and `dezero_core.extend`, and nothing deeper.

Promise: docs/architecture.md
"""

import re
from functools import cache
from pathlib import Path

import pytest

import dezero_core.extend

from ..imports import modules_of, names_imported

ROOT = Path(__file__).parents[2]
CORE = modules_of(ROOT / "dezero_core" / "src" / "dezero_core")
DOOR = {"dezero_core", "dezero_core.extend"}


def folders():
    """Yield the sources of all packages beside the core: ours, examples, the template of one."""
    yield from sorted({*ROOT.glob("dezero_*/src"), *ROOT.glob("examples/*/src")})
    yield ROOT / "tests" / "third_party" / "dezero-ops-softplus" / "src"
    yield from ROOT.glob("dezero_*/src/*/cli/template/src")


FOLDERS = [folder for folder in folders() if folder.parent.name != "dezero_core"]


def sources(folder):
    """Return the text of each module in a folder, also of a template, by its path."""
    paths = sorted((*folder.rglob("*.py"), *folder.rglob("*.py.template")))
    texts = {path: path.read_text("utf-8") for path in paths}
    return {
        path: re.sub(r"\$(\w+)", r"\1", text) if path.suffix == ".template" else text
        for path, text in texts.items()
    }


@cache
def names_of(folder):
    """Return the names that each module in a folder imports, by its path."""
    # The package is another one than the core, so it does not matter which.
    return {path: names_imported(text, "a.b.c.d") for path, text in sources(folder).items()}


def of_the_core(names):
    """Return the modules of the core among names that are imported, the deepest of each name."""
    splits = [name.split(".") for name in names]
    parts = [[".".join(name[:n]) for n in range(1, len(name) + 1)] for name in splits]
    return {found[-1] for each in parts if (found := [name for name in each if name in CORE])}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_a_package_imports_nothing_of_the_core_that_is_deeper_than_extend(folder):
    found = {path: of_the_core(names) for path, names in names_of(folder).items()}
    assert found
    assert {path: modules - DOOR for path, modules in found.items() if modules - DOOR} == {}


def test_the_test_of_extend_reads_all_packages_and_the_template_of_one():
    assert len(FOLDERS) == 10
    for folder in FOLDERS:
        assert any("dezero_core" in of_the_core(names) for names in names_of(folder).values())


@pytest.mark.parametrize(
    "source",
    [
        "from dezero_core.engine import grad",
        "from dezero_core import engine",
        "import dezero_core.engine",
        "import dezero_core.engine as e",
        "def late():\n    from dezero_core.engine import grad",
        "if TYPE_CHECKING:\n    from dezero_core.engine import grad",
        "import_module('dezero_core.engine')",
        "lazily('dezero_core.engine:grad')",
    ],
)
def test_every_way_to_import_something_deeper_is_found(source):
    assert of_the_core(names_imported(source, "a")) - DOOR == {"dezero_core.engine"}
    assert of_the_core(names_imported(source.replace("engine", "extend"), "a")) <= DOOR


def test_each_name_of_the_door_is_there_and_is_used_by_a_package_beside_the_core():
    used = {
        name.removeprefix("dezero_core.extend.")
        for folder in FOLDERS
        for names in names_of(folder).values()
        for name in names
        if name.startswith("dezero_core.extend.")
    }
    imported = {"Any", "Callable", "Mapping", "TYPE_CHECKING", "annotations", "import_module"}
    imported |= {"np", "prod", "sys"}
    names = {name for name in dir(dezero_core.extend) if not name.startswith("_")} - imported
    for name in names:
        assert getattr(dezero_core.extend, name) is not None
    modules = {name for name in names if f"dezero_core.{name}" in CORE}
    assert used <= names
    assert names <= used | modules
