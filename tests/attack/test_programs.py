"""Random programs: values against NumPy, derivatives to third order against differences.

Promise: CONTRIBUTING.md
"""

import numpy as np
import pytest
from dezero_ops_math.elementwise.trigonometric import Sin

from dezero_core import Variable, grad

from .differences import slopes
from .lengths import name_of, seeds
from .programs import Program, narrowed, quiet

#: How far derivatives may be from extrapolated differences, relative to the largest of them.
OFF = 1e-7
#: Differences that are known less well than this judge nothing: there is a corner nearby.
SETTLED = 1e-5


def check(program):
    """Raise an AssertionError if a value or a derivative is wrong; return how many were judged."""
    with quiet():
        before = [x.tobytes() for x in program.leaves]
        xs = [Variable(x) for x in program.leaves]
        check_values(program, xs)
        check_accumulation(program)
        judged = check_orders(program)
        assert [x.tobytes() for x in program.leaves] == before, "an input was written to"
    return judged


def check_values(program, xs):
    for number, (y, truth) in enumerate(
        zip(program.run(xs, on_variables=True), program.values, strict=True)
    ):
        y = getattr(y, "data", y)
        assert np.shape(y) == truth.shape, f"shape of value {number}"
        assert np.asarray(y).dtype == truth.dtype, f"dtype of value {number}"
        np.testing.assert_allclose(
            y, truth, 1e-11, 1e-12 * np.max(np.abs(truth), initial=1.0), err_msg=f"value {number}"
        )


def check_accumulation(program):
    """`backward()` adds, `grad` agrees with it, and gradients are no views of anything."""
    xs = [Variable(x) for x in program.leaves]
    y = program.loss(program.run(xs, on_variables=True))
    expected = grad(y, xs)
    for times in (1.0, 2.0, 3.0):
        y.backward(free_graph=times == 3.0)
        for number, (x, gx) in enumerate(zip(xs, expected, strict=True)):
            got = np.zeros_like(gx) if x.grad is None else x.grad
            assert (got.shape, got.dtype) == (x.shape, x.dtype)
            np.testing.assert_allclose(
                got,
                times * gx,
                1e-11,
                1e-12 * np.max(np.abs(gx), initial=1.0),
                err_msg=f"gradient {number}, {times} times",
            )
    owned = [x.grad for x in xs if x.grad is not None]
    for number, one in enumerate(owned):
        others = [*owned[:number], *program.leaves]
        assert not any(np.shares_memory(one, other) for other in others)


def check_orders(program):
    """Each derivative along the directions is the slope of the one before."""

    def function(t):
        xs = program.moved(t)
        return [program.loss(program.run(xs)), *program.derivatives(xs, 2)]

    got = np.array(program.derivatives(program.leaves, 3))
    truth, error = slopes(function)
    scale = np.abs(truth) + 1e-3 * np.max(np.abs(truth), initial=1.0)
    judged = error < SETTLED * scale
    wrong = judged & ~(np.abs(got - truth) < OFF * scale + 10.0 * error)
    assert not wrong.any(), f"derivatives {got}, by differences {truth}, known to {error}"
    return judged


def check_in_single_precision(program):
    """Values and gradients are of float32, and near those of float64 at the same numbers."""
    with quiet():
        leaves = [x.astype(narrowed(x.dtype, np.float32)) for x in program.leaves]
        xs = [Variable(x) for x in leaves]
        values = program.run(xs, on_variables=True, dtype=np.float32)
        truths = program.run(leaves, dtype=np.float32)
        for number, (y, truth) in enumerate(zip(values, truths, strict=True)):
            y = y.data if isinstance(y, Variable) else np.asarray(y)
            assert y.dtype == np.asarray(truth).dtype, f"dtype of value {number}"
        program.loss(values, np.float32).backward()
        truth, unsure = gradients_and_noise(program)
        judged = np.mean([far(y, x) < 1e-3 for y, x in zip(truths, program.values, strict=True)])
        for number, (x, gx) in enumerate(zip(xs, truth, strict=True)):
            got = np.zeros_like(x.data) if x.grad is None else x.grad
            assert got.dtype == x.dtype, f"dtype of gradient {number}"
            if judged == 1.0:
                off = np.abs(got - gx)
                assert not np.any(off > 1e-3 * size_of(truth) + unsure), (
                    f"gradient {number} is {got}, in double precision {gx}, unsure by {unsure}"
                )
        return judged == 1.0


def gradients_and_noise(program):
    """Return the gradients in double precision, and what rounding the inputs may do to them."""

    def gradients(leaves):
        xs = [Variable(x) for x in leaves]
        return grad(program.loss(program.run(xs, on_variables=True)), xs)

    truth, rng = gradients(program.leaves), np.random.default_rng(program.seed)
    noise = 0.0
    for _ in range(4):
        moved = [x * (1.0 + 1e-7 * rng.uniform(-1.0, 1.0, x.shape)) for x in program.leaves]
        others = gradients([np.asarray(x) for x in moved])
        noise = max(noise, *map(far, others, truth))
    return truth, 1e3 * noise


def far(one, other):
    return np.max(np.abs(np.subtract(one, other, dtype=complex)), initial=0.0)


def size_of(arrays):
    return max(np.max(np.abs(array), initial=0.0) for array in arrays)


def attack(chunk, check=check, **options):
    failures, judged = [], []
    for seed in chunk:
        program = Program(seed, **options)
        try:
            judged.append(check(program))
        except Exception as error:
            failures.append(f"{program}\n{type(error).__name__}: {error}")
    assert not failures, "\n\n".join([f"{len(failures)} of {len(chunk)} programs", *failures])
    # Most are smooth enough for differences to say something of every order.
    assert np.mean(judged, axis=0).min() > 0.5


@pytest.mark.parametrize("chunk", seeds(short=6, size=8), ids=name_of)
def test_random_programs_agree_with_numpy_and_with_differences(chunk):
    attack(chunk)


@pytest.mark.parametrize("chunk", seeds(short=4, size=8), ids=name_of)
def test_powers_at_zero_are_right_inside_random_programs(chunk):
    attack(chunk, most=5, zeros=True)


@pytest.mark.parametrize("chunk", seeds(short=2, size=20), ids=name_of)
def test_random_programs_in_single_precision_agree_with_double_precision(chunk):
    attack(chunk, check_in_single_precision)


def test_the_comparison_of_random_programs_notices_a_gradient_off_by_a_millionth(monkeypatch):
    backward = Sin.backward
    monkeypatch.setattr(Sin, "backward", lambda self, gy: backward(self, gy) * (1.0 + 1e-6))
    with pytest.raises(AssertionError, match="by differences"):
        attack(seeds(short=1, size=8)[0])
