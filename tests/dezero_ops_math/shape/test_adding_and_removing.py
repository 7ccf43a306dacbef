"""append, insert and delete: every element keeps its gradient."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import append, delete, insert


def line():
    return Variable(np.array([1.0, 2.0, 3.0]))


def matrix():
    return Variable(np.arange(6.0).reshape(2, 3))


def test_append_without_an_axis_flattens_and_gradients_get_their_shapes_back():
    x, y = matrix(), Variable(np.array([[6.0], [7.0]]))
    z = np.append(x, y)
    z.grad = np.arange(8.0)
    z.backward()
    np.testing.assert_array_equal(z.data, np.arange(8.0))
    np.testing.assert_array_equal(x.grad, x.data)
    np.testing.assert_array_equal(y.grad, y.data)


def test_a_value_that_insert_repeats_gets_the_sum_of_gradients():
    x, v = line(), Variable(np.array(9.0))
    y = np.insert(x, [0, 0, 3], v)
    y.grad = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [9.0, 9.0, 1.0, 2.0, 3.0, 9.0])
    np.testing.assert_array_equal(x.grad, [3.0, 4.0, 5.0])
    np.testing.assert_array_equal(v.grad, 9.0)


def test_gradients_of_insert_at_unordered_positions_go_to_their_values():
    x, v = line(), Variable(np.array([10.0, 20.0]))
    y = insert(x, [2, 0], v)
    y.grad = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [20.0, 1.0, 2.0, 10.0, 3.0])
    np.testing.assert_array_equal(x.grad, [2.0, 3.0, 5.0])
    np.testing.assert_array_equal(v.grad, [4.0, 1.0])


@pytest.mark.parametrize("obj", [1, [1], [-2], slice(1, 2), np.array([False, True, False])])
def test_insert_and_delete_take_positions_in_every_form_of_numpy(obj):
    x = matrix()
    y = insert(x, obj, 9.0, axis=1)
    z = delete(x, obj, axis=1)
    for result in (y, z):
        result.backward()
    np.testing.assert_array_equal(y.data, [[0.0, 9.0, 1.0, 2.0], [3.0, 9.0, 4.0, 5.0]])
    np.testing.assert_array_equal(z.data, [[0.0, 2.0], [3.0, 5.0]])
    np.testing.assert_array_equal(x.grad, [[2.0, 1.0, 2.0]] * 2)


@pytest.mark.parametrize("function", [delete, lambda x, obj: insert(x, obj, 0.0)])
def test_positions_changed_after_insert_or_delete_change_no_gradient(function):
    obj, x = [0, 1], line()
    y = function(x, obj)
    gradients = np.arange(float(y.size))
    expected = gradients[y.data > 0.0]
    obj[1] = 2
    y.grad = gradients
    y.backward()
    np.testing.assert_array_equal(x.grad[-len(expected) :], expected)


def test_elements_that_delete_removes_get_no_gradient():
    x = matrix()
    delete(x, [1, 1, -1]).backward()
    np.testing.assert_array_equal(x.grad, [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])


def test_insert_converts_values_to_the_dtype_of_the_array():
    x, v = Variable(np.ones(2, np.float32)), Variable(np.array([0.1]))
    y = insert(x, 1, v)
    y.backward()
    assert (y.dtype, x.grad.dtype, v.grad.dtype) == (np.float32, np.float32, np.float64)


@pytest.mark.parametrize(
    ("call", "error", "name"),
    [
        (lambda x: append(x, np.ones((2, 2)), axis=0), ValueError, "Append"),
        (lambda x: append(x, np.ones(2), axis=1), np.exceptions.AxisError, "Append"),
        (lambda x: insert(x, 4, 0.0), IndexError, "Insert"),
        (lambda x: insert(x, [0, 1], np.ones(3)), ValueError, "Insert"),
        (lambda x: delete(x, 3), IndexError, "Delete"),
        (lambda x: delete(x, 0, axis=1), np.exceptions.AxisError, "Delete"),
    ],
)
def test_bad_input_of_append_insert_and_delete_is_numpys_error_with_a_note(call, error, name):
    with pytest.raises(error) as caught:
        call(line())
    assert f"{name}.forward" in caught.value.__notes__[0]


@pytest.mark.parametrize("call", [lambda x, a: append(x, x, a), lambda x, a: delete(x, 0, a)])
def test_append_insert_and_delete_refuse_a_variable_as_axis(call):
    with pytest.raises(TypeError, match="needs a constant for 'axis'"):
        call(line(), Variable(np.array(0)))


def test_append_takes_a_list_of_numbers_as_numpy_does():
    x = line()
    y = append(x, [4.0])
    np.testing.assert_array_equal(y.data, np.append(x.data, [4.0]), strict=True)
