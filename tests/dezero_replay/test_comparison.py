"""Two recordings of one call that differ in anything are no program: how they are compared.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_tools.functional import value_and_grad

from dezero_core import Function, Variable
from dezero_replay import compiled

from ..replayed import bits
from .test_loops import V, W
from .test_templates import HIDDEN, Scaled, hidden


class Unseen(Function):
    """Goes through numbers of Python's, so no recording can follow it."""

    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return np.array([each * self.factor for each in x.tolist()])

    def backward(self, gy):
        return gy * self.factor


def of_states_of_errors(x, n):
    with np.errstate(divide="ignore" if n == 8 else "warn"):
        return 1.0 / x


def of_results(x, n):
    a, b = np.sin(x), np.cos(x)
    return (a, b) if n == 8 else (b, a)


def of_first_rows(x, n):
    for k in range(40):
        x = np.sin(x) + W[k + n]
    return x


def of_steps_of_rows(x, n):
    table = x * W
    for k in range(11):
        for j in range(30):
            x = np.sin(x) + (table[2 * k + j] if n == 8 else table[k + 2 * j])
        x = np.tanh(x)
    return x


def of_bodies_of_loops(x, n):
    for _ in range(40):
        x = (np.sin if n == 8 else np.cos)(x) + 1.0
    return x


def of_numbers_of_rounds(x, n):
    for _ in range(40 + n):
        x = np.sin(x) + 1.0
    return x


def of_loops_and_calls(x, n):
    for _ in range(50 if n == 8 else 1):
        x = np.sin(x)
    return x


def of_lists_of_loops(x, n):
    kept = []
    for _ in range(40):
        x = np.sin(x)
        kept.append(x)
    return (x, x[3]) if n == 8 else (x, kept[20])


def of_writes_through_views(x, n):
    y = x * 2.0
    part = y[n:]
    part[3:5] = 1.0
    return y


def of_constants(x, n):
    return x + np.arange(70.0) * n


def of_named_arguments(x, n):
    return np.sum(W * x, axis=n - 7)


def of_bodies_of_one_form(x, n):
    x = Scaled(8.0)(Variable(x))
    return Scaled(float(n))(x)


def of_opaque_bodies(x, n):
    return Unseen(n)(Variable(x))


ALL = [each for name, each in list(globals().items()) if name.startswith("of_")]


@pytest.mark.parametrize("function", ALL, ids=lambda each: each.__name__)
@pytest.mark.parametrize("numbers", [(8, 7), (7, 8)])
def test_recordings_that_differ_are_no_program(function, numbers):
    def f(x):
        return function(x, hidden())

    step = compiled(f, audit=None, quiet=True)
    for HIDDEN["number"] in numbers:
        assert bits(step(V)) == bits(f(V))
    HIDDEN["number"] = 8
    assert not step.programs
    assert "cannot be written" not in step.explain()
    for _ in range(3):
        assert bits(step(V)) == bits(f(V))
    assert step.stats["replayed"]  # two that are alike have one


def test_bodies_in_which_values_decided_otherwise_in_each_recording_are_one_program():
    def loss(x):
        for _ in range(3):
            x = np.maximum(x * 0.9, 0.1) + np.maximum(np.sin(x), x)
        return np.sum(x)

    function, random = value_and_grad(loss), np.random.default_rng(0)
    step = compiled(function, audit=None)
    for n in range(12):
        x = random.normal(size=5)
        x[: n % 3] = 0.0  # where both are equal, each gets half of the gradient
        assert bits(step(x)) == bits(function(x))
    assert step.stats["recorded"] == 2
    (program,) = step.programs
    assert str(program).count("opaquebackward") == 6
    assert not program.fallbacks  # the body has run as it is written from the start
