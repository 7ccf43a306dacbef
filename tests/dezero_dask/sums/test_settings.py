"""Settings of plugins hold in the tasks as they do where the tasks are made.

Promise: docs/how_to/more_data_than_memory.md
"""

import pickle

import dask
import numpy as np
import pytest
from dezero_dask.sums.kernels import ValueAndGrad
from dezero_dask.sums.parameters import form_of

import dezero_dask as dd
from dezero_core import Config, hookimpl, no_grad, using_config

X = [np.array([1.0, 2.0]), np.array([3.0])]


class Halving:
    """A plugin with a setting."""

    @hookimpl
    def dezero_register_ops(self, register):
        register.part("setting", "halve", True)


@pytest.fixture(autouse=True)
def halving(registered):
    registered(Halving(), "halving")


def loss(w, x):
    """Return the sum of w x, halved as the setting says."""
    return np.sum(w * x) * (0.5 if Config.halve else 1.0)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_a_setting_of_the_caller_holds_in_the_tasks(scheduler):
    f = dd.value_and_grad(loss)
    with dask.config.set(scheduler=scheduler):
        assert f(2.0, X) == (6.0, 3.0)
        with using_config("halve", False):
            assert f(2.0, X) == (12.0, 6.0)
            assert dd.jacobian(lambda w, x: w * x * (0.5 if Config.halve else 1.0))(
                2.0, X
            ).compute().tolist() == [1.0, 2.0, 3.0]
        with no_grad():
            assert f(2.0, X) == (6.0, 3.0)
        other = dd.value_and_grad(loss)
        with using_config("halve", False):
            assert other(2.0, X) == (12.0, 6.0)
        assert other(2.0, X) == (6.0, 3.0)


def test_a_setting_goes_with_a_kernel_to_another_process():
    with using_config("halve", False):
        kernel = ValueAndGrad(loss, {}, replay=False)
    sent = pickle.loads(pickle.dumps(kernel))
    assert sent.settings == {"halve": False}
    assert Config.halve
    assert sent(form_of(2.0), [np.array(2.0)], 0, [X[0]], [])[0] == [6.0, 3.0]
