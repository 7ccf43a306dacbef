"""flip, roll, rot90: there and back."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import flip, fliplr, flipud, roll, rot90

NUMBERS = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("function", [flip, roll, rot90])
@pytest.mark.parametrize("k", [-9, -4, -3, -1, 0, 1, 2, 3, 5, 8])
def test_flip_and_rot90_return_the_gradient_to_the_place_of_its_element(function, k):
    for axes in ((0, 1), (2, 0), (-1, -2)):
        arguments = (axes,) if function is flip else (k, axes)
        x = Variable(np.zeros_like(NUMBERS))
        y = function(x, *arguments)
        y.grad = getattr(np, function.__name__)(NUMBERS, *arguments)
        y.backward()
        np.testing.assert_array_equal(x.grad, NUMBERS)


@pytest.mark.parametrize(
    "shift", [np.uint8(1), 1.5, True, 10**30 + 1, np.array([1]), [1]], ids=repr
)
def test_roll_undoes_every_kind_of_shift_in_the_gradient(shift):
    """An unsigned one has no negative; a fraction is cut off."""
    x = Variable(np.zeros(5))
    y = roll(x, shift)
    y.grad = np.roll(np.arange(5.0), shift)
    y.backward()
    np.testing.assert_array_equal(x.grad, np.arange(5.0))


@pytest.mark.parametrize("kind", [list, np.array])
def test_lists_changed_after_roll_or_rot90_change_no_gradient(kind):
    shift, axes, turned = kind([1, 2]), kind([0, 2]), kind([0, 1])
    x, y = Variable(np.zeros((2, 3, 4))), Variable(np.zeros((2, 2)))
    rolled, quarter = roll(x, shift, axes), rot90(y, 1, turned)
    shift[:], axes[:], turned[:] = [3, 3], [1, 1], [1, 0]
    rolled.grad = np.roll(NUMBERS, (1, 2), (0, 2))
    rolled.backward()
    quarter.grad = np.rot90(NUMBERS[0, :2, :2])
    quarter.backward()
    np.testing.assert_array_equal(x.grad, NUMBERS)
    np.testing.assert_array_equal(y.grad, NUMBERS[0, :2, :2])


def test_second_derivatives_pass_through_flip_roll_and_rot90():
    x = Variable(np.arange(6.0).reshape(2, 3))
    y = roll(rot90(fliplr(flipud(flip(x, 1)))), 1)
    first = grad(y**3.0, x, create_graph=True)
    np.testing.assert_array_equal(first.data, 3.0 * x.data**2)
    np.testing.assert_array_equal(grad(first, x), 6.0 * x.data)


@pytest.mark.parametrize(
    ("call", "error", "name"),
    [
        (lambda x: flip(x, 1), np.exceptions.AxisError, "Flip"),
        (fliplr, ValueError, "FlipLR"),
        (lambda x: flipud(x[0]), ValueError, "FlipUD"),
        (lambda x: roll(x, 1, 1), np.exceptions.AxisError, "Roll"),
        (lambda x: roll(x, (1, 2, 3), (0, 0)), ValueError, "Roll"),
        (lambda x: roll(x, [[1]]), ValueError, "Roll"),
        (rot90, ValueError, "Rot90"),
        (lambda x: rot90(x, 1, (0, 0)), ValueError, "Rot90"),
    ],
)
def test_axes_out_of_range_in_flip_roll_and_rot90_are_numpys_error(call, error, name):
    with pytest.raises(error) as caught:
        call(Variable(np.ones(3)))
    assert type(caught.value) is error
    assert f"{name}.forward" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x, n: roll(x, n), "shift"),
        (lambda x, n: roll(x, (1, n), (0, 1)), "shift"),
        (lambda x, n: roll(x, 1, n), "axis"),
        (lambda x, n: flip(x, n), "axis"),
        (lambda x, n: rot90(x, n), "k"),
    ],
)
def test_flip_roll_and_rot90_refuse_a_variable_as_shift_or_axis(call, name):
    with pytest.raises(TypeError, match=f"'{name}"):
        call(Variable(np.ones((2, 2))), Variable(np.array(1)))
