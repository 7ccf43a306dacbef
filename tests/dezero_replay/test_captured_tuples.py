"""Tuples that a function captures are read anew, and stay the objects that they are.

Promise: docs/how_replay_works.md
"""

from functools import partial
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from dezero_core import Parameter
from dezero_replay import compiled


def _descent_with(hold):
    """Return a step that reads two large arrays by way of `hold`, and those arrays."""
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(200, 100)), rng.normal(size=200)
    w = Parameter(rng.normal(size=100))

    def step(x, t):
        loss = np.mean((x @ w - t) ** 2)
        w.cleargrad()
        loss.backward()
        w.data -= 0.1 * w.grad
        return loss.data

    return hold(step, x, t), (x, t, w)


class Data(NamedTuple):
    x: np.ndarray
    t: np.ndarray


def _in_a_tuple(step, x, t):
    data = x, t
    return lambda: step(*data)


def _in_nested_tuples(step, x, t):
    data = [(("x", x), Data(x, t))]
    return lambda: step(data[0][1].x + 0.0 * data[0][0][1], data[0][1].t)


def _in_a_default(step, x, t):
    def f(data=(x, t)):
        return step(data[0], data[1])

    return f


@pytest.mark.parametrize("hold", [_in_a_tuple, _in_nested_tuples, _in_a_default, partial])
def test_arrays_in_a_tuple_that_is_captured_are_read_anew(hold):
    (f, (x, t, w)), (g, (y, u, v)) = _descent_with(hold), _descent_with(hold)
    step = compiled(f)
    for number in range(20):
        assert step() == g()
        assert (w.data == v.data).all()
        for each in (x, t, y, u):
            each *= 1.0 + 0.01 * number
    assert step.stats["replayed"] == 16
    assert x.nbytes > 64 * 1024


def test_a_tuple_is_the_same_object_after_a_recording():
    x = np.ones(3)
    inner = (x, 2.0)
    holder = SimpleNamespace(data=(inner, x))
    before = holder.data
    step = compiled(lambda: holder.data[0][0] * holder.data[0][1] + holder.data[1])
    for _ in range(4):
        assert (step() == 3.0).all()
        assert holder.data is before
        assert holder.data[0] is inner
    assert step.stats["replayed"] == 1
    holder.data = (inner, x + 1.0)
    assert (step() == 4.0).all()


def test_a_tuple_that_two_places_hold_is_compared_by_its_content():
    x = np.ones(3)
    pair = (x, 2.0)
    one, other = SimpleNamespace(pair=pair), SimpleNamespace(pair=pair)
    step = compiled(lambda y: y * one.pair[0] * one.pair[1] + np.exp(other.pair[0]))
    for number in range(8):
        x[0] = number // 4
        assert (step(x + 1.0) == (x + 1.0) * x * 2.0 + np.exp(x)).all()
    assert step.stats["recorded"] == 2
    for place in (one, other):
        place.pair = x * 3.0, 5.0
        for _ in range(4):
            expected = (x + 1.0) * one.pair[0] * one.pair[1] + np.exp(other.pair[0])
            assert (step(x + 1.0) == expected).all()
    assert step.stats["recorded"] <= 6


class Scaled:
    table = np.ones(3)
    rate = 2.0

    def forward(self, x):
        return x * self.table * self.rate


def test_data_of_a_class_are_not_given_to_the_instance(monkeypatch):
    scaled = Scaled()
    step = compiled(scaled.forward)
    for number in range(12):
        monkeypatch.setattr(Scaled, "table", np.full(3, number // 4 + 1.0))
        assert (step(np.ones(3)) == (number // 4 + 1.0) * 2.0).all()
        assert vars(scaled) == {}
    monkeypatch.setattr(Scaled, "rate", 3.0)
    assert (step(np.ones(3)) == 9.0).all()
