"""Audits of machine code: each region beside NumPy, on the values at its edges.

Promise: docs/how_replay_works.md
"""

import warnings
from contextlib import suppress

import numpy as np
import pytest

from dezero_replay import ReplayError, ReplayWarning, compiled
from dezero_replay_llvm import functions, loops

from ..dezero_replay.test_memory import a_gradient, peaks_of_audits

random = np.random.default_rng(0)
X = random.normal(size=(40, 30))


def mixed(x):
    """A program of two regions, with a call of NumPy's between."""
    return np.sort(np.exp(x) * 2.0 + x).sum(axis=0) * 3.0 + 1.0


@pytest.fixture
def planted(monkeypatch):
    """A function that makes each multiplication of machine code wrong by a factor, or another."""
    times = functions.FUNCTIONS[np.multiply]

    def plant(error, function=np.multiply):
        right = functions.FUNCTIONS[function]

        def wrong(f, *args):
            found = right(f, *args)
            return times(f, found, loops.literal(1.0 + error, found.type))

        monkeypatch.setitem(functions.FUNCTIONS, function, wrong)

    return plant


def audited(function, *arguments):
    step = compiled(function, executor="llvm", wait=True, audit=1)
    for _ in range(4):
        result = step(*arguments)
    return step, result


def test_code_that_is_right_passes_and_stays():
    step, _ = audited(mixed, X)
    assert step.stats["audits"] > 0
    assert step.explain().count("native: ") == 2


@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 1e-9), (np.float32, 1e-3)])
@pytest.mark.parametrize("function", [mixed, lambda x: np.tanh(x) * 2.0, lambda x: x * 2.0 + x])
def test_an_error_is_found_and_numpy_takes_over_with_a_warning(planted, function, dtype, error):
    planted(error)
    x = X.astype(dtype)
    with pytest.warns(ReplayWarning, match=r"came to other numbers than NumPy: .* in place of"):
        step, result = audited(function, x)
    np.testing.assert_array_equal(result, function(x))
    assert "came to other numbers" not in step.explain()
    np.testing.assert_array_equal(step(x), function(x))


@pytest.mark.parametrize("error", [1e-13, 1e-14])
def test_one_function_alone_is_compared_to_sixteen_units_in_the_last_place(planted, error):
    """Nothing cancels in it, so that no sum of its terms gives it more."""
    planted(error, np.exp)
    with pytest.warns(ReplayWarning, match="came to other numbers than NumPy"):
        audited(lambda x: np.exp(x[1:]), X)


def test_only_the_region_that_is_wrong_is_left_to_numpy(planted):
    planted(1e-9)
    with pytest.warns(ReplayWarning):
        step, _ = audited(lambda x: np.tanh(np.sort(np.exp(x) * 2.0 + 1.0) + x) / 3.0, X)
    assert "in place of" in step.explain()
    assert step.explain().count("native: ") == 1


def test_an_error_in_a_product_is_found(monkeypatch):
    from dezero_replay_llvm import products

    right = products.ProductWriter._joined

    def wrong(self, a, b, total):
        return self.f.op("fadd", right(self, a, b, total), products.literal(1e-9, total.type))

    monkeypatch.setattr(products.ProductWriter, "_joined", wrong)
    with pytest.warns(ReplayWarning, match="matmul"):
        _, result = audited(lambda x: x @ x.T, X)
    np.testing.assert_array_equal(result, X @ X.T)


def test_a_stale_value_raises_as_it_does_with_numpy():
    step = compiled(lambda x: np.exp(x) * 2.0 + x, executor="llvm", wait=True, audit=2)
    while not (step.stats["replayed"] and step.stats["audits"]):
        step(X)
    (native,) = step.program._variants.values()
    run = native._numpy.run
    native._numpy.run = lambda *arrays: [x + 1.0 for x in run(*arrays)]
    native.partition = None

    def call_until_the_next_audit():
        for _ in range(4):
            step(X)

    with pytest.raises(ReplayError, match="came to another result"):
        call_until_the_next_audit()


def test_values_that_no_vector_has_right_are_compared_where_they_are_finite():
    special = np.array([[np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-310, 1.0, 2.0]])
    with np.errstate(all="ignore"):
        step, result = audited(lambda x: x * 2.0 + x, special)
        np.testing.assert_array_equal(result, special * 2.0 + special)
    assert "native: " in step.explain()


def test_values_of_which_numpy_warns_are_not_compared():
    def logarithms(x):
        return np.sort(np.log(x) * 2.0 + x)

    step = compiled(logarithms, executor="llvm", wait=True, audit=1)
    for _ in range(4):
        step(X * X)
    with np.errstate(all="ignore"):
        assert step(X * 0.0)[0, 0] == -np.inf
    assert "native: " in step.explain()


def relaxed(u):
    for _ in range(20):
        inner = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - u[1:-1, 1:-1] * 4.0
        u = np.pad(np.sin(inner) * 0.1 + u[1:-1, 1:-1], 1)
    return u


@pytest.mark.parametrize(
    ("function", "shape", "most"),
    [(a_gradient, 200_000, 2.2), (relaxed, (256, 256), 3.0)],
    ids=["a gradient", "a loop, whose rounds let go of what no later call reads"],
)
def test_an_audit_takes_little_more_memory_than_eager_code(function, shape, most):
    x = np.random.default_rng(0).uniform(-1.0, 1.0, shape)
    audited, eager, step = peaks_of_audits(function, x, executor="llvm", wait=True)
    assert audited <= most * eager
    assert "native: " in step.explain()


@pytest.mark.parametrize("treatment", ["always", "error"])
def test_a_region_that_is_wrong_is_numpys_also_where_warnings_are_errors(planted, treatment):
    planted(1e-9)
    step = compiled(lambda x: np.exp(x) * 2.0 + x, executor="llvm", wait=True, audit=1)
    with warnings.catch_warnings(record=True):
        warnings.simplefilter(treatment)
        for _ in range(4):
            with suppress(ReplayWarning):
                step(X)
    assert step.stats["audits"] > 0
    assert "native: " not in step.explain()
