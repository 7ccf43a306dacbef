"""The examples in the documentation of the core run, whatever is installed beside it."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import dezero_core

FOUND = pkgutil.walk_packages(dezero_core.__path__, "dezero_core.")
#: All but what would run as a program when it is imported.
MODULES = ["dezero_core", *(m.name for m in FOUND if not m.name.endswith("__main__"))]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_documentation_run(name):
    public = {name: getattr(dezero_core, name) for name in dezero_core.__all__}
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"np": np, **public}).failed == 0


def test_the_documentation_has_examples():
    """Otherwise the tests above would pass with nothing to run."""
    finder = doctest.DocTestFinder()
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name))]
    documented = {test.name.partition("dezero_core.")[2] for test in found if test.examples}
    assert {"variable.Variable", "function.Function", "config.using_config"} <= documented
