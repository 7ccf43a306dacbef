"""Loops of programs in machine code: the results of eager code within the documented limits.

Promise: docs/how_replay_works.md
"""

import inspect
import signal
import time

import numpy as np
import pytest
from dezero_replay.passes import loops
from dezero_replay_llvm.steps import Rounds
from dezero_tools.functional import value_and_grad

from dezero_core import using_config
from dezero_replay import ReplayWarning, compiled
from dezero_replay_llvm import cache, round_writer

from ..dezero_replay.random_loops import Program

X = np.random.default_rng(0).normal(size=(120, 70))
V = np.random.default_rng(1).normal(size=70)
SMALL = np.random.default_rng(2).normal(size=(4, 4)) / 3


@pytest.fixture(autouse=True)
def loops_of_small_arrays(monkeypatch):
    """Let programs of small arrays have loops, too."""
    monkeypatch.setattr(loops, "_SHORT", 0)


def flat(x):
    """Return the arrays in nested results."""
    return [y for item in x for y in flat(item)] if isinstance(x, (list, tuple)) else [x]


def same(function, *args, audit=None):
    """Call a function compiled to machine code; compare it with eager code."""
    step = compiled(function, executor="llvm", wait=True, audit=audit)
    for _ in range(4):
        found = step(*args)
        for x, y in zip(flat(found), flat(function(*args)), strict=True):
            assert type(x) is type(y)
            assert np.asarray(x).dtype == np.asarray(y).dtype
            np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-11)
    return step


def rounds_of(step):
    """Return the rounds of the loops in machine code."""
    native = step.program._lowered(step.program._usual)
    found = []

    def look(steps):
        for each in steps:
            if isinstance(each, Rounds):
                found.append(each.loop.rounds)
                look(each.body.steps)

    for code in native.codes:
        look(code.region.steps)
    return found


def test_a_loop_is_one_piece_of_machine_code():
    def function(x):
        for _ in range(50):
            x = np.tanh(x) * 0.9 + np.sin(x)
        return x

    step = same(function, V)
    assert rounds_of(step) == [50]
    assert "NumPy:" not in step.explain()


@pytest.mark.parametrize("rounds", [21, 22])
def test_results_are_in_the_memory_of_the_last_round(rounds):
    def function(x, w):
        y = x * 2.0
        for _ in range(rounds):
            x, y = np.tanh(w @ y) + 0.1, x * 0.5
        return x, y

    assert rounds_of(same(function, SMALL[0], SMALL)) == [rounds - 1]


def test_rows_are_addressed_by_the_counter():
    def function(x, y):
        for n in range(40):
            y = np.tanh(y + x[n]) - x[99 - n, ::-1] * x[2 * n + 1, 3]
            y = y * np.sum(x[n : n + 5, 2])
        return y

    assert rounds_of(same(function, X, V)) == [40]


def test_rows_whose_places_do_not_grow_by_fixed_steps_are_right():
    def function(x, y):
        for n in range(40):
            y = np.tanh(y + x[n - 3]) - 0.5
        return y

    assert rounds_of(same(function, X, V)) == []


def test_the_way_back_reads_what_was_saved():
    def function(x, w):
        for _ in range(50):
            x = np.tanh(w @ x) * 0.9 + np.sin(x)
        return np.sum(x)

    step = same(value_and_grad(function, (0, 1)), SMALL[0], SMALL)
    assert len(rounds_of(step)) >= 2


def test_loops_in_loops_have_addresses_by_both_counters():
    def function(x, y):
        for n in range(12):
            for k in range(20):
                y = np.sin(y) * 0.5 + x[n + k] * x[2 * n + 1] - x[k, n]
            y = np.tanh(y) + x[n]
        return y

    assert sorted(rounds_of(same(function, X, V))) == [12, 20]


def test_a_carried_array_is_written_where_it_is():
    def function(x):
        table = x * 0.5
        for n in range(60):
            table[n + 1] = np.sin(table[n]) + x[n]
            table[n, 2:5] += 1.0
        return table, x

    step = same(function, X)
    assert rounds_of(step) == [60]
    assert step.program.planned_bytes < 4 * X.nbytes


def written_ones_change_places(x):
    a, b = x[0] * 1.0, x[1] * 1.0
    for i in range(40):
        a[i % 4] += 1.0 + b[1]
        a, b = b, a
    return a, b


def three_change_places(x):
    a, b, y = x[0] * 1.0, x[1] * 1.0, x[2] * 1.0
    for i in range(40):
        a, b, y = y, a, b * 0.5
        a[i] = 1.0
        y[:-3] *= y[3:]
    return a, b, y


def added_at_places(x):
    y, places = x[0] * 1.0, np.array([3, 1, 3, 0])
    for i in range(40):
        np.add.at(y, places, x[i, :4])
        y[places] += y[1]
    return y


