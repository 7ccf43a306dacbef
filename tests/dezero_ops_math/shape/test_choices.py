"""choose: the array of a number, element by element."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import choose


def variable(*numbers):
    return Variable(np.array(numbers))


def test_each_element_sends_its_gradient_to_the_array_that_was_chosen():
    x, y = variable(1.0, 2.0, 3.0), variable(10.0, 20.0, 30.0)
    chosen = np.choose([1, 0, 1], [x, y])
    chosen.grad = np.array([5.0, 6.0, 7.0])
    chosen.backward()
    np.testing.assert_array_equal(chosen.data, [10.0, 2.0, 30.0])
    np.testing.assert_array_equal(x.grad, [0.0, 6.0, 0.0])
    np.testing.assert_array_equal(y.grad, [5.0, 0.0, 7.0])


def test_one_array_stands_for_its_rows():
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
def test_numbers_out_of_range_are_read_as_mode_says(mode, first, second):
    x, y = variable(1.0, 2.0, 3.0), variable(10.0, 20.0, 30.0)
    choose([-1, 2, 4], [x, y], mode=mode).backward()
    np.testing.assert_array_equal(x.grad, first)
    np.testing.assert_array_equal(y.grad, second)


def test_a_number_out_of_range_is_numpys_error_with_a_note():
    x = variable(1.0, 2.0)
    with pytest.raises(ValueError, match="invalid entry in choice array") as caught:
        choose([0, 2], [x, x])
    assert "Choose" in caught.value.__notes__[0]


def test_numbers_that_are_changed_after_forward_change_nothing():
    numbers, x = Variable(np.array([0, 1])), variable(1.0, 2.0)
    y = choose(numbers, [x, 0.0])
    numbers.data[1] = 0
    y.backward()
    np.testing.assert_array_equal(x.grad, [1.0, 0.0])


def test_floats_are_no_numbers_of_choices():
    x = variable(0.0, 1.0)
    with pytest.raises(TypeError, match="Cannot cast"):
        choose(x, [x, x])


def test_out_is_refused_by_name():
    x = variable(1.0, 2.0)
    with pytest.raises(TypeError, match=r"np\.choose .* no out="):
        np.choose([0, 0], [x], out=np.zeros(2))
