"""split and its kin: parts that nobody used, that overlap, or that are not equal."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import array_split, dsplit, hsplit, split, unstack, vsplit

SPLITS = [array_split, split, vsplit, hsplit, dsplit]


def cube():
    return Variable(np.arange(8.0).reshape(2, 2, 2))


@pytest.mark.parametrize("function", SPLITS)
@pytest.mark.parametrize("sections", [1, 2, [], [1], (1,), np.array([1])], ids=repr)
def test_splitting_functions_give_a_list_like_numpy(function, sections):
    of_numpy = getattr(np, function.__name__)
    for parts in (function(cube(), sections), of_numpy(cube(), sections)):
        assert type(parts) is list
        expected = of_numpy(cube().data, sections)
        for part, array in zip(parts, expected, strict=True):
            assert type(part) is Variable
            np.testing.assert_array_equal(part.data, array, strict=True)


def test_unstack_gives_a_tuple_of_variables():
    x = Variable(np.arange(6.0).reshape(2, 3))
    parts = unstack(x, axis=1)
    assert type(parts) is tuple
    assert [part.shape for part in parts] == [(2,)] * 3
    assert unstack(Variable(np.zeros((2, 0))), axis=1) == ()
    assert [part.shape for part in unstack(Variable(np.zeros((1, 0))))] == [(0,)]


def test_gradients_of_unused_parts_of_split_count_as_zeros():
    x = Variable(np.arange(6.0))
    _, second, _ = np.split(x, 3)
    second.backward()
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    x.cleargrad()
    unstack(x)[4].backward()
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, 0.0, 0.0, 1.0, 0.0])


@pytest.mark.parametrize("function", [split, array_split])
def test_gradients_of_overlapping_parts_of_split_add_up(function):
    """Cut before 3 and before 1: [0 1 2], nothing, and [1 2 3 4]."""
    x = Variable(np.arange(5.0))
    first, nothing, last = function(x, [3, 1])
    assert nothing.shape == (0,)
    (np.sum(first) + 10.0 * np.sum(last)).backward()
    np.testing.assert_array_equal(x.grad, [1.0, 11.0, 11.0, 10.0, 10.0])


def test_second_derivatives_pass_through_overlapping_parts_of_split():
    x = Variable(np.arange(5.0))
    first, _, last = split(x, [3, 1])
    once = grad(np.sum(first**3.0) + np.sum(last**3.0), x, create_graph=True)
    np.testing.assert_array_equal(once.data, [0.0, 6.0, 24.0, 27.0, 48.0])
    np.testing.assert_array_equal(grad(once, x), [0.0, 12.0, 24.0, 18.0, 24.0])


def test_positions_changed_after_split_change_no_gradient():
    x, positions = Variable(np.arange(5.0)), [3, 1]
    first, _, last = split(x, positions)
    positions[:] = [1, 4]
    (np.sum(first) + 10.0 * np.sum(last)).backward()
    np.testing.assert_array_equal(x.grad, [1.0, 11.0, 11.0, 10.0, 10.0])


@pytest.mark.parametrize(
    ("call", "name", "message"),
    [
        (lambda x: split(x, 3), "Split", "equal division"),
        (lambda x: vsplit(x, 3), "VSplit", "equal division"),
        (lambda x: hsplit(x, 3), "HSplit", "equal division"),
        (lambda x: dsplit(x, 3), "DSplit", "equal division"),
        (lambda x: array_split(x, 0), "ArraySplit", "larger than 0"),
        (lambda x: vsplit(x[0, 0], 1), "VSplit", "2 or more dimensions"),
        (lambda x: hsplit(x[0, 0, 0], 1), "HSplit", "1 or more dimensions"),
        (lambda x: dsplit(x[0], 1), "DSplit", "3 or more dimensions"),
        (lambda x: unstack(x[0, 0, 0]), "Unstack", "at least 1-d"),
    ],
)
def test_an_impossible_split_is_numpys_error_with_a_note(call, name, message):
    with pytest.raises(ValueError, match=message) as caught:
        call(cube())
    assert type(caught.value) is ValueError
    assert name in caught.value.__notes__[0]
    assert "test_splitting.py" in caught.value.__notes__[0]


def test_an_axis_out_of_range_in_unstack_is_numpys_error():
    with pytest.raises(np.exceptions.AxisError) as caught:
        unstack(cube(), axis=3)
    assert "Unstack" in caught.value.__notes__[0]
    with pytest.raises(np.exceptions.AxisError):
        unstack(Variable(np.zeros((2, 0))), axis=3)
    with pytest.raises(IndexError):
        split(cube(), 2, axis=3)


@pytest.mark.parametrize("function", SPLITS)
@pytest.mark.parametrize("sections", [Variable(np.array(1)), [Variable(np.array(1))]])
def test_splitting_functions_refuse_a_variable_as_position(function, sections):
    with pytest.raises(TypeError, match="'indices_or_sections"):
        function(cube(), sections)
