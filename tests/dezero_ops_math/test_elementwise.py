"""exp, log, sin, cos, tan, tanh, sqrt and square where they leave the ordinary."""

import warnings

import mpmath
import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import cos, exp, log, sin, sqrt, square, tan, tanh

EVERY = [cos, exp, log, sin, sqrt, square, tan, tanh]
#: Their nth derivatives by mpmath, at a point inside the domain of each.
TRUTHS = [
    (cos, mpmath.cos),
    (exp, mpmath.exp),
    (log, mpmath.log),
    (sin, mpmath.sin),
    (sqrt, mpmath.sqrt),
    (tan, mpmath.tan),
    (tanh, mpmath.tanh),
]


def variable(*numbers):
    return Variable(np.array(numbers if len(numbers) > 1 else numbers[0]))


@pytest.mark.parametrize(("function", "truth"), TRUTHS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("at", [0.25, 0.75, 1.25])
def test_five_derivatives_of_elementary_functions_agree_with_mpmath(function, truth, at):
    x = variable(at)
    y = function(x)
    with mpmath.workdps(50):
        expected = [float(c) for c in mpmath.diffs(truth, mpmath.mpf(at), 5)]
    got = [y.item()]
    for _ in range(5):
        y = grad(y, x, create_graph=True)
        got.append(y.item())
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_square_has_the_right_first_and_second_derivative():
    x = variable(3.0)
    first = grad(square(x), x, create_graph=True)
    second = grad(first, x, create_graph=True)
    assert (first.item(), second.item()) == (6.0, 2.0)


@pytest.mark.parametrize(
    ("function", "at", "value", "slope", "in_value", "in_slope"),
    [
        (log, 0.0, -np.inf, np.inf, "divide by zero", "divide by zero"),
        (log, -1.0, np.nan, -1.0, "invalid value", None),
        (sqrt, 0.0, 0.0, np.inf, None, "divide by zero"),
        (sqrt, -1.0, np.nan, np.nan, "invalid value", None),
        (exp, 1000.0, np.inf, np.inf, "overflow", None),
        (square, 1e200, np.inf, 2e200, "overflow", None),
        (sin, np.inf, np.nan, np.nan, "invalid value", "invalid value"),
    ],
)
def test_elementary_functions_outside_of_the_domain_give_numpys_value_and_warning(
    function, at, value, slope, in_value, in_slope
):
    x = variable(at)

    def warning(match):
        return pytest.warns(RuntimeWarning, match=match) if match else warnings.catch_warnings()

    with warning(in_value):
        y = function(x)
    with warning(in_slope):
        y.backward()
    np.testing.assert_array_equal([y.data, x.grad], [value, slope])


@pytest.mark.parametrize(
    ("function", "at", "value"), [(exp, -1000.0, 0.0), (tanh, 1000.0, 1.0), (tanh, -1000.0, -1.0)]
)
def test_flat_elementary_functions_give_no_warning(function, at, value):
    x = variable(at)
    y = function(x)
    y.backward()
    assert (y.item(), x.grad) == (value, 0.0)


def test_elementary_functions_of_nan_and_their_gradients_are_nan():
    for function in EVERY:
        x = variable(np.nan)
        y = function(x)
        y.backward()
        np.testing.assert_array_equal([y.data, x.grad], [np.nan, np.nan])


@pytest.mark.parametrize("function", EVERY, ids=lambda f: f.__name__)
@pytest.mark.parametrize("operand", [None, "1", ["1"], {}], ids=repr)
def test_elementary_functions_refuse_an_operand_that_is_no_array(function, operand):
    with pytest.raises(TypeError, match="is not supported: a"):
        function(operand)


@pytest.mark.parametrize("function", EVERY, ids=lambda f: f.__name__)
@pytest.mark.parametrize("number", [0.5, 1, np.float32(0.5), np.array(0.5)], ids=repr)
def test_elementary_functions_of_a_number_give_the_number_of_numpy(function, number):
    y = function(number)
    np.testing.assert_array_equal(y, getattr(np, function.__name__)(number), strict=True)


def test_elementary_functions_refuse_arguments_of_ufuncs_by_name():
    with pytest.raises(TypeError, match=r"np\.sin .* takes no where="):
        np.sin(variable(1.0, 2.0), where=np.array([True, False]))
    with pytest.raises(TypeError, match=r"np\.exp .* takes no out="):
        np.exp(variable(1.0, 2.0), out=np.zeros(2))
