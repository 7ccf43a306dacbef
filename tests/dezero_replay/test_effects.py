"""Changes of numbers and arrays by a call: a replay makes them as eager code does.

Promise: docs/how_replay_works.md
"""

import os
import time
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, Parameter, Variable
from dezero_replay import ReplayError, ReplayWarning, compiled
from tests.replayed import same, several


class Adam:
    def __init__(self, params):
        self.params, self.t, self.rate = params, 0, 0.01
        self.ms = [Variable(np.zeros_like(p.data)) for p in params]
        self.vs = [Variable(np.zeros_like(p.data)) for p in params]

    def update(self):
        self.t += 1
        rate = self.rate * (1 - 0.999**self.t) ** 0.5 / (1 - 0.9**self.t)
        for p, m, v in zip(self.params, self.ms, self.vs, strict=True):
            m.data += 0.1 * (p.grad - m.data)
            v.data += 0.001 * (p.grad**2 - v.data)
            p.data -= rate * m.data / (np.sqrt(v.data) + 1e-8)


def network():
    rng = np.random.default_rng(5)
    params = [Parameter(rng.normal(size=shape)) for shape in ((4, 6), (6,), (6, 2), (2,))]
    return SimpleNamespace(params=params, adam=Adam(params))


def adam_step(state, x, t):
    w1, b1, w2, b2 = state.params
    loss = np.sum((np.tanh(x @ w1 + b1) @ w2 + b2 - t) ** 2)
    for p in state.params:
        p.cleargrad()
    loss.backward()
    state.adam.update()
    return loss


def test_adam_runs_as_eager_code_does():
    step = same(adam_step, several((5, 4), (5, 2), calls=100), network)
    assert step.stats["replayed"] > 80


def test_a_schedule_of_the_rate_is_replayed():
    def scheduled(state, x, t, epoch):
        state.adam.rate = 0.01 * 0.9**epoch
        return adam_step(state, x, t)

    calls = [(*each, n) for n, each in enumerate(several((5, 4), (5, 2), calls=40))]
    same(scheduled, calls, network)


class BatchNorm:
    def __init__(self):
        self.mean, self.var = Variable(np.zeros(3)), Variable(np.ones(3))
        self.gamma, self.beta = Parameter(np.ones(3)), Parameter(np.zeros(3))
        self.training = True

    def __call__(self, x):
        if not self.training:
            return (x - self.mean) / np.sqrt(self.var + 1e-5) * self.gamma + self.beta
        mean, var = np.mean(x, axis=0), np.var(x, axis=0)
        self.mean.data = 0.9 * self.mean.data + 0.1 * mean.data
        self.var.data = 0.9 * self.var.data + 0.1 * var.data
        return (x - mean) / np.sqrt(var + 1e-5) * self.gamma + self.beta


def test_running_means_are_kept_as_eager_code_does():
    def step(norm, x, training):
        norm.training = training
        loss = np.sum(np.sin(norm(Variable(x))))
        norm.gamma.cleargrad()
        loss.backward()
        norm.gamma.data -= 0.1 * norm.gamma.grad
        return loss

    calls = [(x, n % 5 != 4) for n, (x,) in enumerate(several((6, 3), calls=100))]
    step = same(step, calls, BatchNorm)
    assert step.stats["recorded"] == 8  # twice for each pair of this flag and the one before


def test_a_number_that_a_call_changes_is_changed_on_replay():
    def step(state, x):
        state.count += 1
        state.total = state.total + 2.5 * state.count
        return x * state.count

    same(step, several((3,), calls=20), lambda: SimpleNamespace(count=0, total=0.0))


def test_in_place_functions_are_recorded():
    def step(x):
        y = x * 2.0
        np.copyto(y, 0.0, where=x > 0)
        np.put(y, [0], 5.0)
        np.add.at(y, [1, 1], 1.0)
        y.sort()
        np.exp(y, out=y)
        y.fill(3.0)
        y -= x
        return y

    same(step, several((4,)))


