"""The oracles themselves, against derivatives by hand."""

import numpy as np
import pytest
from dezero_core.testing.oracles import by_complex_step, by_differences, direction, slope

X = np.array([[0.3, -1.2, 0.7], [1.9, -0.4, -2.5]])


def test_the_complex_step_is_right_to_the_last_digits():
    w = direction(X)
    (gradient,) = by_complex_step(lambda x: np.sum(w * x**3), [X])
    np.testing.assert_allclose(gradient, 3.0 * w * X**2, rtol=1e-15)


def test_extrapolated_differences_are_right_to_a_ten_billionth():
    assert slope(lambda t: np.exp(2.0 * t)) == pytest.approx(2.0, rel=1e-12)
    (gradient,) = by_differences(lambda x: np.sum(np.sin(x)), [X])
    np.testing.assert_allclose(gradient, np.cos(X), rtol=1e-10)


def test_the_gradient_by_a_complex_array_is_by_its_parts():
    """By hand: |z|**2 has the derivatives 2 Re(z) and 2 Im(z)."""
    z = X + 1j * X[::-1]
    (gradient,) = by_differences(lambda z: np.sum(np.abs(z) ** 2), [z])
    np.testing.assert_allclose(gradient, 2.0 * z, rtol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_directions_are_different_numbers_none_of_them_near_zero(dtype):
    numbers = direction(np.zeros((2, 3), dtype))
    assert (numbers.shape, numbers.dtype) == ((2, 3), dtype)
    assert len(np.unique(numbers)) == 6
    assert np.abs(numbers).min() >= 0.5
