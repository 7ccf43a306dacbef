"""What the wheels put into an environment.

Promise: docs/architecture.md
"""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import importlib_metadata
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]

PACKAGES = {
    "dezero_core": {"numpy", "pluggy", "importlib-metadata"},
    "dezero_tools": {"dezero-core", "numpy"},
    "dezero_replay": {"dezero-core", "dezero-tools", "numpy"},
    "dezero_replay_llvm": {"dezero-core", "dezero-replay", "llvmlite", "numpy", "platformdirs"},
    "dezero_dask": {
        *("dezero-core", "dezero-tools", "numpy"),
        *("cloudpickle", "dask[array]", "distributed"),
    },
    "dezero_ops_basic": {"dezero-core", "numpy"},
    "dezero_ops_math": {"dezero-core", "numpy"},
    "dezero_nn": {"dezero-core", "dezero-ops-basic", "dezero-ops-math", "numpy"},
}
#: What a folder or module may import besides: since an extra installs it, or where it is there.
EXTRAS = {
    ("dezero_tools", "cli"): {"rich", "typer"},
    ("dezero_tools", "__main__.py"): {"_dezero_command"},
    ("dezero_dask", "sums/kernels.py"): {"dezero_replay"},
    ("dezero_nn", "utils.py"): {"dezero_tools"},
    ("dezero_nn", "datasets"): {"sklearn"},
    ("dezero_nn", "transforms"): {"PIL"},
}


@pytest.mark.parametrize("package", PACKAGES)
def test_an_installed_package_is_not_a_folder_of_the_checkout(package):
    module = import_module(package)
    assert module.__file__ is not None
    assert Path(module.__file__).name == "__init__.py"


@pytest.mark.parametrize("package", PACKAGES)
def test_each_wheel_carries_type_information_version_and_licence(package):
    distribution = importlib_metadata.distribution(package.replace("_", "-"))
    assert (Path(import_module(package).__file__).parent / "py.typed").exists()
    assert distribution.version == import_module(package).__version__
    assert distribution.metadata["License-Expression"] == "MIT"


@pytest.mark.parametrize("package", PACKAGES)
def test_each_distribution_requires_exactly_its_allowed_imports(package):
    requires = importlib_metadata.distribution(package.replace("_", "-")).requires
    always = [requirement for requirement in requires if "extra ==" not in requirement]
    names = {requirement.split(">")[0].split("<")[0] for requirement in always}
    assert names == PACKAGES[package]


def test_the_extras_of_the_tools_bring_few_packages():
    requires = importlib_metadata.distribution("dezero-tools").requires
    extras = [requirement for requirement in requires if "extra ==" in requirement]
    assert sorted(requirement.split(">")[0] for requirement in extras) == [
        "pytest",
        "rich",
        "typer",
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_import_only_requirements_of_their_distribution(package):
    names = (name.partition("[")[0] for name in PACKAGES[package])
    always = {name.replace("-", "_") for name in names} | {package}
    root = Path(import_module(package).__file__).parent
    for path in root.rglob("*.py"):
        module = path.relative_to(root)
        extras = (EXTRAS.get((package, at.as_posix()), ()) for at in (module, *module.parents))
        allowed = always.union(*extras)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                imported = {node.module.partition(".")[0]}
            else:
                continue
            assert imported <= allowed | set(sys.stdlib_module_names), path


def test_importing_the_core_alone_loads_neither_tools_nor_operations():
    program = "import sys, dezero_core; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"DEZERO_PLUGINS": "", "PATH": ""},
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "dezero_core" in loaded
    assert not loaded & {"dezero_tools", "dezero_ops_basic", "dezero_ops_math", "rich", "typer"}
    assert not loaded & {"pytest", "hypothesis", "coverage"}


def test_the_page_on_the_core_alone_names_every_package_that_pip_installs_with_it():
    found, wanted = set(), ["dezero-core"]
    while wanted:
        name = wanted.pop().lower().replace("_", "-")
        if name not in found:
            found.add(name)
            requirements = map(Requirement, importlib_metadata.requires(name) or ())
            for each in requirements:
                if each.marker is None or each.marker.evaluate({"extra": ""}):
                    wanted.append(each.name)
    page = (ROOT / "docs/how_to/core_alone.md").read_text("utf-8").lower()
    assert {name for name in found if name not in page} == set()
