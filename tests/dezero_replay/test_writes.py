"""Writes into Variables are recorded, and replayed in place; what a replay cannot do stays eager.

Promise: docs/how_to/write_into_arrays.md
"""

import dezero_tools.numpy as dnp
import numpy as np
import pytest
from dezero_tools.functional import grad, value_and_grad, vmap

from dezero_core import Function, GraphError, Variable, no_grad
from dezero_core import grad as differentiated
from dezero_replay import ReplayWarning, compiled

from ..replayed import bits, same, several


def filled(x):
    out = dnp.zeros(8)
    for i in range(8):
        out[i] = x[i] * x[i - 1]
    return np.sum(out * out)


def path(x):
    u = Variable(np.zeros((5, 8)))
    u[0] = x
    for t in range(4):
        u[t + 1, 1:-1] = u[t, 1:-1] + 0.1 * (u[t, 2:] - 2.0 * u[t, 1:-1] + u[t, :-2])
    return np.sum(u[-1] ** 2)


def masked(x):
    y = x * 2.0
    y[x.data > 0.5] = 0.25
    y[y.data < -0.5] = x[0]
    return np.sum(y * x)


def by_numpy(x):
    y = x * 1.0
    np.put(y, [0, -1], x[1:3])
    np.add.at(y, [2, 2], y[0])
    np.subtract.at(y, [3], x[3])
    np.copyto(y, y * 3.0, where=y.data < 0.0)
    np.putmask(y, y.data > 1.0, x)
    np.place(y, np.arange(8) % 4 == 0, x[:3])
    return np.sum(y * y)


def diagonal(x):
    matrix = np.outer(x, x) * 0.1
    np.fill_diagonal(matrix, 1.0 + x * x)
    return np.sum(np.linalg.inv(matrix))


def recursion(x):
    for i in range(1, 8):
        x[i] += 0.5 * x[i - 1]
    return np.sum(x * x)


def by_index(x):
    y = x * 1.0
    y[np.argsort(x.data)[:3]] = x[:3] * 2.0
    return np.sum(y * y * x)


PROGRAMS = [filled, path, masked, by_numpy, diagonal, recursion, by_index]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_program_that_writes_is_replayed_with_the_bits_of_eager_code(program):
    same(value_and_grad(program), several((8,)), strict=True)


@pytest.mark.parametrize("program", [filled, path, recursion], ids=lambda f: f.__name__)
def test_second_derivatives_through_writes_are_replayed(program):
    same(grad(lambda x: np.sum(grad(program)(x) ** 2)), several((8,)), strict=True)


@pytest.mark.parametrize("program", [filled, path], ids=lambda f: f.__name__)
def test_writes_of_each_example_of_a_batch_are_replayed(program):
    same(vmap(grad(program)), several((3, 8)), strict=True)


def test_a_loop_of_writes_is_a_loop_of_the_program_that_copies_no_array():
    def f(x):
        out = Variable(np.zeros(300))
        for i in range(200):
            out[i] = x[i] * x[i]
        return np.sum(out * out)

    step = compiled(value_and_grad(f), strict=True)
    x = np.random.default_rng(0).normal(size=200)
    for _ in range(4):
        _, gradient = step(x)
    np.testing.assert_allclose(gradient, 4.0 * x**3, 1e-14)
    text = str(step.program)
    assert text.count(" in range(") >= 2  # there, and back
    rounds = [line for line in text.splitlines() if line.startswith(" " * 12)]
    assert len(rounds) > 10
    assert not any("copy" in line for line in rounds)


def test_a_write_into_a_variable_of_a_closure_stays_eager_by_name_and_right():
    w = Variable(np.zeros(3))

    def step(x):
        w[0] = x[0]
        return np.sum(w * w)

    fast = compiled(step)
    with pytest.warns(ReplayWarning, match="reads w, which has a graph from before the call"):
        values = [fast(np.array([n])).item() for n in (1.0, 2.0, 3.0, 4.0)]
    assert values == [1.0, 4.0, 9.0, 16.0]
    assert fast.stats["replayed"] == 0


