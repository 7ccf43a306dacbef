"""What the package shows of itself: its names, its documentation, its entry point.

Promise: CONTRIBUTING.md
"""

import pytest

import dezero_ops_basic
from dezero_core import plugins

from ..operations import documentation

WITHOUT_DERIVATIVE = ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]


@pytest.mark.parametrize("module", documentation.modules("dezero_ops_basic"))
def test_the_examples_in_the_docstrings_of_basic_run(module):
    assert documentation.run_examples(module).failed == 0


@pytest.mark.parametrize("operation", documentation.operations("basic"), ids=lambda op: op.name)
def test_every_public_function_of_basic_is_documented(operation):
    documentation.check_docstring(operation)


def test_dunder_all_of_basic_is_complete():
    documentation.check_all_is_complete(dezero_ops_basic, "basic", dezero_ops_basic.__all__)


def test_comparisons_of_basic_are_registered_as_not_differentiable():
    plain = [op.name for op in documentation.operations("basic") if not op.differentiable]
    assert sorted(plain) == sorted(WITHOUT_DERIVATIVE)


def test_the_plugin_basic_comes_from_dezero_ops_basic():
    (record,) = [record for record in plugins() if record.name == "basic"]
    assert (record.state, record.distribution) == ("loaded", "dezero-ops-basic")
    assert record.version == dezero_ops_basic.__version__
    assert dezero_ops_basic.__file__ is not None
