"""Scaled modified Bessel functions have exact derivatives, also where they hardly change.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from dezero_core import Variable, VariableTypeError
from dezero_ops_scipy import special

from .bessel_truths import bessel_derivative, scaled_derivative
from .oracles import assert_exact, derivatives, slopes

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize("name", ["i0e", "i1e", "k0e", "k1e"])
def test_three_derivatives_of_scaled_bessel_functions_agree_with_mpmath(name: str) -> None:
    """By differences of neighbours, those at 1e6 would have no digit left."""
    truth = partial(scaled_derivative, name, int(name[1]))
    numbers = (1e-6, 0.3, 0.51, 1.03, 2.2, 6.0, 13.0, 41.0, 1e3, 1e6)
    assert_exact(getattr(special, name), truth, numbers)


@pytest.mark.parametrize(
    ("name", "v", "limit"),
    [
        ("ive", 0, 8.0),
        ("ive", 2, 64.0),
        ("ive", 2.3, 32.0),
        ("ive", -0.4, 16.0),
        ("ive", -2.6, 64.0),
        ("ive", 12.5, 64.0),
        ("ive", 60.5, 1024.0),
        ("ive", -60.5, 1024.0),
        ("ive", 200.5, 4096.0),
        ("kve", 0, 8.0),
        ("kve", 3, 8.0),
        ("kve", 0.4, 16.0),
        ("kve", -2.3, 32.0),
        ("kve", 12.5, 64.0),
        ("kve", 60.5, 256.0),
    ],
)
def test_two_derivatives_of_scaled_bessel_functions_of_any_order_agree_with_mpmath(
    name: str, v: float, limit: float
) -> None:
    truth = partial(scaled_derivative, name, v)
    size = max(abs(v), 1.0)
    numbers = [0.2 * size, 0.97 * size, 1.04 * size, 8.0 * size, 30.0 * size, 1e5 * size]
    assert_exact(partial(getattr(special, name), v), truth, numbers, (limit, limit))


@pytest.mark.parametrize("v", [0.1, 1, 2.3, 12.5, 60.5, 99.0])
def test_slopes_of_ive_and_iv_are_exact_also_where_scipys_own_values_are_not(v: float) -> None:
    """Those are off by up to hundreds of ulp."""
    numbers = [part * math.sqrt(v + 1.0) for part in (1e-3, 0.2, 0.7, 0.99, 1.1, 2.7, 4.9)]
    assert_exact(partial(special.iv, v), partial(bessel_derivative, "iv", v), numbers, [8.0])
    assert_exact(partial(special.ive, v), partial(scaled_derivative, "ive", v), numbers, [16.0])


def test_derivatives_of_scaled_bessel_functions_of_negative_numbers_have_the_right_signs() -> None:
    """``exp(-abs(x)) I[v](x)`` is even or odd, as v is."""
    x = np.array([0.3, 3.0, 60.0])
    for v in (0, 1, 2, 3):
        for function in (partial(special.ive, v), (special.i0e, special.i1e)[v % 2]):
            right, left = derivatives(function, x, 3), derivatives(function, -x, 3)
            parity = 0 if function is special.i0e else 1 if function is special.i1e else v
            for n in range(4):
                np.testing.assert_array_equal(left[n], (-1.0) ** (parity + n) * right[n])


def test_scaled_bessel_functions_at_0_have_the_mean_of_the_slopes_on_both_sides() -> None:
    """From ``exp(-x) (1 + x**2 / 4)`` and ``exp(-x) x / 2``, for x >= 0."""
    for function in (special.i0e, partial(special.ive, 0)):
        assert [float(each) for each in derivatives(function, 0.0, 2)] == [1.0, 0.0, 1.5]
    for function in (special.i1e, partial(special.ive, 1)):
        assert [float(each) for each in derivatives(function, 0.0, 2)] == [0.0, 0.5, 0.0]
    for function in (special.k0e, special.k1e, partial(special.kve, 2.5)):
        assert [float(each) for each in derivatives(function, 0.0, 2)] == [INF, -INF, INF]
    assert derivatives(partial(special.ive, 0.5), 0.0, 1)[1] == INF


def test_derivatives_of_scaled_bessel_functions_of_huge_numbers_are_those_of_a_root() -> None:
    """``i0e(x)`` is about ``1 / sqrt(2 pi x)``, and k0e(x) about ``sqrt(pi / (2 x))``."""
    x = np.array([1e100, INF])
    for function, factor in ((special.i0e, 2.0 * np.pi), (special.k0e, 2.0 / np.pi)):
        _, slope, bend = derivatives(function, x, 2)
        expected = np.array([-0.5e-150 / np.sqrt(factor), 0.0])
        np.testing.assert_allclose(slope, expected, rtol=1e-14)
        np.testing.assert_allclose(bend, expected * [-1.5e-100, 0.0], rtol=1e-14)


def test_scaled_bessel_functions_are_nan_outside_of_their_domain_and_of_nan() -> None:
    for function in (special.k0e, special.k1e, partial(special.kve, 2), partial(special.ive, 0.5)):
        assert np.isnan(derivatives(function, [-1.0, -200.0, NAN], 2)).all()
    for function in (special.i0e, special.i1e, partial(special.ive, 2)):
        assert np.isnan(derivatives(function, [NAN], 2)).all()


def test_half_integer_orders_of_scaled_bessel_functions_are_elementary() -> None:
    """``ive(1/2, x) = (1 - exp(-2 x)) / sqrt(2 pi x)``, ``kve(1/2, x) = sqrt(pi / (2 x))``."""
    x = np.array([0.1, 0.9, 1.1, 5.0, 39.0, 41.0, 1e4])
    (slope,) = slopes(partial(special.ive, 0.5), x)
    root = np.sqrt(2.0 * np.pi * x)
    expected = (2.0 * np.exp(-2.0 * x) + 0.5 * np.expm1(-2.0 * x) / x) / root
    np.testing.assert_allclose(slope, expected, rtol=1e-13)
    (slope,) = slopes(partial(special.kve, 0.5), x)
    np.testing.assert_allclose(slope, -0.5 * np.sqrt(0.5 * np.pi) * x**-1.5, rtol=1e-14)


def test_ive_refuses_complex_numbers() -> None:
    """It has the factor ``exp(-abs(Re(z)))``, which is not analytic."""
    with pytest.raises(VariableTypeError, match=r"special\.ive of a Variable takes real numbers"):
        special.ive(1, Variable(np.array([1.0 + 1.0j])))


@pytest.mark.parametrize("v", [0, 1.3])
def test_derivatives_of_kve_of_complex_numbers_agree_with_mpmath(v: float) -> None:
    numbers = [0.3 + 0.4j, -0.5 - 1.5j, 3.0 + 2.0j]
    truth = partial(scaled_derivative, "kve", v)
    assert_exact(partial(special.kve, v), truth, numbers, (64.0, 512.0))


def test_orders_of_ive_of_both_signs_may_stand_in_one_array() -> None:
    orders = np.array([-2.5, -2.0, 0.0, 0.0, 0.5, 50.5, 130.0])
    x = np.array([0.7, 3.0, 0.0, 3.0, 20.0, 90.0, 40.0])
    (found,) = slopes(partial(special.ive, orders), x)
    pairs = zip(orders.tolist(), x, strict=True)
    alone = [slopes(partial(special.ive, v), y)[0] for v, y in pairs]
    np.testing.assert_allclose(found, alone, rtol=1e-14)


@pytest.mark.parametrize(("v", "x"), [(1000.5, 900.0), (-800.5, 790.0)])
def test_slopes_of_ive_are_right_where_the_plain_function_is_no_float(v: float, x: float) -> None:
    found = slopes(partial(special.ive, v), [x])[0]
    np.testing.assert_allclose(found, [float(scaled_derivative("ive", v, 1, x))], rtol=1e-11)
    np.testing.assert_array_equal(slopes(partial(special.ive, 2000.0), [1990.0])[0], [0.0])
