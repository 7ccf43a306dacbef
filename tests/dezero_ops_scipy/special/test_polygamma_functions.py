"""The digamma, polygamma and zeta functions have each other as derivatives, to any order.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.special
from mpmath import mp, mpf

from dezero_core import DezeroError, Variable, VariableTypeError
from dezero_ops_scipy import special

from .oracles import assert_exact, derivative, derivatives, digits, slopes

NUMBERS = (1e-8, 0.1, 0.7, 3.3, 50.0, 1e6, -0.3, -3.3, -7.9999)
NAN, INF = np.nan, np.inf
_digits = digits(45)


def test_three_derivatives_of_psi_are_the_polygamma_functions_of_mpmath() -> None:
    assert_exact(special.psi, lambda order, x: mp.psi(order, mpf(x)), NUMBERS)


@pytest.mark.parametrize(
    "z", [2.0 + 1e-3j, 0.2 - 0.9j, -2.6 + 0.8j, -30.3 - 2.0j, 41.0 - 30.0j, 1.0 + 200.0j, -9.9j]
)
def test_four_derivatives_of_psi_of_complex_numbers_agree_with_mpmath(z: complex) -> None:
    """SciPy has polygamma functions of real numbers alone."""
    truth = partial(derivative, lambda z: mp.psi(0, z))
    assert_exact(special.psi, truth, [z], (8.0, 16.0, 32.0, 32.0))


def test_psi_of_complex_numbers_far_from_the_axis_has_a_derivative_without_a_warning() -> None:
    z = np.array([-3.5 + 1e4j, 2.0 - 1e300j])
    np.testing.assert_allclose(derivatives(special.psi, z, 1)[1], 1.0 / z, rtol=2e-4)


def test_digamma_is_a_second_name_of_psi() -> None:
    (gradient,) = slopes(special.digamma, [1.0])
    np.testing.assert_allclose(gradient, [np.pi**2 / 6.0], rtol=1e-15)


@pytest.mark.parametrize("n", [0, 1, 4, 20])
def test_two_derivatives_of_polygamma_agree_with_mpmath(n: int) -> None:
    numbers = NUMBERS if n < 20 else (0.1, 0.7, 3.3, 50.0, -0.3)
    assert_exact(
        lambda x: special.polygamma(n, x), lambda k, x: mp.psi(n + k, mpf(x)), numbers, (8.0, 8.0)
    )


def test_orders_of_polygamma_broadcast_and_the_gradient_is_the_sum_over_them() -> None:
    n, x = np.array([[0], [1], [3]]), [0.7, 2.0]
    (gradient,) = slopes(lambda x: special.polygamma(n, x), x)
    expected = [float(sum(mp.psi(k + 1, mpf(v)) for k in (0, 1, 3))) for v in x]
    np.testing.assert_allclose(gradient, expected, rtol=1e-15)


@pytest.mark.parametrize("n", [1.0, "one", True, None, np.array([0.5])])
def test_polygamma_refuses_orders_that_are_no_integers(n: Any) -> None:
    with pytest.raises(VariableTypeError, match="polygamma takes an integer") as caught:
        special.polygamma(n, Variable(np.array([1.0])))
    assert vars(caught.value)["got"] is type(n)


@pytest.mark.parametrize("n", [-1, 171, np.array([0, -3])])
def test_polygamma_refuses_orders_outside_of_0_to_170(n: Any) -> None:
    with pytest.raises(ValueError, match="from 0 to 170") as caught:
        special.polygamma(n, Variable(np.array([1.0])))
    assert isinstance(caught.value, DezeroError)
    assert vars(caught.value)["n"] is n


def test_polygamma_refuses_orders_that_are_variables_and_complex_numbers() -> None:
    with pytest.raises(VariableTypeError, match="polygamma has no derivative by n"):
        special.polygamma(Variable(np.array(1)), 2.0)
    with pytest.raises(TypeError, match=r"special\.polygamma of a Variable takes real numbers"):
        special.polygamma(1, Variable(np.array(1.0 + 1.0j)))


@pytest.mark.parametrize("x", [1.25, 2.0, 3.5, 30.0])
def test_three_derivatives_of_zeta_by_its_second_argument_agree_with_mpmath(x: float) -> None:
    def truth(order: int, q: float) -> Any:
        with mp.workdps(120):  # mpmath's own error is absolute
            return (-1) ** order * mp.rf(x, order) * mp.zeta(mpf(x) + order, mpf(q))

    numbers = (1e-5, 0.3, 1.0, 7.7, 513.0)
    assert_exact(lambda q: special.zeta(x, q), truth, numbers, (8.0, 8.0, 8.0))


def test_the_gradient_of_zeta_of_a_negative_number_is_that_of_two_terms_and_the_rest() -> None:
    (gradient,) = slopes(lambda q: special.zeta(2.0, q), [-1.5])
    terms = [-2.0 * q**-3.0 for q in (-1.5, -0.5)]
    rest = -2.0 * float(mp.zeta(3, mpf(0.5)))
    np.testing.assert_allclose(gradient, [sum(terms) + rest], rtol=1e-14)


def test_zeta_has_no_gradient_where_its_series_diverges_and_0_at_infinity() -> None:
    x = np.array([0.5, 1.0, NAN, 3.0, 3.0, 3.0])
    (gradient,) = slopes(lambda q: special.zeta(x, q), [2.0, 2.0, 2.0, NAN, INF, 0.0])
    np.testing.assert_array_equal(gradient, [NAN, NAN, NAN, NAN, 0.0, -INF])


@pytest.mark.parametrize("arguments", [(), (1.5,)])
def test_zeta_refuses_an_exponent_that_is_a_variable(arguments: tuple[float, ...]) -> None:
    with pytest.raises(VariableTypeError, match="zeta has no derivative by x"):
        special.zeta(Variable(np.array(2.0)), *arguments)


def test_zeta_of_numbers_alone_is_scipys() -> None:
    from dezero_ops_scipy.special.polygamma_functions import zeta

    assert special.zeta(-1.0) == scipy.special.zeta(-1.0) == pytest.approx(-1.0 / 12.0)
    assert float(zeta(2.0)) == scipy.special.zeta(2.0)
    q = Variable(np.array([1.0, 2.0], dtype=np.float32))
    assert special.zeta(3, q).dtype == np.float32


def test_gradients_of_psi_and_polygamma_at_poles_and_infinity_are_the_limits() -> None:
    x = [0.0, -1.0, INF]
    np.testing.assert_array_equal(slopes(special.psi, x)[0], [INF, INF, 0.0])
    (gradient,) = slopes(lambda x: special.polygamma(1, x), x)
    np.testing.assert_array_equal(gradient, [-INF, -INF, 0.0])
