"""maximum and minimum where both are extreme, or one is nan."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import maximum, minimum


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


@pytest.mark.parametrize("function", [maximum, minimum])
@pytest.mark.parametrize("operand", [None, "1", [1.0, 2.0]], ids=repr)
def test_an_operand_that_is_no_array_is_a_type_error(function, operand):
    with pytest.raises(TypeError, match="is not supported"):
        function(variable(1.0, 2.0), operand)
