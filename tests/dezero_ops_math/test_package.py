"""What the package shows of itself: its names, its documentation, its entry point."""

import pytest
from dezero_ops_math.families import NOT_OF_NUMPY

import dezero_ops_math
from dezero_core import plugins

from ..operations import documentation


@pytest.mark.parametrize("module", documentation.modules("dezero_ops_math"))
def test_the_examples_in_the_docstrings_of_math_run(module):
    assert documentation.run_examples(module).failed == 0


@pytest.mark.parametrize("operation", documentation.operations("math"), ids=lambda op: op.name)
def test_every_public_function_of_math_is_documented(operation):
    documentation.check_docstring(operation)


def test_dunder_all_of_math_is_complete():
    names = [name for name in dezero_ops_math.__all__ if name not in ("fft", "linalg")]
    for namespace in (dezero_ops_math.fft, dezero_ops_math.linalg):
        folder = namespace.__name__.rpartition(".")[2]
        names += [f"{folder}.{name}" for name in namespace.__all__]
    documentation.check_all_is_complete(dezero_ops_math, "math", names)


def test_the_table_of_families_marks_functions_that_numpy_lacks():
    without = {op.name for op in documentation.operations("math") if not op.numpy}
    assert without - {"unstack"} == NOT_OF_NUMPY  # which NumPy has since 2.1


@pytest.mark.parametrize("plugin", ["basic", "math"])
def test_the_class_of_an_operation_is_in_the_file_of_its_function(plugin):
    elsewhere = {
        op.name
        for op in documentation.operations(plugin)
        if op.function_class and op.function_class.__module__ != op.function.__module__
    }
    assert elsewhere == set()


def test_the_plugin_math_comes_from_dezero_ops_math():
    (record,) = [record for record in plugins() if record.name == "math"]
    assert (record.state, record.distribution) == ("loaded", "dezero-ops-math")
    assert record.version == dezero_ops_math.__version__
    assert dezero_ops_math.__file__ is not None
