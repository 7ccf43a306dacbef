"""The oracles themselves, against derivatives by hand.

Promise: docs/reference/testing.rst
"""

import numpy as np
import pytest
from dezero_tools.testing.oracles import by_complex_step, by_differences, direction, slope

X = np.array([[0.3, -1.2, 0.7], [1.9, -0.4, -2.5]])


def test_the_complex_step_of_the_kit_is_right_to_the_last_digits():
    w = direction(X)
    (gradient,) = by_complex_step(lambda x: np.sum(w * x**3), [X])
    np.testing.assert_allclose(gradient, 3.0 * w * X**2, rtol=1e-15)


def test_extrapolated_differences_are_right_to_a_ten_billionth():
    value, error = slope(lambda t: np.exp(2.0 * t))
    assert value == pytest.approx(2.0, rel=1e-12)
    assert error < 1e-11
    (gradient,), (error,) = by_differences(lambda x: np.sum(np.sin(x)), [X], [1.0])
    np.testing.assert_allclose(gradient, np.cos(X), rtol=1e-10)
    assert error < 1e-10


@pytest.mark.parametrize(
    ("function", "truth"),
    [
        (lambda t: np.sin(300.0 * t), 300.0),
        (lambda t: np.log(1e-4 + t), 1e4),
        (lambda t: np.exp(-((0.001 + t) ** 2) / 2e-6), -1e3 * np.exp(-0.5)),
    ],
    ids=["quick", "near the end of the domain", "narrow"],
)
def test_the_kit_makes_steps_smaller_until_differences_settle(function, truth):
    with np.errstate(invalid="ignore"):
        value, error = slope(function)
    assert value == pytest.approx(truth, rel=1e-6)
    assert error < 1e-4 * abs(truth)


def test_differences_that_never_settle_have_a_large_error_estimate():
    value, error = slope(lambda t: np.sqrt(np.abs(t)) * np.sign(t))
    assert error > 1e-3 * value


def test_the_differences_of_the_kit_do_not_take_the_mean_of_two_slopes_for_a_derivative():
    """They are equal for every step."""
    value, error = slope(lambda t: np.array([2.0 * abs(t) + t, t, np.exp(t)]))
    np.testing.assert_allclose(value, 1.0)
    assert error == pytest.approx(2.0)


def test_the_error_of_the_differences_of_the_kit_is_no_less_at_a_corner_of_the_derivative():
    value, error = slope(lambda t: t * t + 3.0 * t if t > 0.0 else 3.0 * t)
    assert abs(value - 3.0) < error < 1e-4


def test_the_kit_differentiates_by_both_parts_of_a_complex_array():
    """By hand: |z|**2 has the derivatives 2 Re(z) and 2 Im(z)."""
    z = X + 1j * X[::-1]
    (gradient,), _ = by_differences(lambda z: np.sum(np.abs(z) ** 2), [z], [1.0])
    np.testing.assert_allclose(gradient, 2.0 * z, rtol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_directions_of_the_kit_are_different_numbers_away_from_zero(dtype):
    numbers = direction(np.zeros((2, 3), dtype))
    assert (numbers.shape, numbers.dtype) == ((2, 3), dtype)
    assert len(np.unique(numbers)) == 6
    assert np.abs(numbers).min() >= 0.5