@pytest.mark.parametrize(
    "function",
    [written_ones_change_places, three_change_places, added_at_places],
    ids=lambda each: each.__name__,
)
def test_arrays_that_are_written_into_may_change_places(function, monkeypatch):
    monkeypatch.setattr(loops, "_SHORT", 0)
    monkeypatch.setattr(loops, "LEAST_SAVED", 6)
    x = np.random.default_rng(0).random((40, 40))
    step = compiled(function, executor="llvm", wait=True, audit=None)
    for _ in range(4):
        for found, expected in zip(flat(step(x)), flat(function(x)), strict=True):
            assert found.tobytes() == expected.tobytes()
    assert " in range(" in str(step.program)


def test_an_argument_is_never_written_into():
    def function(x):
        for n in range(60):
            x = np.where(x > 0.5, x, x * 0.5 + 0.1 * n)
        return x

    given = V.copy()
    same(function, given)
    assert np.array_equal(given, V)


def test_lists_of_all_rounds_are_results():
    def function(x):
        kept = []
        for _ in range(30):
            x = np.sin(x) + 0.1
            kept.append(x)
        return kept[3], kept[17], x, np.sum(kept[5])

    same(function, V)


def test_constants_that_differ_from_round_to_round():
    factors = [float(n**2 % 7) for n in range(40)]
    rows = np.random.default_rng(5).normal(size=(40, 70))

    def function(x):
        for n in range(40):
            x = np.sin(x) * factors[n] + rows[n]
        return x

    assert rounds_of(same(function, V)) == [40]


def test_a_number_that_all_rounds_share_is_computed_once():
    def function(x):
        rest = np.zeros(3)
        for _ in range(60):
            rest = np.cos(rest) * 0.5
        factor = np.sum(rest)
        for _ in range(40):
            x = np.sin(x) * factor + 0.5
        return x

    assert rounds_of(same(function, V)) == [40]


def test_lists_of_numbers_of_python_are_those_of_numpy():
    def function(x):
        places, sums = [], []
        for n in range(40):
            x = np.sin(x) + 0.1
            places.append(x.argmax().item())
            sums.append(float(x[n]))
        for n in range(40):
            x = np.cos(x) + places[39 - n] * sums[n]
        return x

    same(function, V)


def test_numbers_are_carried_too():
    def function(x):
        total, factor = 0.0, 1.0
        for n in range(100):
            factor = factor * 0.9 + 0.01
            total = total + factor * np.sum(x[n])
        return total, factor

    assert 100 in rounds_of(same(function, X)) or 99 in rounds_of(same(function, X))


def test_calls_of_numpy_in_a_body_leave_the_loop_to_python():
    def function(x):
        for _ in range(30):
            x = np.sin(np.sort(x)) + 0.1
        return x

    step = same(function, V)
    assert rounds_of(step) == []
    (line,) = [line for line in step.explain().splitlines() if "loop of 30 rounds" in line]
    where = f"{__file__}:{inspect.getsourcelines(function)[1] + 2}"
    assert f"since its call of sort, at {where}, stays with NumPy: it sorts" in line


def test_guards_of_all_rounds_are_looked_at():
    def function(x, y):
        for n in range(90):
            x = np.sin(x) * y[n] + 1.0
            if y[n, 0] > 5.0:
                x = x * 2.0
        return x

    y = np.full((90, 70), 0.5)
    step = same(function, V, y)
    for row in (0, 41, 89):
        other = y.copy()
        other[row, 0] = 6.0
        np.testing.assert_allclose(step(V, other), function(V, other), rtol=1e-12)
    np.testing.assert_allclose(step(V, y), function(V, y), rtol=1e-12)


def test_a_warning_in_one_round_is_given():
    def function(x):
        for n in range(60):
            x = 1.0 / (x - n) + 2.0 * n + 2.0
        return x

    step = same(function, np.full(70, 0.5))
    wrong = np.full(70, 0.5)
    wrong[7] = 0.0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        found = step(wrong)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert np.array_equal(found, function(wrong))


def test_a_singular_matrix_in_one_round_raises_the_error_of_numpy():
    def function(a, x):
        for n in range(50):
            x = np.linalg.solve(a[n], x) * 0.5
        return x

    a = np.broadcast_to(np.eye(4) * 2.0, (50, 4, 4)).copy()
    step = same(function, a, SMALL[0])
    a[31] = 0.0
    with pytest.raises(np.linalg.LinAlgError):
        step(a, SMALL[0])


def test_float32_stays_float32():
    def function(x):
        x = x.astype(np.float32)
        for _ in range(30):
            x = np.tanh(x) * np.float32(0.9) + x[::-1]
        return x

    step = compiled(function, executor="llvm", wait=True, audit=None)
    for _ in range(4):
        found = step(V)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, function(V), rtol=1e-4)


def test_an_audit_goes_through_the_rounds_and_finds_a_wrong_one(monkeypatch):
    def function(x):
        for n in range(50):
            x = x + np.sin(X[n])
        return x

    usual = round_writer.RoundsWriter._buffers

    def planted(self, n, place):
        _, to, other = usual(self, n, place)
        return [to, to, other]  # the first round reads what is not there yet

    step = compiled(function, executor="llvm", wait=True, audit=4)
    with monkeypatch.context() as patch:
        patch.setattr(round_writer.RoundsWriter, "_buffers", planted)
        patch.setattr(cache, "read", lambda key: None)
        patch.setattr(cache, "write", lambda *args: None)
        for _ in range(3):
            step(V)
    for _ in range(2):
        step(V)
    with pytest.warns(ReplayWarning, match="came to other numbers than NumPy"):
        step(V)
    np.testing.assert_array_equal(step(V), function(V))


