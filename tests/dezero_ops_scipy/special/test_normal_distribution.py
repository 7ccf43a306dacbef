"""The normal distribution function, its inverse and its logarithm have exact derivatives.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from dezero_core import Variable, VariableTypeError
from dezero_ops_scipy import special

from .oracles import assert_exact, derivative, derivatives, digits, slopes

INF, NAN = np.inf, np.nan
_digits = digits(45)


def ndtr(x: Any) -> Any:
    """Return the distribution function, less 1 where it is near 1."""
    sign = 1 if mp.re(x) > 0 else -1
    return -sign * mp.erfc(sign * x / mp.sqrt(2)) / 2


def test_three_derivatives_of_ndtr_agree_with_mpmath() -> None:
    numbers = [1e-9, 0.7, -1.5, 4.2, -12.3, 36.9]
    assert_exact(special.ndtr, partial(derivative, ndtr), numbers)
    assert_exact(special.ndtr, partial(derivative, ndtr), [0.3 + 0.4j, -2.0 + 5.0j, 6.0 - 7.0j])


def test_three_derivatives_of_ndtri_agree_with_mpmath() -> None:
    def ndtri(p: Any) -> Any:
        x = mp.sqrt(2) * mp.erfinv(2 * mp.re(p) - 1)
        for _ in range(6):  # mpmath has it of real numbers alone
            density = mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)
            x -= (mp.erfc(-x / mp.sqrt(2)) / 2 - p) / density
        return x

    numbers = [1e-20, 0.1, 0.49, 0.7, 1.0 - 1e-6]
    assert_exact(special.ndtri, partial(derivative, ndtri), numbers)


def moment(k: int, x: float) -> Any:
    """Return the integral of ``u**k exp(x u - u**2 / 2)`` over all u > 0."""
    scale = 1 / (1 + abs(mpf(x)))
    ends = [0, scale, 5 * scale, 25 * scale, 125 * scale, mp.inf]
    if x > 0:
        ends = sorted({*ends, mpf(x) / 2, mpf(x), mpf(x) + 5})
    return mp.quad(lambda u: u**k * mp.exp(x * u - u * u / 2), ends)


@pytest.mark.parametrize("x", [-1e8, -1e4, -40.0, -5.0, -1.0, -0.1, 0.0, 0.1, 1.0, 5.0, 30.0])
def test_three_derivatives_of_log_ndtr_agree_with_mpmath(x: float) -> None:
    """By the moments of the tail, since all that is subtracted leaves nothing at -1e8."""
    with mp.workdps(30):
        m0, m1, m2 = (moment(k, x) for k in range(3))
    expected = 1 / m0, -m1 / m0**2, -m2 / m0**2 + 2 * m1**2 / m0**3
    # Of the third derivative both terms are 2 / x, which it is much smaller than.
    for got, value, rtol in zip(
        derivatives(special.log_ndtr, x, 3)[1:],
        expected,
        (1e-15, 2e-15, 1e-14 * (1.0 + x * x)),
        strict=True,
    ):
        np.testing.assert_allclose(got, float(value), rtol=rtol)


@pytest.mark.parametrize("x", [-1e200, -1e100, -1e20])
def test_derivatives_of_log_ndtr_far_below_0_are_those_of_a_square(x: float) -> None:
    """There it is ``-x**2 / 2 - log(-x)``, but for a constant."""
    first, second = derivatives(special.log_ndtr, x, 2)[1:]
    np.testing.assert_allclose([first, second], [-x, -1.0], rtol=1e-15)


def test_gradients_of_normal_distributions_at_the_edges_are_the_limits() -> None:
    np.testing.assert_array_equal(slopes(special.ndtr, [INF, -INF, 1e200])[0], [0.0, 0.0, 0.0])
    got = slopes(special.ndtri, [0.0, 1.0, -0.1, 1.1])[0]
    np.testing.assert_array_equal(got, [INF, INF, NAN, NAN])
    got = slopes(special.log_ndtr, [800.0, INF, -INF])[0]
    np.testing.assert_array_equal(got, [0.0, 0.0, INF])


def test_second_derivatives_of_normal_distributions_at_the_edges_are_the_limits() -> None:
    np.testing.assert_array_equal(derivatives(special.ndtri, [0.0, 1.0], 2)[2], [-INF, INF])
    got = derivatives(special.log_ndtr, [800.0, 1e100, INF, -INF], 2)[2]
    np.testing.assert_array_equal(got, [0.0, 0.0, 0.0, -1.0])


def test_normal_distributions_refuse_complex_numbers_where_they_have_no_derivative() -> None:
    z = Variable(np.array([0.1 + 0.1j]))
    with pytest.raises(VariableTypeError, match="log_ndtr of a Variable takes real numbers"):
        special.log_ndtr(z)
    with pytest.raises(TypeError, match="not supported for the input types"):
        special.ndtri(z)


def test_the_fourth_derivative_of_log_ndtr_agrees_with_mpmath() -> None:
    found = derivatives(special.log_ndtr, [1.0, -2.0], 4)[4]
    expected = [float(mp.diff(lambda t: mp.log(mp.ncdf(t)), x, 4)) for x in (1, -2)]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