def test_an_array_that_is_kept_in_a_list_is_kept_at_each_call():
    history = []

    def step(x):
        y = x * 2.0
        history.append(y)
        return y

    f = compiled(step)
    for n in range(6):
        assert f(np.full(3, float(n))) is history[-1]
    assert [type(y) for y in history] == [np.ndarray] * 6
    assert [y[0] for y in history] == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    assert f.stats["replayed"] == 3


def test_a_variable_that_is_kept_holds_an_array():
    kept = SimpleNamespace(loss=None)

    def step(x):
        kept.loss = np.sum(Variable(x) ** 2)
        return kept.loss.data

    f = compiled(step, audit=None)
    for n in range(6):
        assert f(np.full(3, float(n))) == 3.0 * n**2
        assert type(kept.loss) is Variable
        assert type(kept.loss.data) is np.ndarray
        assert kept.loss.data == 3.0 * n**2
        with pytest.raises(ReplayError, match="differentiate inside"):
            kept.loss.backward()
    assert f.stats["replayed"] == 4


def test_a_plain_array_that_is_written_to_is_written_to_at_each_call():
    total = whole = np.zeros(3)

    def step(x):
        nonlocal total
        total += x
        return total * 1.0

    f = compiled(step)
    for n in range(6):
        assert (f(np.ones(3)) == n + 1).all()
        assert (whole == n + 1).all()
    assert total is whole
    assert f.stats["replayed"] == 3


def prints(x):
    print("seen")
    return x * 2.0


def reads_a_clock(x):
    return x * (time.time() > 0)


def writes_a_file(x):
    with open(os.devnull, "w") as file:
        file.write("seen")
    return x * 2.0


@pytest.mark.parametrize("function", [prints, reads_a_clock, writes_a_file])
def test_what_reaches_outside_keeps_it_eager(function, capsys):
    f = compiled(function)

    def call_several_times():
        for _ in range(5):
            assert (f(np.ones(2)) == 2.0 - (function is reads_a_clock)).all()

    with pytest.warns(ReplayWarning, match="calls .*, which a replay would not do"):
        call_several_times()
    assert capsys.readouterr().out.count("seen") == 5 * (function is prints)
    assert f.stats["eager"] == 5


class Dropout(Function):
    def __init__(self, generator):
        self.generator = generator

    def forward(self, x):
        draw = np.random.random if self.generator is None else self.generator.random
        self.mask = draw(x.shape) > 0.5
        return np.where(self.mask, x * 2.0, 0.0)

    def backward(self, gy):
        return gy * self.mask * 2.0


@pytest.mark.parametrize("own", [True, False])
def test_an_operation_that_draws_random_numbers_draws_them_anew(own):
    def step(state, x):
        w = state.w
        loss = np.sum(Dropout(state.generator)(x * w) ** 2)
        w.cleargrad()
        loss.backward()
        w.data -= 0.01 * w.grad
        return loss

    def make():
        generator = np.random.default_rng(7) if own else None
        return SimpleNamespace(w=Parameter(np.ones(5)), generator=generator)

    if own:
        same(step, several((5,), calls=100), make)
        return
    np.random.seed(3)
    state, calls = make(), several((5,), calls=100)
    expected = [step(state, *x).data.copy() for x in calls]
    np.random.seed(3)
    again = make()
    f = compiled(lambda x: step(again, x))
    assert [f(*x).data for x in calls] == expected
    assert f.stats["replayed"] + f.stats["audits"] == 98


def test_errors_of_numpy_are_as_in_eager_code():
    def f(x):
        with np.errstate(divide="ignore"):
            y = 1.0 / x
        return np.log(y)

    step = compiled(f)
    zeros = np.zeros(2)
    with np.errstate(all="raise"):
        for _ in range(4):
            step(np.ones(2))
    for _ in range(3):
        with np.errstate(divide="raise"):
            step(zeros)
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
        step(np.array([-1.0, 1.0]))
