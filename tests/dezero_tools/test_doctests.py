"""The examples in the documentation of the tools run.

Promise: docs/reference/tools.rst
"""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import dezero_core
import dezero_tools
from dezero_core.extend import PREFERRED

FOUND = [module.name for module in pkgutil.walk_packages(dezero_tools.__path__, "dezero_tools.")]
MODULES = ["dezero_tools", *(name for name in FOUND if name != "dezero_tools.__main__")]
PUBLIC = {
    name: getattr(package, name)
    for package in (dezero_core, dezero_tools)
    for name in package.__all__
}


def examples_in(name):
    found = doctest.DocTestFinder().find(importlib.import_module(name))
    return [test for test in found if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_of_the_tools_run(name, monkeypatch):
    monkeypatch.setattr(PREFERRED, "maps", [{}, {}])  # they may prefer something
    runner = doctest.DocTestRunner()
    for test in examples_in(name):
        test.globs = {"np": np} | PUBLIC | test.globs
        runner.run(test)
    assert runner.summarize().failed == 0


def test_the_docstrings_of_the_tools_have_examples():
    """Otherwise the tests above would pass with nothing to run."""
    found = {
        test.name.removeprefix("dezero_tools.") for name in MODULES for test in examples_in(name)
    }
    assert {"observers.blocks.observe", "functional.gradients.grad", "numeric.numeric_op"} <= found
