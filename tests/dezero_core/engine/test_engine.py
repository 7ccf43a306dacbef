"""backward(): which gradients arrive where, from what they start, in which order.

Promise: docs/engine.md
"""

import os
import sys
import threading
import weakref

import numpy as np
import pytest

from dezero_core import Function, Variable, no_grad


def variables(*values):
    return [Variable(np.array(value)) for value in values]


class Trace(Function):
    """The identity; notes when its backward runs, and with what."""

    saves = ()

    def __init__(self, name):
        self.name = name

    def forward(self, *xs):
        return xs[0] * 1.0 if len(xs) == 1 else sum(xs)

    def backward(self, gy):
        trace.append((self.name, gy.tolist()))
        return (gy,) * len(self.inputs)


trace = []


@pytest.fixture(autouse=True)
def nothing_traced():
    trace.clear()


def test_the_gradient_of_a_chain_is_the_product_of_its_derivatives(book):
    """y = exp(x**2)**2, so dy/dx = 4 x y."""
    (x,) = variables(0.5)
    y = book.Square()(book.Exp()(book.Square()(x)))
    y.backward()
    np.testing.assert_allclose(x.grad, 4 * 0.5 * np.exp(0.5), rtol=1e-15)


def test_a_variable_used_twice_by_one_function_gets_the_sum_of_two_gradients(book):
    (x,) = variables(3.0)
    book.Add()(x, x).backward()
    assert x.grad == 2.0


def test_a_variable_used_by_several_functions_gets_the_sum_of_the_gradients(book):
    """y = x**2 + sin(x) + exp(x)."""
    (x,) = variables(0.5)
    y = book.Add()(book.Add()(book.Square()(x), book.Sin()(x)), book.Exp()(x))
    y.backward()
    np.testing.assert_allclose(x.grad, 1.0 + np.cos(0.5) + np.exp(0.5), rtol=1e-15)


def test_backward_runs_a_node_once_after_every_gradient_has_arrived():
    """The diamond of the book: a, then b and c from a, then their sum."""
    (x,) = variables(2.0)
    a = Trace("a")(x)
    y = Trace("sum")(Trace("b")(a), Trace("c")(a))
    y.backward()
    assert trace[0] == ("sum", 1.0)
    assert sorted(trace[1:3]) == [("b", 1.0), ("c", 1.0)]
    assert trace[3:] == [("a", 2.0)]
    assert x.grad == 2.0


def test_backward_runs_the_highest_generation_first():
    (x,) = variables(1.0)
    near = Trace("near")(x)
    far = x
    for name in ("1", "2", "3"):
        far = Trace(name)(far)
    Trace("sum")(near, far).backward()
    assert [name for name, _ in trace[:3]] == ["sum", "3", "2"]
    assert sorted(name for name, _ in trace[3:]) == ["1", "near"]


def test_backward_does_not_run_a_function_that_the_result_does_not_depend_on():
    (x,) = variables(1.0)
    Trace("elsewhere")(x)
    Trace("here")(x).backward()
    assert trace == [("here", 1.0)]


def test_backward_through_exponentially_many_paths_takes_linear_time(book):
    (x,) = variables(1.0)
    y = x
    for _ in range(500):
        y = book.Add()(y, y)
    y.backward()
    assert x.grad == 2.0**500


def test_gradients_of_unused_outputs_count_as_zeros(book):
    x0, x1 = variables(3.0, 5.0)
    s, p = book.SumAndProduct()(x0, x1)
    s.backward()
    assert (x0.grad, x1.grad) == (1.0, 1.0)
    for x in (x0, x1):
        x.cleargrad()
    p.backward()
    assert (x0.grad, x1.grad) == (5.0, 3.0)


def test_zeros_for_an_unused_output_have_the_shape_and_dtype_of_the_output():
    class Two(Function):
        def forward(self, x):
            return x * 1.0, np.zeros((2, 3), np.float32), np.array([1, 2])

        def backward(self, *gys):
            specs.extend((type(gy), gy.shape, gy.dtype, gy.any()) for gy in gys[1:])
            return gys[0]

    specs = []
    Two()(*variables([1.0]))[0].backward()
    first, second = specs
    assert first == (np.ndarray, (2, 3), np.float32, False)
    assert second == (np.ndarray, (2,), np.float64, False), "integers have no gradient of their own"


def test_a_dropped_output_does_not_stop_the_gradient_of_the_other_outputs(book):
    x0, x1 = variables(3.0, 5.0)
    p = book.SumAndProduct()(x0, x1)[1]
    p.backward()
    assert (x0.grad, x1.grad) == (5.0, 3.0)


