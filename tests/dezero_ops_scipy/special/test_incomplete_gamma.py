"""Incomplete gamma functions and their inverses have derivatives by the shape, to any order.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.special
from dezero_tools.functional import grad
from mpmath import mp, mpf

from dezero_ops_scipy import special

from .oracles import assert_exact, derivative, derivatives, digits, slopes, ulps

INF, NAN = np.inf, np.nan
_digits = digits(50)


def lower(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True)


def upper(a: Any, x: Any) -> Any:
    return mp.gammainc(a, x, mp.inf, regularized=True)


def density(a: Any, x: Any) -> Any:
    return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


SHAPES = [
    (a, a * part)
    for a in (1e-8, 0.1, 0.99, 1.0, 3.7, 16.1, 100.0)
    for part in (1e-6, 0.95, 3.0)
    if a < 100.0 or part > 0.1  # where it underflows
]
#: Next to where it was raised to a + 1, and beyond.
SHAPES += [(1e-6, 0.4999), (1e-6, 0.5001), (0.9, 0.4), (0.003, 4.0), (1.1135, 1.1149)]


@pytest.mark.parametrize(("a", "x"), SHAPES)
def test_derivatives_of_gammainc_by_its_shape_agree_with_mpmath(a: float, x: float) -> None:
    """The smaller of P and 1 - P is differentiated by mpmath: the other has no digits for it."""

    def smaller(shape: Any) -> Any:
        return lower(shape, mpf(x)) if x <= a else -upper(shape, mpf(x))

    found = [float(y) for y in derivatives(lambda a: special.gammainc(a, x), a, 3)]
    first = derivative(smaller, 1, a)
    assert ulps(found[1], first) <= 64.0
    for order in (2, 3) if a in (0.1, 16.1) else (2,):
        # It may be next to a zero of these: so relative to their size elsewhere.
        expected = derivative(smaller, order, a)
        assert abs(found[order] - expected) <= 2e-13 * (
            abs(expected) + abs(first) * (1.0 + 1.0 / a)
        )


@pytest.mark.parametrize("a", [170.0, 1e4, 1e6, 1e8])
@pytest.mark.parametrize("deviations", [-5.0, 0.0, 3.0])
def test_the_slope_of_gammainc_at_large_shapes_agrees_with_mpmath(
    a: float, deviations: float
) -> None:
    x = a + deviations * np.sqrt(a)
    shape, width = mpf(a), mp.sqrt(mpf(a))
    psi = mp.psi(0, shape)
    sign = -1 if x < a else 1
    ends = sorted(max(x + sign * part * width, 0) for part in (0, 0.1, 0.5, 1, 2, 4, 8, 16, 32))
    # Of the part below x the integral is negative, of that above it is not: P falls either way.
    expected = -abs(mp.quad(lambda t: density(shape, t) * (mp.log(t) - psi), ends))
    by_a, by_x = slopes(special.gammainc, a, x)
    assert by_a == pytest.approx(float(expected), rel=2e-14, abs=0.0)
    assert by_x == pytest.approx(float(density(shape, mpf(x))), rel=1e-14, abs=0.0)


@pytest.mark.parametrize("a", [1e-4, 0.3, 1.0, 2.0, 7.3, 120.0, 5e4])
def test_three_derivatives_of_gammainc_by_x_agree_with_mpmath(a: float) -> None:
    """Not next to zeros of the higher ones."""
    numbers = (
        [a - 1.7 * np.sqrt(a), a + 1.3 * np.sqrt(a)] if a > 100.0 else [1e-3 * a, 0.41 * a, 9.0]
    )
    truth = partial(derivative, partial(density, mpf(a)))
    assert_exact(partial(special.gammainc, a), lambda n, x: truth(n - 1, x), numbers)


@pytest.mark.parametrize(("a", "x"), [(0.02, 0.1), (2.0, 3.7), (40.0, 31.0)])
def test_mixed_derivatives_of_gammainc_agree_with_mpmath(a: float, x: float) -> None:
    def truth(by_a: int, by_x: int) -> float:
        def slope(shape: Any) -> Any:
            return derivative(lambda t: density(shape, t), by_x - 1, complex(x))

        return float(mp.re(derivative(slope, by_a, complex(a))))

    by_a, by_x = (grad(special.gammainc, argument) for argument in (0, 1))
    for mixed in (grad(by_a, 1), grad(by_x, 0)):
        assert float(mixed(a, x)) == pytest.approx(truth(1, 1), rel=2e-14, abs=0.0)
    for by_a_twice in (grad(grad(by_a, 0), 1), grad(grad(by_x, 0), 0)):
        assert float(by_a_twice(a, x)) == pytest.approx(truth(2, 1), rel=1e-12, abs=0.0)
    for by_x_twice in (grad(grad(by_a, 1), 1), grad(grad(by_x, 1), 0)):
        assert float(by_x_twice(a, x)) == pytest.approx(truth(1, 2), rel=1e-12, abs=0.0)


def test_gradients_of_the_upper_function_are_those_of_the_lower_one_with_the_other_sign() -> None:
    a, x = [0.3, 2.0, 30.0, 2.0], [1.0, 700.0, 1e-5, 30.0]
    for upper_slope, lower_slope in zip(
        slopes(special.gammaincc, a, x), slopes(special.gammainc, a, x), strict=True
    ):
        np.testing.assert_array_equal(upper_slope, -lower_slope)


INVERSES = [(0.5, 0.3), (0.04, 0.6), (1.0, 0.999), (2.3, 1e-9), (7.0, 0.5), (60.0, 0.2)]


@pytest.mark.parametrize(("a", "y"), INVERSES)
@pytest.mark.parametrize("name", ["gammaincinv", "gammainccinv"])
def test_derivatives_of_inverses_of_gammainc_agree_with_those_of_implicit_functions(
    name: str, a: float, y: float
) -> None:
    """With an `x` that solves ``P(a, x) = y`` to all the digits of mpmath."""
    of_mpmath, sign = (lower, 1) if name == "gammaincinv" else (upper, -1)
    function, x = getattr(special, name), mpf(float(getattr(scipy.special, name)(a, y)))
    for _ in range(3):
        x = x - sign * (of_mpmath(mpf(a), x) - y) / density(a, x)
    p = density(mpf(a), x)
    found = [float(each) for each in derivatives(lambda y: function(a, y), y, 2)]
    assert found[1] == pytest.approx(float(sign / p), rel=2e-14, abs=0.0)
    assert found[2] == pytest.approx(float(-((a - 1) / x - 1) / p**2), rel=1e-12, abs=0.0)
    by_a = -sign * derivative(lambda t: of_mpmath(t, x), 1, a) / p
    assert slopes(function, a, y)[0] == pytest.approx(float(by_a), rel=2e-13, abs=0.0)


@pytest.mark.parametrize(("a", "y"), INVERSES)
def test_the_function_of_its_inverse_has_no_derivatives_but_1(a: float, y: float) -> None:
    for there, back in (("gammainc", "gammaincinv"), ("gammaincc", "gammainccinv")):

        def same(a: Any, y: Any, there: str = there, back: str = back) -> Any:
            return getattr(special, there)(a, getattr(special, back)(a, y))

        size = abs(float(grad(grad(getattr(special, back), 0), 0)(a, y)))
        size *= abs(float(grad(getattr(special, there), 1)(a, getattr(special, back)(a, y).item())))
        by_a, by_y = grad(same, 0), grad(same, 1)
        assert float(by_y(a, y)) == pytest.approx(1.0, rel=1e-13, abs=0.0)
        for zero in (by_a, grad(by_a, 0), grad(by_a, 1), grad(by_y, 1)):
            assert abs(float(zero(a, y))) <= 1e-11 * max(1.0, size, 1.0 / y)


def test_gradients_of_gammainc_at_the_ends_of_its_domain_are_the_limits() -> None:
    by_a, by_x = slopes(
        special.gammainc,
        [2.0, 2.0, 1.0, 0.5, 0.3, 20.0, 1e5, -1.0, 2.0, 3.0],
        [0.0, INF, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, -1.0],
    )
    np.testing.assert_array_equal(by_a, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, NAN, NAN, NAN])
    np.testing.assert_array_equal(by_x, [0.0, 0.0, 1.0, INF, INF, 0.0, 0.0, NAN, NAN, NAN])


def test_the_second_derivative_of_gammainc_at_0_and_infinity_is_the_limit() -> None:
    a = [0.5, 1.0, 1.5, 2.0, 2.5, 30.0, 2.0]
    for shape, x, expected in zip(
        a, [0.0] * 6 + [INF], [-INF, -1.0, INF, 1.0, 0.0, 0.0, 0.0], strict=True
    ):
        assert derivatives(partial(special.gammainc, shape), x, 2)[2] == expected
    for shape in (0.0, -1.0, -0.5):
        assert np.isnan(derivatives(partial(special.gammainc, shape), 0.0, 2)[2])


def test_gammainc_has_the_right_gradient_by_a_shape_of_0() -> None:
    """There it is -E1(x), of NIST DLMF 8.4.15 and 6.2."""
    by_a, by_x = slopes(special.gammainc, [0.0, 0.0, 0.0], [0.1, 0.5, 4.0])
    np.testing.assert_allclose(by_a, -scipy.special.exp1([0.1, 0.5, 4.0]), rtol=1e-14)
    np.testing.assert_array_equal(by_x, 0.0)


@pytest.mark.parametrize(
    ("name", "by_y", "by_a"),
    [
        ("gammaincinv", [INF, 1.0, 0.0, INF, 0.0, NAN], [0.0, 0.0, 0.0, INF, 0.0, NAN]),
        ("gammainccinv", [-INF, -INF, -INF, -INF, -INF, NAN], [INF, INF, INF, 0.0, None, NAN]),
    ],
)
def test_gradients_of_the_inverses_at_0_and_1_are_the_limits(
    name: str, by_y: list[float], by_a: list[float | None]
) -> None:
    """The fifth ``x`` underflows; of the complement it is far from 0."""
    a, y = [2.0, 1.0, 0.5, 3.0, 0.001, 2.0], [0.0, 0.0, 0.0, 1.0, 1e-9, -0.5]
    got_a, got_y = slopes(getattr(special, name), a, y)
    if name == "gammainccinv":
        by_y = [*by_y[:4], got_y[4], NAN]
        assert got_y[4] < -1e7
    np.testing.assert_array_equal(got_y, by_y)
    np.testing.assert_array_equal(got_a, [got_a[4] if x is None else x for x in by_a])


def test_far_in_the_tails_slopes_by_the_shape_keep_their_digits() -> None:
    """1 - P is 1e-300 there, and P 1e-220."""
    for a, x in ((2.0, 700.0), (40.0, 1e-4)):
        part = upper if x > a else lower
        sign = -1 if x > a else 1
        expected = sign * derivative(lambda t, part=part, x=x: part(t, mpf(x)), 1, a)
        assert slopes(special.gammainc, a, x)[0] == pytest.approx(
            float(expected), rel=1e-13, abs=0.0
        )


@pytest.mark.parametrize(("a", "x"), [(165.0, 800.0), (150.5, 720.0), (100.5, 705.0)])
def test_slopes_of_gammaincc_far_out_are_small_and_right(a: float, x: float) -> None:
    found = slopes(special.gammaincc, a, x)[1]
    np.testing.assert_allclose(found, float(-density(mpf(a), mpf(x))), rtol=1e-13)
