"""relu where it bends, and of what is no ordinary number."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import relu

NAN, INF = np.nan, np.inf


def test_the_derivative_of_relu_at_0_is_0():
    x = Variable(np.array([-1.0, -0.0, 0.0, 5e-324, 1.0]))
    y = relu(x)
    y.backward()
    np.testing.assert_array_equal(y.data, [0.0, 0.0, 0.0, 5e-324, 1.0])
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, 0.0, 1.0, 1.0])


def test_relu_of_nan_is_nan_and_passes_the_gradient():
    x = Variable(np.array([NAN, INF, -INF]))
    y = relu(x)
    y.backward()
    np.testing.assert_array_equal(y.data, [NAN, INF, 0.0])
    np.testing.assert_array_equal(x.grad, [1.0, 1.0, 0.0])


@pytest.mark.parametrize("bad", [INF, -INF, NAN])
def test_relu_stops_an_inf_or_nan_in_the_gradient_where_x_is_not_positive(bad):
    x = Variable(np.array([-1.0, 0.0, 2.0]))
    y = relu(x)
    y.grad = np.array([bad, bad, bad])
    y.backward()
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, bad])


def test_the_second_derivative_of_relu_is_0():
    x = Variable(np.array([-1.0, 0.0, 2.0]))
    first = grad(relu(x) * x, x, create_graph=True)
    np.testing.assert_array_equal(first.data, [0.0, 0.0, 4.0])
    np.testing.assert_array_equal(grad(first, x), [0.0, 0.0, 2.0])


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float16, np.float32])
def test_relu_keeps_the_dtype(dtype):
    y = relu(np.array([-3, 0, 3], dtype))
    assert y.dtype == dtype
    np.testing.assert_array_equal(y.data, [0, 0, 3])


def test_relu_refuses_complex_numbers_with_a_note():
    with pytest.raises(TypeError, match="real numbers") as caught:
        relu(Variable(np.array([1.0j])))
    assert "Relu.forward" in caught.value.__notes__[0]
