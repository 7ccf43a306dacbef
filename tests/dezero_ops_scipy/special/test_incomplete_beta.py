"""Incomplete beta functions and their inverses have derivatives by both shapes, to any order.

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

from dezero_core import Variable
from dezero_ops_scipy import special

from .oracles import assert_exact, derivative, derivatives, digits, slopes, ulps

INF, NAN = np.inf, np.nan
_digits = digits(50)


def lower(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, regularized=True)


def density(a: Any, b: Any, x: Any) -> Any:
    return mp.exp((a - 1) * mp.log(x) + (b - 1) * mp.log(1 - x)) * mp.gammaprod([a + b], [a, b])


def truth(a: float, b: float, x: float, by_a: int, by_b: int) -> Any:
    """Return a derivative by the shapes, of the part below or above x, whichever is smaller."""
    if x > a / (a + b):
        y = 1 - mpf(x)
        return -_by_shapes(lambda b, a: lower(b, a, y), b, a, by_b, by_a)
    return _by_shapes(lambda a, b: lower(a, b, mpf(x)), a, b, by_a, by_b)


def _by_shapes(function: Any, a: float, b: float, by_a: int, by_b: int) -> Any:
    def slope(shape: Any) -> Any:
        if not by_b:
            return function(shape, mpf(b))
        return derivative(lambda t: function(shape, t), by_b, complex(b))

    return mp.re(derivative(slope, by_a, complex(a))) if by_a else mp.re(slope(mpf(a)))


SHAPES = [
    (2.0, 3.0, 0.3),
    (2.0, 3.0, 0.4),
    (2.0, 3.0, 0.9),
    (0.3, 0.8, 0.9999),
    (1e-3, 1e-3, 0.4),
    (1e-3, 5.0, 1e-30),
    (7.0, 1e-3, 0.3),
    (7.0, 1e-3, 0.9998),
    (1e-3, 900.0, 0.01),
    (1.0, 1.0, 0.5),
    (40.0, 0.2, 0.99),
    (15.9, 16.1, 0.45),
    (60.0, 90.0, 0.37),
]


@pytest.mark.parametrize(("a", "b", "x"), SHAPES)
def test_first_derivatives_of_betainc_by_its_shapes_agree_with_mpmath(
    a: float, b: float, x: float
) -> None:
    by_a, by_b, _ = slopes(special.betainc, a, b, x)
    assert ulps(float(by_a), truth(a, b, x, 1, 0)) <= 64.0
    assert ulps(float(by_b), truth(a, b, x, 0, 1)) <= 64.0


@pytest.mark.parametrize(("a", "b", "x"), SHAPES[1:11:2])
def test_second_derivatives_of_betainc_by_its_shapes_agree_with_mpmath(
    a: float, b: float, x: float
) -> None:
    by_a, by_b = (grad(special.betainc, argument) for argument in (0, 1))
    cases = (grad(by_a, 0), (2, 0)), (grad(by_a, 1), (1, 1)), (grad(by_b, 1), (0, 2))
    for function, (i, k) in cases:
        expected = truth(a, b, x, i, k)
        # It may be next to a zero: so relative to its size elsewhere, too.
        size = abs(truth(a, b, x, min(i, 1), 0 if i else 1))
        assert abs(float(function(a, b, x)) - expected) <= 1e-12 * (abs(expected) + 0.1 * size)
    np.testing.assert_allclose(grad(by_b, 0)(a, b, x), grad(by_a, 1)(a, b, x), rtol=1e-14)


def test_a_third_derivative_of_betainc_by_its_shapes_agrees_with_mpmath() -> None:
    third = grad(grad(grad(special.betainc, 0), 1), 0)(2.5, 0.7, 0.6)
    assert float(third) == pytest.approx(float(truth(2.5, 0.7, 0.6, 2, 1)), rel=1e-13, abs=0.0)


@pytest.mark.parametrize(
    ("a", "b", "deviations"),
    [(1e6, 3e5, -2.5), (1e4, 2e6, 4.0), (2e3, 0.05, 0.2)],
)
def test_slopes_of_betainc_at_large_shapes_agree_with_mpmath(
    a: float, b: float, deviations: float
) -> None:
    """By a quadrature of the definition in mpmath, with other points."""
    mean = a / (a + b)
    width = np.sqrt(mean * (1.0 - mean) / (a + b))
    x = mean + deviations * min(width, mean, 1.0 - mean)
    is_above = deviations >= 0.0
    rest = 1 - mpf(x) if is_above else mpf(x)
    one, other = (mpf(b), mpf(a)) if is_above else (mpf(a), mpf(b))
    of_one, of_other = (mp.psi(0, one + other) - mp.psi(0, shape) for shape in (one, other))

    def integral(score: Any) -> Any:
        """Return it over all t below `rest`, with t = rest exp(-s)."""
        first = one - (other - 1) * rest / (1 - rest)
        rate = max(first, 0) + mp.sqrt(max(other - 1, 0) * rest) / (1 - rest)
        steps = [mpf(2) ** k / (one + other / (1 - rest)) for k in range(-4, 40)]
        end = 60 / rate + 60 / one
        ends = [0, *(step for step in steps if step < end), end]

        def of(s: Any) -> Any:
            t = rest * mp.exp(-s)
            return density(one, other, t) * t * score(t)

        return mp.quad(of, ends)

    with mp.workdps(30):
        by_one = integral(lambda t: mp.log(t) + of_one)
        by_other = integral(lambda t: mp.log(1 - t) + of_other)
    expected = (-by_other, -by_one) if is_above else (by_one, by_other)
    for got, true in zip(slopes(special.betainc, a, b, x), expected, strict=False):
        assert float(got) == pytest.approx(float(true), rel=2e-13, abs=0.0)


DENSITIES = [(0.3, 0.4), (1.0, 2.4), (2.5, 900.0), (90.0, 70.0), (4e5, 2e6)]


@pytest.mark.parametrize(("a", "b"), DENSITIES)
def test_three_derivatives_of_betainc_by_x_agree_with_mpmath(a: float, b: float) -> None:
    mean = a / (a + b)
    numbers = (
        [mean * 0.999, mean * 1.001] if a > 100.0 else [1e-3 * mean, 0.7 * mean, 1.0 - 2.0**-9]
    )
    function = partial(density, mpf(a), mpf(b))
    assert_exact(
        lambda x: special.betainc(a, b, x),
        lambda n, x: derivative(function, n - 1, x),
        numbers,
        (8.0, 16.0, 32.0) if a < 100.0 else (8.0, 16.0, 256.0),
    )


@pytest.mark.parametrize(("a", "b", "x"), [(0.4, 2.0, 0.3), (30.0, 20.0, 0.7)])
def test_mixed_derivatives_of_betainc_agree_with_mpmath(a: float, b: float, x: float) -> None:
    """Of the density by the shapes, in the order that differentiates x first, and last."""
    by_x = grad(special.betainc, 2)
    for argument, shape in enumerate((a, b)):

        def at(t: Any, x: Any, argument: int = argument) -> Any:
            return density(*((t, mpf(b)) if argument == 0 else (mpf(a), t)), x)

        def slope(t: Any) -> Any:
            return derivative(partial(at, t), 1, complex(x))

        expected = float(derivative(lambda t: at(t, mpf(x)), 1, shape))
        last = grad(grad(special.betainc, argument), 2)(a, b, x)
        np.testing.assert_allclose([grad(by_x, argument)(a, b, x), last], expected, rtol=4e-15)
        by_shape_twice = grad(grad(by_x, argument), argument)(a, b, x)
        expected = float(derivative(lambda t: at(t, mpf(x)), 2, shape))
        assert float(by_shape_twice) == pytest.approx(expected, rel=1e-12, abs=0.0)
        expected = float(mp.re(derivative(slope, 1, complex(shape))))
        for by_x_twice in (grad(grad(by_x, 2), argument), grad(grad(by_x, argument), 2)):
            assert float(by_x_twice(a, b, x)) == pytest.approx(expected, rel=1e-12, abs=0.0)


def test_the_derivative_of_betainc_by_all_three_arguments_agrees_with_mpmath() -> None:
    a, b, x = 0.8, 3.3, 0.3

    def by_b(t: Any) -> Any:
        return derivative(lambda u: density(t, u, mpf(x)), 1, complex(b))

    expected = float(mp.re(derivative(by_b, 1, complex(a))))
    for first, second, third in ((0, 1, 2), (2, 1, 0)):
        got = grad(grad(grad(special.betainc, first), second), third)(a, b, x)
        assert float(got) == pytest.approx(expected, rel=1e-13, abs=0.0)


def test_gradients_of_the_complement_are_those_of_betainc_with_the_other_sign() -> None:
    arrays = [2.0, 0.3], [5.0, 0.1], [0.999, 1e-9]
    found = slopes(special.betaincc, *arrays)
    for complement, slope in zip(found, slopes(special.betainc, *arrays), strict=True):
        np.testing.assert_array_equal(complement, -slope)


INVERSES = [(2.0, 3.0, 0.2), (0.4, 1.7, 0.6), (35.0, 12.0, 0.01), (0.03, 0.4, 0.5)]


@pytest.mark.parametrize(("a", "b", "y"), INVERSES)
@pytest.mark.parametrize("name", ["betaincinv", "betainccinv"])
def test_derivatives_of_inverses_of_betainc_agree_with_those_of_implicit_functions(
    name: str, a: float, b: float, y: float
) -> None:
    """With an `x` that solves ``I_x(a, b) = y`` to all the digits of mpmath."""
    sign = 1 if name == "betaincinv" else -1
    level = mpf(y) if sign == 1 else 1 - mpf(y)
    function, x = getattr(special, name), mpf(float(getattr(scipy.special, name)(a, b, y)))
    for _ in range(3):
        x = x - (lower(mpf(a), mpf(b), x) - level) / density(a, b, x)
    p = density(mpf(a), mpf(b), x)
    found = [float(each) for each in derivatives(lambda y: function(a, b, y), y, 2)]
    assert found[1] == pytest.approx(float(sign / p), rel=2e-13, abs=0.0)
    slope = (a - 1) / x - (b - 1) / (1 - x)
    assert found[2] == pytest.approx(float(-slope / p**2), rel=1e-11, abs=0.0)
    got = slopes(function, a, b, y)
    by_a = -derivative(lambda t: lower(t, mpf(b), x), 1, a) / p
    by_b = -derivative(lambda t: lower(mpf(a), t, x), 1, b) / p
    assert float(got[0]) == pytest.approx(float(by_a), rel=2e-13, abs=0.0)
    assert float(got[1]) == pytest.approx(float(by_b), rel=2e-13, abs=0.0)


@pytest.mark.parametrize(("a", "b", "y"), INVERSES[:3])
def test_betainc_of_its_inverse_has_no_derivatives_but_1(a: float, b: float, y: float) -> None:
    for there, back in (("betainc", "betaincinv"), ("betaincc", "betainccinv")):

        def same(a: Any, b: Any, y: Any, there: str = there, back: str = back) -> Any:
            return getattr(special, there)(a, b, getattr(special, back)(a, b, y))

        by_a, by_b, by_y = (grad(same, argument) for argument in (0, 1, 2))
        assert float(by_y(a, b, y)) == pytest.approx(1.0, rel=1e-13, abs=0.0)
        for zero in (by_a, by_b, grad(by_a, 0), grad(by_a, 1), grad(by_b, 1), grad(by_y, 2)):
            assert abs(float(zero(a, b, y))) <= 1e-11


def test_gradients_of_betainc_at_the_ends_of_its_domain_are_the_limits() -> None:
    a = [2.0, 2.0, 1.0, 1.0, 0.5, 0.5, 1e6, 2.0, -1.0, 1.0, 1.0]
    b = [3.0, 3.0, 2.0, 2.0, 0.5, 0.5, 1e6, 1.0, 1.0, 1.0, 1.0]
    x = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.5, -1.0, 2.0]
    by_a, by_b, by_x = slopes(special.betainc, a, b, x)
    np.testing.assert_array_equal(by_a, [0.0] * 8 + [NAN] * 3)
    np.testing.assert_array_equal(by_b, [0.0] * 8 + [NAN] * 3)
    limits = [0.0, 0.0, 2.0, 0.0, INF, INF, 0.0, 2.0, NAN, NAN, NAN]
    np.testing.assert_array_equal(by_x, limits)


@pytest.mark.parametrize(
    ("a", "b", "x", "expected"),
    [
        (2.0, 3.0, 0.0, 12.0),  # of 12 x (1 - x)**2
        (2.0, 3.0, 1.0, 0.0),
        (1.0, 3.0, 0.0, -6.0),  # of 3 (1 - x)**2
        (3.0, 2.0, 1.0, -12.0),
        (0.5, 1.0, 0.0, -INF),
        (1.0, 1.5, 1.0, -INF),
        (1.0, 1.0, 0.0, 0.0),
        (3.0, 1.0, 1.0, 6.0),
        (2.0, -0.6, 1.0, NAN),
        (-2.4, 4.5, 0.0, NAN),
    ],
)
def test_the_second_derivative_of_betainc_at_0_and_1_is_the_limit(
    a: float, b: float, x: float, expected: float
) -> None:
    got = derivatives(lambda x: special.betainc(a, b, x), x, 2)[2]
    assert got == pytest.approx(expected, rel=1e-15, abs=0.0, nan_ok=True)


def test_betainc_has_the_right_gradient_by_a_shape_of_0() -> None:
    """Of small shapes it is ``1 + a log(x)`` beside ``b = 1``: it is ``x**a``."""
    by_a, _, by_x = slopes(special.betainc, [0.0, 0.0], [1.0, 1.0], [0.5, 0.01])
    np.testing.assert_allclose(by_a, np.log([0.5, 0.01]), rtol=1e-13)
    np.testing.assert_array_equal(by_x, 0.0)
    _, by_b, _ = slopes(special.betainc, [1.0], [0.0], [0.25])
    np.testing.assert_allclose(by_b, -np.log([0.75]), rtol=1e-14)


@pytest.mark.parametrize("name", ["betaincinv", "betainccinv"])
def test_gradients_of_inverses_of_betainc_at_0_and_1_are_the_limits(name: str) -> None:
    a, b = [2.0, 2.0, 1.0, 0.5, 0.5, 2.0], [3.0, 3.0, 2.0, 0.5, 0.5, 3.0]
    by_a, by_b, by_y = slopes(getattr(special, name), a, b, [0.0, 1.0, 0.0, 0.0, 1.0, -1.0])
    np.testing.assert_array_equal(by_a, [0.0] * 5 + [NAN])
    np.testing.assert_array_equal(by_b, [0.0] * 5 + [NAN])
    expected = [INF, INF, 0.5, 0.0, 0.0, NAN]
    if name == "betainccinv":
        expected = [-INF, -INF, -INF, 0.0, 0.0, NAN]
    np.testing.assert_array_equal(by_y, expected)


def test_parts_below_and_above_x_have_opposite_slopes_where_the_shapes_change_places() -> None:
    """NIST DLMF 8.17.4, for numbers of all sizes in one array."""
    random = np.random.default_rng(7)
    a, b = 10.0 ** random.uniform(-3.0, 5.0, (2, 300))
    x = np.round(random.uniform(size=300), 9) + 2.0**-40  # so that 1 - x is exact
    by_a, by_b, by_x = slopes(special.betainc, a, b, x)
    of_b, of_a, of_y = slopes(special.betainc, b, a, 1.0 - x)
    for one, other in ((by_a, -of_a), (by_b, -of_b), (by_x, of_y)):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-290)


def test_slopes_do_not_depend_on_how_many_numbers_are_given() -> None:
    """Of few numbers, many points of the quadrature are computed together."""
    x = np.linspace(0.1, 0.9, 3000)
    together = slopes(special.betainc, np.full(3000, 2.0), np.full(3000, 0.7), x)
    for index in (0, 1500, 2999):
        alone = slopes(special.betainc, [2.0], [0.7], x[index : index + 1])
        for all_of_them, one in zip(together, alone, strict=True):
            assert all_of_them[index] == one[0]
    assert special.betainc(Variable(np.zeros((0, 2))), 1.0, 0.5).shape == (0, 2)
