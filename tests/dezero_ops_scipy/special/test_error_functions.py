"""Error functions have all digits of their derivatives, also far out, where their terms cancel.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from dezero_core import Variable, grad
from dezero_ops_scipy import special

from .oracles import assert_exact, derivative, derivatives, digits, slopes

INF, NAN = np.inf, np.nan
_digits = digits(45)


def erfinv(x: Any) -> Any:
    """Return the inverse of erf, which mpmath has of real numbers alone, by Newton's method."""
    y = mp.erfinv(mp.re(x))
    for _ in range(6):
        y -= (mp.erf(y) - x) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
    return y


def erfcx(z: Any) -> Any:
    return mp.exp(z * z) * mp.erfc(z)


def dawsn(z: Any) -> Any:
    return mp.sqrt(mp.pi) / 2 * mp.exp(-z * z) * mp.erfi(z)


def wofz(z: Any) -> Any:
    return erfcx(-1j * z)


def erf(x: Any) -> Any:
    """Return erf, less 1 where it is near 1: of a number with 45 digits nothing else is left."""
    return mp.erf(x) if mp.re(x) < 3 else -mp.erfc(x)


CASES: dict[str, tuple[Any, tuple[float, ...]]] = {
    "erf": (erf, (1e-8, 0.5, -2.0, 5.1, 10.3, 25.9)),
    "erfc": (mp.erfc, (-5.1, 0.3, 10.3, 25.9)),
    "erfinv": (erfinv, (1e-9, 0.1, -0.5, 0.9, -0.9999, 1.0 - 1e-6)),
    "erfcinv": (lambda x: erfinv(1 - x), (1e-9, 0.3, 0.9, 1.2, 1.9, 1.9999)),
    "erfcx": (erfcx, (-25.3, -7.7, -1.0, -1e-3, 1e-8, 0.3, 2.0, 5.0, 11.0, 1e3)),
    "dawsn": (dawsn, (1e-7, 0.3, -0.7, 1.1, 2.5, -4.0, 6.3, 20.1)),
}


@pytest.mark.parametrize("name", CASES)
def test_three_derivatives_of_error_functions_agree_with_mpmath(name: str) -> None:
    function, numbers = CASES[name]

    assert_exact(getattr(special, name), partial(derivative, function), numbers)


def test_slopes_of_inverses_near_the_ends_are_the_reciprocals_of_slopes() -> None:
    """There a last digit of the inverse is up to a thousand of those of its slope."""

    def of_erfcinv(order: int, x: float) -> Any:
        with mp.workdps(330):  # erfcinv(x) = erfinv(1 - x)
            y = mp.erfinv(1 - mpf(x))
            return -mp.sqrt(mp.pi) / 2 * mp.exp(y * y)

    assert_exact(special.erfcinv, of_erfcinv, [1e-300, 1e-100, 1e-16, 1e-3, 1.9999999], [8.0])
    assert_exact(
        special.erfinv,
        lambda order, x: -of_erfcinv(order, 1.0 - abs(x)),
        [1.0 - 2.0**-53, 1.0 - 1e-12, -1.0 + 1e-9],
        [8.0],
    )


PLANE = (0.3 + 0.4j, -1.5 + 2.0j, 3.0j, 2.0 - 0.1j, -4.0 - 1.0j, 5.0 + 1e-3j, -6.0 + 7.0j, 0.7j)


@pytest.mark.parametrize(
    ("name", "function"),
    [("erf", mp.erf), ("erfc", mp.erfc), ("erfcx", erfcx), ("dawsn", dawsn), ("wofz", wofz)],
)
def test_derivatives_of_error_functions_of_complex_numbers_agree_with_mpmath(
    name: str, function: Any
) -> None:
    assert_exact(getattr(special, name), partial(derivative, function), PLANE)


def test_gaussians_of_complex_numbers_have_all_digits_where_squares_are_rounded() -> None:
    numbers = [18.3 - 17.9j, -25.1 + 24.7j, 9.7 + 12.3j]
    assert_exact(special.erf, partial(derivative, mp.erf), numbers, [8.0])


@pytest.mark.parametrize("x", [30.0, 1e8, 1e60])
def test_derivatives_of_erfcx_and_dawsn_far_out_are_those_of_their_asymptotic_series(
    x: float,
) -> None:
    """By NIST DLMF 7.12.1, the terms being (-1)**k (2 k - 1)!! / 2**k / z**(2 k + 1) / sqrt(pi)."""

    def series(sign: int, order: int, z: float) -> Any:
        terms = [
            mpf(sign) ** k * mp.fac2(2 * k - 1) / 2**k * (-1) ** order * mp.rf(2 * k + 1, order)
            for k in range(25)
        ]
        return sum(term * mpf(z) ** (-2 * k - 1 - order) for k, term in enumerate(terms))

    def of_erfcx(order: int, z: float) -> Any:
        return series(-1, order, z) / mp.sqrt(mp.pi)

    def of_dawsn(order: int, z: float) -> Any:
        return series(1, order, z) / 2

    assert_exact(special.erfcx, of_erfcx, [x])
    assert_exact(special.dawsn, of_dawsn, [x, -x] if x < 1e9 else [x])


def test_derivatives_of_wofz_of_a_real_number_are_those_beside_it_in_the_plane() -> None:
    """The value is complex, the gradient of its imaginary part is real: ``Im(w'(x))``."""
    x = Variable(np.array([0.5, -2.0, 40.0]))
    special.wofz(x).imag.backward()
    assert x.grad.dtype == np.float64
    expected = [complex(derivative(wofz, 1, complex(v))).imag for v in x.data.tolist()]
    np.testing.assert_allclose(x.grad, expected, rtol=1e-15)


