"""argmax, any, all, count_nonzero and their likes: NumPy's own results, nothing recorded."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import all, any, argmax, argmin, count_nonzero, nanargmax, nanargmin

NAN = np.nan


def variable(*numbers):
    return Variable(np.array(numbers))


def test_of_equal_elements_it_is_the_first():
    assert argmax(variable(1.0, 3.0, 3.0)) == 1
    assert argmin(variable(1.0, 1.0, 3.0)) == 0


def test_nan_is_the_largest_and_the_smallest_unless_it_does_not_count():
    x = variable(1.0, NAN, 3.0)
    assert (argmax(x), argmin(x), nanargmax(x), nanargmin(x)) == (1, 1, 2, 0)


@pytest.mark.parametrize("function", [nanargmax, nanargmin])
def test_nothing_but_nan_is_numpys_error_with_a_note(function):
    with pytest.raises(ValueError, match="All-NaN slice encountered") as caught:
        function(variable(NAN, NAN))
    (note,) = caught.value.__notes__
    assert note.startswith(f"in {function.__name__} of plugin 'math' (dezero-ops-math ")
    assert "), given float64[2], called at " in note


def test_the_results_are_numpys_own_and_nothing_is_recorded():
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
def test_a_mask_may_be_a_variable(function):
    x = variable(0.0, 2.0)
    for mask, expected in ((True, False), False), ((False, True), True):
        assert function(x, where=Variable(np.array(mask))) == expected


def test_integers_and_booleans_have_positions_and_truth_too():
    x = Variable(np.array([0, 3, 2]))
    assert (argmax(x), any(x), all(x), count_nonzero(x)) == (1, True, False, 2)
    assert all(x == x.data)
