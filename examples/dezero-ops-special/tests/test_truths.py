"""Values and derivatives against mpmath, at hard points: the ends of domains, far out, near 0.

Each truth is computed with 45 digits or more, from the definition and not from the derivative
that the operation uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
from dezero_core import Variable
from dezero_tools.functional import grad
from mpmath import mp, mpf

import dezero_ops_special as special

RTOL = 3e-13

Function = Callable[..., Any]


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mp.workdps(45):
        yield


def derivative(function: Function, order: int, *xs: float, argument: int = 0) -> float:
    """Return the value of a function by dezero, or a derivative by one argument."""
    if order == 0:
        return float(function(*(Variable(np.array(x)) for x in xs)).data)
    for _ in range(order):
        function = grad(function, argument)
    return float(function(*xs))


def truth(function: Function, order: int, x: float) -> float:
    """Return the same of a function of mpmath, from its Taylor series around x.

    The coefficients are those of a discrete Fourier transform over a small circle: differences
    on the real axis would lose more digits.
    """
    if order == 0:
        return float(mp.re(function(mpf(x))))
    count, radius = 8, abs(mpf(x)) / 10**7
    with mp.workdps(mp.dps + order * max(0, -int(mp.log10(radius)))):  # lost by the division
        points = [mp.expjpi(mpf(2) * k / count) for k in range(count)]
        values = [function(mpf(x) + radius * point) for point in points]
        total = sum(v * mp.conj(point) ** order for v, point in zip(values, points, strict=True))
        return float(mp.re(total) / count / radius**order * mp.factorial(order))


def erfinv(x: Any) -> Any:
    """Return the inverse of erf, which mpmath has of real numbers alone, by Newton's method."""
    y = mp.erfinv(mp.re(x))
    for _ in range(6):
        y -= (mp.erf(y) - x) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
    return y


ELEMENTWISE: dict[str, tuple[Function, Function, tuple[float, ...]]] = {
    "erf": (special.erf, mp.erf, (1e-8, 0.5, -2.0, 5.0, 10.0)),
    "erfc": (special.erfc, mp.erfc, (0.5, 2.0, -5.0, 10.0, 20.0)),
    "erfinv": (special.erfinv, erfinv, (0.1, -0.5, 0.9, 0.9999)),
    "expit": (
        special.expit,
        lambda x: 1 / (1 + mp.exp(-x)),
        (0.3, 36.0, 40.0, -40.0, 700.0, -700.0),
    ),
    "logit": (
        special.logit,
        lambda x: mp.log(x) - mp.log(1 - x),
        (1e-90, 1e-10, 0.3, 0.9),
    ),
    "gammaln": (special.gammaln, mp.loggamma, (1e-10, 0.1, 0.5, 3.0, 50.0, 1e6, 1e12)),
    "digamma": (special.digamma, mp.digamma, (1e-10, 0.1, 3.0, 50.0, 1e6, -0.5, -3.3)),
    "polygamma(2)": (
        lambda x: special.polygamma(2, x),
        lambda x: mp.polygamma(2, x),
        (0.1, 0.5, 3.0, 50.0, 1e6, -0.5, -3.3),
    ),
    "entr": (special.entr, lambda x: -x * mp.log(x), (1e-90, 1e-5, 0.3, 1.0, 1e10)),
    "i0": (special.i0, lambda x: mp.besseli(0, x), (1e-5, 0.5, -3.0, 30.0, 700.0)),
    "i1": (special.i1, lambda x: mp.besseli(1, x), (1e-5, 0.5, -3.0, 30.0, 700.0)),
    "j0": (special.j0, lambda x: mp.besselj(0, x), (1e-5, 0.5, -3.0, 30.0, 700.0)),
    "j1": (special.j1, lambda x: mp.besselj(1, x), (1e-5, 0.5, -3.0, 30.0, 700.0)),
}
CASES = [(name, x) for name, (*_, xs) in ELEMENTWISE.items() for x in xs]


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize(("name", "x"), CASES)
def test_derivatives_of_special_functions_agree_with_mpmath(
    name: str, x: float, order: int
) -> None:
    function, of_mpmath, _ = ELEMENTWISE[name]
    # erf(10) is 1 but for the 45th digit, expit(700) but for the 304th.
    with mp.workdps({"erf": 100, "expit": 360}.get(name, 45)):
        expected = truth(of_mpmath, order, x)
    got = derivative(function, order, x)
    assert got == pytest.approx(expected, rel=RTOL * (10.0 if name in "j0 j1" else 1.0), abs=0.0)


