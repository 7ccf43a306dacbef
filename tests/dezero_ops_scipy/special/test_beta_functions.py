"""The beta function and its logarithm have exact derivatives, also by a large or small argument.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from dezero_ops_scipy import special

from .oracles import assert_exact, assert_exact_partials, derivative, digits, slopes, ulps

PAIRS = (
    (2.0, 3.0),
    (1e8, 1e-3),
    (1e8, 1.0),
    (1e-3, 1e8),
    (1e-10, 1e-10),
    (1e10, 1e10),
    (0.5, 1e-12),
    (20.0, 1e-9),
    (1e15, 2.0),
)


_digits = digits(60)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_of_betaln_by_either_argument_agree_with_mpmath(order: int) -> None:
    """``psi(a) - psi(a + b)``, of which a plain difference would leave no digit."""

    def truth(own: float, other: float, order: int, x: float) -> Any:
        del own
        return mp.polygamma(order - 1, mpf(x)) - mp.polygamma(order - 1, mpf(x) + mpf(other))

    limits = (8.0,) * order
    for a, b in PAIRS:
        assert_exact(partial(special.betaln, b=b), partial(truth, a, b), [a], limits)
        assert_exact(partial(special.betaln, a), partial(truth, b, a), [b], limits)


BETA = (
    (0.5, 4.0),
    (96.56, 97.33),
    (1e4, 12.0),
    (143.0, 80.7),
    (1e10, 3.0),
    (2.0, -0.4),
)


def test_all_derivatives_of_beta_to_the_second_order_agree_with_mpmath() -> None:
    """Also where SciPy's own value has lost 3 digits to a logarithm."""
    with mp.workdps(90):
        assert_exact_partials(special.beta, mp.beta, BETA, (8.0, 64.0))


def test_slopes_of_beta_of_small_numbers_agree_with_mpmath() -> None:
    """Next to 0 it is ``1/a + 1/b``, of which the mixed derivative leaves few digits."""
    pairs = [(1e-3, 70.1), (1e-9, 0.3), (1e-9, 1e-5), (1e-200, 1e-100)]
    found = slopes(special.beta, *zip(*pairs, strict=True))
    for (a, b), *got in zip(pairs, *found, strict=True):
        with mp.workdps(300):
            total = mpf(a) + mpf(b)
            for number, own in zip(got, (a, b), strict=True):
                expected = mp.beta(a, b) * (mp.psi(0, mpf(own)) - mp.psi(0, total))
                if abs(expected) < 1e300:
                    assert ulps(number, expected) <= 8.0, (a, b, number)
                else:
                    assert number == -np.inf


def test_third_derivatives_of_beta_agree_with_mpmath() -> None:
    for a, b in ((2.0, 3.0), (50.0, 1e-3), (96.0, 97.0)):
        truth = partial(derivative, lambda x, b=b: mp.beta(x, mpf(b)))
        assert_exact(partial(special.beta, b=b), truth, [a])


def test_the_gradient_of_beta_next_to_a_zero_agrees_with_mpmath() -> None:
    """By either argument, where ``a + b`` is next to 0, -1 and -4."""
    pairs = [(1.0, -0.99999), (2.5, -3.4999), (-2.3, -1.7000001)]
    found = slopes(special.beta, *zip(*pairs, strict=True))
    for (a, b), *got in zip(pairs, *found, strict=True):
        # Of 1 / Gamma(a + b), the derivative by the sum.
        total = mpf(a) + mpf(b)
        for number, own in zip(got, (a, b), strict=True):
            value = mp.gamma(a) * mp.gamma(b) * mp.rgamma(total)
            expected = value * (mp.psi(0, own) - mp.psi(0, total))
            assert number == pytest.approx(float(expected), rel=1e-11, abs=0.0)


def test_slopes_of_betaln_of_two_negative_numbers_agree_with_mpmath() -> None:
    """Where they differ by an integer, the cotangents of the reflection cancel exactly."""
    pairs = [(-0.3, -4.0), (-7.25, -3.0), (-2.4, -1.9), (-3.000001, -2.0)]
    by_a, _ = slopes(special.betaln, *zip(*pairs, strict=True))
    for (a, b), got in zip(pairs, by_a, strict=True):
        expected = mp.psi(0, mpf(a)) - mp.psi(0, mpf(a) + mpf(b))
        assert ulps(got, expected) <= 32.0, (a, b, got)


def test_gradients_of_beta_where_it_is_huge_or_0_are_the_limits() -> None:
    by_a, by_b = slopes(special.beta, [1e-300, 1e300, 0.0], [1e-300, 2.0, 2.0])
    np.testing.assert_array_equal(by_a, [-np.inf, 0.0, -np.inf])
    np.testing.assert_array_equal(by_b[:2], [-np.inf, 0.0])


def test_the_gradient_of_betaln_of_a_small_number_beside_a_large_one_is_its_reciprocal() -> None:
    """``betaln(a, 1)`` is ``-log(a)``."""
    a = np.array([1e-5, 3.0, 1e9, 1e300])
    np.testing.assert_allclose(slopes(special.betaln, a, np.ones(4))[0], -1.0 / a, rtol=4e-16)
