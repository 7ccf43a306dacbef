"""Errors that the function itself catches, at some calls and not at others.

Promise: docs/how_replay_works.md
"""

import contextlib
import threading
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, Parameter, Variable
from dezero_replay import ReplayWarning, compiled
from tests.replayed import bits

REGULAR, SINGULAR = np.array([[2.0, 1.0], [0.0, 3.0]]), np.ones((2, 2))


def inverse(x):
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return np.linalg.pinv(x)


def inverse_of_a_variable(x):
    try:
        return np.linalg.inv(Variable(x)).data
    except np.linalg.LinAlgError:
        return x * 2.0


def logarithm(x):
    try:
        with np.errstate(all="raise"):
            return np.log(x - 1.0)
    except FloatingPointError:
        return x * 2.0


def whole(x):
    try:
        return x * int(x[0, 0] * np.inf)
    except (OverflowError, ValueError):
        return x * 2.0


def place(x):
    try:
        return x[int(x[0, 0])] * 2.0
    except IndexError:
        return x[0] * 3.0


class Tried(Function):
    def forward(self, x):
        return inverse(x)


def tried(x):
    return Tried()(Variable(x)).data


@pytest.mark.parametrize(
    "function", [inverse, inverse_of_a_variable, logarithm, whole, place, tried]
)
@pytest.mark.parametrize("first", [REGULAR, SINGULAR])
@pytest.mark.parametrize("audit", [None, 1])
def test_an_error_that_is_caught_is_caught_at_each_call(function, first, audit):
    other = SINGULAR if first is REGULAR else REGULAR
    step = compiled(function, audit=audit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReplayWarning)
        for number in range(4):
            for x in (first, first, first, first, other):
                x = x + number * (x is REGULAR)
                assert bits(step(x)) == bits(function(x))


def test_calls_without_an_error_are_replayed_beside_those_with_one():
    step = compiled(inverse, audit=None)
    for _ in range(4):
        step(REGULAR)
    with pytest.warns(ReplayWarning, match="goes on after inv has raised LinAlgError"):
        step(SINGULAR)
    before = step.stats["replayed"]
    for x in (REGULAR, SINGULAR, REGULAR):
        assert bits(step(x)) == bits(inverse(x))
    assert step.stats["replayed"] == before + 2


def test_a_number_that_becomes_zero_is_divided_by_as_in_eager_code():
    def f(s, x):
        s.t -= 1
        try:
            return x * (1.0 / s.t)
        except ZeroDivisionError:
            return x - 1.0

    mine, others = SimpleNamespace(t=5), SimpleNamespace(t=5)
    step = compiled(lambda x: f(others, x), audit=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReplayWarning)
        for call in range(9):
            assert bits(step(np.ones(3))) == bits(f(mine, np.ones(3))), call
            assert others.t == mine.t


def test_an_error_that_is_not_caught_leaves_the_effects_that_eager_code_leaves():
    def f(s, x):
        s.n += 1
        s.w.data += 1.0
        y = np.linalg.inv(Variable(x))
        s.n += 1
        return y.data

    mine, others = (SimpleNamespace(n=0, w=Parameter(np.zeros(2))) for _ in range(2))
    step = compiled(lambda x: f(others, x), audit=None)
    for x in (REGULAR,) * 5 + (SINGULAR, REGULAR, SINGULAR, REGULAR):
        outcomes = []
        for call in (lambda x: f(mine, x), step):
            try:
                outcomes.append(bits(call(x)))
            except np.linalg.LinAlgError as error:
                outcomes.append(error.__notes__)
        assert outcomes[0] == outcomes[1]
        assert others.n == mine.n
        assert bits(others.w.data) == bits(mine.w.data)


def test_an_error_after_a_draw_draws_once():
    class Drawn(Function):
        def __init__(self, rng):
            self.rng = rng

        def forward(self, x):
            return x * self.rng.random()

    def f(rng, x):
        return np.linalg.inv(Drawn(rng)(Variable(x))).data

    mine, others = np.random.default_rng(1), np.random.default_rng(1)
    step = compiled(lambda x: f(others, x), audit=None)
    for x in (REGULAR,) * 4 + (SINGULAR * 0.0, REGULAR):
        outcomes = []
        for call in (lambda x: f(mine, x), step):
            try:
                outcomes.append(bits(call(x)))
            except np.linalg.LinAlgError:
                outcomes.append("singular")
        assert outcomes[0] == outcomes[1]
        assert others.bit_generator.state == mine.bit_generator.state
    assert step.stats["replayed"] == 3


def test_a_write_that_raises_and_is_caught_is_eager():
    def f(x):
        y = x * 2.0
        try:
            y[7] = 1.0
        except IndexError:
            y[0] = 5.0
        return y

    step = compiled(f)
    with pytest.warns(ReplayWarning, match="goes on after written has raised IndexError"):
        assert bits(step(np.ones(3))) == bits(f(np.ones(3)))
    for length in (8, 3, 8, 3, 8, 3, 8):
        assert bits(step(np.ones(length))) == bits(f(np.ones(length)))
    assert step.stats["replayed"] > 0


def test_an_error_in_another_thread_is_none_of_the_recording():
    def f(x):
        def attempt():
            with contextlib.suppress(np.linalg.LinAlgError):
                np.linalg.inv(x)

        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
        return x * 2.0

    step = compiled(f)
    with pytest.warns(ReplayWarning, match="which a replay would not do"):
        step(REGULAR)
    for n in range(4):
        assert bits(step(np.full((2, 2), float(n)))) == bits(np.full((2, 2), 2.0 * n))
    assert not any("LinAlgError" in reason for reason in step.reasons.values())


def test_an_error_in_another_thread_between_two_calls_is_none_of_the_recording():
    def attempt():
        with contextlib.suppress(np.linalg.LinAlgError):
            np.linalg.inv(SINGULAR)

    step = compiled(lambda x: x * 2.0)
    for n in range(4):
        thread = threading.Thread(target=attempt)
        thread.start()
        assert bits(step(np.full(2, float(n)))) == bits(np.full(2, 2.0 * n))
        thread.join()
    assert step.stats["replayed"] > 0
