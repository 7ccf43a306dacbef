"""The look of a Function: its class, and the operands that it was applied to.

Promise: docs/reference/core.rst
"""

from dataclasses import dataclass

import numpy as np
import pytest

from dezero_core import Function, Variable, grad, no_grad

from .naive import Product, Sine, Tangent

X = Variable(np.array([0.5, 2.0, 3.0]))


class Halves(Function):
    saves = ()

    def forward(self, x):
        return x[0], x[1:]

    def backward(self, g0, g1):
        return np.concatenate([np.reshape(g0, (1,)), g1])


@pytest.mark.parametrize(
    ("creator", "text"),
    [
        (lambda: Sine()(X).creator, "<Sine of float64[3]>"),
        (lambda: Tangent()(X).creator, "<Tangent of float64[3]>"),
        (lambda: Product()(X, Sine()(X)).creator, "<Product of float64[3], float64[3]>"),
        (lambda: Product()(X, 2.0).creator, "<Product of float64[3], a constant>"),
        (lambda: Halves()(X)[1].creator, "<Halves of float64[3]>"),
        (lambda: Sine()(Halves()(X)[0]).creator, "<Sine of float64[]>"),
        (
            lambda: Sine()(Variable(np.ones((2, 3), np.complex64))).creator,
            "<Sine of complex64[2, 3]>",
        ),
    ],
)
def test_a_function_in_a_graph_shows_its_class_and_its_operands(creator, text):
    assert repr(creator()) == text


def test_a_function_that_is_part_of_no_graph_shows_its_class():
    function = Sine()
    assert repr(function) == "<Sine>"
    with no_grad():
        function(X)
    assert repr(function) == "<Sine>"
    function = Sine()
    with pytest.raises(TypeError):
        function("abc")
    assert repr(function) == "<Sine>"


@pytest.mark.parametrize("end", [Variable.unchain, lambda y: y.backward(free_graph=True)])
def test_a_function_that_was_let_go_shows_its_class(end):
    y = Sine()(X)
    function = y.creator
    end(y)
    assert repr(function) == "<Sine>"


def test_a_function_shows_itself_inside_of_its_own_methods(operators):
    seen = []

    class Double(Function):
        def forward(self, x):
            seen.append(repr(self))
            return x * 2.0

        def backward(self, gy):
            seen.append(repr(self))
            return gy * 2.0

    y = Double()(X)
    grad(y, X)
    grad(y, X, create_graph=True)
    assert seen == ["<Double>", "<Double of float64[3]>", "<Double of float64[3]>"]


def test_a_function_shows_the_operands_of_its_call_whatever_variables_hold_later():
    x = Variable(np.array([0.5, 2.0]))
    y = Product()(x, x)
    x.data = None
    assert repr(y.creator) == "<Product of float64[2], float64[2]>"


def test_a_repr_that_a_subclass_of_function_defines_is_its_own():
    @dataclass(eq=False)
    class Power(Function):
        exponent: int = 2

        def forward(self, x):
            return x**self.exponent

    class Named(Sine):
        def __repr__(self):
            return "the sine"

    assert repr(Power(3)(X).creator).endswith("Power(exponent=3)")
    assert repr(Named()(X).creator) == "the sine"
