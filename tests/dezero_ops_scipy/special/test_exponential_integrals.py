"""Exponential integrals and their like have exact derivatives, also where a quotient is 0 / 0.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from dezero_core import Variable, VariableTypeError, grad
from dezero_ops_scipy import special

from .oracles import assert_exact, derivative, derivatives, digits, slopes

INF, NAN = np.inf, np.nan
_digits = digits(45)


def first(function: Any) -> Any:
    return lambda x: function(x)[0]


def second(function: Any) -> Any:
    return lambda x: function(x)[1]


EVERYWHERE = (1e-9, 0.2, -0.7, 1.4, -1.6, 2.3, -5.0, 11.0, -40.0)
POSITIVE = (1e-9, 0.2, 0.7, 1.4, 2.3, 5.0, 11.0, 40.0, 700.0)
WIDE = (*EVERYWHERE, 1e3, 1e5 + 0.3)
CASES: dict[str, tuple[Any, Any, tuple[float, ...]]] = {
    "exp1": (special.exp1, mp.e1, POSITIVE),
    "expi": (special.expi, lambda x: mp.ei(x) if mp.re(x) > 0 else -mp.e1(-x), EVERYWHERE),
    "Shi": (first(special.shichi), mp.shi, EVERYWHERE),
    "Chi": (second(special.shichi), mp.chi, POSITIVE[:-1]),
    "Si": (first(special.sici), mp.si, WIDE),
    "Ci": (second(special.sici), mp.ci, (*POSITIVE, 1e5 + 0.3)),
    "spence": (
        special.spence,
        lambda z: mp.polylog(2, 1 - z),
        (1e-30, 1e-3, 0.24, 0.26, 0.9, 1.0 + 1e-9, 1.5, 3.9, 4.1, 100.0, 1e10),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_three_derivatives_of_exponential_integrals_agree_with_mpmath(name: str) -> None:
    function, of_mpmath, numbers = CASES[name]
    assert_exact(function, partial(derivative, of_mpmath), numbers)


@pytest.mark.parametrize("name", CASES)
def test_derivatives_of_exponential_integrals_of_complex_numbers_agree_with_mpmath(
    name: str,
) -> None:
    function, of_mpmath, _ = CASES[name]
    numbers = [0.3 + 0.4j, 2.5 - 1.5j, 1.0 + 0.01j, 6.0 + 4.0j, 0.2 - 7.0j]
    if name == "expi":
        of_mpmath = mp.ei
    assert_exact(function, partial(derivative, of_mpmath), numbers)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 60])
def test_three_derivatives_of_expn_agree_with_mpmath(n: int) -> None:
    """Of an order of which SciPy's own value is off by 11 ulp, so is a derivative."""

    def truth(order: int, x: float) -> Any:
        return (-1) ** order * mp.expint(n - order, mpf(x))

    with mp.workdps(90):
        assert_exact(
            lambda x: special.expn(n, x), truth, (1e-9, 0.3, 1.4, 4.0, 50.0), (16.0, 16.0, 16.0)
        )


def test_orders_of_expn_broadcast_and_get_no_gradient() -> None:
    n, x = np.array([[0], [3]]), Variable(np.array([0.5, 2.0, 4.0]))
    special.expn(n, x).backward()
    alone = [slopes(partial(special.expn, order), x.data)[0] for order in (0, 3)]
    np.testing.assert_allclose(x.grad, np.sum(alone, axis=0), rtol=1e-15)
    with pytest.raises(VariableTypeError, match="expn has no derivative by n"):
        special.expn(Variable(np.array(2)), x)


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (special.exp1, [0.0, -1.0, INF, 800.0], [-INF, NAN, 0.0, 0.0]),
        (special.expi, [0.0, -0.0, INF, -INF], [INF, -INF, INF, 0.0]),
        (partial(special.expn, 1), [0.0, -1.0, INF], [-INF, NAN, 0.0]),
        (partial(special.expn, 2), [0.0, -1.0, INF], [-INF, NAN, 0.0]),
        (partial(special.expn, 3), [0.0, -1.0, INF], [-1.0, NAN, 0.0]),
        (first(special.shichi), [0.0, INF, -INF], [1.0, INF, INF]),
        (second(special.shichi), [0.0, INF], [INF, INF]),
        (first(special.sici), [0.0, INF, -INF], [1.0, 0.0, 0.0]),
        (second(special.sici), [0.0, INF], [INF, 0.0]),
        (special.spence, [0.0, 1.0, -1.0, INF], [-INF, -1.0, NAN, 0.0]),
    ],
)
def test_gradients_of_exponential_integrals_at_the_edges_are_the_limits(
    function: Any, x: list[float], expected: list[float]
) -> None:
    np.testing.assert_allclose(slopes(function, x)[0], expected, rtol=0.0, atol=1e-300)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (special.exp1, [INF, -INF]),
        (special.expi, [-INF, INF]),
        (first(special.shichi), [0.0, 1.0 / 3.0]),
        (second(special.shichi), [-INF, INF]),
        (first(special.sici), [0.0, -1.0 / 3.0]),
        (second(special.sici), [-INF, INF]),
        (special.spence, [INF, -INF]),
    ],
)
def test_higher_derivatives_of_exponential_integrals_at_0_are_the_limits(
    function: Any, expected: list[float]
) -> None:
    np.testing.assert_array_equal(derivatives(function, 0.0, 3)[2:], expected)


def test_derivatives_of_spence_at_1_are_those_of_its_series() -> None:
    """It is the sum of ``(1 - z)**k / k**2``: NIST DLMF 25.12.1."""
    got = derivatives(special.spence, 1.0, 6)
    factorials = np.cumprod([1.0, *range(1, 7)])
    expected = [(-1.0) ** k * factorials[k] / k**2 for k in range(1, 7)]
    np.testing.assert_allclose(got[1:], expected, rtol=2e-15)


def test_slopes_overflow_no_earlier_than_the_quotients() -> None:
    """``exp(712) / 712`` is a number, though ``exp(712)`` is none."""
    expected = float(mp.exp(712) / 712)
    assert slopes(special.expi, 712.0)[0] == pytest.approx(expected, rel=1e-15, abs=0.0)
    for function in (first(special.shichi), second(special.shichi)):
        assert slopes(function, 712.0)[0] == pytest.approx(expected / 2.0, rel=1e-15, abs=0.0)


def test_an_infinite_slope_of_the_integral_that_is_not_used_does_no_harm() -> None:
    for function in (special.shichi, special.sici):
        x = Variable(np.array(0.0))
        function(x)[0].backward()
        assert float(x.grad) == 1.0


def test_both_sine_and_cosine_integrals_pass_back_their_gradients() -> None:
    x = Variable(np.array(0.5))
    si, ci = special.sici(x)
    got = grad(2.0 * si + 3.0 * ci, x)
    assert float(got) == pytest.approx(
        (2.0 * np.sin(0.5) + 3.0 * np.cos(0.5)) / 0.5, rel=1e-15, abs=0.0
    )


def test_expn_refuses_complex_numbers_as_scipy_does() -> None:
    with pytest.raises(TypeError, match="not supported for the input types"):
        special.expn(2, Variable(np.array([0.1 + 0.1j])))


@pytest.mark.parametrize("name", ["Si", "Shi"])
def test_five_derivatives_of_integrals_of_a_quotient_agree_with_mpmath(name: str) -> None:
    function, truth, _ = CASES[name]
    assert_exact(function, partial(derivative, truth), [1.6], (8.0, 16.0, 32.0, 8.0, 8.0))