@pytest.mark.parametrize("which", [0, 1])
def test_three_derivatives_of_fresnel_integrals_agree_with_mpmath(which: int) -> None:
    def truth(order: int, z: Any) -> Any:
        slope = mp.cos if which else mp.sin
        return derivative(lambda t: slope(mp.pi / 2 * t * t), order - 1, z)

    numbers = [1e-5, 0.4, -1.3, 4.7, 123.4, 1234.5]
    assert_exact(lambda z: special.fresnel(z)[which], truth, numbers)
    assert_exact(lambda z: special.fresnel(z)[which], truth, [0.3 + 0.2j, 2.0 - 3.0j])
    assert_exact(lambda z: special.fresnel(z)[which], truth, [2.1587 + 2.9667j, 5.3 + 7.1j], [8.0])


def test_slopes_of_fresnel_integrals_have_exact_angles_where_squares_are_rounded() -> None:
    """At an odd integer a square is 1 more than a multiple of 8, at an even one, one of 4."""
    s, c = (
        slopes(lambda z, n=n: special.fresnel(z)[n], [1e8 + 1.0, 1e8, 2.0**40])[0] for n in (0, 1)
    )
    np.testing.assert_allclose(s, [1.0, 0.0, 0.0], rtol=1e-15, atol=1e-30)
    np.testing.assert_allclose(c, [0.0, 1.0, 1.0], rtol=1e-15, atol=1e-16)


def test_both_fresnel_integrals_pass_back_their_gradients() -> None:
    z = Variable(np.array(1.0))
    s, c = special.fresnel(z)
    (2.0 * s + 3.0 * c).backward()
    assert float(z.grad) == pytest.approx(2.0, rel=1e-15, abs=0.0)  # sin is 1 there, and cos is 0


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("erf", [INF, -INF, 1e200], [0.0, 0.0, 0.0]),
        ("erfc", [INF, -INF, 1e200], [0.0, 0.0, 0.0]),
        ("erfinv", [1.0, -1.0, 1.5], [INF, INF, NAN]),
        ("erfcinv", [0.0, 2.0, -0.5, 5e-324], [-INF, -INF, NAN, -INF]),
        ("erfcx", [INF, -INF, 1e200, -1e200], [0.0, -INF, 0.0, -INF]),
        ("dawsn", [INF, -INF, 1e200], [0.0, 0.0, 0.0]),
    ],
)
def test_gradients_of_error_functions_at_the_edges_are_the_limits(
    name: str, x: list[float], expected: list[float]
) -> None:
    np.testing.assert_array_equal(slopes(getattr(special, name), x)[0], expected)


@pytest.mark.parametrize("name", ["erf", "erfc", "dawsn"])
def test_second_derivatives_of_error_functions_far_out_are_0(name: str) -> None:
    for y in derivatives(getattr(special, name), [800.0, -1e100, INF], 3)[1:]:
        np.testing.assert_allclose(y, np.zeros(3), atol=1e-5)
    assert not np.any(derivatives(getattr(special, name), [1e200, INF], 3)[1:])


def test_second_derivatives_of_inverses_of_error_functions_at_the_ends_are_infinite() -> None:
    np.testing.assert_array_equal(derivatives(special.erfinv, [1.0, -1.0], 2)[2], [INF, -INF])
    np.testing.assert_array_equal(derivatives(special.erfcinv, [0.0, 2.0], 2)[2], [INF, -INF])


def test_erfinv_undoes_erf_in_the_gradient_too() -> None:
    x = Variable(np.array([-2.0, 0.1, 3.0]))
    y = special.erfinv(special.erf(x))
    first = grad(y, x, create_graph=True, grad_outputs=Variable(np.ones(3)))
    np.testing.assert_allclose(first.data, 1.0, rtol=1e-11)


@pytest.mark.parametrize("name", ["erfinv", "erfcinv"])
def test_inverses_of_error_functions_refuse_complex_numbers_as_scipy_does(name: str) -> None:
    with pytest.raises(TypeError, match="not supported for the input types"):
        getattr(special, name)(Variable(np.array([0.1 + 0.1j])))


def test_derivatives_of_erfcx_of_order_6_alternate_and_agree_with_mpmath() -> None:
    numbers = [1e-3, 1.0, 8.0]
    for order, found in enumerate(derivatives(special.erfcx, numbers, 6)):
        expected = [float(derivative(erfcx, order, x)) for x in numbers]
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_slopes_in_float32_have_the_digits_that_rounding_takes_from_a_square() -> None:
    x = np.float32(283.0303)
    z = Variable(np.array(x))
    special.fresnel(z)[0].backward()
    assert z.grad.dtype == np.float32
    np.testing.assert_allclose(z.grad, float(mp.sin(mp.pi * mpf(float(x)) ** 2 / 2)), atol=1e-6)
    x = np.float32(8.472362)
    z = Variable(np.array(x))
    special.erf(z).backward()
    expected = float(2 / mp.sqrt(mp.pi) * mp.exp(-(mpf(float(x)) ** 2)))
    np.testing.assert_allclose(z.grad, expected, rtol=5e-7)


def test_the_slope_of_erf_is_exact_where_its_square_is_rounded() -> None:
    assert_exact(special.erf, partial(derivative, mp.erf), [4.225125628140704], [4.0])
