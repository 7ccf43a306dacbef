"""The seam of tools that look at calls: ``Mode.observer`` runs each method of a Function.

Promise: docs/engine.md
"""

import gc
import weakref

import numpy as np
import pytest

from dezero_core import Function, Variable, VariableTypeError, no_grad
from dezero_core.extend import call_by_type, mode


class Observer:
    """Runs what it is given, and notes it."""

    def __init__(self):
        self.seen = []

    def run(self, function, node, method, arrays):
        self.seen.append((method, type(function).__name__, [x.tolist() for x in arrays]))
        return call_by_type(getattr(node, method), arrays, {})

    def recorded(self, function):
        self.seen.append(("recorded", type(function).__name__, list(function.needs_grad)))


@pytest.fixture
def observer():
    observer = Observer()
    token = mode.set(mode.get().changed(observer=observer))
    yield observer
    mode.reset(token)


def test_the_observer_runs_each_method_and_is_told_of_each_call_that_was_recorded(observer, book):
    x, y = Variable(np.array(2.0)), Variable(np.array(5.0))
    z = book.Mul()(x, y)
    z.backward()
    assert observer.seen == [
        ("forward", "Mul", [2.0, 5.0]),
        ("recorded", "Mul", [True, True]),
        ("backward", "Mul", [1.0]),
    ]
    assert (x.grad, y.grad) == (5.0, 2.0)


def test_a_call_that_is_not_recorded_is_run_by_the_observer_all_the_same(observer, book):
    with no_grad():
        book.Square()(Variable(np.array(2.0)))
    assert observer.seen == [("forward", "Square", [2.0])]


def test_what_the_observer_returns_is_the_result(observer, book):
    observer.run = lambda function, node, method, arrays: np.array(7.0)
    x = Variable(np.array(2.0))
    y = book.Square()(x)
    y.backward()
    assert (y.data, x.grad) == (7.0, 7.0)


def test_data_that_were_replaced_are_given_to_the_observer_as_a_node_with_the_former(
    observer, book
):
    nodes = []
    x = Variable(np.array(3.0))
    y = book.Square()(x)
    x.data = np.array(100.0)
    run = observer.run

    def noted(function, node, method, arrays):
        nodes.append((function is node, node.inputs[0].data.item()))
        return run(function, node, method, arrays)

    observer.run = noted
    y.backward()
    assert nodes == [(False, 3.0)]
    assert x.grad == 6.0


def test_an_error_in_backward_names_the_line_that_applied_the_function_while_observed(observer):
    class Fails(Function):
        def forward(self, x):
            return x

        def backward(self, gy):
            raise ValueError("no luck")

    y = Fails()(Variable(np.ones(2)))
    with pytest.raises(ValueError, match="no luck") as caught:
        y.backward()
    (note,) = caught.value.__notes__
    assert "; it was applied at " in note
    assert note.count(__file__) == 2


def test_a_result_without_a_graph_does_not_keep_the_observer_alive(book):
    observer = Observer()
    reference = weakref.ref(observer)
    token = mode.set(mode.get().changed(observer=observer))
    with no_grad():
        y = book.Square()(Variable(np.array(2.0)))
    mode.reset(token)
    del observer, token
    gc.collect()
    assert reference() is None
    assert y.creator is None


def test_a_number_is_not_made_of_a_variable_in_a_function_that_is_differentiated(book):
    """As functional.grad sets it; of an input, or of integers, nothing would be lost."""
    token = mode.set(mode.get().changed(differentiated=True))
    try:
        x = Variable(np.array(2.0))
        y = book.Square()(x)
        assert float(x) == 2.0
        assert float(Variable(np.array(3))) == 3.0
        with pytest.raises(VariableTypeError, match=r"use NumPy's functions, no float\(\)"):
            float(y)
    finally:
        mode.reset(token)
    assert float(y) == 4.0
