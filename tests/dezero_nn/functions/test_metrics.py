"""accuracy: its share, its form, labels that are none, and a compiled step."""

import numpy as np
import pytest
from dezero_nn.functions import accuracy

from dezero_core import Variable
from dezero_replay import compiled

Y = np.array([[0.1, 0.8, 0.1], [0.3, 0.2, 0.5], [0.9, 0.0, 0.1], [0.4, 0.5, 0.1]])


@pytest.mark.parametrize("form", [np.array, Variable], ids=["array", "Variable"])
@pytest.mark.parametrize("t", [[1, 2, 1, 0], [[1], [2], [1], [0]]])
def test_accuracy_is_the_share_of_rows_that_are_right_a_variable_of_variables(form, t):
    y = accuracy(form(Y), form(np.array(t)))
    assert isinstance(y, Variable) == (form is Variable)
    assert y.item() == 0.5
    assert getattr(y, "creator", None) is None


def test_accuracy_of_no_rows_is_nan_with_a_warning():
    with pytest.warns(RuntimeWarning):
        assert np.isnan(accuracy(np.zeros((0, 3)), np.zeros(0, int)))


@pytest.mark.parametrize(
    ("y", "t", "error", "message"),
    [
        (Y, [1, 2, 1, 3], IndexError, "labels must be from 0 to 2, and one is 3"),
        (Y, [1, 2, 1, -1], IndexError, "and one is -1"),
        (Y, [1, 2, 1], ValueError, r"a label for each of 4 rows, not shape \(3,\)"),
        (Y, Y, TypeError, "t must be of integers, the labels, and is of float64"),
        (Y, [[0, 1, 0]] * 4, ValueError, r"not shape \(4, 3\)"),
        (Y[0], [0], ValueError, "y must have two axes, of rows and of classes, and has 1"),
    ],
)
def test_accuracy_refuses_bad_operands(y, t, error, message):
    with pytest.raises(error, match=message):
        accuracy(y, t)


def test_a_compiled_accuracy_follows_its_arguments():
    step = compiled(accuracy, strict=True)
    for k in range(4):
        t = np.roll([1, 2, 1, 0], k)
        assert step(Y, t).item() == accuracy(Y, t).item()
