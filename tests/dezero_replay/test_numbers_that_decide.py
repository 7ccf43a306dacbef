"""A whole number that decides how many rounds a loop has: one program, for all numbers it had.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_replay.passes.rounds import Loop
from dezero_tools.functional import value_and_grad

from dezero_core import Function, Variable
from dezero_replay import ReplayError, ReplayWarning, choice, compilation, compiled

from ..replayed import bits, same

X = np.linspace(0.1, 1.0, 70)


def repeated(x, n):
    for _ in range(n):
        x = np.tanh(x) * 0.9 + np.sin(x)
    return x


def loss(x, n):
    return np.sum(repeated(x, n))


def with_numbers(function, numbers, *args, calls=2, **options):
    """Call a function with each number several times, and compare it with eager code."""
    given = [(*args, n) for n in numbers for _ in range(calls)]
    return same(function, given, **options)


def test_another_number_of_rounds_is_recorded_once_and_is_the_same_program():
    numbers = [20, 30, 31, 47, 100, 25]
    step = with_numbers(repeated, numbers, X, calls=4, audit=None)
    # 20 is a constant at first; 30 is an input, and recorded twice.
    assert (step.stats["recorded"], len(step.programs)) == (2 + 2 + 4, 2)
    again = step.stats
    for n in (*numbers, *numbers[::-1]):
        assert bits(step(2 * X, n)) == bits(repeated(2 * X, n))
    assert step.stats == again | {"replayed": again["replayed"] + 12}


def test_two_numbers_that_were_recorded_once_each_are_one_program():
    numbers = [20, 30, 31, 32]
    step = with_numbers(repeated, numbers, X, calls=1, replayed=False, audit=None)
    assert (step.stats["recorded"], len(step.programs)) == (4, 1)
    for n in (30, 31, 32):
        assert bits(step(2 * X, n)) == bits(repeated(2 * X, n))
    assert step.stats["recorded"] == 4


def test_programs_of_few_rounds_are_one_though_they_have_no_loop():
    step = with_numbers(repeated, [6, 7, 8, 9, 10, 5], X, calls=3, audit=None)
    assert len(step.programs) == 2  # of 6, which is a constant at first, and of all others
    assert " in range(" not in str(step.program)


def test_eight_numbers_of_rounds_that_take_turns_are_all_replayed():
    def stopped(x):
        while np.max(x) > 1.0:
            x = x * 0.9
        return np.sum(np.sin(x))

    step = same(value_and_grad(stopped), [(np.full(3, 1.3**n),) for n in range(2, 10)] * 4)
    assert (step.stats["recorded"], len(step.programs)) == (16, 8)


def test_a_recording_that_has_joined_is_not_kept_to_be_compared():
    def function(x, n):
        x = repeated(x, n)
        return x * 2.0 if n % 2 else np.sin(x)

    step = with_numbers(function, [20, 30, 31, 33], X, calls=1, replayed=False, audit=None)
    assert (len(step.programs), [len(key.single) for key in step.keys]) == (2, [0])


def test_numbers_that_never_come_again_are_rarely_recorded_though_others_were_replayed():
    step = with_numbers(repeated, [200, 210], X, calls=4, audit=None)
    assert step.stats["replayed"] >= 3
    with pytest.warns(ReplayWarning, match="argument 1 decides"):
        results = [step(X, n) for n in range(1, 41)]
    assert [bits(y) for y in results] == [bits(repeated(X, n)) for n in range(1, 41)]
    assert step.stats["recorded"] < 24


def sums_in(make):
    def f(x, n):
        out = make(n)
        for i in range(n):
            out[i] = np.sum(x) * i
            x = x * 0.9
        return out

    return f


ARRAYS = {
    "zeros": np.zeros,
    "empty": np.empty,
    "a product": lambda n: np.ones(n) * 2.0,
    "rows": lambda n: np.zeros((n, 70)),
}


@pytest.mark.parametrize("make", ARRAYS)
def test_an_array_with_an_element_for_each_round_is_written_in_a_loop(make):
    step = with_numbers(sums_in(ARRAYS[make]), [20, 25, 30, 25, 30], X, calls=4, audit=None)
    assert (step.stats["recorded"], len(step.programs)) == (5, 2)
    assert "argument 1 decides: recorded for 25, 30" in step.explain()
    assert "argument 1 is 25" not in step.explain()


def test_numbers_that_never_come_again_are_recorded_seldom():
    step = compiled(repeated, audit=None, quiet=True)
    for n in range(100, 300):
        assert bits(step(X, n)) == bits(repeated(X, n))
    assert step.stats["recorded"] < 40
    assert "is recorded again and again: argument 1 decides" in step.explain()


def test_numbers_that_come_again_are_all_recorded():
    step = compiled(repeated, audit=None, quiet=True)
    for _ in range(6):
        for n in range(50, 70):
            assert bits(step(X, n)) == bits(repeated(X, n))
    before = step.stats
    assert before["recorded"] <= 2 * 20
    for n in range(50, 70):
        step(X, n)
    assert step.stats == before | {"replayed": before["replayed"] + 20}


def test_two_recordings_of_another_form_are_one_program():
    step = with_numbers(repeated, [20, 30], X, calls=3, audit=None)
    longer = np.linspace(0.1, 1.0, 90)
    for n in (40, 50, 40, 50):
        assert bits(step(longer, n)) == bits(repeated(longer, n))
    assert step.stats["recorded"] == 4 + 2
    assert "argument 1 decides: recorded for 40, 50" in step.explain()


def test_a_number_whose_program_cannot_run_stays_eager(monkeypatch):
    step = with_numbers(repeated, [20, 30, 40], X, audit=None, quiet=True)

    def broken(*_):
        raise KeyError("planted")

    monkeypatch.setattr(compilation, "Entry", broken)
    for n in (50, 30, 50):
        assert bits(step(X, n)) == bits(repeated(X, n))
    assert "cannot run: KeyError('planted')" in step.explain()


def test_gradients_have_loops_of_other_lengths():
    step = with_numbers(value_and_grad(loss), [20, 30, 40, 50, 60], X, calls=3, audit=None)
    assert len(step.programs) == 2
    assert any(type(each.call) is Loop for each in step.program.usual.instructions)


def test_explain_names_the_numbers():
    step = with_numbers(repeated, [20, 50, 30, 40], X, calls=2, audit=None)
    assert "argument 1 decides: recorded for 30, 40, 50" in step.explain()


def test_the_number_may_be_an_attribute():
    class Model:
        n = 20

    def function(model, x):
        return repeated(x, model.n)

    model, step = Model(), compiled(function, audit=None)
    for n in (20, 20, 30, 30, 40, 50, 40, 30):
        model.n = n
        assert bits(step(model, X)) == bits(function(model, X))
    assert step.stats["recorded"] == 6
    assert len(step.programs) == 2


@pytest.mark.parametrize("ways", [("a", "b"), (True, False), (None, "b")])
def test_numbers_of_calls_that_have_read_other_values_are_apart(ways):
    class Model:
        pass

    def function(model, x):
        turns = model.way in ("a", True, None)
        for i in range(model.n):
            x = np.tanh(x) * 0.9
            if turns and i == 37:
                x = -x
        return x

    model, step = Model(), compiled(function, audit=None)
    for model.n, which in [(20, 0), (30, 0), (30, 0), (40, 1), (40, 0), (40, 0), (40, 1)]:
        model.way = ways[which]
        assert bits(step(model, X)) == bits(function(model, X))


def test_a_round_that_differs_is_that_of_its_number_alone():
    def function(x, n):
        for i in range(n):
            x = x * 1.01
            if i == 37:
                x = np.minimum(x, 2.0)  # which changes nothing at first
        return x

    step = with_numbers(function, [20, 25, 30, 35, 45, 50, 55, 38], X, calls=3, audit=None)
    for n in (25, 30, 35, 38, 45, 50, 55):
        assert bits(step(9 * X, n)) == bits(function(9 * X, n))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, n: repeated(x, n * n),
        lambda x, n: repeated(x, 30) * x[n % 7],
        lambda x, n: repeated(x, 2 * n) + np.zeros(n).sum(),
        lambda x, n: [repeated(x, n)] * n,
        lambda x, n: (repeated(x, n), n),
        lambda x, n: repeated(x, n) * n + 1.0 / n,
        lambda x, n: repeated(x, n) if n > 30 else repeated(x, n) * 2.0,
        lambda x, n: np.stack([repeated(x, k) for k in range(n)]),
        lambda x, n: repeated(x, max(n, 30)),
        lambda x, n: repeated(x[n:], n),
        lambda x, n: np.asarray(repeated(x, n))[:n],
    ],
)
def test_numbers_may_decide_on_more_than_rounds(function):
    with_numbers(function, [20, 30, 31, 45, 30, 20, 31], X, calls=3)


def test_two_numbers_that_decide_have_programs_of_their_own():
    def function(x, n, m):
        return repeated(x, n) + repeated(np.cos(x), m)

    calls = [(X, n, m) for n, m in [(20, 20), (30, 30), (40, 40), (40, 50), (50, 40)] * 2]
    step = same(function, [each for each in calls for _ in range(2)], audit=None)
    assert len(step.programs) > 3


def test_numbers_that_grow_otherwise_are_recorded_twice():
    def function(x, n):
        return repeated(x, n) + repeated(np.cos(x), 20 + n // 7)

    step = with_numbers(function, [20, 31, 42, 53], X, replayed=False, audit=None)
    assert (step.stats["recorded"], len(step.programs)) == (8, 4)


def test_effects_are_those_of_the_number():
    def function(x, n):
        for i in range(n):
            x[i % 3] += 0.5
        x *= 2.0

    with_numbers(function, [21, 30, 33, 36, 30, 33], X, calls=3)


def test_random_numbers_are_drawn_for_each_number():
    def function(rng, x, n):
        return repeated(x + rng.normal(size=70), n)

    numbers = [20, 20, 30, 30, 40, 50, 60, 50, 40, 30, 60]
    calls = [(X, n) for n in numbers]
    step = same(function, calls, make=lambda: np.random.default_rng(0), audit=None)
    assert (step.stats["recorded"], step.stats["replayed"]) == (7, 4)


def test_a_body_whose_guard_fails_runs_as_it_is_for_each_number():
    class Kinked(Function):
        def forward(self, x):
            return x * 2.0 if x[0] > 0 else x * 3.0

        def backward(self, gy):
            return gy

    def function(x, n):
        return repeated(Kinked()(Variable(x)).data, n)

    step = with_numbers(function, [20, 30, 40, 50], X, audit=None)
    before = step.stats
    for n in (40, 30, 50) * 10:
        for x in (X, -X, 0.5 * X):
            assert bits(step(x, n)) == bits(function(x, n))
    assert step.stats == before | {"replayed": before["replayed"] + 90}
    for program, names in step.entries[0].choice._programs.values():  # the body has become opaque
        assert names["run"] == program.run


def test_the_oldest_numbers_go_if_there_are_many(monkeypatch):
    monkeypatch.setattr(choice, "_MOST", 3)
    step = with_numbers(repeated, [20, 30, 40, 50, 60], X, audit=None)
    assert "recorded for 40, 50, 60" in step.explain()
    with_numbers(repeated, [20, 30, 40, 50, 60, 30, 40], X)


def test_programs_for_numbers_hold_no_more_bytes_than_allowed():
    def function(x, n):
        return value_and_grad(loss)(x, n)[1] + np.arange(7.0).sum()

    step = with_numbers(function, [20, 30, 40, 50, 60, 70], X, audit=None)
    held = step.entries[0].planned_bytes
    most = held - 1
    step = with_numbers(function, [20, 30, 40, 50, 60, 70], X, audit=None, max_bytes=most)
    assert 0 < sum(each.planned_bytes for each in step.entries) <= most


def test_an_audit_compares_the_program_of_the_number():
    step = with_numbers(repeated, [20, 30, 40, 50], X)
    first = step.entries[0]
    program, names = first.choice._programs[40]
    wrong = program._lowered(program._usual)
    wrong.run = names["run"] = lambda x, n: [repeated(x, n) + 1.0]
    first.calls[1], first.next_audit = first.calls[0] + 2, 0
    assert bits(step(X, 30)) == bits(repeated(X, 30))
    with pytest.raises(ReplayError, match="came to another result"):
        step(X, 40)


def test_an_audit_that_is_due_lets_a_new_number_be_recorded():
    step = with_numbers(repeated, [20, 30, 40], X)
    first = step.entries[0]
    first.calls[1], first.next_audit = first.calls[0] + 1, 0
    before = step.stats
    assert bits(step(X, 55)) == bits(repeated(X, 55))
    assert step.stats == before | {"recorded": before["recorded"] + 1}
    assert bits(step(X, 30)) == bits(repeated(X, 30))
    assert step.stats["audits"] == before["audits"] + 1


@pytest.mark.parametrize("derived", [False, True])
def test_small_arrays_whose_programs_have_no_loops_join_too(derived):
    def function(w, n):
        h, total = np.ones(3), 0.0
        for _ in range(n):
            h = np.tanh(w @ h + 0.1)
            total = total + np.sum(h * h)
        return total / n

    function = value_and_grad(function) if derived else function
    step = with_numbers(function, [30, 40, 50, 60, 70], 0.3 * np.eye(3), calls=3, audit=None)
    assert (step.stats["recorded"], len(step.programs)) == (2 + 2 + 3, 2)


def test_a_warning_names_the_number_that_decides():
    step = compiled(value_and_grad(loss))
    said = "argument 1 decides which calls are made, and changes in each call"
    with pytest.warns(ReplayWarning, match=said):
        list(map(step, [X[:3]] * 16, range(1, 17)))
