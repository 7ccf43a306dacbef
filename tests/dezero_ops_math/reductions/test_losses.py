"""softmax_cross_entropy: the loss that its parts give, and labels that are none."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import log_softmax, mean, softmax_cross_entropy

RNG = np.random.default_rng(0)
X, T = RNG.normal(size=(4, 3)), np.array([2, 0, 0, 1])


def by_parts(x, t):
    return -mean(log_softmax(x)[np.arange(len(t)), t])


def gradients(loss, x):
    """Return three: each is the gradient of a weighted sum of the one before."""
    found = []
    y = loss
    for order in range(3):
        y = grad(y, x, create_graph=True)
        found.append(y.data)
        weights = np.random.default_rng(order).normal(size=x.shape)
        y = (y * weights).sum()
    return found


def test_softmax_cross_entropy_agrees_with_its_parts_at_every_order():
    found = []
    for function in (softmax_cross_entropy, by_parts):
        x = Variable(X.copy())
        loss = function(x, T)
        found.append([loss.data, *gradients(loss, x)])
    for got, expected in zip(*found, strict=True):
        np.testing.assert_allclose(got, expected, 1e-12, 1e-15)


def test_the_gradient_of_softmax_cross_entropy_agrees_with_the_one_by_hand():
    x = Variable(np.log([[1.0, 2.0, 1.0], [6.0, 1.0, 1.0]]))
    y = softmax_cross_entropy(x, [1, 2])
    y.backward()
    np.testing.assert_allclose(y.data, (np.log(2.0) + np.log(8.0)) / 2.0)
    np.testing.assert_allclose(x.grad, [[0.125, -0.25, 0.125], [0.375, 0.0625, -0.4375]])


def test_softmax_cross_entropy_takes_huge_and_minus_infinite_logits():
    x = Variable(np.array([[1000.0, 0.0, -np.inf], [-1000.0, -np.inf, 0.0]]))
    y = softmax_cross_entropy(x, [1, 0])
    y.backward()
    assert y.item() == 1000.0
    np.testing.assert_array_equal(x.grad, [[0.5, -0.5, 0.0], [-0.5, 0.0, 0.5]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_softmax_cross_entropy_keeps_the_dtype(dtype):
    x = Variable(X.astype(dtype))
    y = softmax_cross_entropy(x, T)
    y.backward()
    assert y.dtype == x.grad.dtype == dtype
    np.testing.assert_allclose(y.data, by_parts(X, T).data, 10.0 * np.finfo(dtype).eps)


def test_softmax_cross_entropy_of_many_half_precision_rows_has_a_gradient():
    x = Variable(np.zeros((70000, 2), np.float16))
    softmax_cross_entropy(x, np.zeros(70000, int)).backward()
    assert np.all(np.abs(x.grad / 7.1e-6) - 1.0 < 0.01)


def test_softmax_cross_entropy_takes_integers_as_logits():
    assert softmax_cross_entropy(np.array([[1, 1]]), [0]).item() == np.log(2.0)


def test_softmax_cross_entropy_over_no_rows_is_nan_with_a_warning():
    x = Variable(np.zeros((0, 3)))
    with pytest.warns(RuntimeWarning):
        y = softmax_cross_entropy(x, np.zeros(0, int))
    assert np.isnan(y.data)
    y.backward()
    assert x.grad.shape == (0, 3)


def test_softmax_cross_entropy_and_its_gradient_may_be_in_one_sum():
    found = []
    for function in (softmax_cross_entropy, by_parts):
        x = Variable(X.copy())
        loss = function(x, T)
        penalty = grad(loss, x, create_graph=True) ** 2
        (loss + penalty.sum()).backward()
        found.append(x.grad)
    np.testing.assert_allclose(*found, 1e-12, 1e-15)


def test_softmax_cross_entropy_copies_its_labels_and_takes_a_variable_as_labels():
    labels = T.copy()
    for given in (labels, Variable(labels)):
        x, other = Variable(X.copy()), Variable(X.copy())
        y = softmax_cross_entropy(x, given)
        labels[:] = 0
        y.backward()
        labels[:] = T
        by_parts(other, T).backward()
        np.testing.assert_allclose(x.grad, other.grad)


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        ([0, 1, 2, 3], IndexError, "from 0 to 2, and one is 3"),
        ([0, 1, 2, -1], IndexError, "from 0 to 2, and one is -1"),
        ([0, 1, 2], ValueError, r"each of 4 rows, not shape \(3,\)"),
        ([[0], [1], [2], [0]], ValueError, r"not shape \(4, 1\)"),
        (0, ValueError, r"not shape \(\)"),
        ([0.0, 1.0, 2.0, 0.0], TypeError, "integers, the labels, and is of float64"),
        ([True, False, True, True], TypeError, "is of bool"),
        (Variable(np.zeros(4)), TypeError, "is of float64"),
    ],
)
def test_softmax_cross_entropy_refuses_bad_labels_with_a_note(labels, error, message):
    x = Variable(X.copy())
    with pytest.raises(error, match=message) as caught:
        softmax_cross_entropy(x, labels)
    assert "SoftmaxCrossEntropy.forward" in caught.value.__notes__[0]
    assert x.grad is None


@pytest.mark.parametrize("x", [np.zeros(3), np.zeros((2, 2, 3)), np.zeros((2, 3), complex)])
def test_softmax_cross_entropy_refuses_bad_logits(x):
    with pytest.raises(ValueError, match="x must be real and have two axes"):
        softmax_cross_entropy(Variable(x), [0, 0])


@pytest.mark.parametrize("dtype", [">i4", "<i8", ">u2", "u1"])
def test_labels_may_be_in_any_order_of_bytes(dtype):
    x = np.log([[0.25, 0.75], [0.5, 0.5]])
    loss = softmax_cross_entropy(x, np.array([1, 0], dtype))
    np.testing.assert_allclose(loss, -np.log([0.75, 0.5]).mean())
