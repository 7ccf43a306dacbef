"""What repeats in a recorded program becomes a loop: which rounds, which operands, which numbers.

Promise: docs/how_replay_works.md
"""

import re

import numpy as np
import pytest
from dezero_replay.passes import loops
from dezero_replay.passes.rounds import Loop, every_call
from dezero_replay.passes.runs import runs
from dezero_tools.functional import grad, value_and_grad

from dezero_core import Function, Variable
from dezero_replay import compiled

from ..replayed import bits, same

X = np.random.default_rng(0).normal(size=(100, 70))
V = np.random.default_rng(1).normal(size=70)
W = np.random.default_rng(2).normal(size=(70, 70)) / 10


def loops_of(step):
    """Return the loops of the last program, those within others too."""
    return [each.call for each in every_call(step.program.usual.instructions) if is_loop(each)]


def is_loop(each):
    return type(each.call) is Loop


def rounds_of(function, *args, calls=4):
    """Return the rounds of the loops of a function, which has eager code's bits."""
    step = same(function, [args] * calls)
    return [loop.rounds for loop in loops_of(step)]


def repeated(x, n=30):
    for _ in range(n):
        x = np.tanh(x) * 0.9 + np.sin(x)
    return x


def test_what_repeats_becomes_a_loop_of_so_many_rounds():
    assert rounds_of(repeated, V) == [30]


def test_the_program_shows_a_loop_of_python():
    step = same(repeated, [(V,)] * 3)
    assert re.search(r"\n +for i in range\(30\):\n +w\d+ = tanh\(w\d+\)", str(step.program))


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_few_rounds_stay_as_they_are(n):
    def function(x):
        for _ in range(n):
            x = repeated(x, 1) + 1.0
        return x * 2.0

    assert rounds_of(function, V) == []


def test_rounds_that_data_decides_are_recorded_twice_for_each_number():
    def function(x):
        while x.sum() > 1.0:
            x = x * 0.9
        return x

    step = compiled(function, audit=None)
    for number, x in enumerate([V * V, 3 * V * V] * 4):
        assert bits(step(x)) == bits(function(x))
        assert len(step.programs) == max(0, min(number - 1, 2))


def test_a_program_without_a_loop_has_none():
    def function(x):
        return np.sum(np.exp(x) * np.tanh(x) + np.sqrt(np.abs(x))) / (1.0 + np.mean(x))

    assert rounds_of(function, V) == []


def test_the_way_back_is_a_loop_over_what_the_way_there_has_saved():
    def function(x):
        return np.sum(repeated(x, 25))

    step = same(value_and_grad(function), [(V,)] * 4)
    there, back = loops_of(step)
    assert there.rounds == 25
    assert back.rounds >= 23
    assert there.collected


def test_rows_are_taken_by_the_counter():
    def function(x, y):
        for n in range(40):
            y = np.tanh(y + x[n]) - x[99 - n] * x[2 * n + 1]
        return y

    step = same(function, [(X, V)] * 4)
    (loop,) = loops_of(step)
    assert loop.rounds == 40
    for index in (r"x0\[i\]", r"x0\[-i \+ 99\]", r"x0\[2 \* i \+ 1\]"):
        assert re.search(index, str(step.program))


def test_the_counter_is_a_number_too():
    def function(y):
        for n in range(40):
            y = np.sin(y) * n + n
        return y

    assert rounds_of(function, V) == [40]


def test_numbers_that_follow_no_rule_are_taken_out_of_a_list():
    factors = [0.3 + 0.1 * (n**2 % 7) for n in range(40)]

    def function(y):
        for factor in factors:
            y = np.sin(y) * factor + 0.5
        return y

    assert rounds_of(function, V) == [40]


def test_a_round_with_another_constant_ends_a_loop():
    def function(y):
        for n in range(60):
            y = np.sin(y) + np.arange(70.0) * (2.0 if n == 29 else 1.0)
        return y

    step = same(function, [(V,)] * 4)
    assert sum(loop.rounds for loop in loops_of(step)) >= 59


def test_values_of_several_rounds_before_are_carried():
    def function(x):
        a, b, c = x, x * 0.5, x * 0.25
        for _ in range(30):
            a, b, c = b, c, np.sin(a) + b * 0.5 - c
        return a, b, c

    assert rounds_of(function, V) in ([29], [30])


