"""Variables of integers and booleans are constants, and may be used where arrays may.

Promise: docs/how_to/differences_from_numpy.md
"""

import operator

import numpy as np
import pytest

from dezero_core import Variable, VariableTypeError


@pytest.fixture
def numbers():
    return np.array([10.0, 20.0, 30.0])


def test_variables_of_integers_and_booleans_pick_elements_of_an_array(numbers):
    positions = Variable(np.array([2, 0]))
    np.testing.assert_array_equal(numbers[positions], [30.0, 10.0])
    np.testing.assert_array_equal(numbers[Variable(np.array([True, False, True]))], [10.0, 30.0])
    assert numbers[Variable(np.array(1))] == 20.0
    np.testing.assert_array_equal(numbers[: Variable(np.array(2))], [10.0, 20.0])
    written = numbers.copy()
    written[positions] = 0.0
    np.testing.assert_array_equal(written, [0.0, 20.0, 0.0])


def test_a_boolean_variable_of_no_dimension_is_a_mask_and_no_position(numbers):
    """As in NumPy, where ``a[True]`` is all of it and ``a[1]`` the second element."""
    for truth in (True, False):
        picked = numbers[Variable(np.array(truth))]
        np.testing.assert_array_equal(picked, numbers[np.array(truth)])
    with pytest.raises(TypeError, match="index"):
        operator.index(Variable(np.array(True)))


@pytest.mark.parametrize("dtype", ["i1", "i8", "u2"])
def test_an_integer_variable_counts_and_sizes(dtype):
    n = Variable(np.array(3, dtype))
    assert list(range(n)) == [0, 1, 2]
    assert ["a", "b", "c", "d"][n] == "d"
    assert [np.ones(n).shape, np.zeros((n, n)).shape, np.ones(6).reshape(n, 2).shape] == [
        (3,),
        (3, 3),
        (3, 2),
    ]


@pytest.mark.parametrize("data", [np.arange(3), np.array([[True], [False]]), np.array(5)])
def test_a_constant_variable_turns_into_an_array_of_its_values(data):
    constant = Variable(data)
    for array in (np.asarray(constant), np.array(constant), np.ascontiguousarray(constant)):
        assert type(array) is np.ndarray
        assert array.dtype == data.dtype
        np.testing.assert_array_equal(
            array, np.atleast_1d(data) if array.ndim > data.ndim else data
        )
    assert np.asarray(constant, dtype=float).dtype == float
    np.testing.assert_array_equal(np.array([constant, constant]), np.array([data, data]))


def test_copies_of_a_constant_variable_are_made_as_numpy_is_asked_to():
    constant = Variable(np.arange(3))
    assert np.shares_memory(np.asarray(constant), constant.data)
    assert not np.shares_memory(np.array(constant), constant.data)
    with pytest.raises(ValueError, match="copy"):
        np.array(constant, dtype=float, copy=False)


@pytest.mark.parametrize("data", [np.array(2.0), np.array([2.0]), np.array(2j), None])
def test_a_variable_of_no_integer_is_no_index(data):
    x = Variable(data)
    for use in (
        lambda: range(x),
        lambda: [1, 2, 3][x],
        lambda: np.ones(x),
        lambda: np.arange(3)[x],
    ):
        with pytest.raises((TypeError, IndexError)):
            use()


def test_several_integers_are_no_size():
    with pytest.raises(TypeError, match="only integer scalar arrays"):
        range(Variable(np.array([1, 2])))


def test_a_list_with_a_constant_and_a_variable_of_floats_is_no_array():
    with pytest.raises(VariableTypeError, match=r"x\.data"):
        np.array([Variable(np.array(1)), Variable(np.array(1.0))])


def test_a_variable_without_data_does_not_turn_into_an_array():
    with pytest.raises(VariableTypeError, match=r"x\.data"):
        np.asarray(Variable(None))


def test_to_numpy_of_a_variable_is_its_data(book):
    x = Variable(np.array([1.0, 2.0]))
    y = book.Square()(x)
    assert x.to_numpy() is x.data
    assert y.to_numpy() is y.data
