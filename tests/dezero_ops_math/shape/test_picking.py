"""take, take_along_axis, compress and extract: picked twice adds up, positions are NumPy's."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import compress, extract, take, take_along_axis


def line():
    return Variable(np.array([1.0, 2.0, 3.0]))


def matrix():
    return Variable(np.arange(6.0).reshape(2, 3))


def test_a_row_that_take_picks_twice_gets_the_sum_of_gradients():
    x = matrix()
    y = np.take(x, [1, 1, -2], axis=0)
    y.grad = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [100.0, 200.0, 300.0]])
    y.backward()
    np.testing.assert_array_equal(x.grad, [[100.0, 200.0, 300.0], [11.0, 22.0, 33.0]])


def test_the_gradient_of_take_along_an_axis_goes_back_to_the_columns():
    x = Variable(np.zeros((2, 3, 4)))
    y = x.take([[2, 0]], axis=1)
    y.grad = arriving = np.arange(16.0).reshape(2, 1, 2, 4)
    y.backward()
    expected = np.zeros((2, 3, 4))
    expected[:, 2], expected[:, 0] = arriving[:, 0, 0], arriving[:, 0, 1]
    np.testing.assert_array_equal(x.grad, expected)


@pytest.mark.parametrize(
    ("mode", "expected"), [("wrap", [1.0, 1.0, 1.0]), ("clip", [1.0, 0.0, 2.0])]
)
@pytest.mark.parametrize("axis", [None, 0])
def test_take_reads_positions_out_of_range_by_its_mode(mode, expected, axis):
    x = line()
    take(x, [-3, 4, 5], axis, mode=mode).backward()
    np.testing.assert_array_equal(x.grad, expected)


@pytest.mark.parametrize("kind", [np.array, list, lambda positions: Variable(np.array(positions))])
def test_positions_changed_after_take_change_no_gradient(kind):
    positions, x = kind([0, 2]), line()
    y = take(x, positions)
    values = positions.data if isinstance(positions, Variable) else positions
    values[0] = 1
    y.backward()
    np.testing.assert_array_equal(x.grad, [1.0, 0.0, 1.0])


def test_take_with_a_single_position_picks_a_number():
    x = line()
    y = x.take(1)
    y.backward()
    assert y.shape == ()
    np.testing.assert_array_equal(x.grad, [0.0, 1.0, 0.0])


def test_take_along_axis_picks_positions_in_each_row():
    x = matrix()
    y = take_along_axis(x, np.array([[2, 2], [0, 1]]), axis=1)
    y.grad = np.array([[1.0, 2.0], [3.0, 4.0]])
    y.backward()
    np.testing.assert_array_equal(y.data, [[2.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(x.grad, [[0.0, 0.0, 3.0], [3.0, 4.0, 0.0]])


def test_take_along_axis_with_positions_of_argmax_picks_the_maximum():
    x = matrix()
    np.take_along_axis(x, np.argmax(x.data, axis=0, keepdims=True), axis=0).backward()
    np.testing.assert_array_equal(x.grad, [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])


@pytest.mark.parametrize(
    ("call", "error", "name"),
    [
        (lambda x: take(x, [3]), IndexError, "Take"),
        (lambda x: take(x, [0], axis=1), np.exceptions.AxisError, "Take"),
        (lambda x: take(x, Variable(np.array([0.5]))), TypeError, "Take"),
        (lambda x: take(x, [0], mode="blue"), ValueError, "Take"),
        (lambda x: take_along_axis(x, np.array([5])), IndexError, "TakeAlongAxis"),
        (lambda x: take_along_axis(x, np.array([[0]])), ValueError, "TakeAlongAxis"),
    ],
)
def test_bad_positions_of_take_are_numpys_error_and_change_no_gradient(call, error, name):
    x = line()
    x.grad = before = np.ones(3)
    with pytest.raises(error) as caught:
        call(x)
    assert f"{name}.forward" in caught.value.__notes__[0]
    assert x.grad is before


def test_take_refuses_a_variable_as_axis():
    with pytest.raises(TypeError, match="needs a constant for 'axis'"):
        take(line(), [0], axis=Variable(np.array(0)))


def test_take_refuses_out_by_name():
    with pytest.raises(TypeError, match=r"np\.take .* no out="):
        np.take(line(), [0], out=np.zeros(1))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.compress([True, False, True], x, axis=1),
        lambda x: x.compress([True, False, True], axis=1),
        lambda x: x.compress([True, False, True], 1),
    ],
)
def test_elements_that_compress_and_extract_leave_out_get_no_gradient(call):
    x = matrix()
    y = call(x)
    y.grad = np.array([[1.0, 2.0], [3.0, 4.0]])
    y.backward()
    np.testing.assert_array_equal(y.data, [[0.0, 2.0], [3.0, 5.0]])
    np.testing.assert_array_equal(x.grad, [[1.0, 0.0, 2.0], [3.0, 0.0, 4.0]])


def test_compress_with_a_short_condition_leaves_out_the_rest():
    x = matrix()
    compress([False, True], x).backward()
    np.testing.assert_array_equal(x.grad, [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])


def test_extract_takes_a_comparison_as_condition():
    x = Variable(np.array([[-1.0, np.nan], [2.0, np.inf]]))
    y = np.extract(x > 0.0, x)
    y.grad = np.array([3.0, 4.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [2.0, np.inf])
    np.testing.assert_array_equal(x.grad, [[0.0, 0.0], [3.0, 4.0]])


@pytest.mark.parametrize("function", [compress, extract])
def test_a_condition_changed_after_compress_or_extract_changes_no_gradient(function):
    condition, x = np.array([True, False, True]), Variable(np.ones(3))
    y = function(condition, x)
    condition[1] = True
    y.backward()
    np.testing.assert_array_equal(x.grad, [1.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("call", "error", "name"),
    [
        (lambda x: compress([0, 0, 0, 0, 0, 0, 1], x), IndexError, "Compress"),
        (lambda x: compress([[True]], x), ValueError, "Compress"),
        (lambda x: compress([True], x, axis=2), np.exceptions.AxisError, "Compress"),
        (lambda x: extract(np.ones(7), x), IndexError, "Extract"),
    ],
)
def test_bad_conditions_of_compress_and_extract_are_numpys_error_with_a_note(call, error, name):
    with pytest.raises(error) as caught:
        call(matrix())
    assert f"{name}.forward" in caught.value.__notes__[0]


def test_compress_refuses_out_by_name():
    with pytest.raises(TypeError, match=r"np\.compress .* no out="):
        np.compress([True], matrix(), out=np.zeros(1))
    with pytest.raises(TypeError, match=r"np\.compress .* no out="):
        matrix().compress([True], out=np.zeros(1))
