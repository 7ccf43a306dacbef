"""The examples in the documentation of the package run.

Promise: docs/reference/dask.rst
"""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import dezero_dask

FOUND = [module.name for module in pkgutil.walk_packages(dezero_dask.__path__, "dezero_dask.")]
MODULES = ["dezero_dask", *FOUND]


def examples_in(name):
    found = doctest.DocTestFinder().find(importlib.import_module(name))
    return [test for test in found if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_run(name):
    runner = doctest.DocTestRunner()
    for test in examples_in(name):
        test.globs = {"np": np} | test.globs
        runner.run(test)
    assert runner.summarize().failed == 0


def test_the_docstrings_have_examples():
    """Otherwise the tests above would pass with nothing to run."""
    found = {
        test.name.removeprefix("dezero_dask.") for name in MODULES for test in examples_in(name)
    }
    names = {f"sums.gradients.{name}" for name in ("value_and_grad", "grad", "hvp", "hessian")}
    assert names | {"sums.jacobians.jacobian", "sums.scipy_problem.as_scipy"} <= found