def test_audits_of_sums_that_cancel_over_many_rounds_find_nothing_wrong():
    def function(x):
        total = x * 0.0
        for n in range(400):
            x = np.sin(x * 1.01) + 0.3
            total = total + x * (-1.0) ** n
        return total, np.sum(total)

    step = same(function, V, audit=2)  # warnings are errors
    assert step.stats["audits"]
    assert rounds_of(step)


@pytest.mark.parametrize("seed", range(5))
def test_audits_of_conjugate_gradients_find_nothing_wrong(seed):
    def solution(a, b):
        x, r = np.zeros(12), b
        p, rs = r, r @ r
        for _ in range(30):
            ap = a @ p
            alpha = rs / (p @ ap)
            x, r = x + alpha * p, r - alpha * ap
            p, rs = r + (r @ r) / rs * p, r @ r
            if np.sqrt(rs) < 1e-10:
                break
        return np.sum(x)

    rng = np.random.default_rng(seed)
    step = compiled(value_and_grad(solution, 1), executor="llvm", wait=True, audit=1)
    for _ in range(20):  # a warning would be an error
        q = rng.random((12, 12))
        step(q @ q.T + 5.0 * np.eye(12), rng.random(12))
    assert step.stats["audits"] > 0


@pytest.mark.parametrize("seed", range(3))
def test_audits_of_an_iteration_that_forgets_its_errors_find_nothing_wrong(seed):
    """A bound of the error grows from round to round until it overflows, and the error does not."""

    def function(a, v):
        for _ in range(30):
            w = a @ v
            v = w / np.sqrt(w @ w)
        return v

    random = np.random.default_rng(seed).random((5, 5))
    a = random @ random.T / 5
    step = compiled(function, executor="llvm", wait=True, audit=1)
    for n in range(6):
        np.testing.assert_allclose(step(a, np.ones(5) + n), function(a, np.ones(5) + n), rtol=1e-12)
    assert "other numbers" not in step.explain()


def test_arrays_that_change_places_stay_in_machine_code():
    def arrays_that_change_places(x):
        a, b = x[0], x[1]
        for i in range(40):
            a, b = np.sin(b) + x[i], a
        return a, b

    step = same(arrays_that_change_places, np.random.default_rng(0).random((40, 40)))
    assert rounds_of(step) == [39]


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("part", range(4))
def test_random_programs_with_loops_are_within_the_limits(part, writes, monkeypatch):
    monkeypatch.setattr(loops, "LEAST_SAVED", 6)
    found = [has_loop(seed, writes) for seed in range(2 * part, 2 * part + 2)]
    assert any(found)


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("part", range(1, 51))
def test_a_thousand_more_of_each_kind_are_within_them(part, writes, monkeypatch):
    monkeypatch.setattr(loops, "LEAST_SAVED", 6)
    assert sum(has_loop(seed, writes) for seed in range(20 * part, 20 * part + 20)) >= 5


def has_loop(seed, writes):
    """Compare a random program with eager code; return whether machine code has loops of it."""
    program = Program(seed, writes)
    function = program.function()
    if not writes:
        function = value_and_grad(function, (0, 1, 2))
    step = compiled(function, executor="llvm", wait=True, audit=None)
    with np.errstate(all="ignore"), using_config("warn_of_independence", False):
        for number in range(3):
            arrays = program.arrays(number)
            expected = function(*[x.copy() for x in arrays])
            found = step(*[x.copy() for x in arrays])
            for x, y in zip(flat(found), flat(expected), strict=True):
                size = np.max(np.abs(y), initial=1e-300)
                assert np.allclose(x / size, y / size, rtol=0.0, atol=1e-12), program.text
    assert step.stats["replayed"], program.text
    return bool(rounds_of(step))


def test_an_interrupt_ends_a_long_loop_and_leaves_everything_as_it_was():
    class Interrupted(BaseException):
        pass

    def handler(*_):
        raise Interrupted

    def function(x, state):
        for _ in range(3000):
            x = np.tanh(x) * 0.9 + np.sin(x)
        state[0] = x
        return x

    x, state = np.random.default_rng(0).normal(size=20_000), [None]
    step = compiled(function, executor="llvm", wait=True, audit=None)
    for _ in range(3):
        expected = step(x, state)
    assert rounds_of(step) == [3000]
    before, usual = state[0], signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        begin = time.perf_counter()
        with pytest.raises(Interrupted):
            step(x, state)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, usual)
    assert time.perf_counter() - begin < 5.0  # within 0.1 s where nothing else runs
    assert state[0] is before
    assert np.array_equal(step(x, state), expected)
