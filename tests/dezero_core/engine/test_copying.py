"""Copies and pickles are whole, or refused with what to do instead.

Promise: docs/reference/core.rst
"""

import copy
import pickle

import numpy as np
import pytest

from dezero_core import Function, GraphCopyError, Parameter, Variable, no_grad

PICKLES = {
    f"pickle {protocol}": lambda x, protocol=protocol: pickle.loads(pickle.dumps(x, protocol))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
}
COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, **PICKLES}
every_way = pytest.mark.parametrize("way", COPIES)


class Layer(Parameter):
    """A Variable of somebody's own, with an attribute."""


class Scale(Function):
    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return x * self.factor

    def backward(self, gy):
        return gy * self.factor


@every_way
def test_an_input_is_copied_with_data_name_and_gradient(way):
    x = Variable(np.array([1.0, 2.0], np.float32), "x")
    x.grad = np.array([3.0, 4.0])
    y = COPIES[way](x)
    assert y is not x
    assert (type(y), y.name, y.creator, y.generation) == (Variable, "x", None, 0)
    np.testing.assert_array_equal(y.data, [1.0, 2.0])
    np.testing.assert_array_equal(y.grad, [3.0, 4.0])
    assert y.dtype == np.float32


@every_way
def test_only_a_shallow_copy_of_a_variable_shares_the_data(way):
    x = Variable(np.array([1.0, 2.0]))
    assert np.shares_memory(COPIES[way](x).data, x.data) == (way == "copy")


@every_way
def test_a_variable_without_data_is_copied(way):
    assert COPIES[way](Variable(None)).data is None


@every_way
def test_a_copy_of_a_subclass_of_variable_keeps_class_and_attributes(way):
    layer = Layer(np.array(1.0), "W")
    layer.rate = 0.25
    twin = COPIES[way](layer)
    assert (type(twin), twin.name, twin.rate) == (Layer, "W", 0.25)
    parameter = COPIES[way](Parameter(np.array(1.0)))
    assert type(parameter) is Parameter


@every_way
def test_a_copy_of_an_input_in_use_is_an_input_of_its_own(way, book):
    x = Variable(np.array(3.0))
    y = book.Square()(x)
    twin = COPIES[way](x)
    y.backward()
    assert (x.grad, twin.grad) == (6.0, None)
    book.Square()(twin).backward()
    assert (x.grad, twin.grad) == (6.0, 6.0)


@every_way
def test_a_model_is_copied_whole_after_training(way, book):
    model = {"W": Parameter(np.array(3.0)), "b": [Parameter(np.array(1.0))]}
    book.Add()(book.Square()(model["W"]), model["b"][0]).backward()
    twin = COPIES[way](model)
    assert twin["W"].grad == 6.0
    assert twin["b"][0].grad == 1.0


@every_way
def test_a_variable_that_is_twice_in_a_list_is_copied_once(way):
    x = Variable(np.array(3.0))
    first, second = COPIES[way]([x, x])
    assert first is second


@every_way
def test_a_copy_of_a_variable_with_a_graph_is_refused_with_the_remedy(way, book):
    y = book.Square()(Variable(np.array(3.0)))
    y.name = "loss"
    with pytest.raises(
        GraphCopyError, match=r"'loss'.*y\.data\.copy\(\).*unchain.*by Square\."
    ) as caught:
        COPIES[way](y)
    assert caught.value.variable is y
    assert isinstance(caught.value, TypeError)


@every_way
def test_a_copy_of_one_of_several_outputs_is_refused(way, book):
    y = book.SumAndProduct()(Variable(np.array(3.0)), Variable(np.array(5.0)))[1]
    with pytest.raises(GraphCopyError):
        COPIES[way](y)


@every_way
def test_a_copy_of_a_gradient_with_a_graph_names_its_variable(way, book, operators):
    x = Variable(np.array(3.0), "weight")
    book.Square()(x).backward(create_graph=True)
    with pytest.raises(GraphCopyError, match=r"^\.grad of 'weight' .*x\.cleargrad\(\)") as caught:
        COPIES[way]({"model": x} if way != "copy" else x)
    assert caught.value.variable is x
    x.grad = x.grad.data
    assert COPIES[way](x).grad == 6.0


@every_way
def test_the_remedies_for_copying_a_variable_with_a_graph_work(way, book):
    y = book.Square()(Variable(np.array(3.0)))
    assert COPIES[way](Variable(y.data.copy())).data == 9.0
    y.unchain()
    assert COPIES[way](y).data == 9.0


@every_way
def test_a_result_of_no_grad_is_copied(way, book):
    with no_grad():
        y = book.Square()(Variable(np.array(3.0)))
    twin = COPIES[way](y)
    assert (twin.data, twin.creator) == (9.0, None)
    book.Square()(twin).backward()
    assert twin.grad == 18.0


@every_way
def test_a_function_is_copied_before_its_application(way):
    scale = COPIES[way](Scale(2.5))
    x = Variable(np.array(3.0))
    y = scale(x)
    y.backward()
    assert (type(scale), y.data, x.grad) == (Scale, 7.5, 2.5)


@every_way
def test_a_function_that_was_applied_under_no_grad_is_copied(way):
    scale = Scale(2.5)
    with no_grad():
        scale(Variable(np.array(3.0)))
    assert COPIES[way](scale).factor == 2.5


@every_way
def test_a_copy_of_a_function_in_a_graph_is_refused_with_the_remedy(way):
    scale = Scale(2.5)
    y = scale(Variable(np.array(3.0)))
    with pytest.raises(GraphCopyError, match=r"Scale.*part of a graph.*before it is applied"):
        COPIES[way](scale)
    assert y.creator is scale


def test_a_variable_is_copied_with_its_name_and_data_in_every_way():
    x = Variable(np.ones(2), "x")
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert other.name == "x"
        np.testing.assert_array_equal(other.data, [1.0, 1.0])
