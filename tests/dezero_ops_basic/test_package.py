"""What the package shows of itself: its names, its documentation, its entry point."""

import pytest

import dezero_ops_basic
from dezero_core import plugins

from ..operations import documentation

WITHOUT_DERIVATIVE = ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]


@pytest.mark.parametrize("module", documentation.modules("dezero_ops_basic"))
def test_the_examples_in_the_documentation_run(module):
    assert documentation.run_examples(module).failed == 0


@pytest.mark.parametrize(
    "function", documentation.public_functions(dezero_ops_basic), ids=lambda f: f.__name__
)
def test_every_public_function_is_documented(function):
    plain = function.__name__ in WITHOUT_DERIVATIVE
    documentation.check_docstring(function, plain)


def test_all_is_sorted_and_complete():
    documentation.check_all_is_sorted_and_complete(dezero_ops_basic, "basic")


def test_what_returns_plain_arrays_has_no_function_class():
    plain = [op.name for op in documentation.operations("basic") if op.function_class is None]
    assert sorted(plain) == sorted(WITHOUT_DERIVATIVE)


def test_the_plugin_comes_from_its_distribution():
    (record,) = [record for record in plugins() if record.name == "basic"]
    assert (record.state, record.distribution) == ("loaded", "dezero-ops-basic")
    assert record.version == dezero_ops_basic.__version__
    assert dezero_ops_basic.__file__ is not None
