"""argmax, any, all, count_nonzero and their likes: NumPy's own results, nothing recorded."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import all, any, argmax, argmin, count_nonzero, nanargmax, nanargmin

NAN = np.nan


def variable(*numbers):
    return Variable(np.array(numbers))


def test_argmax_and_argmin_give_the_first_of_equal_elements():
    assert argmax(variable(1.0, 3.0, 3.0)) == 1
    assert argmin(variable(1.0, 1.0, 3.0)) == 0


def test_argmax_and_argmin_find_nan_and_nanargmax_and_nanargmin_leave_out_nan():
    x = variable(1.0, NAN, 3.0)
    assert (argmax(x), argmin(x), nanargmax(x), nanargmin(x)) == (1, 1, 2, 0)


@pytest.mark.parametrize("function", [nanargmax, nanargmin])
def test_nanargmax_and_nanargmin_of_only_nan_are_numpys_error_with_a_note(function):
    with pytest.raises(ValueError, match="All-NaN slice encountered") as caught:
        function(variable(NAN, NAN))
    (note,) = caught.value.__notes__
    assert note.startswith(f"in {function.__name__} of plugin 'math' (dezero-ops-math ")
    assert "), given float64[2], called at " in note


def test_positions_and_truth_values_are_numpys_and_not_recorded():
    x = Variable(np.array([[0.0, 2.0], [NAN, 0.0]]))
    for got, expected in (
        (x.argmax(axis=1), x.data.argmax(axis=1)),
        (x.any(axis=0, keepdims=True), x.data.any(axis=0, keepdims=True)),
        (x.all(), x.data.all()),
        (np.count_nonzero(x, axis=1), np.count_nonzero(x.data, axis=1)),
    ):
        assert type(got) is type(expected)
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == expected.dtype
    assert (x.generation, x.creator) == (0, None)


@pytest.mark.parametrize("function", [any, all])
def test_any_and_all_take_a_variable_as_mask(function):
    x = variable(0.0, 2.0)
    for mask, expected in ((True, False), False), ((False, True), True):
        assert function(x, where=Variable(np.array(mask))) == expected


def test_integers_and_booleans_have_positions_and_truth_values():
    x = Variable(np.array([0, 3, 2]))
    assert (argmax(x), any(x), all(x), count_nonzero(x)) == (1, True, False, 2)
    assert all(x == x.data)
