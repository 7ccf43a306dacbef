"""Generators of random numbers: what is drawn, and how often, is what eager code draws.

Promise: docs/how_replay_works.md
"""

import copy
import random
import threading
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, Variable
from dezero_replay import ReplayWarning, compiled
from tests.replayed import bits

X = np.ones(9)


class Masked(Function):
    """Leaves elements out by chance: as dropout does."""

    def __init__(self, draw):
        self.draw = draw

    def forward(self, x):
        self.mask = self.draw(x.shape) > 0.5
        return x * self.mask

    def backward(self, gy):
        return gy * self.mask


class Noisy(Function):
    """Adds numbers of a generator of any kind."""

    def __init__(self, rng):
        self.rng = rng

    def forward(self, x):
        return x + np.array([self.rng.uniform(0.0, 1.0) for _ in x])

    def backward(self, gy):
        return gy


def in_step(make, calls=12, replayed=0):
    """Call a function of `make()` eagerly, and another one compiled, each with its own generator.

    `make()` returns a function and what gives the state of its generator.
    """
    (eager, state), (function, other) = make(), make()
    step = compiled(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error" if replayed else "ignore", ReplayWarning)
        for call in range(calls):
            x = X * (call - 3.0)
            assert bits(step(x)) == bits(eager(x)), f"call {call}"
            assert repr(other()) == repr(state()), f"the generator after call {call}"
    assert step.stats["replayed"] >= replayed
    return step


def test_a_generator_of_the_users_draws_as_often():
    def make():
        rng = np.random.default_rng(3)
        return lambda x: x + rng.normal(size=9), lambda: rng.bit_generator.state

    in_step(make)


def test_a_generator_of_python_that_decides_draws_as_often():
    def make():
        rng = random.Random(3)
        return lambda x: x * 2.0 if rng.random() < 0.8 else x * 3.0, rng.getstate

    in_step(make, 40)


def test_numbers_that_another_thread_draws_do_not_keep_a_function_eager():
    done = threading.Event()

    def busy():
        while not done.is_set():
            random.random(), np.random.rand()

    drawing = threading.Thread(target=busy)
    drawing.start()
    try:
        step = compiled(lambda x: np.tanh(Variable(x)) * 2.0, strict=True)
        for _ in range(6):
            assert bits(step(X)) == bits(np.tanh(Variable(X)) * 2.0)
        assert step.stats["recorded"] == 2
        assert step.stats["replayed"] == 3
    finally:
        done.set()
        drawing.join()


def test_a_generator_that_an_operation_draws_from_draws_anew():
    def make():
        rng = np.random.default_rng(3)
        return lambda x: Masked(rng.random)(Variable(x)).data, lambda: rng.bit_generator.state

    in_step(make, replayed=8)


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState, random.Random])
def test_a_generator_among_the_arguments_draws_anew(kind):
    def f(x, rng):
        return Noisy(rng)(Variable(x)).data

    mine, other = kind(3), kind(3)
    step = compiled(f)
    for call in range(12):
        assert bits(step(X, other)) == bits(f(X, mine)), f"call {call}"
    assert step.stats["replayed"] == 9


def test_a_generator_that_decides_among_the_arguments_draws_as_often():
    def f(x, rng):
        return x * 2.0 if rng.random() < 0.8 else x * 3.0

    mine, other = np.random.default_rng(3), np.random.default_rng(3)
    step = compiled(f)
    for call in range(40):
        assert bits(step(X, other)) == bits(f(X, mine)), f"call {call}"
        assert repr(other.bit_generator.state) == repr(mine.bit_generator.state)
    assert step.stats["replayed"] > 20
    assert len(step.programs) == 2


def test_a_generator_that_is_made_in_the_call_is_the_same_in_each_call():
    def f(x):
        return Masked(np.random.default_rng(3).random)(Variable(x)).data

    step = compiled(f)
    for call in range(8):
        assert bits(step(X * call)) == bits(f(X * call)), f"call {call}"
    assert step.stats["replayed"] > 0


