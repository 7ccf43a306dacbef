"""observe("nan") stops at the first value that is not finite, and names its operation.

Promise: docs/how_to/find_a_nan.md
"""

import numpy as np
import pytest

from dezero_core import (
    Function,
    Variable,
    grad,
)
from dezero_tools import NotFiniteError, observe

from .functions import Halves, Inverse, Product, Root, Square, line_here


def test_the_observer_nan_stops_at_the_first_operation_that_makes_nan():
    x = Variable(np.array([[1.0, 2.0], [0.0, 3.0]]))
    with observe("nan"):
        y = Square()(x)
        with pytest.raises(NotFiniteError) as caught:
            Inverse()(y)
        where = line_here(-1)
    error = caught.value
    assert isinstance(error, FloatingPointError)
    assert (error.function, error.method, error.position) == (Inverse, "forward", (1, 0))
    assert (error.value, error.where) == (np.inf, where)
    for part in (
        "Inverse.forward",
        Inverse.__module__,
        where,
        "its result is inf at [1, 0]",
        "is finite.",
    ):
        assert part in str(error)
    (note,) = error.__notes__
    assert note.endswith("given float64[2, 2]")  # the message has the line


def test_the_observer_nan_names_an_input_that_was_not_finite_before():
    x = Variable(np.array(np.nan))
    with (
        observe("nan"),
        pytest.raises(NotFiniteError, match=r"is nan at its one element\. Input 0"),
    ):
        Square()(x)


def test_the_observer_nan_looks_at_complex_values_and_at_every_input(x):
    with observe("nan"):
        with pytest.raises(NotFiniteError, match=r"its result is .*inf.*called with is fin"):
            Scaled()(Variable(np.array([1e200 + 1e200j])))
        with pytest.raises(NotFiniteError, match=r"is nan at \[1\]\. Input 1 was not finite"):
            Product()(x, np.array([1.0, np.nan, 1.0]))


class Scaled(Function):
    def forward(self, x):
        with np.errstate(over="ignore"):
            return x * 1e200


def test_the_observer_nan_names_operation_and_line_of_a_gradient_that_is_not_finite():
    x = Variable(np.array([4.0, 0.0]))
    with observe("nan"):
        y, where = Root()(x), line_here()
        with pytest.raises(NotFiniteError) as caught:
            Square()(y).backward()
    assert np.isnan(caught.value.value)
    assert (caught.value.method, caught.value.where) == ("backward", where)
    assert "the gradient of input 0 is nan at [1]" in str(caught.value)
    (note,) = caught.value.__notes__
    assert where not in note
    assert f"called at {line_here(-6)}" in note
    assert x.grad is None
    y = Root()(x)
    y.grad = np.array([np.inf, 1.0])
    with observe("nan"), pytest.raises(NotFiniteError, match="The gradient of output 0 was not"):
        y.backward()


def test_the_observer_nan_looks_at_every_result_except_integers_and_missing_gradients(x):
    class NoGradient(Square):
        def backward(self, gy):
            return (None,)

    with observe("nan"):
        half, _ = Halves()(x)
        half.backward()
        NoGradient()(x).backward()
        grad(Square()(x), x, create_graph=True)
        x.data[2] = np.inf
        with pytest.raises(NotFiniteError, match=r"inf at \[2\]"):
            Halves()(x)


def test_the_observer_nan_says_that_a_call_was_not_observed(x):
    x.data[1] = 0.0
    y = Inverse()(x)
    with observe("nan"), pytest.raises(NotFiniteError, match="applied before observe") as caught:
        y.backward()
    assert caught.value.where is None
