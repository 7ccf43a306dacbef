"""mean_squared_error: its formula and its shapes; and what all losses share."""

import numpy as np
import pytest
from dezero_nn.functions import binary_cross_entropy, mean_squared_error, sigmoid_cross_entropy
from dezero_tools.testing import check_gradient

from dezero_core import Variable

RNG = np.random.default_rng(0)
T = RNG.integers(0, 2, (4, 3))
P = RNG.uniform(0.05, 0.95, (4, 3))


def test_mean_squared_error_divides_the_sum_by_the_number_of_rows():
    x0, x1 = (
        Variable(np.array([[1.0, 2.0], [3.0, 5.0]])),
        Variable(np.array([[0.0, 2.0], [1.0, 1]])),
    )
    y = mean_squared_error(x0, x1)
    y.backward()
    assert y.item() == (1.0 + 4.0 + 16.0) / 2.0
    np.testing.assert_array_equal(x0.grad, [[1.0, 0.0], [2.0, 4.0]])
    np.testing.assert_array_equal(x1.grad, -x0.grad)


@pytest.mark.parametrize("shapes", [((1, 1), (1,)), ((3, 2), (2,)), ((), (4,)), ((2, 3), (2, 3))])
def test_mean_squared_error_takes_shapes_that_broadcast_to_one_of_them(shapes):
    x0, x1 = (RNG.normal(size=shape) for shape in shapes)
    difference = x0 - x1
    expected = (difference**2).sum() / len(difference)
    np.testing.assert_allclose(mean_squared_error(x0, x1), expected)
    check_gradient(mean_squared_error, x0, x1)


def test_mean_squared_error_refuses_a_column_beside_a_vector():
    x = Variable(np.zeros((3, 1)))
    with pytest.raises(ValueError, match=r"shapes \(3, 1\) and \(3,\).*Reshape one"):
        mean_squared_error(x, np.zeros(3))
    assert x.grad is None


def test_mean_squared_error_of_unsigned_integers_does_not_wrap_around():
    assert mean_squared_error(np.uint8([1, 2]), np.uint8([3, 2])) == 2.0
    assert mean_squared_error(np.array([True]), np.array([False])) == 1.0


def test_mean_squared_error_refuses_complex_numbers():
    with pytest.raises(TypeError, match="must be real"):
        mean_squared_error(np.array([1j]), np.array([1.0]))


@pytest.mark.parametrize("loss", [mean_squared_error, sigmoid_cross_entropy, binary_cross_entropy])
def test_a_loss_over_no_rows_is_nan_with_a_warning(loss):
    x = Variable(np.zeros((0, 3)))
    with pytest.warns(RuntimeWarning):
        y = loss(x, np.zeros((0, 3)))
    assert np.isnan(y.data)
    y.backward()
    assert x.grad.shape == (0, 3)


@pytest.mark.parametrize("loss", [mean_squared_error, sigmoid_cross_entropy, binary_cross_entropy])
def test_the_dtype_stays_float32_beside_labels_of_integers(loss):
    x, t = Variable(P.astype(np.float32)), T.astype(np.float32)
    y = loss(x, t if loss is mean_squared_error else T)
    y.backward()
    assert y.dtype == x.grad.dtype == np.float32
    np.testing.assert_allclose(y.data, loss(P, T), 1e-6)