def test_a_generator_that_is_put_in_the_place_of_one_is_drawn_from():
    def make():
        holder = SimpleNamespace(rng=np.random.default_rng(3), calls=0)

        def f(x):
            return Masked(holder.rng.random)(Variable(x)).data

        def replace(seed):
            holder.rng = np.random.default_rng(seed)

        return f, replace

    (eager, one), (function, two) = make(), make()
    step = compiled(function, audit=None)
    for call in range(16):
        if call % 4 == 0:
            one(call)
            two(call)
        assert bits(step(X)) == bits(eager(X)), f"call {call}"


def test_a_seed_that_is_set_in_between_counts():
    step = compiled(lambda x: Masked(np.random.random)(Variable(x)).data, audit=2)
    for call in range(12):
        np.random.seed(call)
        expected = bits(step.eager(X))
        after = repr(np.random.get_state())
        np.random.seed(call)
        assert bits(step(X)) == expected, f"call {call}"
        assert repr(np.random.get_state()) == after


def test_a_guard_that_fails_after_a_draw_draws_once():
    def make():
        rng = np.random.default_rng(5)

        def f(x):
            y = Masked(rng.random)(Variable(x)).data
            return y * 2.0 if y.sum() > 0 else y - 1.0

        return f, lambda: rng.bit_generator.state

    step = in_step(make, 40, replayed=10)
    assert len(step.programs) == 2


def test_a_copied_generator_is_another_one():
    def make():
        rng = np.random.default_rng(5)

        def f(x):
            return Masked(copy.deepcopy(rng).random)(Variable(x)).data

        return f, lambda: rng.bit_generator.state

    in_step(make)


def test_a_generator_that_is_seeded_by_an_argument_is_that_of_the_argument():
    def f(x, seed):
        return x + np.random.default_rng(seed).normal(size=9)

    step = compiled(f, quiet=True)
    for call in range(24):
        assert bits(step(X, call // 4)) == bits(f(X, call // 4)), f"call {call}"


def test_permutations_and_choices_of_the_users_are_drawn_anew():
    def make():
        rng = np.random.default_rng(5)
        return (
            lambda x: x[rng.permutation(9)] * rng.choice([1.0, 2.0]),
            lambda: rng.bit_generator.state,
        )

    in_step(make, replayed=9)


def test_shuffles_of_the_users_keep_it_eager():
    def make():
        rng = np.random.default_rng(5)

        def f(x):
            y = x * np.arange(9.0)
            rng.shuffle(y)
            return y

        return f, lambda: rng.bit_generator.state

    step = in_step(make)
    assert step.stats["replayed"] == 0
    assert "calls Generator.shuffle(), which reads or sets the state of a" in step.explain()


@pytest.mark.parametrize(
    "fill",
    [
        lambda rng, y: rng.standard_normal(out=y),
        lambda rng, y: rng.random(None, float, y),
        lambda rng, y: rng.standard_exponential(None, float, "zig", y),
        lambda rng, y: rng.permuted(np.arange(9.0), out=y),
    ],
)
def test_draws_that_fill_an_array_keep_it_eager(fill):
    def make():
        rng = np.random.default_rng(3)

        def function(x):
            y = np.empty(9)
            fill(rng, y)
            return x + y * 2.0

        return function, lambda: rng.bit_generator.state

    assert in_step(make).stats["replayed"] == 0


def test_draws_that_nobody_uses_are_made():
    def make():
        rng = np.random.default_rng(5)

        def f(x):
            Masked(rng.random)(Variable(x))
            return x * 2.0

        return f, lambda: rng.bit_generator.state

    in_step(make, replayed=8)


def test_an_audit_restores_the_normal_number_that_a_randomstate_keeps():
    rng, same = np.random.RandomState(0), np.random.RandomState(0)
    step = compiled(lambda x: x + rng.normal(), audit=1)
    for _ in range(6):
        assert bits(step(X)) == bits(X + same.normal())
    assert step.stats["audits"] > 1
