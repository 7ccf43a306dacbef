"""Bodies of loops that draw, warn, or call a function that no recording can follow.

Promise: docs/how_replay_works.md
"""

import re

import numpy as np
import pytest
from dezero_replay.tape.opaque import OpaqueBackward, OpaqueForward
from dezero_tools.functional import value_and_grad

from dezero_core import Function
from dezero_replay import compiled

from ..replayed import same
from .test_loops import V, X, loops_of


def test_a_call_that_comes_to_the_same_in_all_rounds_is_before_the_loop():
    def function(x, y):
        for _ in range(40):
            x = np.sin(x) * np.exp(y) + np.cos(np.exp(y))
        return x

    step = same(function, [(V, V * 2.0)] * 4)
    before, _, inside = str(step.program).partition("for i in range(40):")
    assert before.count("exp(") == before.count("cos(") == 1
    assert "exp(" not in inside
    assert "cos(" not in inside


def test_a_result_of_each_round_is_an_array_of_its_own_also_if_all_are_equal():
    def function(x, y):
        kept, parts = [], []
        for _ in range(40):
            x = np.sin(x)
            kept.append(y * 2.0)
            parts.append((y + 1.0)[3:9])
        return x, kept, parts

    step = same(function, [(V, V)] * 4)
    assert loops_of(step)
    _, kept, parts = step(V, V)
    for first, *others in (kept, parts):
        assert not any(np.shares_memory(first, other) for other in others)


def test_equal_results_of_the_round_before_the_last_are_two_arrays():
    def function(x):
        a = b = x
        for _ in range(40):
            one, two = a[3:9], b[3:9]
            both = a + b
            a, b = np.sin(both), np.sin(both)
        return one, two, np.cos(both)

    step = same(function, [(V,)] * 4)
    assert loops_of(step)
    assert not np.shares_memory(*step(V)[:2])


def test_equal_results_that_the_last_round_alone_gives_are_computed_behind_the_loop():
    def function(x):
        for _ in range(40):
            x = np.tanh(x) + 0.1
            one, two = np.sin(x), np.sin(x)
        return one * 2.0, two * 3.0

    step = same(function, [(V,)] * 4)
    _, _, inside = str(step.program).partition(" in range(")
    assert inside.count("sin(") == 1


def test_rows_of_one_array_go_on_with_those_of_another():
    def function(x, y, z):
        rows = [y[i] if i < 20 else z[i] for i in range(40)]
        for row in rows:
            x = np.cos(x) + row
        return x

    step = same(function, [(V + n, X, X + 1.0) for n in range(4)])
    assert [loop.rounds for loop in loops_of(step)] == [20, 20]


def test_single_numbers_are_combined_with_numbers_that_grow():
    def function(x):
        total = np.sum(x)
        for n in range(40):
            total = total * (39 - n) * 0.02 + np.sum(np.sin(x * total))
            total = (n + 1) - total
            total = (2 * n - 5) - total / (40 - n)
            total = total % (n + 3)
        return total

    step = same(function, [(V,)] * 4)
    assert [loop.rounds for loop in loops_of(step)] == [40]


def test_what_one_of_the_rounds_has_made_may_be_the_same_in_those_behind_it():
    def function(x):
        kept = x
        for n in range(40):
            y = np.sin(x) + 0.1
            z = np.tanh(y)
            kept = z if n == 20 else kept
            x = z * y + kept
        return x

    step = same(function, [(V,)] * 4)
    assert [loop.rounds for loop in loops_of(step)] == [20, 19]


@pytest.mark.parametrize(
    "factors",
    [[0.3 + 0.1 * (n**2 % 7) for n in range(20)], [0.5**n for n in range(20)]],  # of bits that grow
)
def test_numbers_of_an_inner_loop_may_differ_between_the_rounds_around_it(factors):
    def function(y):
        for factor in factors:
            for _ in range(25):
                y = np.sin(y) * factor + 0.5
            y = np.tanh(y)
        return y

    step = same(function, [(V,)] * 4)
    assert 25 in [loop.rounds for loop in loops_of(step)]


def test_steps_of_an_inner_loop_may_differ_between_the_rounds_around_it():
    rows = np.random.default_rng(3).normal(size=(210, 70))

    def function(x, y):
        for k in range(15):
            for n in range(15):
                y = np.sin(y) + x[k * n]
            y = np.tanh(y) * 0.5 + np.cos(y)
        return y

    step = same(function, [(rows, V)] * 4)
    assert 15 in [loop.rounds for loop in loops_of(step)]


def test_an_inner_loop_may_end_otherwise_in_one_of_the_rounds_around_it():
    def function(a, b):
        for k in range(20):
            for _ in range(25):
                u, v = np.sin(a), np.cos(b)
                a, b = (v, u) if k == 9 else (u, v)
            a = np.tanh(a) + b * 0.5
        return a, b

    step = same(function, [(V, 2.0 * V)] * 4)
    assert 25 in [loop.rounds for loop in loops_of(step)]


