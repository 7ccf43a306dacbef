"""`Variable.become`: a Variable takes over the result of a Function, in one step.

Promise: docs/reference/core.rst
"""

import gc
import operator
import weakref

import numpy as np
import pytest

from dezero_core import Function, Variable, no_grad

from ...book import Square


class Double(Function):
    saves = ()

    def forward(self, x):
        return x * 2.0

    def backward(self, gy):
        return gy * 2.0


class Halves(Function):
    def forward(self, x):
        return x[:1], x[1:]

    def backward(self, g0, g1):
        return np.concatenate([g0, g1])


def test_a_variable_that_became_a_result_is_the_output_of_its_function():
    x = Variable(np.array([1.0, 2.0]))
    y = Double()(x)
    result = Square()(y)
    y.become(result)
    assert (y.creator, y.generation) == (result.creator, 2)
    assert y.creator.outputs[0]() is y
    y.backward()
    np.testing.assert_array_equal(y.data, [4.0, 16.0])
    np.testing.assert_array_equal(x.grad, [8.0, 16.0])


def test_the_functions_of_the_old_value_lead_to_nobody_any_more():
    x = Variable(np.array([1.0, 2.0]))
    first = Double()(x).creator
    y = Double()(x)
    old = y.creator
    y.become(Square()(y))
    assert old.outputs[0]() is None
    x.become(Double()(x))
    assert first.inputs[0].creator is None  # of the input that x was
    assert first.inputs[0] is not x


def test_one_of_several_outputs_becomes_a_result_and_the_others_stay():
    x = Variable(np.array([1.0, 2.0]))
    first, second = Halves()(x)
    node = first.creator
    first.become(Double()(first))
    assert [output() for output in node.outputs] == [None, second]
    first.backward()
    second.backward()
    np.testing.assert_array_equal(x.grad, [2.0, 1.0])


def test_a_variable_becomes_one_of_several_outputs():
    x = Variable(np.array([1.0, 2.0]))
    first, second = Halves()(x)
    y = Variable(np.array([9.0]))
    y.become(second)
    assert y.creator.outputs[1]() is y
    first.backward()
    y.backward()
    np.testing.assert_array_equal(x.grad, [1.0, 1.0])


def test_a_result_without_a_graph_changes_the_data_alone():
    x = Variable(np.array([1.0, 2.0]))
    before = Square()(x)
    with no_grad():
        x.become(Double()(x))
    assert (x.creator, x.generation) == (None, 0)
    np.testing.assert_array_equal(x.data, [2.0, 4.0])
    before.backward()
    np.testing.assert_array_equal(x.grad, [2.0, 4.0])  # by the value of then


def test_a_result_of_no_grad_becomes_a_result_with_a_graph():
    with no_grad():
        y = Double()(Variable(np.array([1.0])))
    x = Variable(np.array([3.0]))
    y.become(Square()(x))
    y.backward()
    assert x.grad == 6.0


def test_values_are_written_before_anything_changes_and_nothing_does_if_that_raises():
    x = Variable(np.array([1.0, 2.0]))
    y = Double()(x)
    edge, data = y._edge, y.data
    with pytest.raises(IndexError):
        y.become(Double()(x), (operator.setitem, y.data, 7, 0.0))
    assert y._edge is edge
    assert y.data is data
    assert y.creator.outputs[0]() is y
    y.become(Double()(x), (operator.setitem, y.data, 0, 0.0))
    assert y._edge is not edge
    assert data[0] == 0.0


def test_the_graph_of_a_variable_that_became_a_result_is_freed_without_the_collector():
    gc.collect()
    gc.disable()
    try:
        x = Variable(np.array([1.0, 2.0]))
        y = Double()(x)
        y.become(Double()(y))
        watched = [weakref.ref(y), weakref.ref(y.creator)]
        del y
        assert [each() is None for each in watched] == [True, True]
    finally:
        gc.enable()
