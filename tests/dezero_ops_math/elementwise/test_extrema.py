"""maximum, minimum, fmax and fmin where both are extreme, or one is nan."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import fmax, fmin, maximum, minimum, sqrt

NAN, INF = np.nan, np.inf


def gradients(function, pair, gy=1.0):
    x0, x1 = (Variable(np.array(number)) for number in pair)
    y = function(x0, x1)
    y.grad = np.array(gy)
    y.backward()
    return y.item(), x0.grad.item(), x1.grad.item()


@pytest.mark.parametrize(
    ("pair", "value", "shares"),
    [
        ((2.0, 1.0), 2.0, (1.0, 0.0)),
        ((1.0, 2.0), 2.0, (0.0, 1.0)),
        ((2.0, 2.0), 2.0, (0.5, 0.5)),
        ((0.0, -0.0), 0.0, (0.5, 0.5)),
        ((INF, INF), INF, (0.5, 0.5)),
        ((NAN, 1.0), 1.0, (0.0, 1.0)),
        ((1.0, NAN), 1.0, (1.0, 0.0)),
        ((NAN, -INF), -INF, (0.0, 1.0)),
        ((NAN, NAN), NAN, (0.5, 0.5)),
    ],
)
def test_fmax_and_fmin_give_the_gradient_to_the_number_beside_nan(pair, value, shares):
    for function, sign in ((fmax, 1.0), (fmin, -1.0)):
        got = gradients(function, np.multiply(sign, pair))
        np.testing.assert_array_equal(got, (sign * value, *shares))


@pytest.mark.parametrize("function", [maximum, fmax])
@pytest.mark.parametrize("bad", [INF, -INF, NAN])
def test_extrema_pass_an_inf_or_nan_in_the_gradient_only_to_the_chosen_operand(function, bad):
    np.testing.assert_array_equal(gradients(function, (2.0, 1.0), bad), (2.0, bad, 0.0))
    np.testing.assert_array_equal(gradients(function, (1.0, 2.0), bad), (2.0, 0.0, bad))


def test_minimum_gives_each_element_beside_a_tie_its_own_gradient():
    x0, x1 = Variable(np.array([1.0, 2.0, 3.0])), Variable(np.array([2.0]))
    y = minimum(x0, x1)
    y.grad = np.array([10.0, INF, 30.0])
    y.backward()
    np.testing.assert_array_equal(x0.grad, [10.0, INF, 0.0])
    np.testing.assert_array_equal(x1.grad, [INF])


def test_a_root_at_0_that_maximum_did_not_choose_has_no_nan_gradient():
    x = Variable(np.array([-1.0, 4.0]))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        sqrt(maximum(x, 0.0)).backward()
    np.testing.assert_array_equal(x.grad, [0.0, 0.25])


@pytest.mark.parametrize("function", [maximum, minimum, fmax, fmin])
def test_operands_in_a_tie_share_derivatives_of_every_order(function):
    x = Variable(np.array([3.0, -2.0]))
    first = grad(function(x * x * x, x * x * x), x, create_graph=True)
    second = grad(first, x, create_graph=True)
    np.testing.assert_array_equal(first.data, [27.0, 12.0])
    np.testing.assert_array_equal(second.data, [18.0, -12.0])
    np.testing.assert_array_equal(grad(second, x), [6.0, 6.0])


def test_maximum_and_minimum_order_complex_numbers_by_the_real_part_first():
    x0, x1 = Variable(np.array([1.0 + 5.0j, 1.0])), Variable(np.array([2.0, 1.0 + 1.0j]))
    y = np.fmax(x0, x1)
    y.grad = np.array([1.0j, 2.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [2.0, 1.0 + 1.0j])
    np.testing.assert_array_equal((x0.grad, x1.grad), ([0.0, 0.0], [1.0j, 2.0]))


def test_maximum_takes_an_integer_beyond_64_bits():
    x = Variable(np.array([1.0, 1e31]))
    maximum(x, 10**30).backward()
    np.testing.assert_array_equal(x.grad, [0.0, 1.0])


@pytest.mark.parametrize("function", [fmax, fmin])
def test_fmax_and_fmin_on_wrong_shapes_are_numpys_error_with_a_note(function):
    x = Variable(np.zeros(2))
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        function(x, np.ones(3))
    (note,) = caught.value.__notes__
    assert function.__name__.title() in note
    assert "float64[2], float64[3]" in note


def variable(*numbers):
    return Variable(np.array(numbers))


@pytest.mark.parametrize(
    ("pair", "value", "shares"),
    [
        ((2.0, 1.0), 2.0, (1.0, 0.0)),
        ((1.0, 2.0), 2.0, (0.0, 1.0)),
        ((2.0, 2.0), 2.0, (0.5, 0.5)),
        ((0.0, -0.0), 0.0, (0.5, 0.5)),
        ((np.inf, np.inf), np.inf, (0.5, 0.5)),
        ((np.nan, 1.0), np.nan, (1.0, 0.0)),
        ((1.0, np.nan), np.nan, (0.0, 1.0)),
        ((np.nan, np.nan), np.nan, (0.5, 0.5)),
    ],
)
def test_maximum_and_minimum_give_the_gradient_to_the_extreme_and_halves_to_equals(
    pair, value, shares
):
    for function, sign in ((maximum, 1.0), (minimum, -1.0)):
        x0, x1 = (Variable(np.array(sign * number)) for number in pair)
        y = function(x0, x1)
        y.backward()
        np.testing.assert_array_equal(y.data, sign * value)
        np.testing.assert_array_equal((x0.grad, x1.grad), shares)


@pytest.mark.parametrize("function", [maximum, minimum])
def test_the_maximum_of_a_variable_with_itself_has_the_whole_gradient(function):
    x = variable(1.0, -2.0)
    function(x, x).backward()
    np.testing.assert_array_equal(x.grad, [1.0, 1.0])


@pytest.mark.parametrize("function", [maximum, minimum])
def test_a_tie_of_maximum_with_a_number_gives_half_and_keeps_the_dtype(function):
    x = Variable(np.array([0.0, 0.0], np.float32))
    y = function(x, 0.0)
    y.backward()
    assert (y.dtype, x.grad.dtype) == (np.float32, np.float32)
    np.testing.assert_array_equal(x.grad, [0.5, 0.5])


@pytest.mark.parametrize("function", [maximum, minimum])
def test_maximum_and_minimum_on_wrong_shapes_are_numpys_error_with_a_note(function):
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        function(variable(1.0, 2.0), np.ones(3))
    assert type(caught.value) is ValueError
    (note,) = caught.value.__notes__
    assert function.__name__.title() in note
    assert "float64[2], float64[3]" in note


@pytest.mark.parametrize("function", [maximum, minimum])
@pytest.mark.parametrize("operand", [None, "1", ["1", "2"]], ids=repr)
def test_maximum_and_minimum_refuse_an_operand_that_is_no_array(function, operand):
    with pytest.raises(TypeError, match="is not supported"):
        function(variable(1.0, 2.0), operand)
