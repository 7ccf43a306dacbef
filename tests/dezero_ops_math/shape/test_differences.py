"""diff, ediff1d and unwrap."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import diff, ediff1d, unwrap


def line():
    return Variable(np.array([1.0, 4.0, 9.0, 16.0]))


def test_the_gradient_of_diff_is_minus_the_differences_of_the_arriving_gradient():
    x = line()
    y = diff(x)
    y.grad = np.array([1.0, 10.0, 100.0])
    y.backward()
    np.testing.assert_array_equal(x.grad, [-1.0, -9.0, -90.0, 100.0])


def test_the_gradient_of_second_differences_has_binomial_weights():
    x = line()
    y = diff(x, 2)
    y.grad = np.array([1.0, 0.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [2.0, 2.0])
    np.testing.assert_array_equal(x.grad, [1.0, -2.0, 1.0, 0.0])


def test_diff_of_order_0_is_the_array_without_prepend_and_append():
    """As in NumPy: with n = 0 it does not look at prepend and append."""
    x, end = line(), Variable(np.array(7.0))
    y = diff(x, 0, prepend=end, append=end)
    y.backward()
    np.testing.assert_array_equal(y.data, x.data)
    np.testing.assert_array_equal(x.grad, np.ones(4))
    assert end.grad is None


@pytest.mark.parametrize("n", [4, 9])
def test_diff_of_a_higher_order_than_elements_is_empty(n):
    x = line()
    y = diff(x, n)
    y.backward()
    assert y.shape == (0,)
    np.testing.assert_array_equal(x.grad, np.zeros(4))


def test_diff_takes_a_number_as_prepend_for_a_whole_row():
    x, end = Variable(np.arange(6.0).reshape(2, 3)), Variable(np.array(1.0))
    y = np.diff(x, axis=0, append=end)
    y.grad = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    y.backward()
    np.testing.assert_array_equal(x.grad, [[-1.0, -2.0, -3.0], [-9.0, -18.0, -27.0]])
    np.testing.assert_array_equal(end.grad, 60.0)


def test_a_variable_as_prepend_and_append_of_diff_gets_the_sum_of_gradients():
    x, end = line(), Variable(np.array([2.0]))
    y = diff(x, prepend=end, append=end)
    y.grad = np.array([1.0, 0.0, 0.0, 0.0, 10.0])
    y.backward()
    np.testing.assert_array_equal(end.grad, [9.0])


def test_diff_of_booleans_is_a_constant():
    assert diff(Variable(np.array([True, False]))).dtype == bool


def test_gradients_of_the_ends_of_ediff1d_have_the_shapes_of_the_ends():
    x = Variable(np.array([[1.0, 4.0], [9.0, 16.0]]))
    begin, end = Variable(np.array([[-1.0], [-2.0]])), Variable(np.array(99.0))
    y = np.ediff1d(x, to_end=end, to_begin=begin)
    y.grad = np.arange(6.0)
    y.backward()
    np.testing.assert_array_equal(y.data, [-1.0, -2.0, 3.0, 5.0, 7.0, 99.0])
    np.testing.assert_array_equal(x.grad, [[-2.0, -1.0], [-1.0, 4.0]])
    np.testing.assert_array_equal(begin.grad, [[0.0], [1.0]])
    np.testing.assert_array_equal(end.grad, 5.0)


def test_unwrap_passes_the_gradient_unchanged():
    x = Variable(np.array([0.0, 5.0, 10.0, np.nan]))
    y = np.unwrap(x)
    y.grad = np.array([1.0, 2.0, 3.0, 4.0])
    y.backward()
    np.testing.assert_array_equal(y.data, np.unwrap(x.data))
    np.testing.assert_array_equal(x.grad, [1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize(
    ("call", "error", "name"),
    [
        (lambda x: diff(x, -1), ValueError, "Diff"),
        (lambda x: diff(x, axis=1), np.exceptions.AxisError, "Diff"),
        (lambda x: diff(x, prepend=np.ones((1, 1))), ValueError, "Diff"),
        (lambda x: diff(x.sum()), ValueError, "Diff"),
        (lambda x: ediff1d(x, to_end=np.array([1j])), TypeError, "EDiff1d"),
        (lambda x: unwrap(x, axis=1), np.exceptions.AxisError, "Unwrap"),
    ],
)
def test_bad_input_of_diff_ediff1d_and_unwrap_is_numpys_error_with_a_note(call, error, name):
    with pytest.raises(error) as caught:
        call(line())
    assert f"{name}.forward" in caught.value.__notes__[0]


def test_diff_and_unwrap_refuse_variables_as_options_by_name():
    number = Variable(np.array(1.0))
    for call, name in (
        (lambda x: diff(x, n=number), "n"),
        (lambda x: unwrap(x, number), "discont"),
        (lambda x: unwrap(x, period=number), "period"),
    ):
        with pytest.raises(TypeError, match=f"needs a constant for '{name}'"):
            call(line())
