"""Losses: hand formulas, what is far from 0, shapes, labels and targets that are none."""

import mpmath
import numpy as np
import pytest
from dezero_nn.functions import binary_cross_entropy, mean_squared_error, sigmoid_cross_entropy
from dezero_tools.testing import check_gradient

from dezero_core import Variable, grad

RNG = np.random.default_rng(0)
X, T = RNG.normal(size=(4, 3)), RNG.integers(0, 2, (4, 3))
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


def test_sigmoid_cross_entropy_and_its_gradients_agree_with_the_formulas():
    x, t = Variable(X.copy()), Variable(P.copy())
    y = sigmoid_cross_entropy(x, t)
    y.backward()
    s = 1.0 / (1.0 + np.exp(-X))
    np.testing.assert_allclose(y.data, -(P * np.log(s) + (1 - P) * np.log(1 - s)).sum() / 4)
    np.testing.assert_allclose(x.grad, (s - P) / 4, 1e-12)
    np.testing.assert_allclose(t.grad, -X / 4)


@pytest.mark.parametrize("logit", [-700.0, -40.0, -1.0, 0.0, 1.0, 40.0, 700.0])
@pytest.mark.parametrize("label", [0, 1])
def test_sigmoid_cross_entropy_of_large_logits_has_all_its_digits(logit, label):
    x = Variable(np.array([logit]))
    y = sigmoid_cross_entropy(x, [label])
    y.backward()
    with mpmath.workdps(400):
        sign = 1 - 2 * label
        truth = mpmath.log1p(mpmath.exp(sign * mpmath.mpf(logit)))
        slope = sign / (1 + mpmath.exp(-sign * mpmath.mpf(logit)))
    np.testing.assert_allclose([y.item(), x.grad[0]], [float(truth), float(slope)], 1e-15)


def test_binary_cross_entropy_and_its_gradients_agree_with_the_formulas():
    p, t = Variable(P.copy()), Variable(RNG.uniform(size=P.shape))
    y = binary_cross_entropy(p, t)
    y.backward()
    expected = -(t.data * np.log(P) + (1 - t.data) * np.log(1 - P)).sum() / 4
    np.testing.assert_allclose(y.data, expected)
    np.testing.assert_allclose(p.grad, (P - t.data) / (P * (1 - P)) / 4, 1e-12)
    np.testing.assert_allclose(t.grad, (np.log(1 - P) - np.log(P)) / 4, 1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_binary_cross_entropy_of_certain_probabilities_is_bounded(dtype):
    p = Variable(np.array([0.0, 1.0, 0.0, 1.0], dtype))
    t = Variable(np.array([0.0, 1.0, 1.0, 0.0], dtype))
    y = binary_cross_entropy(p, t)
    y.backward()
    assert y.item() == 200.0 / 4
    np.testing.assert_allclose(p.grad, np.array([1.0, -1.0, -1e12, 1e12]) / 4, 1e-6)
    np.testing.assert_allclose(t.grad, np.array([100.0, -100.0, 100.0, -100.0]) / 4)


@pytest.mark.parametrize("loss", [sigmoid_cross_entropy, binary_cross_entropy])
def test_targets_may_lack_an_axis_of_length_1(loss):
    p = Variable(P[:, :1].copy())
    assert loss(p, T[:, 0]).item() == loss(p, T[:, :1]).item() == loss(p, T[:, 0].tolist()).item()


@pytest.mark.parametrize("loss", [sigmoid_cross_entropy, binary_cross_entropy])
@pytest.mark.parametrize(
    ("t", "error", "message"),
    [
        (T + 1, IndexError, "labels must be 0 or 1, and one is 2"),
        (T - 1, IndexError, "labels must be 0 or 1, and one is -1"),
        (T + 0.5, ValueError, "targets must be from 0 to 1, and one is 1.5"),
        (T[:, 0], ValueError, r"t must be of the shape \(4, 3\), and is of \(4,\)"),
        (T.T, ValueError, r"and is of \(3, 4\)"),
        (T * 1j, TypeError, "must be real"),
    ],
)
def test_bad_targets_are_refused_with_a_note(loss, t, error, message):
    p = Variable(P.copy())
    with pytest.raises(error, match=message) as caught:
        loss(p, t)
    assert "CrossEntropy.forward" in caught.value.__notes__[0]
    assert p.grad is None


@pytest.mark.parametrize("wrong", [-0.1, 1.1])
def test_binary_cross_entropy_refuses_what_is_no_probability(wrong):
    with pytest.raises(ValueError, match=r"p must be probabilities.*sigmoid_cross_entropy"):
        binary_cross_entropy(np.array([0.5, wrong]), [1, 0])


@pytest.mark.parametrize("loss", [sigmoid_cross_entropy, binary_cross_entropy])
def test_logits_of_integers_are_taken(loss):
    assert loss(np.array([1, 0]), [1, 0]) == loss(np.array([1.0, 0.0]), [1.0, 0.0])


@pytest.mark.parametrize("loss", [sigmoid_cross_entropy, binary_cross_entropy])
def test_the_second_derivative_agrees_with_the_complex_step_by_hand(loss):
    p, t = Variable(P.copy()), T.astype(float)
    first = grad(loss(p, t), p, create_graph=True)
    second = grad(first.sum(), p)
    z = P + 1e-30j
    slope = (1 / (1 + np.exp(-z)) - t) if loss is sigmoid_cross_entropy else (z - t) / (z * (1 - z))
    np.testing.assert_allclose(second, slope.imag / 1e-30 / 4, 1e-12)
