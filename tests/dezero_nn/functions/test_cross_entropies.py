"""Cross entropies of two classes: formulas, large logits, certain probabilities, bad targets."""

import mpmath
import numpy as np
import pytest
from dezero_nn.functions import binary_cross_entropy, sigmoid_cross_entropy

from dezero_core import Variable, grad

RNG = np.random.default_rng(0)
X, T = RNG.normal(size=(4, 3)), RNG.integers(0, 2, (4, 3))
P = RNG.uniform(0.05, 0.95, (4, 3))


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
