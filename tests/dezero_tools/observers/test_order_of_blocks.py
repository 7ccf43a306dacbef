"""Observers in blocks that end in another order than they began, as that of a generator may.

Promise: docs/reference/tools.rst
"""

import numpy as np
import pytest

from dezero_core import Config, Variable, no_grad
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
