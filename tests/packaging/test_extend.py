"""Packages of operations import `dezero_core` and `dezero_core.extend`, and nothing deeper."""

import re
from pathlib import Path

import pytest

import dezero_core.extend
import dezero_ops_basic
import dezero_ops_math

ROOT = Path(__file__).parents[2]
IMPORT = re.compile(r"^\s*(?:from|import)\s+(dezero_core\.[\w.]+)", re.MULTILINE)


def sources(folder):
    """Return the modules in a folder, and those of a template."""
    return sorted((*folder.rglob("*.py"), *folder.rglob("*.py.template")))


def folders():
    """Yield the packages of operations that are here: ours, examples, and the template of one."""
    yield from (Path(package.__file__).parent for package in (dezero_ops_basic, dezero_ops_math))
    yield ROOT / "examples" / "dezero-ops-special" / "src"
    yield ROOT / "tests" / "third_party" / "dezero-ops-softplus" / "src"
    yield from ROOT.glob("dezero_*/src/*/cli/template/src")


@pytest.mark.parametrize("folder", [*folders()], ids=lambda folder: "/".join(folder.parts[-2:]))
def test_a_package_of_operations_imports_nothing_deeper_than_extend(folder):
    found = {path: IMPORT.findall(path.read_text("utf-8")) for path in sources(folder)}
    assert found
    assert {module for modules in found.values() for module in modules} <= {"dezero_core.extend"}


def test_the_test_of_extend_reads_the_template_of_a_package():
    assert len(list(folders())) == 5


def test_extend_exports_its_names():
    names = {name for name in vars(dezero_core.extend) if not name.startswith("_")}
    imported = {"Any", "Callable", "Mapping", "annotations", "import_module", "sys"}
    assert names - imported == set(dezero_core.extend.__all__)
