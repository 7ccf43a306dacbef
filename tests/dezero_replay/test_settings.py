"""Settings of plugins choose the program; and a call that fills empty Variables is not recorded.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from dezero_core import Config, Parameter, hookimpl, no_grad, using_config
from dezero_replay import ReplayError, compiled
from tests.replayed import bits


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
        return x * float(str(np.sum(x))) if Config.negate else x * 2.0

    x = np.array([2.0, 4.0])
    with using_config("negate", True):
        for _ in range(3):
            assert f(x).tolist() == [12.0, 24.0]
    assert f.stats["eager"] == 3
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
    model, x = Lazy(fills=False), np.array([1.0, 2.0])
    step = compiled(model.__call__, strict=True)
    for n in range(6):
        assert bits(step(x * n)) == bits(np.float64(3.0 * n))
        assert (model.weights.data, model.size) == (None, 2)
        model.size = None
    assert step.stats["replayed"] > 0
    model.weights.data = np.array([5.0, 7.0])
    eager = Lazy()
    eager.weights.data = np.array([5.0, 7.0])
    for _ in range(4):
        assert step(x).data == eager(x).data
        assert (model.weights.data == eager.weights.data).all()


def test_a_call_that_a_replay_could_not_make_is_an_error_if_variables_are_empty():
    model = Lazy(fills=False)
    step = compiled(lambda x: (model(x), print("seen")), strict=True)
    with pytest.raises(ReplayError, match="calls print"):
        step(np.array([1.0]))
    assert model.size is None
