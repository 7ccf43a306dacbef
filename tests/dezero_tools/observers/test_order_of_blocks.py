"""Observers in blocks that end in another order than they began, as that of a generator may.

Promise: docs/reference/tools.rst
"""

import gc
import types
import weakref

import numpy as np
import pytest

from dezero_core import Config, Variable, no_grad, register, unregister
from dezero_tools import checked, observe


def quiet():
    with no_grad():
        yield


@pytest.mark.parametrize("later", [lambda: observe("time"), checked], ids=["observe", "checked"])
def test_no_grad_that_ends_inside_a_later_observe_block_restores_recording(book, later):
    steps = quiet()
    next(steps)
    with later():
        steps.close()
    assert Config.enable_backprop
    y = book.Square()(Variable(np.array(3.0)))
    assert y.creator is not None


def test_an_observer_that_ends_first_observes_until_the_later_block_ends(book):
    def timed():
        with observe("time") as times:
            yield times

    steps = timed()
    times = next(steps)
    with no_grad():
        steps.close()
    book.Square()(Variable(np.array(3.0)))
    assert times.rows() == []
    assert Config.enable_backprop


def test_a_plugin_whose_operation_was_observed_is_freed_after_unregistering(plugin_source):
    module = types.ModuleType("acme_observed")
    exec(plugin_source("tripled"), vars(module))
    register(module)
    with observe("time"):
        Variable(np.ones(3)).tripled().backward(free_graph=False)
    unregister(module)
    references = [weakref.ref(module), weakref.ref(module.Tripled)]
    del module
    gc.collect()
    assert [reference() for reference in references] == [None, None]
