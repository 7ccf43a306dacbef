"""A part of a graph is computed again on the way back: gradients are the same, memory is not.

Promise: docs/reference/functional.rst
"""

import gc
import random
import weakref

import numpy as np
import pytest
from dezero_tools.functional import grad, hessian, recomputed, vmap

from dezero_core import GradientError, Parameter, Variable, no_grad
from tests.memory import peak

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(5, 4))


def weights(count=6):
    return [Parameter(RANDOM.normal(size=(4, 4)) / 2) for _ in range(count)]


def network(parameters, x, wrap, segment=2):
    def part(start):
        def f(h):
            for w in parameters[start : start + segment]:
                h = np.tanh(h @ w)
            return h

        return f

    for start in range(0, len(parameters), segment):
        x = wrap(part(start))(x)
    return np.sum(x**2)


def plain(f):
    return f


@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_by_arguments_and_by_parameters_are_the_same(create_graph):
    parameters, x, found = weights(), Variable(X.copy()), []
    for wrap in (plain, recomputed):
        variables = [*parameters, x]
        for each in variables:
            each.cleargrad()
        network(parameters, x, wrap).backward(create_graph=create_graph)
        if create_graph:
            gradients = [each.grad for each in variables]
            for each in variables:
                each.cleargrad()
            sum(np.sum(np.sin(g)) for g in gradients).backward()
        found.append([np.array(each.grad) for each in variables])
    for truth, got in zip(*found, strict=True):
        np.testing.assert_allclose(got, truth, rtol=1e-12, atol=1e-12)


def test_a_network_of_a_hundred_layers_needs_a_quarter_of_the_memory():
    parameters = [Parameter(RANDOM.normal(size=(16, 16)) / 4) for _ in range(100)]
    x, peaks = Variable(RANDOM.normal(size=(4096, 16))), []
    for wrap in (plain, recomputed):
        for each in (*parameters, x):
            each.cleargrad()
        gc.disable()  # nothing waits for the collector
        try:
            peaks.append(peak(lambda wrap=wrap: network(parameters, x, wrap, 10).backward())[1])
        finally:
            gc.enable()
    assert peaks[1] <= 0.25 * peaks[0]


@pytest.mark.parametrize("goes_back", [True, False])
def test_the_arrays_of_both_calls_are_let_go_without_the_collector(goes_back):
    seen = []

    def part(h):
        for _ in range(10):
            h = np.tanh(1.01 * h)
            seen.append(weakref.ref(h.data))
        return h

    gc.disable()
    try:
        x = Variable(X)
        y = np.sum(recomputed(part)(recomputed(part)(x)))
        if goes_back:
            y.backward()
        del y
        assert len(seen) == (40 if goes_back else 20)
        assert [each() for each in seen] == [None] * len(seen)
    finally:
        gc.enable()


@pytest.mark.parametrize("shape", [(0,), (2, 0, 3), ()])
def test_arrays_without_axes_or_elements_are_recomputed(shape):
    x = Variable(np.ones(shape))
    np.sum(recomputed(lambda x: x * x)(x)).backward()
    np.testing.assert_array_equal(x.grad, np.full(shape, 2.0))


def f(x):
    return np.sum(np.sin(x) * x)


def test_derivatives_of_functions_are_the_same():
    again, x = recomputed(f), X[0]
    np.testing.assert_allclose(grad(again)(x), grad(f)(x))
    np.testing.assert_allclose(hessian(again)(x), hessian(f)(x))
    third = [grad(grad(grad(each)))(0.7) for each in (again, f)]
    np.testing.assert_allclose(*third)
    np.testing.assert_allclose(vmap(grad(again))(X), vmap(grad(f))(X))


def test_a_parameter_that_the_examples_of_a_batch_share_gets_the_sum():
    w, found = Variable(X[0].copy()), []
    for wrap in (plain, recomputed):
        w.cleargrad()
        y = vmap(wrap(lambda x: np.sum(np.sin(x * w)) ** 2))(Variable(X))
        np.sum(y).backward()
        found.append(w.grad)
    np.testing.assert_allclose(*found)


@pytest.mark.parametrize(
    "draw",
    [
        lambda shape, rng: np.random.random(shape),
        lambda shape, rng: random.random(),
        lambda shape, rng: rng.random(shape),
    ],
    ids=["NumPy's generator", "Python's generator", "an argument"],
)
def test_random_numbers_are_those_of_the_first_call(draw):
    def masked(x, rng):
        return x * draw(x.shape, rng)

    np.random.seed(1)
    random.seed(1)
    x = Variable(X.copy())
    y = recomputed(masked)(x, np.random.default_rng(1))
    after = np.random.random(), random.random()
    np.sum(y).backward()
    np.testing.assert_allclose(x.grad, y.data / X)
    np.random.seed(1)
    random.seed(1)
    masked(X, np.random.default_rng(1))
    assert after == (np.random.random(), random.random())


@pytest.mark.parametrize("wrap", [plain, lambda f: vmap(f, randomness="same")])
def test_results_that_are_others_in_the_second_call_are_refused(wrap):
    rng = np.random.default_rng(0)
    y = wrap(recomputed(lambda x: x * rng.random(x.shape)))(Variable(X))
    with pytest.raises(GradientError, match="pass a generator of random numbers as an argument"):
        np.sum(y).backward()


def test_long_doubles_are_the_same_numbers_in_the_second_call_whatever_is_between_them():
    x = Variable(X.astype(np.longdouble))
    y = np.sum(recomputed(lambda x: np.tanh(x) * x)(x))
    kept = [np.full(X.size * 2, np.pi) for _ in range(50)]  # so that old memory has other bytes
    del kept
    y.backward()
    truth = np.tanh(X) + X * (1.0 - np.tanh(X) ** 2)
    np.testing.assert_allclose(x.grad.astype(float), truth, rtol=1e-12)


def test_data_that_were_replaced_since_are_those_of_the_first_call_again():
    w, x = Variable(X[0].copy()), Variable(X[1].copy())
    y = np.sum(recomputed(lambda x: np.sin(w * x))(x))
    before, w.data = w.data, np.zeros(4)
    y.backward()
    np.testing.assert_allclose(x.grad, before * np.cos(before * X[1]))
    np.testing.assert_array_equal(w.data, np.zeros(4))


def test_trees_and_results_without_a_gradient_are_returned_in_their_form():
    x = Variable(X.copy())
    got = recomputed(lambda p: {"y": p["x"] * p["c"], "n": 3, "same": p["x"], "i": p["x"] > 0})(
        {"x": x, "c": 2.0}
    )
    assert got["n"] == 3
    assert got["i"].dtype == bool
    np.sum(got["y"] + got["same"]).backward()
    np.testing.assert_array_equal(x.grad, np.full_like(X, 3.0))


def test_arguments_by_name_get_their_gradients():
    a, b = Variable(np.array([1.0, 2.0])), Variable(np.array([3.0, 5.0]))
    recomputed(lambda x, factor, shift: np.sum(x * factor) + shift)(
        a, factor=b, shift=1.0
    ).backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([3.0, 5.0], [1.0, 2.0])


def test_arrays_and_no_grad_call_the_function_alone():
    assert type(recomputed(lambda x: 2 * x)(X)) is np.ndarray
    with no_grad():
        y = recomputed(lambda x: 2 * x)(Variable(X))
    assert y.creator is None
