"""cumsum and nancumsum along axes and in a row."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import cumsum, nancumsum


def test_each_element_gets_the_gradients_of_the_sums_it_is_in():
    x = Variable(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    y = cumsum(x, axis=1)
    y.grad = np.array([[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]])
    y.backward()
    np.testing.assert_array_equal(y.data, [[1.0, 3.0, 6.0], [4.0, 9.0, 15.0]])
    np.testing.assert_array_equal(x.grad, [[111.0, 110.0, 100.0], [222.0, 220.0, 200.0]])


@pytest.mark.parametrize("order", ["C", "F"])
def test_without_an_axis_the_elements_are_summed_in_a_row(order):
    x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]], order=order))
    y = cumsum(x)
    y.grad = np.array([1.0, 10.0, 100.0, 1000.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 3.0, 6.0, 10.0])
    np.testing.assert_array_equal(x.grad, [[1111.0, 1110.0], [1100.0, 1000.0]])


def test_what_is_nan_counts_as_zero_and_gets_no_gradient():
    x = Variable(np.array([1.0, np.nan, 3.0]))
    y = nancumsum(x)
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 1.0, 4.0])
    np.testing.assert_array_equal(x.grad, [3.0, 0.0, 1.0])


def test_nan_reaches_all_sums_after_it():
    y = cumsum(Variable(np.array([1.0, np.nan, 3.0])))
    np.testing.assert_array_equal(y.data, [1.0, np.nan, np.nan])


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_a_number_becomes_an_array_of_one_as_in_numpy(axis):
    x = Variable(np.array(3.0))
    y = cumsum(x, axis=axis)
    y.backward()
    assert (y.shape, x.grad.shape) == ((1,), ())


def test_the_second_derivative_of_a_square_is_that_of_its_elements():
    x = Variable(np.array([1.0, 2.0, 3.0]))
    first = grad(cumsum(x * x), x, create_graph=True)
    np.testing.assert_array_equal(first.data, [6.0, 8.0, 6.0])
    np.testing.assert_array_equal(grad(first, x), [6.0, 4.0, 2.0])
