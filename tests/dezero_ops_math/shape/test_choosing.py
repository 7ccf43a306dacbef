"""where, select and choose: an operand that was not chosen has no part in the gradient."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import choose, select, where

MASK = np.array([True, False, True])


def variable(*numbers):
    return Variable(np.array(numbers))


def test_where_sends_each_gradient_to_the_chosen_operand():
    x, y = variable(1.0, 2.0, 3.0), variable(10.0, 20.0, 30.0)
    z = where(MASK, x, y)
    z.grad = np.array([5.0, 6.0, 7.0])
    z.backward()
    np.testing.assert_array_equal(z.data, [1.0, 20.0, 3.0])
    np.testing.assert_array_equal(x.grad, [5.0, 0.0, 7.0])
    np.testing.assert_array_equal(y.grad, [0.0, 6.0, 0.0])


def test_where_with_a_variable_on_both_sides_gives_the_whole_gradient():
    x = variable(1.0, 2.0, 3.0)
    where(MASK, x, x).backward()
    np.testing.assert_array_equal(x.grad, [1.0, 1.0, 1.0])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_inf_or_nan_that_where_does_not_choose_reaches_no_gradient(bad):
    """Also where the gradient that arrives is itself inf or nan."""
    x, y = variable(1.0, bad, 3.0), variable(bad, 2.0, bad)
    z = where(MASK, x, y)
    z.grad = np.array([bad, 1.0, 1.0])
    z.backward()
    np.testing.assert_array_equal(z.data, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(x.grad, [bad, 0.0, 1.0])
    np.testing.assert_array_equal(y.grad, [0.0, 1.0, 0.0])


@pytest.mark.parametrize("kind", [np.array, list, lambda mask: Variable(np.array(mask))])
def test_a_condition_changed_after_where_changes_no_gradient(kind):
    condition = kind(MASK.tolist())
    x = variable(1.0, 2.0, 3.0)
    y = where(condition, x, 0.0)
    values = condition.data if isinstance(condition, Variable) else condition
    values[1] = True
    y.backward()
    np.testing.assert_array_equal(x.grad, [1.0, 0.0, 1.0])


@pytest.mark.parametrize("number", [0.5, 2, True, np.float32(0.5), np.int8(2)], ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_where_takes_a_number_on_either_side(number, dtype):
    data = np.array([1.5, 2.5, 3.5], dtype)
    for arrange in (lambda x: (MASK, x, number), lambda x: (MASK, number, x)):
        x = Variable(data)
        y = np.where(*arrange(x))
        y.backward()
        np.testing.assert_array_equal(y.data, np.where(*arrange(data)), strict=True)
        chosen = MASK if arrange(0)[1] == 0 else ~MASK
        np.testing.assert_array_equal(x.grad, chosen.astype(dtype), strict=True)


def test_where_takes_a_comparison_as_condition():
    x = variable(-1.0, 0.0, 2.0)
    y = np.where(x > 0.0, x, 0.1 * x)
    y.backward()
    np.testing.assert_array_equal(y.data, [-0.1, 0.0, 2.0])
    np.testing.assert_array_equal(x.grad, [0.1, 0.1, 1.0])


def test_where_on_shapes_that_do_not_broadcast_is_numpys_error_with_a_note():
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        where(MASK, variable(1.0, 2.0), np.ones(3))
    assert type(caught.value) is ValueError
    (note,) = caught.value.__notes__
    assert "Where" in note
    assert "float64[2], float64[3]" in note
    assert "test_choosing.py" in note


def test_where_without_operands_finds_positions_and_records_nothing():
    x = Variable(np.array([[1.0, 0.0], [0.0, 2.0]]))
    for found in (np.where(x), where(x)):
        assert type(found) is tuple
        np.testing.assert_array_equal(found, [[0, 1], [0, 1]])


def test_where_with_a_single_operand_is_numpys_error_with_a_note():
    with pytest.raises(ValueError, match="either both or neither") as caught:
        np.where(MASK, variable(1.0, 0.0, 2.0))
    assert "Where" in caught.value.__notes__[0]


@pytest.mark.parametrize("operand", [None, "1", ["1", "2", "3"]], ids=repr)
def test_where_refuses_an_operand_that_is_no_array(operand):
    x = variable(1.0, 2.0, 3.0)
    with pytest.raises(TypeError, match="is not supported"):
        where(MASK, x, operand)
    with pytest.raises(TypeError, match="is not supported"):
        where(MASK, operand, x)


def test_select_follows_the_first_condition_that_holds():
    x, y, z = variable(1.0, 2.0, 3.0), variable(4.0, 5.0, 6.0), variable(7.0, 8.0, 9.0)
    chosen = select([MASK, [True, True, False]], [x, y], default=z)
    chosen.grad = np.array([10.0, 20.0, 30.0])
    chosen.backward()
    np.testing.assert_array_equal(chosen.data, [1.0, 5.0, 3.0])
    np.testing.assert_array_equal(x.grad, [10.0, 0.0, 30.0])
    np.testing.assert_array_equal(y.grad, [0.0, 20.0, 0.0])
    np.testing.assert_array_equal(z.grad, [0.0, 0.0, 0.0])


def test_select_chooses_the_default_where_no_condition_holds():
    x, y = variable(1.0, np.nan, 3.0), Variable(np.array(7.0))
    chosen = select([MASK], [x], y)
    chosen.backward()
    np.testing.assert_array_equal(chosen.data, [1.0, 7.0, 3.0])
    np.testing.assert_array_equal(x.grad, [1.0, 0.0, 1.0])
    np.testing.assert_array_equal(y.grad, 1.0)


def test_conditions_changed_after_select_change_no_gradient():
    x, mask = variable(1.0, 2.0, 3.0), MASK.copy()
    y = np.select([mask], [x])
    mask[:] = False
    y.backward()
    np.testing.assert_array_equal(x.grad, [1.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("conditions", "error", "message"),
    [
        ([MASK, MASK], ValueError, "same length"),
        ([MASK.astype(int)], TypeError, "should be boolean"),
        ([MASK[:2]], ValueError, "could not be broadcast|shape mismatch"),
    ],
)
def test_wrong_conditions_of_select_are_numpys_error_with_a_note(conditions, error, message):
    with pytest.raises(error, match=message) as caught:
        select(conditions, [variable(1.0, 2.0, 3.0)])
    assert "Select" in caught.value.__notes__[0]


def test_choose_sends_each_gradient_to_the_chosen_array():
    x, y = variable(1.0, 2.0, 3.0), variable(10.0, 20.0, 30.0)
    chosen = np.choose([1, 0, 1], [x, y])
    chosen.grad = np.array([5.0, 6.0, 7.0])
    chosen.backward()
    np.testing.assert_array_equal(chosen.data, [10.0, 2.0, 30.0])
    np.testing.assert_array_equal(x.grad, [0.0, 6.0, 0.0])
    np.testing.assert_array_equal(y.grad, [5.0, 0.0, 7.0])


def test_choose_takes_a_single_variable_as_its_rows():
    rows = Variable(np.arange(6.0).reshape(2, 3))
    chosen = choose(np.array([[1, 0, 1], [0, 0, 1]]), rows)
    chosen.backward()
    np.testing.assert_array_equal(chosen.data, [[3.0, 1.0, 5.0], [0.0, 1.0, 5.0]])
    np.testing.assert_array_equal(rows.grad, [[1.0, 2.0, 0.0], [1.0, 0.0, 2.0]])
    same = np.choose(np.array([1, 0, 1]), rows)
    np.testing.assert_array_equal(same.data, [3.0, 1.0, 5.0])


@pytest.mark.parametrize(
    ("mode", "first", "second"), [("wrap", [0, 1, 1], [1, 0, 0]), ("clip", [1, 0, 0], [0, 1, 1])]
)
def test_choose_reads_numbers_out_of_range_by_its_mode(mode, first, second):
    x, y = variable(1.0, 2.0, 3.0), variable(10.0, 20.0, 30.0)
    choose([-1, 2, 4], [x, y], mode=mode).backward()
    np.testing.assert_array_equal(x.grad, first)
    np.testing.assert_array_equal(y.grad, second)


def test_a_number_out_of_range_in_choose_is_numpys_error_with_a_note():
    x = variable(1.0, 2.0)
    with pytest.raises(ValueError, match="invalid entry in choice array") as caught:
        choose([0, 2], [x, x])
    assert "Choose" in caught.value.__notes__[0]


def test_numbers_changed_after_choose_change_no_gradient():
    numbers, x = Variable(np.array([0, 1])), variable(1.0, 2.0)
    y = choose(numbers, [x, 0.0])
    numbers.data[1] = 0
    y.backward()
    np.testing.assert_array_equal(x.grad, [1.0, 0.0])


def test_choose_refuses_floats_as_numbers_of_choices():
    x = variable(0.0, 1.0)
    with pytest.raises(TypeError, match="Cannot cast"):
        choose(x, [x, x])


def test_choose_refuses_out_by_name():
    x = variable(1.0, 2.0)
    with pytest.raises(TypeError, match=r"np\.choose .* no out="):
        np.choose([0, 0], [x], out=np.zeros(2))
