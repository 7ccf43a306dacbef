"""The examples in the documentation of dezero_nn run."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import dezero_nn
from dezero_core import Parameter, Variable, no_grad, using_config

FOUND = pkgutil.walk_packages(dezero_nn.__path__, "dezero_nn.")
MODULES = ["dezero_nn", *(module.name for module in FOUND)]
USUAL = {"np": np, "Parameter": Parameter, "Variable": Variable, "no_grad": no_grad}
USUAL |= {"using_config": using_config}


def examples_in(name):
    found = doctest.DocTestFinder().find(importlib.import_module(name))
    return [test for test in found if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_of_networks_run(name):
    runner = doctest.DocTestRunner()
    for test in examples_in(name):
        test.globs = USUAL | test.globs
        runner.run(test)
    assert runner.summarize().failed == 0


def test_the_docstrings_of_networks_have_examples():
    """Otherwise the tests above would pass with nothing to run."""
    found = {test.name.removeprefix("dezero_nn.") for name in MODULES for test in examples_in(name)}
    assert {"functions.dropout.dropout", "layers.linear.Linear", "optimizers.sgd.SGD"} <= found