def test_several_outputs_that_meet_again_pass_on_the_sum_of_their_gradients(book):
    """(x0 + x1) x0 x1 and (x0 + x1)**2, one output used twice."""
    x0, x1 = variables(3.0, 5.0)
    s, p = book.SumAndProduct()(x0, x1)
    y = book.Add()(book.Mul()(s, p), book.Square()(s))
    y.backward()
    assert x0.grad == 2 * 3 * 5 + 5**2 + 2 * 8
    assert x1.grad == 2 * 3 * 5 + 3**2 + 2 * 8


def test_dropped_intermediates_and_inputs_cost_no_other_input_its_gradient(book):
    x, y = variables(2.0, 3.0)
    z = book.Mul()(book.Square()(x), book.Sin()(y))
    del y
    z.backward()
    np.testing.assert_allclose(x.grad, 4.0 * np.sin(3.0), rtol=1e-15)


def test_gradients_of_several_calls_of_backward_add_up(book):
    (x,) = variables(3.0)
    for calls in (1, 2, 3):
        book.Square()(x).backward()
        assert x.grad == 6.0 * calls


def test_backward_may_pass_a_graph_again(book):
    (x,) = variables(3.0)
    y = book.Square()(x)
    y.backward()
    y.backward()
    assert x.grad == 12.0
    x.cleargrad()
    y.backward()
    assert x.grad == 6.0


def test_backward_clears_the_gradient_of_the_result(book):
    x, y = variables(3.0, 4.0)
    z = book.Mul()(x, y)
    z.backward()
    assert (z.grad, x.grad, y.grad) == (None, 4.0, 3.0)


def test_backward_undoes_broadcasting_for_every_pair_of_shapes(book):
    shapes = [(), (1,), (3,), (2, 1), (1, 3), (2, 3), (1, 2, 1), (4, 2, 3), (0,), (2, 0)]
    for s0 in shapes:
        for s1 in shapes:
            try:
                shape = np.broadcast_shapes(s0, s1)
            except ValueError:
                continue
            x0, x1 = Variable(np.full(s0, 2.0)), Variable(np.full(s1, 3.0))
            book.Mul()(x0, x1).backward()
            for x, other in ((x0, 3.0), (x1, 2.0)):
                copies = np.prod(shape) / x.size if x.size else 0.0
                np.testing.assert_array_equal(x.grad, np.full(x.shape, other * copies))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_the_gradient_is_an_array_of_the_dtype_and_shape_of_the_input(book, dtype, shape):
    x, w = Variable(np.ones(shape, dtype)), Variable(np.ones((2, 3)))
    a = book.Square()(x)
    book.Mul()(a, w).backward(retain_grad=True)
    for v in (x, a, w):
        assert (type(v.grad), v.grad.dtype, v.grad.shape) == (np.ndarray, v.dtype, v.shape)


def test_backward_records_nothing_and_leaves_the_setting_of_no_grad(book):
    (x,) = variables(3.0)
    y = book.Square()(x)
    with no_grad():
        y.backward()
    assert type(x.grad) is np.ndarray
    assert x.grad == 6.0


def test_empty_arrays_have_empty_gradients(book):
    (x,) = variables(np.zeros((0, 3)))
    book.Square()(x).backward()
    assert x.grad.shape == (0, 3)


def test_backward_passes_non_finite_gradients(book):
    (x,) = variables([np.inf, np.nan])
    with np.errstate(all="ignore"):
        book.Square()(x).backward()
    np.testing.assert_array_equal(x.grad, [np.inf, np.nan])


def test_a_calculation_asks_neither_plugins_nor_the_environment(operators):
    files = set()
    x = Variable(np.array([0.5, 1.0]))
    sys.setprofile(lambda frame, event, argument: files.add(frame.f_code.co_filename))
    try:
        y = np.sin(x) * x
        y.backward(create_graph=True)
    finally:
        sys.setprofile(None)
    assert any(file.endswith("engine.py") for file in files)
    never = (
        "pluggy",
        "importlib",
        f"{os.sep}registry{os.sep}",
        "<frozen os>",
        f"{os.sep}os.py",
    )
    assert [file for file in files if any(name in file for name in never)] == []


def test_a_finalizer_may_run_backward_while_gradients_are_committed(book):
    x, z = Variable(np.array(2.0)), Variable(np.array(3.0))
    book.Square()(x).backward()
    other = book.Square()(z)
    weakref.finalize(x.grad, other.backward)

    def run():
        book.Add()(x, 1.0).backward()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(30.0)
    assert not thread.is_alive(), "it waits for itself"
    assert (x.grad, z.grad) == (5.0, 6.0)
