"""Random graphs against a naive engine, and that one against the complex step.

Promise: docs/engine.md
"""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dezero_core import Variable, grad

from .naive import NAIVE, Both, Naive, Product, Sine, complex_step

#: The same graphs every time, on a machine of any speed; the fixture need not be renewed.
REPEATABLE = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture(autouse=True, params=[False, True], ids=["as small arrays", "as large arrays"])
def sums_in_place(request, monkeypatch):
    """Sums of large arrays are made in place where the engine can tell that it may."""
    if request.param:
        monkeypatch.setattr("dezero_core.gradients._LARGE", 0)


SHAPES = st.sampled_from([(), (1,), (3,), (2, 1), (2, 3)])
KINDS = st.sampled_from(["variable", "variable", "array", "integers"])


@st.composite
def programs(draw, most=10):
    """Draw inputs (arrays, their kinds), a program, and how many values it has in all."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shapes = draw(st.lists(SHAPES, min_size=1, max_size=4))
    kinds = ["variable", *(draw(KINDS) for _ in shapes[1:])]
    inputs = [np.array(random.uniform(-1, 1, shape)) for shape in shapes]
    inputs = [
        np.array(x.round()) if k == "integers" else x for x, k in zip(inputs, kinds, strict=True)
    ]
    program, count = [], len(inputs)
    for _ in range(draw(st.integers(1, most))):
        function = draw(st.sampled_from(list(NAIVE)))
        indices = [draw(st.integers(0, count - 1)) for _ in range(NAIVE[function][0])]
        program.append((function, indices))
        count += 2 if function is Both else 1
    return inputs, kinds, program, count


def run(inputs, kinds, program, count):
    """Return the values of a program by number, as the core computes them."""
    make = {"variable": Variable, "array": np.copy, "integers": lambda x: Variable(x.astype(int))}
    values = [make[kind](x) for x, kind in zip(inputs, kinds, strict=True)]
    reused = {function: function() for function in NAIVE}
    for number, (function, indices) in enumerate(program):
        instance = function() if number % 2 else reused[function]
        outputs = instance(*(values[i] for i in indices))
        values += outputs if isinstance(outputs, list) else [outputs]
    assert len(values) == count
    return dict(enumerate(values))


def roots_in(values):
    return [i for i, v in values.items() if isinstance(v, Variable) and v.creator is not None]


def differentiable_in(values):
    return [i for i, v in values.items() if isinstance(v, Variable) and v.dtype.kind == "f"]


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-11, atol=1e-13)


def assert_gradients(values, expected):
    """Check .grad of every value; `expected` is a function of its number."""
    found = []
    for index, value in values.items():
        if index not in differentiable_in(values):
            assert getattr(value, "grad", None) is None
        elif value.grad is None:
            np.testing.assert_array_equal(expected(index), 0.0)
        else:
            close(value.grad, expected(index))
            assert type(value.grad) is np.ndarray
            assert (value.grad.shape, value.grad.dtype) == (value.shape, value.dtype)
            assert not any(np.shares_memory(value.grad, other) for other in found)
            found.append(value.grad)


@given(programs(), st.data())
@settings(REPEATABLE, max_examples=300)
def test_backward_on_random_graphs_agrees_with_a_naive_engine(drawn, data):
    inputs, _, program, _ = drawn
    naive, values = Naive(program, inputs), run(*drawn)
    for index, value in values.items():
        np.testing.assert_array_equal(getattr(value, "data", value), naive.values[index])
    assume(roots_in(values))
    root = data.draw(st.sampled_from(roots_in(values)), "root")
    for index in data.draw(st.sets(st.sampled_from(list(values))), "dropped") - {root}:
        del values[index]
    values[root].backward(retain_grad=True)
    assert_gradients(values, lambda index: naive.gradient(root, index))


@pytest.mark.filterwarnings("ignore:the result does not depend")
@given(programs(), st.data())
@settings(REPEATABLE, max_examples=150)
def test_grad_on_random_graphs_agrees_with_a_naive_engine(drawn, data):
    inputs, _, program, _ = drawn
    naive, values = Naive(program, inputs), run(*drawn)
    assume(roots_in(values))
    several = {"min_size": 1, "max_size": 3}
    roots = data.draw(st.lists(st.sampled_from(roots_in(values)), **several), "roots")
    wanted = data.draw(st.lists(st.sampled_from(differentiable_in(values)), **several), "wanted")

    def expected(index):
        return sum(naive.gradient(root, index) for root in roots)

    found = grad([values[i] for i in roots], [values[i] for i in wanted])
    for index, gradient in zip(wanted, found, strict=True):
        close(gradient, expected(index))
    assert [getattr(v, "grad", None) for v in values.values()] == [None] * len(values)
    for root in roots:
        values[root].backward()
    ends = {i: v for i, v in values.items() if getattr(v, "creator", None) is None}
    assert_gradients(ends, expected)
    assert [values[i].grad for i in values if i not in ends] == [None] * (len(values) - len(ends))


@pytest.mark.filterwarnings("ignore:the result does not depend")
@given(programs(most=6), st.data())
@settings(REPEATABLE, max_examples=100)
def test_second_derivatives_of_random_graphs_agree_with_the_complex_step(operators, drawn, data):
    inputs, kinds, program, _ = drawn
    values = run(*drawn)
    assume(roots_in(values))
    root = data.draw(st.sampled_from(roots_in(values)), "root")
    variables = st.sampled_from([i for i, kind in enumerate(kinds) if kind == "variable"])
    first, second = data.draw(variables, "first"), data.draw(variables, "second")
    weights = np.cos(np.arange(inputs[first].size)).reshape(inputs[first].shape)

    def weighted_gradient(xs):
        return np.sum(weights * Naive(program, xs).gradient(root, first))

    g = grad(values[root], values[first], create_graph=True)
    close(g.data, Naive(program, inputs).gradient(root, first))
    weighted = Product()(g, weights)
    expected = complex_step(weighted_gradient, inputs, second)
    if weighted.creator is None:
        np.testing.assert_array_equal(expected, 0.0)
    else:
        close(grad(weighted, values[second]), expected)


@given(programs(), st.data())
@settings(REPEATABLE, max_examples=50)
def test_random_graphs_are_freed_without_the_garbage_collector(drawn, data):
    gc.disable()
    try:
        values = run(*drawn)
        assume(roots_in(values))
        functions = [weakref.ref(values[index].creator) for index in roots_in(values)]
        values[data.draw(st.sampled_from(roots_in(values)), "root")].backward(retain_grad=True)
        values.clear()
        assert [reference() for reference in functions] == [None] * len(functions)
    finally:
        gc.enable()


@given(programs())
@settings(REPEATABLE, max_examples=50)
def test_the_naive_engine_agrees_with_the_complex_step(drawn):
    inputs, _, program, count = drawn
    for index in range(len(inputs)):
        expected = complex_step(lambda xs: np.sum(Naive(program, xs).values[-1]), inputs, index)
        close(Naive(program, inputs).gradient(count - 1, index), expected)


@pytest.mark.parametrize("error", [1e-9, -1e-9])
def test_the_comparison_of_random_graphs_notices_an_error_of_a_billionth(error):
    class Off(Sine):
        def backward(self, gy):
            return super().backward(gy) * (1.0 + error)

    x = Variable(np.array([0.3, 0.4]))
    Off()(x).backward()
    expected = Naive([(Sine, [0])], [x.data]).gradient(1, 0)
    with pytest.raises(AssertionError):
        close(x.grad, expected)
