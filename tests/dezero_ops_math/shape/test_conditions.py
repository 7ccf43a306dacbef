"""compress and extract: elements for which a condition holds."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import compress, extract


def matrix():
    return Variable(np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.compress([True, False, True], x, axis=1),
        lambda x: x.compress([True, False, True], axis=1),
        lambda x: x.compress([True, False, True], 1),
    ],
)
def test_what_was_left_out_gets_no_gradient(call):
    x = matrix()
    y = call(x)
    y.grad = np.array([[1.0, 2.0], [3.0, 4.0]])
    y.backward()
    np.testing.assert_array_equal(y.data, [[0.0, 2.0], [3.0, 5.0]])
    np.testing.assert_array_equal(x.grad, [[1.0, 0.0, 2.0], [3.0, 0.0, 4.0]])


def test_a_short_condition_leaves_out_the_rest():
    x = matrix()
    compress([False, True], x).backward()
    np.testing.assert_array_equal(x.grad, [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])


def test_a_comparison_extracts():
    x = Variable(np.array([[-1.0, np.nan], [2.0, np.inf]]))
    y = np.extract(x > 0.0, x)
    y.grad = np.array([3.0, 4.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [2.0, np.inf])
    np.testing.assert_array_equal(x.grad, [[0.0, 0.0], [3.0, 4.0]])


@pytest.mark.parametrize("function", [compress, extract])
def test_a_condition_that_is_changed_after_forward_changes_nothing(function):
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
def test_what_does_not_fit_is_numpys_error_with_a_note(call, error, name):
    with pytest.raises(error) as caught:
        call(matrix())
    assert f"{name}.forward" in caught.value.__notes__[0]


def test_out_is_refused_by_name():
    with pytest.raises(TypeError, match=r"np\.compress .* no out="):
        np.compress([True], matrix(), out=np.zeros(1))
    with pytest.raises(TypeError, match=r"np\.compress .* no out="):
        matrix().compress([True], out=np.zeros(1))
