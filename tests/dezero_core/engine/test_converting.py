"""Functions that take arrays of one type and return another's, and types that meet others.

Promise: docs/how_to/use_another_array_type.md
"""

import numpy as np
import pytest

from dezero_core import Function, Variable, VariableTypeError, grad
from dezero_core.extend import ArrayType, require_values

from .ducks import Duck, plugin_of

#: The sizes of gradients by ndarrays that ducks have met.
MET = []


def others(operands):
    def converted(gradient):
        MET.append(gradient.shape)
        return ToNumPy().of(gradient)

    return {i: converted for i, x in enumerate(operands) if not isinstance(x, Duck)}


class ToDuck(Function):
    saves = ()
    converts = True

    def forward(self, x):
        return Duck(x)

    def backward(self, gy):
        return ToNumPy().of(gy)


class ToNumPy(Function):
    saves = ()
    converts = True

    def forward(self, x):
        return x.values

    def backward(self, gy):
        return ToDuck().of(gy)


class Alone(Function):
    """Takes ndarrays alone, which its type gives it."""

    arrays = "numpy: a list is made of it"

    def forward(self, x):
        return np.array([2.0 * each for each in x.tolist()])

    def backward(self, gy):
        return np.array([2.0 * each for each in gy.tolist()])


def call(function, args, kwargs):
    owner = getattr(function, "__self__", None)
    if isinstance(owner, Alone):
        return Duck(function(*[x.values for x in args]))
    return function(*args, **kwargs)


@pytest.fixture(autouse=True)
def ducks(registered, request):
    request.getfixturevalue("operators")
    MET.clear()
    kind = ArrayType("duck", Duck, lazy="has a feather for each", call=call, others=others)
    registered(plugin_of(kind), "ducks")


def test_a_gradient_comes_back_as_the_type_of_the_input():
    x = Variable(np.array([1.0, 2.0]))
    duck = ToDuck()(x)
    y = ToNumPy()(duck * duck)
    assert (type(duck.data), type(y.data)) == (Duck, np.ndarray)
    y.backward()
    assert type(x.grad) is np.ndarray
    assert x.grad.tolist() == [2.0, 4.0]
    assert grad(duck * duck, x).tolist() == [2.0, 4.0]  # from a gradient that is a duck


def test_second_derivatives_go_through_a_conversion():
    x = Variable(np.array([1.0, 2.0]))
    duck = ToDuck()(x)
    gx = grad(ToNumPy()(duck * duck * duck), x, create_graph=True)
    assert grad(gx, x).tolist() == [6.0, 12.0]


def test_a_gradient_by_an_operand_of_another_type_is_converted_before_others_are_added():
    w, duck = Variable(np.array([3.0, 5.0])), Variable(Duck([1.0, 2.0]))
    y = ToNumPy()(w * duck + w * duck) + w * w
    y.backward()
    assert type(w.grad) is np.ndarray
    assert w.grad.tolist() == [8.0, 14.0]
    assert type(duck.grad) is Duck
    assert MET == [(2,), (2,)]


class Scaled(Function):
    """Has a constant of another type than its operand."""

    saves = ()

    def __init__(self, by):
        self.by = by

    def forward(self, x):
        return x * self.by

    def backward(self, gy):
        return gy * self.by


def test_a_gradient_is_converted_if_the_result_has_the_other_type_by_an_attribute():
    w = Variable(np.array([3.0, 5.0]))
    y = ToNumPy()(Scaled(Duck([1.0, 2.0]))(w))
    y.backward()
    assert type(w.grad) is np.ndarray
    assert w.grad.tolist() == [1.0, 2.0]
    assert MET == [(2,)]


def test_a_type_that_meets_others_runs_functions_that_take_ndarrays_alone():
    x = Variable(Duck([1.0, 2.0]))
    y = Alone()(x)
    y.backward()
    assert (y.data.values.tolist(), x.grad.values.tolist()) == ([2.0, 4.0], [2.0, 2.0])


def test_the_reason_why_there_is_no_single_value_is_in_the_message():
    with pytest.raises(
        VariableTypeError, match="this duck array has a feather for each; to choose"
    ):
        require_values(Duck([1.0]), "`if`")
    with pytest.raises(VariableTypeError, match="feather"):
        bool(Variable(Duck([1.0])))
