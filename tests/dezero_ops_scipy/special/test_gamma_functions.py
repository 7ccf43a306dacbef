"""Gamma functions and their quotients have exact derivatives, with the limits at poles and zeros.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.special
from mpmath import mp, mpf

from dezero_core import Variable, VariableTypeError, grad
from dezero_ops_scipy import special

from .oracles import assert_exact, assert_exact_partials, derivative, derivatives, digits, slopes

INF, NAN = np.inf, np.nan
#: Not next to a zero of the function or of one of its derivatives.
POSITIVE = (1e-10, 0.01, 0.1, 0.5, 3.0, 20.3, 65.2, 150.7)
NEGATIVE = (-1e-7, -0.9, -1.2, -2.9999, -7.75, -20.2, -100.9)
#: Next to the poles: so near that SciPy's digamma function has lost half of its digits.
NEAR_POLES = (-1.0 + 1e-9, -2.0 - 1e-10, -7.0 + 1e-6, -3.999999999996685, -7.9996678720046726)
_digits = digits(45)


@pytest.mark.parametrize("numbers", [POSITIVE, NEGATIVE])
@pytest.mark.parametrize("name", ["gamma", "rgamma"])
def test_three_derivatives_of_gamma_functions_agree_with_mpmath(
    name: str, numbers: tuple[float, ...]
) -> None:
    assert_exact(getattr(special, name), partial(derivative, getattr(mp, name)), numbers)


@pytest.mark.parametrize("numbers", [POSITIVE, NEGATIVE, NEAR_POLES])
def test_three_derivatives_of_gammaln_agree_with_mpmath(numbers: tuple[float, ...]) -> None:
    assert_exact(special.gammaln, lambda order, x: mp.psi(order - 1, mpf(x)), numbers)


@pytest.mark.parametrize("name", ["gamma", "rgamma"])
def test_three_derivatives_of_gamma_functions_next_to_poles_agree_with_mpmath(name: str) -> None:
    def truth(order: int, x: float) -> Any:
        pole = round(x)
        distance = mpf(x) - pole  # around which the series is taken, at a number of its size
        return derivative(lambda t: getattr(mp, name)(pole + t), order, distance)

    assert_exact(getattr(special, name), truth, NEAR_POLES)


def test_three_derivatives_of_loggamma_agree_with_mpmath_on_either_side_of_its_cut() -> None:
    truth = partial(derivative, mp.loggamma)
    assert_exact(special.loggamma, truth, POSITIVE)
    assert_exact(special.loggamma, truth, [3.0 + 4.0j, -2.5 + 0.5j, -2.5 - 0.5j, 0.1 - 30.0j])


@pytest.mark.parametrize("name", ["gamma", "rgamma"])
def test_derivatives_of_gamma_functions_of_complex_numbers_agree_with_mpmath(name: str) -> None:
    """SciPy's own values of complex numbers are exponentials of logarithms."""
    numbers = [0.3 + 0.4j, -1.5 + 2.0j, 3.0j, -3.3 - 0.01j, 5.0 - 6.0j]
    truth = partial(derivative, getattr(mp, name))
    assert_exact(getattr(special, name), truth, numbers, (64.0, 64.0, 128.0))


def test_derivatives_of_rgamma_at_its_zeros_are_factorials_and_harmonic_numbers() -> None:
    """Of the expansion of ``1 / Gamma`` around ``-n``: NIST DLMF 5.7.1 and 5.5.1."""
    got = derivatives(special.rgamma, -np.arange(6.0), 2)
    signed = [(-1) ** n * float(mp.factorial(n)) for n in range(6)]
    np.testing.assert_array_equal(got[0], 0.0)
    np.testing.assert_allclose(got[1], signed, rtol=4e-16)
    harmonic = [float(2 * (mp.euler - mp.harmonic(n))) for n in range(6)]
    np.testing.assert_allclose(got[2], np.multiply(signed, harmonic), rtol=2e-15)


POCH = [
    (0.3, 2.0),
    (1e-3, 0.4),
    (97.4, 8.18),
    (1e6, 1e-3),
    (9493.4, 0.0815),
    (1e9, 2.5),
    (-2.4, 1.3),
    (-7.6, -2.5),
    (-11.3, 4.0),
]


def test_all_derivatives_of_poch_to_the_second_order_agree_with_mpmath() -> None:
    def of_mpmath(z: Any, m: Any) -> Any:
        return mp.gamma(z + m) / mp.gamma(z)

    assert_exact_partials(special.poch, of_mpmath, POCH, (8.0, 64.0))
    assert_exact_partials(special.poch, of_mpmath, [(210.0, 70.0)], (32.0, 64.0))