@pytest.mark.parametrize("x", [-1e8, -1e4, -40.0, -5.0, -1.0, -0.1, 0.0, 0.1, 1.0, 5.0, 30.0])
def test_derivatives_of_log_ndtr_agree_with_mpmath(x: float) -> None:
    """By the moments of the tail, since all that is subtracted leaves nothing at -1e8."""

    def moment(k: int) -> Any:
        scale = 1 / (1 + abs(mpf(x)))
        ends = [0, scale, 5 * scale, 25 * scale, 125 * scale, mp.inf]
        if x > 0:
            ends = sorted({*ends, mpf(x) / 2, mpf(x), mpf(x) + 5})
        return mp.quad(lambda u: u**k * mp.exp(x * u - u * u / 2), ends)

    m0, m1, m2 = moment(0), moment(1), moment(2)
    expected = (
        mp.log1p(-mp.erfc(mpf(x) / mp.sqrt(2)) / 2) if x > 0 else mp.log(mp.ncdf(mpf(x))),
        1 / m0,
        -m1 / m0**2,
        -m2 / m0**2 + 2 * m1**2 / m0**3,
    )
    for order, value in enumerate(expected):
        # Of the third derivative both terms are 2 / x, which it is much smaller than.
        close = RTOL * (1.0 if order < 3 else 1.0 + x * x)
        got = derivative(special.log_ndtr, order, x)
        assert got == pytest.approx(float(value), rel=close, abs=0.0), order


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


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_of_betaln_by_either_argument_and_both_agree_with_mpmath(
    a: float, b: float, order: int
) -> None:
    def by(x: float, y: float) -> float:
        n = order - 1
        return float(mp.polygamma(n, mpf(x)) - mp.polygamma(n, mpf(x) + mpf(y)))

    for argument, expected in enumerate((by(a, b), by(b, a))):
        got = derivative(special.betaln, order, a, b, argument=argument)
        assert got == pytest.approx(expected, rel=RTOL, abs=0.0)
    mixed = float(grad(grad(special.betaln, 0), 1)(a, b))
    assert mixed == pytest.approx(-float(mp.polygamma(1, mpf(a) + mpf(b))), rel=RTOL, abs=0.0)


@pytest.mark.parametrize(("a", "b"), [(2.0, 3.0), (50.0, 1e-3), (2.0, -0.01), (2.0, -2.5)])
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_derivatives_of_beta_agree_with_mpmath(a: float, b: float, order: int) -> None:
    got = derivative(special.beta, order, a, b)
    expected = truth(lambda x: mp.beta(x, mpf(b)), order, a)
    assert got == pytest.approx(expected, rel=1e-12, abs=0.0)


def test_the_derivative_of_beta_next_to_a_zero_agrees_with_mpmath() -> None:
    """The derivatives of higher order lose digits there, as its docstring says."""
    got = derivative(special.beta, 1, 1.0, -0.99999)
    expected = truth(lambda x: mp.beta(x, mpf(-0.99999)), 1, 1.0)
    assert got == pytest.approx(expected, rel=1e-12, abs=0.0)


def upper(a: Any, x: Any) -> Any:
    return mp.gammainc(a, x, mp.inf, regularized=True)


def lower(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True)


GAMMAINC = [
    (a, a * part)
    for a in (1e-8, 1e-3, 0.1, 0.5, 0.99, 1.0, 3.7, 15.9, 16.1, 100.0)
    for part in (1e-6, 0.3, 0.95, 1.0, 1.1, 3.0)
]


@pytest.mark.parametrize(("a", "x"), GAMMAINC)
def test_derivatives_of_gammainc_by_its_shape_agree_with_mpmath(a: float, x: float) -> None:
    """Of a to the third derivative; the smaller of P and 1 - P is differentiated."""

    def smaller(shape: Any) -> Any:
        return lower(shape, mpf(x)) if x <= a else -upper(shape, mpf(x))

    scale = abs(truth(smaller, 1, a))
    for order in (1, 2, 3):
        got, expected = derivative(special.gammainc, order, a, x), truth(smaller, order, a)
        # It may be next to a zero of the higher ones: so relative to what they are elsewhere.
        assert got == pytest.approx(expected, rel=2e-12, abs=2e-13 * scale * (1.0 + 1.0 / a))


