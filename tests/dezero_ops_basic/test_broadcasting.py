"""``broadcast_to`` and ``sum_to`` undo one another, and refuse what does not fit.

Promise: docs/reference/operators.rst
"""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_basic import broadcast_to, sum_to


def test_broadcast_to_passes_back_the_sum_of_the_gradients():
    x = Variable(np.array([[1.0], [2.0]]))
    y = broadcast_to(x, (2, 3))
    y.grad = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y.backward()
    np.testing.assert_array_equal(y.data, [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])
    np.testing.assert_array_equal(x.grad, [[6.0], [15.0]])


def test_sum_to_gives_each_summed_element_the_gradient_of_the_sum():
    x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    y = sum_to(x, (2,))
    y.grad = np.array([10.0, 20.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [4.0, 6.0])
    np.testing.assert_array_equal(x.grad, [[10.0, 20.0], [10.0, 20.0]])


@pytest.mark.parametrize("shape", [(2,), (3, 2), (0, 3), (3, 3, 1), ()], ids=str)
def test_broadcast_to_an_impossible_shape_is_numpys_error_with_a_note(shape):
    with pytest.raises(ValueError, match=r"broadcast|non-broadcastable|more dimensions") as caught:
        broadcast_to(Variable(np.ones((2, 3))), shape)
    (note,) = caught.value.__notes__
    assert "BroadcastTo" in note
    assert "float64[2, 3]" in note
    assert "test_broadcasting.py" in note


@pytest.mark.parametrize("shape", [(2,), (3, 2), (0, 3), (1, 2, 3), (2, 3, 1)], ids=str)
def test_sum_to_an_impossible_shape_is_an_error_with_a_note(shape):
    with pytest.raises(ValueError, match=r"cannot sum .*shape") as caught:
        sum_to(Variable(np.ones((2, 3))), shape)
    assert str(shape) in str(caught.value)
    (note,) = caught.value.__notes__
    assert "SumTo" in note
    assert "float64[2, 3]" in note


def test_broadcast_to_and_sum_to_take_numbers():
    np.testing.assert_array_equal(broadcast_to(2.0, (2,)).data, [2.0, 2.0])
    np.testing.assert_array_equal(sum_to(2.0, ()).data, 2.0)


@pytest.mark.parametrize("function", [broadcast_to, sum_to])
@pytest.mark.parametrize("shape", [None, 2.0, (2.0, 3.0)], ids=repr)
def test_broadcast_to_and_sum_to_refuse_an_object_that_is_no_shape(function, shape):
    with pytest.raises(TypeError):
        function(Variable(np.ones((2, 3))), shape)


def test_broadcast_to_and_sum_to_take_the_shape_of_another_variable():
    x, y = Variable(np.ones((1, 3))), Variable(np.ones((2, 3)))
    assert x.broadcast_to(y.shape).shape == (2, 3)
    assert y.sum_to(x.shape).shape == (1, 3)
