"""A number of rounds that is an input: machine code for each number that a function has had.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_replay.passes import loops
from dezero_replay_llvm.steps import Rounds
from dezero_tools.functional import value_and_grad

from dezero_replay import compiled

from .test_rounds import SMALL, V, X, flat


@pytest.fixture(autouse=True)
def loops_of_small_arrays(monkeypatch):
    """Let programs of small arrays have loops, too."""
    monkeypatch.setattr(loops, "_SHORT", 0)


def repeated(x, n):
    for _ in range(n):
        x = np.tanh(x) * 0.9 + np.sin(x)
    return x


def rows(x, n):
    total = x[0] * 0.5
    for k in range(n):
        total = np.tanh(total) + x[k] * x[2 * k + 1, 3]
    return total


def from_behind(x, n):
    total = x[0] * 0.5
    for k in range(n):
        total = np.tanh(total) - x[n - k] * 0.5
    return total


def solved(a, n):
    x = np.ones(4)
    for k in range(n):
        s = a @ a.T + np.eye(4) * (k + 1.0)
        x = np.linalg.solve(s, x) + 0.5
    return x


def in_each_other(x, n):
    for k in range(8):
        for _ in range(n):
            x = np.sin(x) * 0.5 + X[k]
        x = np.tanh(x)
    return x


def kept(x, n):
    found = []
    for _ in range(n):
        x = np.sin(x) + 0.1
        found.append(x)
    return found


def written(x, n):
    table = x * 0.5
    for k in range(n):
        table[k + 1] = np.sin(table[k]) + x[k]
    return table


def loss(x, n):
    return np.sum(repeated(x, n) ** 2)


def loss_from_behind(x, n):
    return np.sum(from_behind(x, n) * V)


def near(found, expected):
    for x, y in zip(flat(found), flat(expected), strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-11)


def rounds_in(program):
    """Return the rounds of the loops in the machine code of a program."""
    steps = [each for code in program._lowered(program._usual).codes for each in code.region.steps]
    found = []
    for each in steps:
        if isinstance(each, Rounds):
            found.append(each.loop.rounds)
            steps += each.body.steps  # the loop goes on to these
    return found


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (repeated, V),
        (rows, X),
        (in_each_other, V),
        (written, X),
        (value_and_grad(loss), V),
    ],
)
def test_each_number_of_rounds_has_machine_code_behind_one_entry(function, x):
    step = compiled(function, executor="llvm", wait=True, audit=None)
    numbers = (20, 30, 47, 25)
    for n in numbers:
        for _ in range(2):
            near(step(x, n), function(x, n))
    before = step.stats
    assert before["recorded"] == 6  # 20 is a constant at first
    for n in (*numbers[1:], *numbers[:0:-1]):
        for y in (x, 0.7 * x):
            near(step(y, n), function(y, n))
    assert step.stats == before | {"replayed": before["replayed"] + 12}
    (choice,) = [each.choice for each in step.entries if each.choice is not None]
    assert choice.numbers == sorted(numbers[1:])
    for n in numbers[1:]:
        found = rounds_in(choice.at([n] * (choice.position + 1)))
        assert any(n - 3 <= rounds <= n for rounds in found)


@pytest.mark.parametrize(
    ("function", "x"),
    [(from_behind, X), (solved, SMALL), (kept, V), (value_and_grad(loss_from_behind), X)],
)
def test_numbers_of_rounds_that_decide_on_more_are_right_in_machine_code(function, x):
    step = compiled(function, executor="llvm", wait=True, audit=None)
    for n in (20, 30, 30, 47, 47, 25, 25, 30, 47, 25):
        near(step(x, n), function(x, n))
    before = step.stats["replayed"]
    for n in (30, 47, 25):
        near(step(0.7 * x, n), function(0.7 * x, n))
    assert step.stats["replayed"] == before + 3


def test_audits_compare_the_machine_code_of_each_number():
    step = compiled(repeated, executor="llvm", wait=True, audit=2)
    for n in (20, 20, 30, 30, 40, 50, 30, 40, 50, 30, 40, 50):  # warnings are errors
        near(step(V, n), repeated(V, n))
    assert step.stats["audits"] >= 3


@pytest.mark.parametrize("fewer", [0, 1, 3])
def test_so_few_rounds_are_no_loop(fewer):
    step = compiled(repeated, executor="llvm", wait=True, audit=None)
    for n in (20, 30, 31, 30, fewer, fewer, 31, fewer, 30):
        near(step(V, n), repeated(V, n))


def test_what_is_divided_by_the_number_of_rounds_is_machine_code():
    def mean(w, n):
        h, total = np.ones(4), 0.0
        for _ in range(n):
            h = np.tanh(w @ h + 0.1)
            total = total + np.sum(h * h)
        return total / n

    function = value_and_grad(mean)
    step = compiled(function, executor="llvm", wait=True, audit=None)
    for n in (30, 30, 30, 40, 40, 40, 50):
        near(step(0.3 * SMALL, n), function(0.3 * SMALL, n))
    # The guard of the number is NumPy's, and nothing else.
    assert [line for line in step.explain().splitlines() if "NumPy:" in line] == [
        "  NumPy: index, since it has values of int"
    ]
