"""The arrays that the rounds of a loop compute, keep and return: where they are, and who has them.

Promise: docs/how_replay_works.md
"""

import numpy as np
from dezero_replay.passes import loops
from dezero_tools.functional import grad, value_and_grad

from ..replayed import bits, same

X = np.random.default_rng(0).normal(size=(100, 70))
V = np.random.default_rng(1).normal(size=70)


def lines_in_loops(step, *words):
    """Return the lines of the bodies of loops that have one of some words."""
    lines = str(step.program).splitlines()
    return [each for each in lines if each.startswith(" " * 12) and any(w in each for w in words)]


def test_what_only_the_last_round_needs_is_computed_once():
    def function(x):
        for _ in range(40):
            x = np.sin(x) + 0.1
            y = np.exp(x)
            z = np.sum(y * np.cos(x)) + x[1]
        return x, z

    step = same(function, [(V,)] * 4)
    assert len(lines_in_loops(step, "sin", "add(")) == 2
    assert not lines_in_loops(step, "exp", "cos", "reduce")


def test_what_a_round_before_or_every_round_needs_stays_in_the_loop():
    def function(x):
        y = z = x
        for _ in range(40):
            y, z = np.cos(x), np.exp(y)  # the next round reads y; z is of the round before
            x = np.sin(x) * 0.9
        return x, z

    step = same(function, [(V,)] * 4)
    assert len(lines_in_loops(step, "cos")) == len(lines_in_loops(step, "exp")) == 1


def test_a_loop_knows_constants_that_are_computed_before_it():
    slope = grad(lambda q: np.sum(np.logaddexp(0.0, X @ q)) + np.sum(q))

    def function(q):
        g = slope(q)
        for _ in range(40):
            q = q - 0.1 * g
            g = slope(q)
        return q

    step = same(function, [(V,)] * 4)
    assert len(lines_in_loops(step, "multiply")) == 1  # none by the gradient 1 of the sum


def test_views_of_a_constant_that_rounds_return_are_of_an_array_of_their_own():
    def function(x):
        constant, kept = np.arange(80.0), []
        for i in range(40):
            x = np.sin(x) + constant[i]
            kept.append(constant[i : i + 3])
        return x, kept

    step = same(function, [(V,)] * 4)
    step(V)[1][3][:] = 99.0
    assert bits(step(V)) == bits(function(V))


def test_views_of_constants_one_for_each_round_are_of_arrays_of_their_own():
    def function(x):
        found = []
        for n in range(50):
            row = np.full(6, float(n))
            x = np.sin(x) + row[0]
            found.append(row[1:])
        return x, found

    step = same(function, [(V,)] * 4)
    for each in step(V)[1]:
        each[...] = -1.0
    assert bits(step(V)) == bits(function(V))


def test_rounds_write_what_is_kept_into_the_rows_of_one_buffer():
    def function(x):
        for _ in range(40):
            x = np.sin(x * x) + x[::-1]
        return np.sum(x)

    step = same(value_and_grad(function), [(V,)] * 4)
    assert not lines_in_loops(step, "[i] = ")
    assert len(lines_in_loops(step, "l0[i]", "l1[i]", "l2[i]")) >= 2
    assert step.program.planned_bytes >= 2 * 39 * V.nbytes


def test_the_last_array_is_not_overwritten_by_the_next_call():
    def function(x):
        kept = []
        for _ in range(40):
            x = np.sin(x) + 0.1
            kept.append(x)
        return x, np.sum(kept[3] * kept[4]), kept[5][1:]

    step = same(function, [(V,)] * 4)
    first = step(V)
    expected = bits(first)
    step(V * 2.0)
    assert bits(first) == expected


def test_complex_numbers_keep_the_sign_of_their_zeros():
    def function(x):
        kept = []
        for n in range(40):
            x = np.sin(x) * 1.1
            kept.append(np.where(x > 9.0, x, complex(1.0, -0.0 if n % 20 == 7 else 0.0)))
            kept.append(np.where(x > 9.0, x, complex(-0.0 if n == 20 else 0.0, 1.0)))
        return kept

    same(function, [(V,)] * 4)
    same(lambda x: np.where(x > 9.0, x, -1j), [(V,)] * 4)


def test_what_the_last_round_was_given_is_not_what_it_made(monkeypatch):
    monkeypatch.setattr(loops, "_SHORT", 0)
    monkeypatch.setattr(loops, "LEAST_SAVED", 6)

    def loss(x):
        first, total, kept = np.sum(x), 0.25, []
        for i in range(9):
            kept.append(total)
            total = total * 0.5 + first * 0.25
            for n in range(5 if i < 8 else 0):
                total = total * 0.9 + 0.1 * n
        first = first + np.sum(total) * 0.5
        for each in kept:
            first = first + np.sum(each)
        return first

    same(value_and_grad(loss), [(V,), (2.0 * V,), (3.0 * V,)])


def test_counters_have_names_of_their_own_at_any_depth():
    def function(x):
        for a in range(7):
            for b in range(5):
                for c in range(5):
                    x = (x * 0.5).astype(np.float32) + 0.1 * x[a + b + c].astype(np.float32)
                    x = x.astype(np.float64)
        return x

    step = same(function, [(X,), (2.0 * X,), (3.0 * X,)])
    assert "for k in range(" in str(step.program)