def test_a_write_under_no_grad_into_a_variable_of_a_closure_is_an_effect():
    def training():
        w = Variable(np.ones(3))

        def step(x):
            loss = np.sum(w * w * x)
            loss.backward()
            with no_grad():
                w[1:] = (w - 0.1 * w.grad)[1:]
            w.cleargrad()
            return loss

        return w, step

    (w, step), (expected, eager) = training(), training()
    fast = compiled(step, strict=True)
    for x in [np.full(3, 0.1 * n) for n in range(6)]:
        assert bits(fast(x).data) == bits(eager(x).data)
        assert bits(w.data) == bits(expected.data)
    assert fast.stats["replayed"] >= 2


def test_an_index_out_of_range_is_raised_in_a_replay_as_in_eager_code():
    def f(x, i):
        y = Variable(x) * 1.0
        y[i] = 5.0
        return y

    step = compiled(f, strict=True)
    for i in (0, 0, 1, 2, 1, 0):
        np.testing.assert_array_equal(step(np.arange(3.0), i).data, f(np.arange(3.0), i).data)
    assert step.stats["replayed"]
    with pytest.raises(IndexError, match="out of bounds"):
        step(np.arange(3.0), 3)


def test_a_write_is_one_call_of_the_program():
    def f(x):
        y = Variable(x) * 2.0
        y[1] = 7.0
        return y

    step = compiled(f, strict=True)
    for _ in range(3):
        step(np.arange(300.0))
    text = str(step.program)
    assert text.count("SetItem") == 1
    assert "[1] = 7.0" in text


def test_a_write_that_nobody_would_see_is_refused_as_in_eager_code():
    def lost(x):
        y = Variable(x) * 1.0
        y[0][1] = 5.0
        return y

    def seen(x):
        holders = {"y": Variable(x) * 1.0}
        holders["y"][0, 1] = 5.0
        return holders["y"]

    x = np.ones((2, 2))
    with pytest.warns(ReplayWarning), pytest.raises(GraphError, match=r"y\[0, 1\] = v"):
        compiled(lost)(x)
    same(seen, [(x,)] * 4, strict=True)


def test_an_array_to_be_filled_is_a_variable_in_each_call_of_a_compiled_function():
    kinds = []

    def step(x):
        out = dnp.zeros(2)
        kinds.append(type(out))
        out[0] = x[0] * 2.0
        return out

    fast = compiled(step, quiet=True)
    for n in range(4):
        assert bits(fast(np.array([1.0, n]))) == bits(Variable(np.array([2.0, 0.0])))
    assert {*kinds} == {Variable}
    assert type(dnp.zeros(2)) is np.ndarray


class Shift(Function):
    """Fills an array, in a body that is recorded as one call."""

    def forward(self, x):
        y = dnp.zeros_like(x)
        y[1:] = x[:-1]
        return y

    def backward(self, gy):
        gx = dnp.zeros(8)
        gx[:-1] = gy[1:]
        return gx


def test_the_body_of_a_function_fills_arrays_in_recordings_and_in_replays():
    same(value_and_grad(lambda x: np.sum(Shift()(x) * x)), several((8,)), strict=True)


def test_a_number_that_is_written_is_an_input_of_the_program():
    def f(x, c):
        y = Variable(x) * 1.0
        y[0] = c
        np.copyto(y, c, where=y.data > 1.5)
        np.put(y, [1], c)
        np.add.at(y, [0, 0], c)
        return y

    fast = compiled(f, strict=True)
    for c in (1.0, 2.5, 3.0, 4.5, 5.0, 6.0):
        assert bits(fast(np.arange(3.0), c)) == bits(f(np.arange(3.0), c))
    assert fast.stats["replayed"] >= 2


def test_a_program_of_which_every_result_is_a_constant_is_replayed():
    def f(x):
        v = Variable(x)
        y = v * 1.0
        np.copyto(y, 2.0)
        return [y.data, differentiated(y, v)]

    step = same(f, several((2, 3)), strict=True)
    assert "pass" in str(step.program)