@pytest.mark.parametrize(("a", "x"), GAMMAINC)
def test_derivatives_of_gammainc_by_x_and_by_both_arguments_agree_with_mpmath(
    a: float, x: float
) -> None:
    def density(y: Any, shape: float = a) -> Any:
        return y ** (mpf(shape) - 1) * mp.exp(-y) / mp.gamma(mpf(shape))

    def at_x(shape: Any) -> Any:
        return mpf(x) ** (shape - 1) * mp.exp(-mpf(x)) / mp.gamma(shape)

    for order in (1, 2, 3):
        got = derivative(special.gammainc, order, a, x, argument=1)
        expected = truth(density, order - 1, x)
        assert got == pytest.approx(expected, rel=1e-12, abs=1e-13 * float(density(mpf(x))))
    mixed = float(grad(grad(special.gammainc, 0), 1)(a, x))
    assert mixed == pytest.approx(truth(at_x, 1, a), rel=1e-12, abs=1e-14 * float(density(mpf(x))))


@pytest.mark.parametrize("a", [1e4, 1e8])
@pytest.mark.parametrize("deviations", [-3.0, 0.0, 3.0])
def test_derivatives_of_gammainc_of_large_numbers_agree_with_mpmath(
    a: float, deviations: float
) -> None:
    x = a + deviations * np.sqrt(a)
    shape, width = mpf(a), mp.sqrt(mpf(a))
    log_gamma, psi = mp.loggamma(shape), mp.psi(0, shape)

    def slope(t: Any) -> Any:
        return mp.exp((shape - 1) * mp.log(t) - t - log_gamma) * (mp.log(t) - psi)

    sign = -1 if x < a else 1
    ends = [mpf(x) + sign * part * width for part in (0, 0.3, 1, 3, 7, 15, 40)]
    # Of the part below x the integral is negative, of that above it is not: P falls either way.
    expected = -abs(mp.quad(slope, sorted(max(end, 0) for end in ends)))
    got = derivative(special.gammainc, 1, a, x)
    assert got == pytest.approx(float(expected), rel=1e-12, abs=0.0)
    density = mp.exp((shape - 1) * mp.log(mpf(x)) - mpf(x) - log_gamma)
    by_x = derivative(special.gammainc, 1, a, x, argument=1)
    assert by_x == pytest.approx(float(density), rel=1e-11, abs=0.0)


def test_derivatives_of_softmax_of_huge_values_are_exact() -> None:
    softmax: Function = special.softmax
    log_softmax: Function = special.log_softmax
    x = np.array([1e8, 1e8 - 1.0, 1e8 - 30.0])
    parts = [mp.exp(mpf(v) - mpf(1e8)) for v in x]
    shares = np.array([float(part / sum(parts)) for part in parts])
    np.testing.assert_allclose(special.softmax(x).data, shares, rtol=1e-15)
    np.testing.assert_allclose(grad(special.logsumexp)(x), shares, rtol=1e-15)
    row = grad(lambda v: softmax(v)[2])(x)
    np.testing.assert_allclose(row, shares[2] * (np.eye(3)[2] - shares), rtol=1e-15)
    log_row = grad(lambda v: log_softmax(v)[0])(x)
    np.testing.assert_allclose(log_row, np.eye(3)[0] - shares, rtol=1e-14)


@pytest.mark.parametrize("z", [0.3 + 0.4j, -1.5 + 2.0j, 0.0 + 3.0j])
def test_gradients_of_analytic_special_functions_of_complex_numbers_agree_with_mpmath(
    z: complex,
) -> None:
    """The gradient of the real part is the conjugate of the derivative."""
    cases: tuple[tuple[Function, Function], ...] = (
        (special.erf, lambda t: 2 / mp.sqrt(mp.pi) * mp.exp(-t * t)),
        (special.erfc, lambda t: -2 / mp.sqrt(mp.pi) * mp.exp(-t * t)),
        (lambda t: special.xlogy(2.5, t), lambda t: mpf(2.5) / t),
    )
    for function, slope in cases:
        x = Variable(np.array(z))
        function(x).real.backward()
        expected = complex(mp.conj(slope(mpmath.mpc(z))))
        assert complex(x.grad) == pytest.approx(expected, rel=1e-13)
