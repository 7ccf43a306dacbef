"""Observers of Variables over dask arrays: right or refused, and nothing is computed.

Promise: docs/how_to/more_data_than_memory.md
"""

import dask.array as da
import numpy as np
import pytest
from dezero_dask.arrays.array_type import without_computing

from dezero_core import Variable, VariableTypeError, grad
from dezero_tools import NotFiniteError, checked, observe

X = np.array([[1.0, -2.0], [np.nan, 3.0]])


def second_derivative(x):
    g = grad(np.sum(np.exp(x) * x), x, create_graph=True)
    return grad(np.sum(g), x)


def test_a_nan_that_is_not_computed_yet_is_not_passed_over_without_a_word():
    v = Variable(da.from_array(X, chunks=1))
    words = r"Exp\.forward of plugin 'math' .* returned a dask array, which is lazy.*to_numpy\(\)"
    with without_computing(), observe("nan"), pytest.raises(VariableTypeError, match=words):
        np.exp(v)
    with observe("nan"), pytest.raises(NotFiniteError):  # as the message says
        np.exp(Variable(v.data[1:].compute()))


def test_the_gradient_of_a_lazy_array_is_refused_by_the_observer_nan_and_not_set():
    v = Variable(da.from_array(X, chunks=1))
    y = np.exp(v)
    with without_computing(), observe("nan"), pytest.raises(VariableTypeError, match="backward"):
        y.backward()
    assert v.grad is None


def test_the_observer_nan_takes_lazy_arrays_that_can_have_no_nan():
    with without_computing(), observe("nan"):
        np.isnan(Variable(da.from_array(X, chunks=1)))
        Variable(da.arange(4, chunks=2)) + 1


@pytest.mark.parametrize("name", ["time", "memory", "trace"])
def test_other_observers_see_the_calls_and_compute_nothing(name, capsys):
    v = Variable(da.from_array(np.ones((4, 3)), chunks=2))
    with without_computing(), observe(name) as seen:
        found = second_derivative(v)
    text = str(seen) if name != "trace" else capsys.readouterr().out
    assert "Exp" in text
    if name == "memory":
        assert all(row.results == row.gradients == row.kept == 0 for row in seen.rows())
    np.testing.assert_allclose(found.compute(), np.full((4, 3), 3 * np.e), rtol=1e-13)


def test_checked_computes_nothing():
    v = Variable(da.from_array(np.ones((4, 3)), chunks=2))
    with without_computing(), checked():
        found = second_derivative(v)
    np.testing.assert_allclose(found.compute(), np.full((4, 3), 3 * np.e), rtol=1e-13)
