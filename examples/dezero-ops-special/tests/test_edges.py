"""Values and derivatives at poles, corners and infinities, and outside of a domain."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from dezero_core import Variable, grad
from numpy.testing import assert_array_equal

import dezero_ops_special as special

INF, NAN = np.inf, np.nan
Function = Callable[..., Any]


def slopes(function: Function, *xs: Any) -> list[Any]:
    """Return the gradient by each of some numbers or arrays."""
    variables = [Variable(np.asarray(x, dtype=float)) for x in xs]
    function(*variables).backward()
    return [x.grad for x in variables]


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (special.erf, [INF, -INF, 1e200], [0.0, 0.0, 0.0]),
        (special.erfc, [INF, -INF, 1e200], [0.0, 0.0, 0.0]),
        (special.erfinv, [1.0, -1.0, 1.5], [INF, INF, NAN]),
        (special.expit, [800.0, -800.0, INF, -INF], [0.0, 0.0, 0.0, 0.0]),
        (special.gammaln, [INF], [INF]),
        (special.log_ndtr, [800.0, INF, -INF], [0.0, 0.0, INF]),
        (special.entr, [0.0, -1.0, INF], [INF, NAN, -INF]),
        (special.i0, [0.0, 800.0], [0.0, INF]),
        (special.i1, [0.0, 800.0], [0.5, INF]),
        (special.j0, [0.0], [0.0]),
        (special.j1, [0.0], [0.5]),
    ],
)
def test_the_gradient_of_a_special_function_at_an_edge_is_the_limit(
    function: Function, x: list[float], expected: list[float]
) -> None:
    (got,) = slopes(function, x)
    assert_array_equal(np.abs(got), np.abs(expected))
    assert_array_equal(np.sign(got[got != 0.0]), np.sign(np.array(expected)[got != 0.0]))


@pytest.mark.parametrize("function", [special.erf, special.expit, special.log_ndtr])
def test_the_second_derivative_of_a_special_function_far_out_is_0(function: Function) -> None:
    x = Variable(np.array([800.0, 1e100]))
    first = grad(function(x), x, create_graph=True)
    assert_array_equal(grad(first, x), [0.0, 0.0])


def test_special_functions_of_nan_have_nan_as_gradient() -> None:
    def call(function: Function, x: Variable) -> Any:
        if function is special.polygamma:
            return function(1, x)
        of_two = function in (special.beta, special.betaln, special.gammainc, special.xlogy)
        return function(x, x) if of_two else function(x)

    for name in special.__all__[1:]:
        (gradient,) = slopes(partial(call, getattr(special, name)), [NAN, NAN])
        assert np.isnan(gradient).all(), name


def test_xlogy_with_a_factor_of_0_has_the_right_gradients() -> None:
    by_x, by_y = slopes(special.xlogy, [0.0, 0.0, 0.0, 2.0], [0.0, 3.0, -1.0, 0.0])
    assert_array_equal(by_x, [-INF, np.log(3.0), NAN, -INF])
    assert_array_equal(by_y, [0.0, 0.0, 0.0, INF])


def test_the_derivative_of_xlogy_by_y_is_differentiable_at_a_factor_of_0() -> None:
    x, y = Variable(np.array(0.0)), Variable(np.array(2.0))
    by_y = grad(special.xlogy(x, y), y, create_graph=True)
    assert_array_equal(grad(by_y, [x, y]), [0.5, 0.0])


def test_logsumexp_of_special_gives_infinite_numbers_the_right_gradient() -> None:
    """They grow together: shares of the largest, as in dezero-ops-math."""
    rows = [[-INF, -INF], [INF, 0.0], [0.0, -INF]]
    (gradient,) = slopes(lambda a: special.logsumexp(a, axis=1), rows)
    assert_array_equal(gradient, [[0.5, 0.5], [1.0, 0.0], [1.0, 0.0]])


def test_logsumexp_of_special_gives_elements_of_weight_0_no_gradient() -> None:
    """An element with weight 0 is neither the largest one nor a nan in the result."""
    weights = np.array([0.0, 1.0, 3.0])
    (gradient,) = slopes(lambda a: special.logsumexp(a, b=weights), [1000.0, 0.0, 0.0])
    assert_array_equal(gradient, [0.0, 0.25, 0.75])


def test_logsumexp_of_special_of_a_negative_sum_is_nan() -> None:
    assert np.isnan(special.logsumexp(Variable(np.zeros(2)), b=np.array([1.0, -2.0])).data)


def test_softmax_of_infinite_numbers_is_nan_like_scipys() -> None:
    with np.errstate(invalid="ignore"):
        assert np.isnan(special.softmax(Variable(np.array([INF, 0.0]))).data).any()


def test_gammainc_at_the_ends_of_its_domain_has_the_right_gradients() -> None:
    by_a, by_x = slopes(
        special.gammainc,
        [2.0, 2.0, 1.0, 0.5, 20.0, -1.0, 2.0],
        [0.0, INF, 0.0, 0.0, 0.0, 1.0, -1.0],
    )
    assert_array_equal(by_a, [0.0, 0.0, 0.0, 0.0, 0.0, NAN, NAN])
    assert_array_equal(by_x[:5], [0.0, 0.0, 1.0, INF, 0.0])


def test_gammainc_has_the_right_gradient_by_a_shape_of_0() -> None:
    """There it is -E1(x), of NIST DLMF 8.4.15 and 6.2."""
    from scipy.special import exp1

    (by_a, _) = slopes(special.gammainc, [0.0, 0.0], [0.5, 4.0])
    np.testing.assert_allclose(by_a, -exp1([0.5, 4.0]), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
def test_logit_at_0_and_1_has_an_infinite_gradient() -> None:
    (gradient,) = slopes(special.logit, [0.0, 1.0])
    assert_array_equal(gradient, [INF, INF])
