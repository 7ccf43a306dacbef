"""max, min, maximum and minimum where several elements are extreme, or one is nan."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import max, maximum, min, minimum

THIRD = 1.0 / 3.0


def variable(*numbers):
    return Variable(np.array(numbers))


@pytest.mark.parametrize(
    ("numbers", "value", "shares"),
    [
        ((1.0, 3.0, 2.0), 3.0, (0.0, 1.0, 0.0)),
        ((3.0, 3.0, 2.0), 3.0, (0.5, 0.5, 0.0)),
        ((3.0, 3.0, 3.0), 3.0, (THIRD, THIRD, THIRD)),
        ((1.0, np.nan, 2.0), np.nan, (0.0, 1.0, 0.0)),
        ((np.nan, np.nan, 2.0), np.nan, (0.5, 0.5, 0.0)),
        ((np.inf, np.inf, 0.0), np.inf, (0.5, 0.5, 0.0)),
        ((-np.inf, -np.inf, -np.inf), -np.inf, (THIRD, THIRD, THIRD)),
        ((0.0, -0.0, -1.0), 0.0, (0.5, 0.5, 0.0)),
    ],
)
def test_the_gradient_is_shared_by_all_that_are_extreme(numbers, value, shares):
    for function, sign in ((max, 1.0), (min, -1.0)):
        x = variable(*np.multiply(sign, numbers))
        y = function(x)
        y.backward()
        np.testing.assert_array_equal(y.data, sign * value)
        np.testing.assert_allclose(x.grad, shares, rtol=1e-15)


def test_ties_are_shared_along_each_axis_on_its_own():
    x = Variable(np.array([[1.0, 1.0, 0.0], [2.0, 5.0, 4.0]]))
    y = max(x, axis=1)
    y.grad = np.array([10.0, 20.0])
    y.backward()
    np.testing.assert_array_equal(x.grad, [[5.0, 5.0, 0.0], [0.0, 20.0, 0.0]])


def test_ties_are_shared_over_several_axes():
    x = Variable(np.array([[1.0, 0.0], [1.0, 1.0]]))
    max(x, axis=(0, 1), keepdims=True).backward()
    np.testing.assert_allclose(x.grad, [[THIRD, 0.0], [THIRD, THIRD]], rtol=1e-15)


def test_a_tie_keeps_the_dtype():
    x = Variable(np.ones(3, np.float32))
    max(x).backward()
    assert x.grad.dtype == np.float32


def test_the_second_derivative_of_a_square_goes_to_the_extreme():
    x = variable(1.0, 3.0)
    first = grad(max(x * x), x, create_graph=True)
    np.testing.assert_array_equal(first.data, [0.0, 6.0])
    np.testing.assert_array_equal(grad(first, x), [0.0, 2.0])


@pytest.mark.parametrize("function", [max, min])
def test_of_nothing_there_is_no_extreme(function):
    with pytest.raises(ValueError, match="zero-size array") as caught:
        function(Variable(np.zeros((0, 2))), axis=0)
    (note,) = caught.value.__notes__
    assert function.__name__.title() in note
    assert "float64[0, 2]" in note


@pytest.mark.parametrize("function", [max, min])
def test_an_axis_that_is_not_there_is_numpys_error_with_a_note(function):
    with pytest.raises(np.exceptions.AxisError) as caught:
        function(variable(1.0, 2.0), axis=1)
    assert "float64[2]" in caught.value.__notes__[0]


@pytest.mark.parametrize("function", [np.max, np.min])
@pytest.mark.parametrize("argument", ["out", "initial", "where"])
def test_what_they_do_not_take_is_refused_by_name(function, argument):
    with pytest.raises(TypeError, match=argument):
        function(variable(1.0, 2.0), **{argument: np.array(1.0)})


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
def test_of_two_the_extreme_gets_the_gradient_and_equals_share_it(pair, value, shares):
    for function, sign in ((maximum, 1.0), (minimum, -1.0)):
        x0, x1 = (Variable(np.array(sign * number)) for number in pair)
        y = function(x0, x1)
        y.backward()
        np.testing.assert_array_equal(y.data, sign * value)
        np.testing.assert_array_equal((x0.grad, x1.grad), shares)


@pytest.mark.parametrize("function", [maximum, minimum])
def test_of_one_twice_the_shares_add_up_to_the_whole(function):
    x = variable(1.0, -2.0)
    function(x, x).backward()
    np.testing.assert_array_equal(x.grad, [1.0, 1.0])


@pytest.mark.parametrize("function", [maximum, minimum])
def test_a_tie_with_a_number_gives_half_and_keeps_the_dtype(function):
    x = Variable(np.array([0.0, 0.0], np.float32))
    y = function(x, 0.0)
    y.backward()
    assert (y.dtype, x.grad.dtype) == (np.float32, np.float32)
    np.testing.assert_array_equal(x.grad, [0.5, 0.5])


@pytest.mark.parametrize("function", [maximum, minimum])
def test_shapes_that_do_not_broadcast_are_numpys_error_with_a_note(function):
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        function(variable(1.0, 2.0), np.ones(3))
    assert type(caught.value) is ValueError
    (note,) = caught.value.__notes__
    assert function.__name__.title() in note
    assert "float64[2], float64[3]" in note


@pytest.mark.parametrize("function", [max, min])
@pytest.mark.parametrize("operand", [None, "1", [1.0, 2.0]], ids=repr)
def test_an_operand_that_is_no_array_is_a_type_error(function, operand):
    with pytest.raises(TypeError, match="is not supported"):
        function(operand)
    with pytest.raises(TypeError, match="is not supported"):
        (maximum if function is max else minimum)(variable(1.0, 2.0), operand)
