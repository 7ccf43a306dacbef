"""Rounding: halves and signed zeros are NumPy's, and the derivative is 0 wherever it jumps."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import ceil, fix, floor, rint, round, trunc

EVERY = [ceil, fix, floor, rint, round, trunc]
EDGES = np.array([-2.5, -1.5, -0.5, -0.3, -0.0, 0.0, 0.5, 1.0, 2.5, 1e300, np.inf, np.nan])


@pytest.mark.parametrize("function", EVERY)
def test_rounding_of_halves_zeros_and_nan_is_numpys_with_derivative_0(function):
    x = Variable(EDGES)
    y = function(x)
    expected = getattr(np, function.__name__)(EDGES)
    np.testing.assert_array_equal(y.data, expected)
    np.testing.assert_array_equal(np.signbit(y.data), np.signbit(expected))
    y.grad = np.full(EDGES.shape, np.inf)
    y.backward()
    np.testing.assert_array_equal(x.grad, np.zeros(EDGES.shape))


@pytest.mark.parametrize("function", EVERY)
def test_the_second_derivative_through_a_rounding_function_is_0(function):
    x = Variable(np.array([1.25, -0.75]))
    first = grad(function(x) * x, x, create_graph=True)
    np.testing.assert_array_equal(first.data, function(x).data)
    np.testing.assert_array_equal(grad(first, x), [0.0, 0.0])


@pytest.mark.parametrize("decimals", [-2, 0, 3])
def test_round_and_around_and_the_method_take_decimals(decimals):
    x = Variable(np.array([1234.5678, -0.0625]))
    for y in np.round(x, decimals), np.around(x, decimals=decimals), x.round(decimals):
        np.testing.assert_array_equal(y.data, x.data.round(decimals))


def test_round_rounds_both_parts_of_complex_numbers():
    z = Variable(np.array([1.25 - 2.75j]))
    y = round(z, 1)
    y.grad = np.array([1.0 + 1.0j])
    y.backward()
    np.testing.assert_array_equal(y.data, [1.2 - 2.8j])
    np.testing.assert_array_equal(z.grad, [0.0])


@pytest.mark.parametrize("function", [ceil, fix, floor, trunc])
def test_floor_ceil_and_trunc_refuse_complex_numbers(function):
    with pytest.raises(TypeError, match="not supported for the input types") as caught:
        function(Variable(np.array([1.0j])))
    (note,) = caught.value.__notes__
    assert function.__name__.title() in note
    assert "complex128[1]" in note


def test_round_refuses_a_variable_as_decimals():
    with pytest.raises(TypeError, match=r"Round .* needs a constant for 'decimals'"):
        round(Variable(np.array(1.5)), Variable(np.array(1)))


@pytest.mark.parametrize("function", [np.round, np.around, np.fix, Variable.round])
def test_rounding_functions_refuse_out(function):
    x, out = Variable(np.array([1.5])), np.zeros(1)
    with pytest.raises(TypeError, match="takes no out="):
        function(x, out=out)
    np.testing.assert_array_equal(out, [0.0])
