"""`checked()` warns of Variables that NumPy would change, and that keep their values here.

Promise: docs/how_to/write_into_arrays.md
"""

import warnings

import numpy as np
import pytest

from dezero_core import Variable
from dezero_tools import Observer, checked, observe

X = np.arange(4.0)

VIEWS = {
    "a slice": lambda y: y[1:3],
    "another shape": lambda y: y.reshape(2, 2),
    "itself": lambda y: y[...],
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_write_into_one_of_two_views_warns_once_with_the_line(view):
    with checked():
        y = Variable(X) * 1.0
        v = VIEWS[view](y)
        with pytest.warns(UserWarning, match=r"and a Variable of shape \(4,\), which is written"):
            y[1] = 7.0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            y[2] = 7.0  # has an array of its own by now
    np.testing.assert_array_equal(v.data, VIEWS[view](Variable(X)).data)


def test_a_write_into_the_view_warns_as_well():
    with checked():
        y = Variable(X) * 1.0
        v = y[1:]
        with pytest.warns(UserWarning, match="views of one array in NumPy"):
            v[0] = 7.0
    np.testing.assert_array_equal(y.data, X)


def test_no_write_warns_where_nothing_would_change_in_numpy():
    with checked(), warnings.catch_warnings():
        warnings.simplefilter("error")
        y = Variable(X) * 1.0
        copied, gone = y[[0, 1]], y[1:]
        del gone
        y[1] = 7.0
        np.add.at(y, [0, 0], 1.0)
    np.testing.assert_array_equal(copied.data, X[:2])


def test_a_write_is_shown_to_observers_before_it_is_made():
    class Writes(Observer):
        def __init__(self):
            self.seen = []

        def written(self, variable):
            self.seen.append(variable.data.tolist())

    with observe(Writes()) as writes:
        x = Variable(np.array([1.0, 2.0]))
        x[0] = 5.0
        x[1] = 6.0
    assert writes.seen == [[1.0, 2.0], [5.0, 2.0]]


def test_gradients_through_writes_are_right_within_checked():
    x = Variable(X)
    with checked():
        y = x * x
        y[1] = y[2] * 3.0
        y.backward()
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, 4.0 + 12.0, 6.0])