def test_rows_and_writes_in_three_loops_in_each_other():
    def function(x, y):
        for i in range(15):
            for j in range(15):
                for k in range(15):
                    y = np.sin(y) + x[i + 2 * j + 3 * k]
                part = y[1:][::2]
                part[j : j + 3] += 0.5
                y = np.tanh(y) + np.cos(y)
            y = np.sin(y) * 0.5 + np.exp(-y)
        return y

    step = same(function, [(np.tile(V, (90, 1)), V)] * 4)
    assert sorted(loop.rounds for loop in loops_of(step))[-3:] == [15, 15, 15]


def of_two_beginnings(x, a, b):
    for i in range(15):
        y = np.sin(a) + b * 2.0 + x[i]
        a = y
        b = y
    return y


def test_two_names_of_one_result_may_begin_with_two_arrays():
    rows = [np.random.default_rng(n).random((40, 70)) for n in range(4)]
    step = same(of_two_beginnings, [(x, x[1].copy(), x[2].copy()) for x in rows])
    assert " in range(" in str(step.program)


def test_a_loop_whose_calls_all_come_to_the_same_in_each_round_is_gone():
    def function(x):
        for _ in range(30):
            y = np.tanh(np.sin(x) * 0.5)
            z = y * y
        return np.sum(z)

    step = same(function, [(np.linspace(0.0, 1.0, 100) + n,) for n in range(4)])
    assert (" in range(" in str(step.program), str(step.program).count("tanh(")) == (False, 1)


def test_rounds_may_decide_otherwise_and_do_the_same():
    def function(x, y):
        found = 0
        for n in range(60):
            x = np.sin(x) + y[n]
            found += bool(y[n, 0] > 0.5)
        return x, found

    y = np.zeros((60, 70))
    y[::7] = 1.0
    same(function, [(V, y)] * 4)


def test_numbers_of_python_of_all_rounds_are_kept():
    def function(x):
        places, sums = [], []
        for _ in range(40):
            x = np.sin(x) + 0.1
            places.append(x.argmax().item())
            sums.append(x.sum().item())
        for n in range(40):
            x = np.cos(x) + places[39 - n] * sums[n]
        return x, places, sums

    step = same(function, [(V,)] * 4)
    assert loops_of(step)


def drawn_around_a_fixed_mean(rng, x):
    mean = x * 2.0
    for _ in range(30):
        x = np.sin(x) + rng.normal(mean) * 0.1
    return x


def drawn_from_constants_alone(rng, x):
    y = np.zeros(70)
    for _ in range(30):
        y = np.sin(y) + rng.normal(size=70) * 0.1
    return x + y


def drawn_in_a_loop_in_a_loop(rng, x):
    y = np.zeros(70)
    for _ in range(12):
        for _ in range(20):
            y = np.sin(y) + rng.normal(size=70) * 0.1
        y = np.tanh(y)
    return x * 2.0 + y


@pytest.mark.parametrize(
    "function",
    [drawn_around_a_fixed_mean, drawn_from_constants_alone, drawn_in_a_loop_in_a_loop],
)
def test_each_round_draws_the_random_numbers_of_eager_code(function):
    step = same(function, [(V,)] * 6, lambda: np.random.default_rng(7))
    assert loops_of(step)


def test_loops_of_constants_are_computed_once():
    def function(x):
        row = np.zeros(70)
        for n in range(12):
            for k in range(20):
                row = np.sin(row + k) + n
            row = np.tanh(row)
        return x + row

    step = same(function, [(V,)] * 4)
    assert loops_of(step)
    assert " in range(" not in step.program.source()
    assert len(re.findall(r"\n +\w+ = ", step.program.source())) <= 2


def test_a_loop_of_constants_that_warns_does_so_in_each_run():
    def function(x):
        y = np.ones(70)
        for n in range(60):
            y = 1.0 / (y - np.array(float(n))) + 31.0 * (n == 29)
        return x + y

    step = compiled(function, audit=None)
    for _ in range(4):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            found = step(V)
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            assert np.array_equal(found, function(V), equal_nan=True)


class Unseen(Function):
    """Goes through numbers of Python's, and keeps some for the way back."""

    def forward(self, x):
        self.slopes = np.cos(x).tolist()
        return np.sin(np.array(x.tolist()))

    def backward(self, gy):
        return gy * np.array(self.slopes)


def test_bodies_that_no_recording_can_follow_are_called_one_by_one():
    def function(x):
        for _ in range(20):
            x = Unseen()(x) * 0.9 + 0.1
        for _ in range(30):
            x = np.sin(x) * 0.9 + 0.1
        return np.sum(x)

    step = same(value_and_grad(function), [(V,)] * 4)
    assert all(loop.rounds > 25 for loop in loops_of(step))
    calls = [type(each.call) for each in step.program.usual.instructions]
    assert calls.count(OpaqueForward) == calls.count(OpaqueBackward) == 20


def test_rounds_in_another_state_of_errors_are_those_of_another_loop():
    def function(x, y, z):
        with np.errstate(divide="ignore"):
            for _ in range(30):
                x = np.arctan(1.0 / (x * y))
        for _ in range(30):
            x = np.arctan(1.0 / (x * z))
        return x

    zero = np.zeros(70)
    step = same(function, [(V, V, V)] * 3 + [(V, zero, V)], audit=None)  # which gives no warning
    assert [loop.rounds for loop in loops_of(step)] == [30, 30]
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        found = step(V, V, zero)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert np.array_equal(found, function(V, V, zero))