def test_carried_values_have_several_shapes():
    def function(x, w):
        total, state = 0.0, x
        for _ in range(30):
            state = np.tanh(w @ state)
            w = w * 0.9 + 0.01 * state
            total = total + np.sum(state)
        return total, state, w

    assert rounds_of(function, V, W) in ([29], [30])


def test_loops_in_loops_are_found():
    def function(x):
        for n in range(12):
            y = x * (n + 1.0)
            for _ in range(25):
                y = np.sin(y) + x
            for k in range(20):
                y = y * 0.5 + X[k] * X[n + k]
            x = np.tanh(y)
        return x

    assert sorted(rounds_of(function, V)) == [12, 20, 25]


def test_uneven_loops_in_a_loop_are_loops_each():
    def function(x):
        for n in range(30, 34):
            for _ in range(n):
                x = np.sin(x) + 0.1
            x = np.exp(-x)
        return x

    assert [n for n in rounds_of(function, V) if n > 6] == [30, 31, 32, 33]


def test_another_first_and_last_round_stay_outside():
    def function(x):
        state = None
        for n in range(50):
            state = np.sin(x) if state is None else np.tanh(state) + x * 0.1
            if n == 49:
                state = state * 2.0 + np.mean(state)
        return state

    (rounds,) = rounds_of(function, V)
    assert 47 <= rounds <= 49


def test_an_early_end_is_a_shorter_loop():
    def function(x):
        total = x
        for _ in range(100):
            total = np.sin(total) + 0.3
            if np.sum(total) > 1e9:
                break
        return total

    assert 100 in rounds_of(function, V)


def test_each_round_may_write_into_an_array():
    def function(x):
        table = x * 0.0
        for n in range(40):
            table[n] = np.sin(x[n]) + 0.5
            table[n + 1, :5] += x[n, 5:10]
        return table

    assert 40 in rounds_of(function, X) or 39 in rounds_of(function, X)


def test_shapes_that_grow_are_no_loop():
    def function(x):
        y = x[:1]
        for n in range(1, 40):
            y = np.concatenate([np.sin(y), x[n : n + 1] * 0.5])
        return y

    assert rounds_of(function, X[:, 0]) == []


def test_two_interleaved_recurrences_are_one_loop():
    def function(x, y):
        for _ in range(30):
            x = np.sin(x) + 0.1
            y = np.cos(y) - x * 0.1
            x = np.tanh(x) * 1.1
            y = np.exp(-np.abs(y))
        return x, y

    assert rounds_of(function, V, V * 2.0) == [30]


def test_a_loop_draws_the_random_numbers_of_eager_code():
    def make():
        return np.random.default_rng(7)

    def function(rng, x):
        for _ in range(30):
            x = np.sin(x) + rng.normal(size=70) * 0.1
        return x

    step = same(function, [(V,)] * 6, make)
    assert [loop.rounds for loop in loops_of(step)] == [30]


def raising(x):
    y = x
    with np.errstate(divide="raise"):
        for n in range(400):
            y = np.cos(y) * 0.5 + 1.0 / (x - n)
    return y


def raises_in_round_317(agree=np.testing.assert_array_equal, **options):
    """Call a compiled function with what it was recorded with, and with what raises; return it."""
    step = compiled(raising, audit=None, **options)
    right = np.full(70, 500.5)
    wrong = right.copy()
    wrong[5] = 317.0
    for _ in range(3):
        agree(step(right), raising(right))
    with pytest.raises(FloatingPointError) as expected:
        raising(wrong)
    with pytest.raises(FloatingPointError) as found:
        step(wrong)
    assert str(found.value) == str(expected.value)
    agree(step(right), raising(right))
    return step


def test_what_raises_in_round_317_raises_in_the_replay():
    assert [loop.rounds for loop in loops_of(raises_in_round_317())] == [400]


def test_a_guard_of_one_round_sends_the_call_to_eager_code():
    def function(x, y):
        for n in range(400):
            x = np.sin(x) * y[n] + 1.0
            if y[n, 0] > 5.0:
                x = x * 2.0
        return x

    step = compiled(function, audit=None)
    y = np.full((400, 70), 0.5)
    for _ in range(3):
        assert bits(step(V, y)) == bits(function(V, y))
    assert step.stats["replayed"] == 1
    y[317, 0] = 6.0
    assert bits(step(V, y)) == bits(function(V, y))


