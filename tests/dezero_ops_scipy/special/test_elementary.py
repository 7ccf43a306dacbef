"""The logistic function, its inverse, and the losses of Huber have exact derivatives.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from mpmath import mp

from dezero_core import Variable, grad
from dezero_ops_scipy import special

from .oracles import (
    assert_exact,
    assert_exact_partials,
    derivative,
    derivatives,
    digits,
    partials,
    slopes,
)

INF, NAN = np.inf, np.nan
_digits = digits(45)


def expit(x: Any) -> Any:
    """Return the logistic function, less 1 where it is near 1."""
    return -1 / (1 + mp.exp(x)) if mp.re(x) > 3 else 1 / (1 + mp.exp(-x))


def log_expit(x: Any) -> Any:
    """Return its logarithm, which is 0 far above 0, and x far below, but for exponentials."""
    return -mp.log1p(mp.exp(-x)) if mp.re(x) > -3 else x - mp.log1p(mp.exp(x))


CASES: dict[str, tuple[Any, tuple[float, ...]]] = {
    "expit": (expit, (1e-9, 0.3, -2.0, 36.0, 40.0, -40.0, 700.0, -700.0)),
    "log_expit": (log_expit, (1e-9, 0.3, -2.0, 36.0, -36.0, 700.0)),
    "logit": (lambda x: mp.log(x) - mp.log(1 - x), (1e-90, 1e-10, 0.3, 0.6, 0.9, 1.0 - 1e-5)),
}


@pytest.mark.parametrize("name", CASES)
def test_three_derivatives_of_logistic_functions_agree_with_mpmath(name: str) -> None:
    function, numbers = CASES[name]
    assert_exact(getattr(special, name), partial(derivative, function), numbers)


def test_gradients_of_logistic_functions_at_the_edges_are_the_limits() -> None:
    ends = [800.0, -800.0, INF, -INF]
    np.testing.assert_array_equal(slopes(special.expit, ends)[0], np.zeros(4))
    np.testing.assert_array_equal(slopes(special.log_expit, ends)[0], [0.0, 1.0, 0.0, 1.0])
    got = slopes(special.logit, [0.0, 1.0, -0.1, 1.1])[0]
    np.testing.assert_array_equal(got, [INF, INF, NAN, NAN])


def test_second_derivatives_of_logistic_functions_at_the_edges_are_the_limits() -> None:
    got = derivatives(special.expit, [800.0, 1e100, INF, -INF], 3)[2:]
    np.testing.assert_array_equal(np.abs(got), np.zeros((2, 4)))
    np.testing.assert_array_equal(derivatives(special.logit, [0.0, 1.0], 2)[2], [-INF, INF])


def test_the_slope_of_expit_is_not_0_where_that_of_a_rounded_value_is() -> None:
    np.testing.assert_allclose(slopes(special.expit, 40.0)[0], np.exp(-40.0), rtol=1e-15)
    np.testing.assert_allclose(slopes(special.expit, 744.0)[0], np.exp(-744.0))


def test_slopes_and_curvatures_of_huber_are_those_of_its_pieces() -> None:
    delta, r = [2.0, 2.0, 2.0, 0.5], [1.5, 3.0, -5.0, -0.25]
    found = partials(special.huber, delta, r)
    assert {orders: each.tolist() for orders, each in found.items()} == {
        (1, 0): [0.0, 1.0, 3.0, 0.0],  # |r| - delta
        (0, 1): [1.5, 2.0, -2.0, -0.25],
        (2, 0): [0.0, -1.0, -1.0, 0.0],
        (1, 1): [0.0, 1.0, -1.0, 0.0],
        (0, 2): [1.0, 0.0, 0.0, 1.0],
    }


@pytest.mark.parametrize("r", [1.0, -1.0])
def test_huber_at_the_end_of_its_parabola_has_the_derivatives_of_the_parabola(r: float) -> None:
    found = {orders: float(each[0]) for orders, each in partials(special.huber, [1.0], [r]).items()}
    assert found == {(1, 0): 0.0, (0, 1): r, (2, 0): 0.0, (1, 1): 0.0, (0, 2): 1.0}


def test_the_slope_of_huber_by_r_is_delta_where_r_is_huge() -> None:
    """Not ``r - (r - delta)``, in which all digits of delta are lost."""
    assert slopes(special.huber, 0.1, 1e20)[1] == 0.1


def test_gradients_of_huber_at_the_edges_are_right() -> None:
    by_delta, by_r = slopes(special.huber, [-1.0, 0.0, 1.0, 1.0, 0.0], [1.0, 2.0, INF, 1.0, 0.0])
    np.testing.assert_array_equal(by_delta, [NAN, 2.0, INF, 0.0, 0.0])
    np.testing.assert_array_equal(by_r, [NAN, 0.0, 1.0, 1.0, 0.0])


def pseudo_huber(delta: Any, r: Any) -> Any:
    return delta * delta * (mp.sqrt(1 + (r / delta) ** 2) - 1)


PAIRS = [(1.0, 0.5), (2.0, -3.0), (0.3, 40.0), (1e3, 1e-5), (1e-6, 1e4), (7.0, -0.01), (1e8, 1e8)]


def test_derivatives_of_pseudo_huber_agree_with_mpmath() -> None:
    """Also where r is small, and differences of delta and hypot(delta, r) have no digit."""
    assert_exact_partials(special.pseudo_huber, pseudo_huber, PAIRS)


def test_gradients_of_pseudo_huber_at_the_edges_are_the_limits() -> None:
    delta, r = [0.0, 0.0, -1.0, 2.0, 2.0, 3.0, INF], [0.0, -2.0, 1.0, INF, 0.0, 1e300, 3.0]
    by_delta, by_r = slopes(special.pseudo_huber, delta, r)
    np.testing.assert_array_equal(by_delta, [0.0, 2.0, NAN, INF, 0.0, 1e300, 0.0])
    np.testing.assert_array_equal(by_r, [0.0, 0.0, NAN, 2.0, 0.0, 3.0, 3.0])


def test_a_large_pseudo_huber_has_the_slopes_of_a_square() -> None:
    assert slopes(special.pseudo_huber, 1e300, 5.0)[1] == 5.0


def test_losses_of_huber_are_fitted_by_their_gradients() -> None:
    """A step against the gradient makes the loss of residuals smaller."""
    for loss in (special.huber, special.pseudo_huber):
        r = Variable(np.array([3.0, -0.2, 0.7]))
        before = np.sum(loss(1.0, r))
        after = np.sum(loss(1.0, r.data - 0.1 * grad(before, r)))
        assert after < before.data


@pytest.mark.parametrize("name", ["expit", "log_expit", "logit"])
def test_logistic_functions_refuse_complex_numbers_as_scipy_does(name: str) -> None:
    with pytest.raises(TypeError, match="not supported for the input types"):
        getattr(special, name)(Variable(np.array([0.1 + 0.1j])))
