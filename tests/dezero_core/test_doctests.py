"""The examples in the documentation of the core run, whatever is installed beside it.

Promise: docs/reference/core.rst
"""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import dezero_core
from dezero_core.extend import PREFERRED

FOUND = pkgutil.walk_packages(dezero_core.__path__, "dezero_core.")
MODULES = ["dezero_core", *(module.name for module in FOUND)]


#: Properties that plugins have bound, which a finder takes for Variable's own.
BOUND = {f"dezero_core.variable.Variable.{name}" for op in dezero_core.ops() for name in op.methods}


def examples_in(name):
    found = doctest.DocTestFinder().find(importlib.import_module(name))
    return [test for test in found if test.examples and test.name not in BOUND]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_of_the_core_run(name, monkeypatch):
    monkeypatch.setattr(PREFERRED, "maps", [{}, {}])  # they may prefer something
    public = {name: getattr(dezero_core, name) for name in dezero_core.__all__}
    runner = doctest.DocTestRunner()
    for test in examples_in(name):
        test.globs = {"np": np} | public | test.globs
        runner.run(test)
    assert runner.summarize().failed == 0


def test_the_docstrings_of_the_core_have_examples():
    """Otherwise the tests above would pass with nothing to run."""
    found = [test.name for name in MODULES for test in examples_in(name)]
    documented = {name.partition("dezero_core.")[2] for name in found}
    assert {"variable.Variable", "function.Function", "config.using_config"} <= documented
