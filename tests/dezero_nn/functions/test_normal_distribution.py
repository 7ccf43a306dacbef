"""The normal distribution function: its digits, measured with mpmath."""

import mpmath
import numpy as np
import pytest
from dezero_nn.functions.activations import normal_distribution

RNG = np.random.default_rng(0)
X = np.concatenate([np.linspace(-37.0, 9.0, 400), RNG.normal(size=200), [0.0, -1e-300, 1e-300]])


def truth(x):
    with mpmath.workdps(40):
        return np.array([float(mpmath.erfc(-mpmath.mpf(v) / mpmath.sqrt(2)) / 2) for v in x])


def test_float64_is_right_to_1e_15_also_in_the_tail():
    np.testing.assert_allclose(normal_distribution(X), truth(X.tolist()), 1e-15)


def test_float32_is_right_to_its_last_digit():
    x = X[X > -12.0].astype(np.float32)
    y = normal_distribution(x)
    assert y.dtype == np.float32
    np.testing.assert_allclose(y, truth(x.tolist()), 1.2e-7)


def test_of_infinity_it_is_0_or_1_and_of_nan_nan():
    y = normal_distribution(np.array([-np.inf, -50.0, 50.0, np.inf, np.nan]))
    np.testing.assert_array_equal(y, [0.0, 0.0, 1.0, 1.0, np.nan])


@pytest.mark.parametrize(("x", "dtype"), [(1, float), (np.int8([-128, 1]), np.float16)])
def test_integers_become_floating_point_as_in_numpy(x, dtype):
    y = normal_distribution(x)
    assert y.dtype == dtype
    np.testing.assert_allclose(y.flat[-1], 0.8413447460685429, 1e-3)


def test_complex_numbers_are_refused():
    with pytest.raises(TypeError, match="takes real numbers"):
        normal_distribution(np.array([1j]))