class Halved(Function):
    """Looks at a value, in the body."""

    def forward(self, x):
        return x * 0.5 if x[0] > 0 else x * 0.25

    def backward(self, gy):
        return gy * 0.5


def test_a_guard_of_a_body_in_one_round_lets_that_body_run_as_it_is():
    def function(x):
        x = Variable(x)
        for _ in range(60):
            x = Halved()(np.sin(x)) + 0.25
        return x.data

    step = compiled(function, audit=None)
    for arrays in (np.full(70, 0.5),) * 3 + (np.full(70, -3.0),) * 12 + (np.full(70, 0.5),) * 2:
        assert bits(step(arrays)) == bits(function(arrays))


def test_printing_in_one_round_keeps_the_function_eager(capsys):
    def function(x):
        for n in range(200):
            x = np.sin(x) + 0.1
            if n == 100:
                print("round", n)
        return x

    step = compiled(function, quiet=True)
    for _ in range(4):
        step(V)
    assert capsys.readouterr().out == "round 100\n" * 4


def test_a_list_of_all_rounds_is_returned_as_new_arrays():
    def function(x):
        kept = []
        for _ in range(40):
            x = np.sin(x) + 0.1
            kept.append(x)
        return kept

    step = same(function, [(V,)] * 4)
    assert [loop.rounds for loop in loops_of(step)] == [40]
    first, second = step(V), step(V)
    first[3][...] = 7.0
    assert bits(second) == bits(function(V))
    assert bits(step(V)) == bits(function(V))


def test_derivatives_of_higher_order_are_loops():
    def function(x):
        return np.sum(repeated(x, 12) ** 3)

    second = grad(lambda x: np.sum(grad(function)(x) * V))
    step = same(second, [(V,)] * 4)
    assert len(loops_of(step)) >= 3


def test_calls_that_are_alike_in_a_row_by_chance_are_no_loops(monkeypatch):
    monkeypatch.setattr(loops, "LEAST_SAVED", 10)
    functions = np.sin, np.tanh, np.negative, np.arctan, np.cos
    order = [functions[n] for n in np.random.default_rng(0).integers(0, 5, 3000)]

    def function(x):
        for each in order:
            x = each(x)
        return x

    assert rounds_of(function, V) == []


def test_twenty_thousand_rounds_of_one_operation_are_a_loop():
    def function(x):
        for _ in range(20_000):
            x = x + 1.0
        return x

    assert rounds_of(function, V) == [20_000]


@pytest.mark.parametrize("period", [1, 2, 3, 7, 64, 100])
@pytest.mark.parametrize("start", [0, 1, 13])
def test_runs_are_found_wherever_they_begin(period, start):
    unlike = list(range(1000, 1000 + start))
    kinds = np.array([*unlike, *list(range(period)) * 9, 5000, 5001])
    assert (start, period, start + 9 * period) in list(runs(kinds))


def runs_by_trying_all_periods(kinds):
    """Return the runs of each period that is not made of shorter ones."""
    for period in range(1, len(kinds) // 4 + 1):
        is_same = np.concatenate([[False], kinds[period:] == kinds[:-period], [False]])
        edges = np.flatnonzero(np.diff(is_same)).tolist()
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            first = kinds[start : start + period]
            parts = (n for n in range(1, period) if period % n == 0)
            is_own = not any((first == np.tile(first[:n], period // n)).all() for n in parts)
            if is_own and end + period - start >= 4 * period:
                yield start, period, end + period


def test_runs_are_those_that_a_search_of_all_periods_finds():
    rng = np.random.default_rng(0)
    for _ in range(300):
        parts = []
        for _ in range(rng.integers(1, 4)):
            part = rng.integers(0, rng.integers(1, 5), rng.integers(1, 9))
            parts += [rng.integers(0, 5, rng.integers(0, 4)), np.tile(part, rng.integers(1, 8))]
        kinds = np.concatenate(parts * rng.integers(1, 5))
        assert sorted(runs(kinds)) == sorted(runs_by_trying_all_periods(kinds))


def test_runs_are_found_in_n_log_n_steps():
    # 2 ** 17 calls that are all alike: a search of n * n would take hours.
    assert next(runs(np.zeros(2**17, int))) == (0, 1, 2**17)
