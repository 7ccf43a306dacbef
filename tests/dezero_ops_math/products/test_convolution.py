"""convolve: both gradients against the definition, lists, and what it refuses."""

import itertools

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import convolve

MODES = ["full", "same", "valid"]
LENGTHS = list(itertools.product(range(1, 6), repeat=2))


def jacobians(n, m, mode, a, v):
    """Return the Jacobians by both operands: it is linear in each, so its columns are values."""
    by_a = [np.convolve(unit, v, mode) for unit in np.eye(n)]
    return np.array(by_a).T, np.array([np.convolve(a, unit, mode) for unit in np.eye(m)]).T


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("n", "m"), LENGTHS)
def test_gradients_of_a_convolution_of_any_lengths_are_its_transposed_jacobians(n, m, mode):
    a, v = Variable(np.arange(1.0, n + 1.0)), Variable(np.arange(2.0, m + 2.0) ** 2.0)
    y = np.convolve(a, v, mode)
    np.testing.assert_array_equal(y.data, np.convolve(a.data, v.data, mode), strict=True)
    y.grad = 1.0 / np.arange(2.0, len(y) + 2.0)
    by_a, by_v = jacobians(n, m, mode, a.data, v.data)
    expected = by_a.T @ y.grad, by_v.T @ y.grad
    y.backward()
    np.testing.assert_allclose(a.grad, expected[0], rtol=1e-13)
    np.testing.assert_allclose(v.grad, expected[1], rtol=1e-13)


@pytest.mark.parametrize("mode", MODES)
def test_the_third_derivative_of_a_convolution_is_right(mode):
    """The middle of [t, t**2, t] convolved with [t**2, 1, t**2] is 2 t**3 + t**2: 12, for t = 1."""
    t = Variable(np.array(1.0))
    y = np.convolve(np.stack([t, t**2.0, t]), np.stack([t**2.0, t**0.0, t**2.0]), mode)
    y = y[len(y) // 2]
    for _ in range(3):
        y = grad(y, t, create_graph=True)
    np.testing.assert_allclose(y.data, 12.0, rtol=1e-13)


def test_a_convolution_takes_lists_as_numpy_does():
    x = Variable(np.array([1.0, 2.0, 4.0]))
    weight = Variable(np.array(0.5))
    np.testing.assert_array_equal(np.convolve([1.0, -1.0], x).data, [1.0, 1.0, 2.0, -4.0])
    y = convolve(x, [weight, 1.0 - weight], mode="valid")
    np.testing.assert_array_equal(y.data, [1.5, 3.0])
    y.backward()
    np.testing.assert_array_equal(weight.grad, (2.0 - 1.0) + (4.0 - 2.0))


def test_a_convolution_with_a_number_has_a_gradient_in_its_shape():
    x, factor = Variable(np.array([1.0, 2.0])), Variable(np.array(3.0))
    np.convolve(x, factor).backward()
    np.testing.assert_array_equal(factor.grad, np.array(3.0), strict=True)
    np.testing.assert_array_equal(x.grad, [3.0, 3.0])


def test_a_convolution_keeps_only_the_operand_that_a_gradient_reads():
    x = Variable(np.ones(3))
    y = np.convolve(x, np.ones(2))
    x.data = np.zeros(3)
    y.backward()
    np.testing.assert_array_equal(x.grad, [2.0, 2.0, 2.0])


@pytest.mark.parametrize(
    ("a", "v", "mode"),
    [
        (np.zeros(0), np.ones(2), "full"),
        (np.ones(2), np.zeros(0), "full"),
        (np.ones((2, 2)), np.ones(2), "full"),
        (np.ones(2), np.ones(2), "whole"),
    ],
)
def test_a_convolution_refuses_with_numpys_error_and_a_note(a, v, mode):
    with pytest.raises(ValueError) as expected:  # noqa: PT011 (NumPy's, whatever it says)
        np.convolve(a, v, mode)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        np.convolve(Variable(a), v, mode)
    assert str(caught.value) == str(expected.value)
    assert "Convolve.forward" in caught.value.__notes__[0]
