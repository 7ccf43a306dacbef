"""The stub in the core: what the packages of operations bind, for type checkers without stubs."""

import ast
import importlib.util
from pathlib import Path

import pytest

import dezero_core

PROGRAM = Path(__file__).parents[3] / "dezero_core" / "make_bound.py"


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("make_bound", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stub_in_the_core_is_up_to_date(program):
    assert program.STUB.read_text("utf-8") == program.stub(), "run python dezero_core/make_bound.py"


def test_the_stub_in_the_core_is_installed_beside_the_class_that_it_declares(program):
    installed = Path(dezero_core.__file__).with_name("_bound.pyi")
    assert installed.read_bytes() == program.STUB.read_bytes()


def test_a_member_in_the_stub_of_the_core_names_its_distribution(program):
    tree = ast.parse(program.STUB.read_text("utf-8"))
    (bound,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    methods = {node.name: node for node in bound.body if isinstance(node, ast.FunctionDef)}
    assert "Provided by dezero-ops-basic." in ast.get_docstring(methods["__add__"])
    assert "Provided by dezero-ops-math." in ast.get_docstring(methods["sum"])


@pytest.mark.usefixtures("core_alone")
def test_the_stub_in_the_core_is_not_written_without_the_packages_of_operations(program):
    with pytest.raises(SystemExit, match="not loaded: dezero-ops-basic, dezero-ops-math"):
        program.stub()
