"""Settings of plugins choose the program; and a call that fills empty Variables is not recorded.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from dezero_core import Config, Parameter, hookimpl, no_grad, using_config
from dezero_replay import ReplayError, compiled


class Halving:
    """A plugin with two settings."""

    @hookimpl
    def dezero_register_ops(self, register):
        register.part("setting", "halve", True)
        register.part("setting", "negate", False)


@pytest.fixture
def halving(registered):
    registered(Halving(), "halving")


@pytest.mark.usefixtures("halving")
def test_each_value_of_a_setting_has_a_program_of_its_own():
    @compiled(strict=True, audit=None)
    def f(x):
        return x * (0.5 if Config.halve else 1.0) * (-1.0 if Config.negate else 1.0)

    x = np.array([2.0, 4.0])
    for _ in range(5):
        assert f(x).tolist() == [1.0, 2.0]
        with using_config("halve", False):
            assert f(x).tolist() == [2.0, 4.0]
            with using_config("negate", True):
                assert f(x).tolist() == [-2.0, -4.0]
        with no_grad(), using_config("negate", True):
            assert f(x).tolist() == [-1.0, -2.0]
    assert f.stats["recorded"] == 8
    assert f.stats["replayed"] == 12


@pytest.mark.usefixtures("halving")
def test_a_gradient_inside_of_a_setting_is_replayed_too():
    w = Parameter(np.array(3.0))

    @compiled(strict=True)
    def step(x):
        loss = w * x * (0.5 if Config.halve else 1.0)
        w.cleargrad()
        loss.backward()
        return w.grad

    x = np.array(4.0)
    for _ in range(6):
        assert step(x) == 2.0
        with using_config("halve", False):
            assert step(x) == 4.0
    assert step.stats["replayed"] + step.stats["audits"] == 8


@pytest.mark.usefixtures("halving")
def test_a_setting_under_which_a_function_stays_eager_leaves_the_others_replayed():
    @compiled(quiet=True)
    def f(x):
        return x * float(np.sum(x)) if Config.negate else x * 2.0

    x = np.array([2.0, 4.0])
    with using_config("negate", True):
        for _ in range(3):
            f(x)
    assert f.stats["eager"] == 2
    for _ in range(6):
        assert f(x).tolist() == [4.0, 8.0]
    assert f.stats["replayed"] == 3


class Lazy:
    """Weights of the size of the first input, and a count."""

    def __init__(self, fills=True):
        self.weights, self.size, self.fills = Parameter(None), None, fills

    def __call__(self, x):
        if self.weights.data is None:
            self.size = len(x)
            if self.fills:
                self.weights.data = np.random.standard_normal(len(x))
        y = np.sum(np.ones(len(x)) * x if self.weights.data is None else self.weights * x)
        if self.weights.data is not None:
            self.weights.cleargrad()
            y.backward()
            self.weights.data -= 0.1 * self.weights.grad
        return y


def test_weights_that_the_first_call_draws_do_not_keep_a_step_eager():
    np.random.seed(3)
    model, x = Lazy(), np.array([1.0, 2.0])
    step = compiled(model.__call__, strict=True)
    found = [step(x).data for _ in range(8)]
    assert step.stats["replayed"] >= 4
    np.random.seed(3)
    eager = Lazy()
    assert found == [eager(x).data for _ in range(8)]


def test_a_call_that_leaves_empty_variables_empty_is_judged_as_ever():
    step = compiled(Lazy(fills=False).__call__, strict=True)
    with pytest.raises(ReplayError, match="to another object"):
        step(np.array([1.0]))
