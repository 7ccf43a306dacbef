"""Inverse functions at the ends of their domains, and where they are flat."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import arccos, arccosh, arcsin, arcsinh, arctan, arctanh

INF, NAN = np.inf, np.nan


def slope(function, number):
    x = Variable(np.array(number))
    function(x).backward()
    return x.grad.item()


@pytest.mark.filterwarnings("ignore:divide by zero encountered:RuntimeWarning")
@pytest.mark.parametrize(
    ("function", "end", "expected"),
    [
        (arcsin, 1.0, INF),
        (arcsin, -1.0, INF),
        (arccos, 1.0, -INF),
        (arccos, -1.0, -INF),
        (arccosh, 1.0, INF),
        (arctanh, 1.0, INF),
        (arctanh, -1.0, INF),
    ],
)
def test_gradients_of_inverse_functions_at_the_ends_of_the_domain_are_infinite(
    function, end, expected
):
    assert slope(function, end) == expected


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.parametrize(
    ("function", "number"), [(arcsin, 2.0), (arcsin, -2.0), (arccos, 2.0), (arccosh, 0.5)]
)
def test_gradients_of_inverse_functions_outside_of_the_domain_are_nan(function, number):
    np.testing.assert_array_equal(slope(function, number), NAN)


@pytest.mark.parametrize("function", [arctan, arcsinh])
@pytest.mark.parametrize("infinity", [INF, -INF])
def test_inverse_functions_and_their_derivatives_are_flat_at_infinity(function, infinity):
    x = Variable(np.array(infinity))
    first = grad(function(x), x, create_graph=True)
    assert (first.item(), grad(first, x).item()) == (0.0, 0.0)
    assert slope(arccosh, INF) == 0.0


@pytest.mark.parametrize("function", [arcsin, arctan, arcsinh, arctanh])
def test_inverse_functions_have_derivatives_1_and_0_at_0(function):
    for number in (0.0, -0.0):
        x = Variable(np.array(number))
        first = grad(function(x), x, create_graph=True)
        assert (first.item(), grad(first, x).item()) == (1.0, 0.0)