def test_derivatives_of_poch_at_a_zero_are_those_of_the_polynomial() -> None:
    """``z (z + 1) (z + 2) (z + 3)`` at its zeros, and next to them."""
    polynomial = np.polynomial.Polynomial.fromroots([0.0, -1.0, -2.0, -3.0])
    z = np.array([0.0, -1.0, -2.0, -3.0, 1e-9, -1.0 + 1e-9, -2.0 - 1e-12])
    got = derivatives(lambda z: special.poch(z, 4.0), z, 3)
    for order in (1, 2, 3):
        expected = polynomial.deriv(order)(z)
        size = np.abs(polynomial.deriv(order).coef).sum()
        np.testing.assert_allclose(got[order], expected, rtol=1e-14, atol=1e-14 * size)


def test_slopes_of_poch_of_negative_integers_are_those_of_falling_factorials() -> None:
    by_z, by_m = slopes(special.poch, [-3.0, -5.0, -2.0, -3.0], [2.0, 3.0, 1.0, 4.0])
    # z (z + 1) at -3; z (z + 1) (z + 2) at -5; z; and at a zero, where the product of all but 0.
    np.testing.assert_allclose(by_z, [-5.0, 47.0, 1.0, -6.0], rtol=1e-14)
    assert by_m[3] == 0.0


def test_poch_of_numbers_whose_gamma_functions_overflow_has_a_gradient() -> None:
    z, m = [-200.5, 1e300, 172.5], [3.0, 1e-3, -157.0]
    found = slopes(special.poch, z, m)
    for got_z, got_m, x, y in zip(*found, z, m, strict=True):
        with mp.workdps(340):
            end = mpf(x) + mpf(y)
            value = mp.gammaprod([end], [x])
            by_z = float(value * (mp.psi(0, end) - mp.psi(0, x)))
            by_m = float(value * mp.psi(0, end))
        assert (got_z, got_m) == (
            pytest.approx(by_z, rel=1e-11, abs=0.0),
            pytest.approx(by_m, rel=1e-11, abs=0.0),
        )


@pytest.mark.parametrize("d", [1, 2, 5])
def test_three_derivatives_of_multigammaln_agree_with_mpmath(d: int) -> None:
    def of_mpmath(a: Any) -> Any:
        return sum(mp.loggamma(a - mpf(j) / 2) for j in range(d))

    numbers = (0.5 * (d - 1) + 1e-4, 2.5, 17.0, 1e6)
    assert_exact(lambda a: special.multigammaln(a, d), partial(derivative, of_mpmath), numbers)


def test_multigammaln_refuses_a_dimension_that_is_a_variable_and_scipys_errors_remain() -> None:
    a = Variable(np.array([2.0, 3.0]))
    with pytest.raises(VariableTypeError, match="multigammaln has no derivative by d"):
        special.multigammaln(a, Variable(np.array(2)))
    for bad in (2.5, np.array([1, 2])):
        with pytest.raises(ValueError, match="d should be a positive integer"):
            special.multigammaln(a, bad)
    with pytest.raises(ValueError, match="not met"):
        special.multigammaln(a, 6)


def test_multigammaln_of_float32_is_float32() -> None:
    a = Variable(np.array([2.0, 3.0], dtype=np.float32))
    y = special.multigammaln(a, 3)
    assert y.dtype == np.float32
    np.testing.assert_allclose(y.data, scipy.special.multigammaln([2.0, 3.0], 3), rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("gamma", [0.0, -0.0, -1.0, INF, 200.0, -200.5], [-INF, -INF, NAN, INF, INF, 0.0]),
        ("gammaln", [0.0, -1.0, INF], [-INF, NAN, INF]),
        ("loggamma", [0.0, -0.5, -1.0, INF], [-INF, NAN, NAN, INF]),
        ("rgamma", [0.0, -0.0, INF, 200.0], [1.0, 1.0, 0.0, 0.0]),
    ],
)
def test_gradients_of_gamma_functions_at_the_edges_are_the_limits(
    name: str, x: list[float], expected: list[float]
) -> None:
    np.testing.assert_array_equal(slopes(getattr(special, name), x)[0], expected)


def test_derivatives_of_loggamma_below_0_are_nan_to_any_order() -> None:
    assert np.isnan(derivatives(special.loggamma, -0.5, 3)).all()


def test_the_mixed_derivative_of_poch_is_the_same_in_both_orders() -> None:
    z, m = Variable(np.array([0.3, 2.0, -1.5])), Variable(np.array([0.7, 30.0, 0.6]))
    ones = Variable(np.ones(3))
    by_z, by_m = grad(special.poch(z, m), [z, m], create_graph=True, grad_outputs=ones)
    one = grad(by_z, m, grad_outputs=ones)
    other = grad(by_m, z, grad_outputs=ones)
    np.testing.assert_allclose(one, other, rtol=1e-15)
