"""Where backward() starts, and what it keeps on its way: .grad of the result and in between.

Promise: docs/tutorial/memory.md
"""

import numpy as np
import pytest

from dezero_core import GradientError, Variable, grad


def variables(*values):
    return [Variable(np.array(value)) for value in values]


def test_backward_starts_from_ones_of_the_shape_and_dtype_of_the_result(book):
    x = Variable(np.ones((2, 3), np.float32))
    y = book.Square()(x)
    y.backward(retain_grad=True)
    np.testing.assert_array_equal(y.grad, np.ones((2, 3)))
    assert y.grad.dtype == np.float32
    np.testing.assert_array_equal(x.grad, np.full((2, 3), 2.0))


@pytest.mark.parametrize(
    "given",
    [
        np.array([1.0, 10.0]),
        np.array([1, 10]),
        np.array([1, 10], np.float32),
        [1.0, 10.0],
        Variable(np.array([1.0, 10.0])),
    ],
    ids=["array", "integers", "single", "list", "variable"],
)
def test_backward_starts_from_the_gradient_that_the_user_has_set(book, given):
    (x,) = variables([2.0, 3.0])
    y = book.Square()(x)
    y.grad = given
    y.backward(retain_grad=True)
    np.testing.assert_array_equal(x.grad, [4.0, 60.0])
    np.testing.assert_array_equal(y.grad, [1.0, 10.0])
    for v in (x, y):
        assert (type(v.grad), v.grad.dtype) == (np.ndarray, np.float64)


def test_a_start_gradient_of_another_shape_is_refused_and_no_grad_is_changed(book):
    x, y = variables([2.0, 3.0], [4.0, 5.0])
    z = book.Mul()(x, y)
    z.name = "loss"
    z.grad = np.ones((2, 1))
    with pytest.raises(GradientError, match=r"'loss'.*\(2, 1\).*must have shape \(2,\)"):
        z.backward()
    assert (x.grad, y.grad, z.grad.shape) == (None, None, (2, 1))


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (
            np.ma.array([1.0, 2.0], mask=[True, False]),
            r"a mask, and must be an ndarray of numbers: \.filled\(0\.0\)",
        ),
        (np.array(["1", "2"]), "an array of <U1, and must be an ndarray of numbers"),
        (np.array([1.0, None]), "an array of object"),
        (np.array(["2020", "2021"], "M8[Y]"), r"an array of datetime64\[Y\]"),
    ],
)
def test_a_start_gradient_that_is_no_array_of_numbers_is_refused_by_name(book, given, complaint):
    x = Variable(np.array([2.0, 3.0]))
    y = book.Square()(x)
    y.name, y.grad = "loss", given
    with pytest.raises(GradientError, match=f"'loss' (is|has) .*{complaint}"):
        y.backward()
    assert x.grad is None
    with pytest.raises(GradientError, match=complaint):
        grad(y, x, grad_outputs=given)


def test_a_gradient_left_from_data_of_another_shape_is_refused_by_name(book):
    x, y = Variable(np.array([2.0, 3.0]), "x"), Variable(np.array([4.0, 5.0]))
    x.grad = np.ones(7)
    with pytest.raises(GradientError, match=r"'x' has shape \(7,\).*\(2,\).*cleargrad"):
        book.Mul()(y, x).backward()
    assert y.grad is None
    np.testing.assert_array_equal(x.grad, np.ones(7))


def test_retain_grad_keeps_the_gradients_of_intermediates(book):
    x0, x1 = variables(1.0, 1.0)
    t = book.Add()(x0, x1)
    y = book.Add()(x0, t)
    y.backward()
    assert (y.grad, t.grad, x0.grad, x1.grad) == (None, None, 2.0, 1.0)
    x0.cleargrad(), x1.cleargrad()
    y.backward(retain_grad=True)
    assert (y.grad, t.grad, x0.grad, x1.grad) == (1.0, 1.0, 2.0, 1.0)


def test_retain_grad_keeps_whole_sums_of_gradients(book):
    (x,) = variables(3.0)
    a = book.Square()(x)
    y = book.Mul()(book.Sin()(a), a)
    y.backward(retain_grad=True)
    np.testing.assert_allclose(a.grad, np.sin(9.0) + 9.0 * np.cos(9.0), rtol=1e-14)


def test_retain_grad_gives_each_of_several_outputs_its_own_gradient(book):
    x0, x1 = variables(3.0, 5.0)
    s, p = book.SumAndProduct()(x0, x1)
    book.Mul()(s, p).backward(retain_grad=True)
    assert (s.grad, p.grad) == (15.0, 8.0)
    _, unused = book.SumAndProduct()(x0, x1)
    s.cleargrad()
    s.backward(retain_grad=True)
    assert unused.grad is None


def test_a_retained_gradient_does_not_flow_into_the_next_backward(book):
    """Unlike the result's own .grad, which is where backward() starts."""
    (x,) = variables(3.0)
    a = book.Square()(x)
    y = book.Square()(a)
    a.grad = np.array(1e6)
    y.backward()
    assert (a.grad, x.grad) == (1e6, 4 * 3.0**3)
