"""What the package shows of itself: its names, its documentation, its entry point."""

import pytest

import dezero_ops_math
from dezero_core import plugins

from ..operations import documentation


@pytest.mark.parametrize("module", documentation.modules("dezero_ops_math"))
def test_the_examples_in_the_documentation_run(module):
    assert documentation.run_examples(module).failed == 0


@pytest.mark.parametrize(
    "function", documentation.public_functions(dezero_ops_math), ids=lambda f: f.__name__
)
def test_every_public_function_is_documented(function):
    documentation.check_docstring(function, plain=False)


def test_all_is_sorted_and_complete():
    documentation.check_all_is_sorted_and_complete(dezero_ops_math, "math")


def test_every_operation_has_a_function_class():
    without = [op.name for op in documentation.operations("math") if op.function_class is None]
    assert without == []


def test_the_plugin_comes_from_its_distribution():
    (record,) = [record for record in plugins() if record.name == "math"]
    assert (record.state, record.distribution) == ("loaded", "dezero-ops-math")
    assert record.version == dezero_ops_math.__version__
    assert dezero_ops_math.__file__ is not None
