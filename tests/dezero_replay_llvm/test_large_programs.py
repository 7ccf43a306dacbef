"""Programs of many arguments, results, guards, reductions and loops, in functions that stay short.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from dezero_replay import compiled

from .machine_code import MACHINES, native, width

machines = pytest.mark.parametrize("machine", MACHINES, ids=width)


def longest(text):
    """Return the number of lines of the longest function of a module."""
    return max(len(part.splitlines()) for part in text.split("define ")[1:])


def replayed(function, *arguments):
    """Return the results of machine code that is the whole program, and its text."""
    step = compiled(function, executor="llvm", wait=True, audit=None, strict=True)
    for _ in range(3):
        found = step(*arguments)
    assert step.stats["replayed"] == 1
    assert step.explain().count("native: ") == 1
    assert "  NumPy: " not in step.explain()
    return found, step.program.source("llvm")


@pytest.mark.parametrize("numbers", [0, 3, 150])
def test_hundreds_of_arguments_and_results_are_each_in_its_place(numbers):
    arrays = [np.full(3, float(n)) for n in range(300)]
    given = [float(n) + 0.5 for n in range(numbers)]

    def function(*xs):
        return [x * 2.0 + n for n, x in enumerate(xs)]

    mixed = [x for pair in zip(given, arrays, strict=False) for x in pair] + arrays[numbers:]
    found, text = replayed(function, *mixed)
    for a, b in zip(found, function(*mixed), strict=True):
        assert type(a) is type(b)
        assert np.array_equal(a, b)
    assert "call void @kernel_0_1(" in text


def test_each_of_hundreds_of_guards_is_looked_at():
    def function(x, signs):
        for n in range(250):
            if signs[n : n + 1].sum() < 0.0:
                return x * float(n) + 3.0
        return x * 0.5 + 1.0

    x, signs = np.ones(3), np.ones(250)
    step = compiled(function, executor="llvm", wait=True, audit=None)
    for _ in range(3):
        step(x, signs)
    for n in (0, 1, 99, 100, 101, 200, 249):
        other = signs.copy()
        other[n:] = -1.0
        assert np.array_equal(step(x, other), x * float(n) + 3.0)
        assert np.array_equal(step(x, signs), x * 0.5 + 1.0)


@pytest.mark.usefixtures("without_loops")
@machines
@pytest.mark.parametrize("shape", [(), (5,), (30, 7)], ids=str)
def test_hundreds_of_reductions_over_one_shape_are_right(shape, machine):
    x = np.random.default_rng(0).normal(size=shape)

    def function(x):
        sums = [np.sum(x * (n + 0.5)) for n in range(200)]
        most = [np.max(x - n, axis=-1) if x.ndim else np.max(x - n) for n in range(70)]
        return [*sums, *most, sums[0] + sums[150] * most[3]]

    program = native(function, x, machine=machine)
    assert len(program.codes[0].schedule.nests) > 3
    for found, expected in zip(program.run(x), function(x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@machines
def test_hundreds_of_loops_of_one_form_share_a_function(machine):
    x, a = np.linspace(0.5, 1.0, 4), np.random.default_rng(0).normal(size=(4, 4)) / 4.0

    def function(x, a):
        for _ in range(150):
            x = np.tanh(a @ (x[:, np.newaxis] - np.max(x)))[:, 0] + a[1]
        return [x, x + a[2]]

    program = native(function, x, a, machine=machine)
    (code,) = program.codes
    for found, expected in zip(program.run(x, a), function(x, a), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert len(code.schedule.nests) > 400
    assert code.text.count("define ") < 30
    assert longest(code.text) < 1_500


@machines
def test_loops_that_differ_in_a_number_a_stride_or_what_is_kept_share_no_function(machine):
    x = np.random.default_rng(0).normal(size=(3, 4))

    def function(x):
        y = x
        for n in range(6):
            y = y - np.max(y) * (n // 2)
            y = (y[::-1] if n % 3 else y.copy()) + np.min(y, axis=n % 2, keepdims=True)
        return [y, y - np.max(y) * 2.0, (y.T - np.max(y.T) * 2.0) * 1.0]

    program = native(function, x, machine=machine)
    for found, expected in zip(program.run(x), function(x), strict=True):
        assert np.array_equal(found, expected)


@machines
def test_loops_that_differ_in_the_order_of_what_is_in_registers_share_no_function(machine):
    x = np.random.default_rng(0).normal(size=(3, 4))

    def function(x):
        one, two = x * 2.0, x + 1.0
        y = np.max(one - two, axis=1, keepdims=True) + x[::-1]
        one, two = y * 2.0, y + 1.0
        return [np.max(two - one, axis=1, keepdims=True)]

    program = native(function, x, machine=machine)
    for found, expected in zip(program.run(x), function(x), strict=True):
        assert np.array_equal(found, expected)
