"""A registered Function gives arrays for arrays, as NumPy's functions do.

Promise: docs/how_to/differences_from_numpy.md
"""

import numpy as np
import pytest

import dezero_core
from dezero_core import Function, Variable, VariableTypeError, hookimpl, unregister


class Twice(Function):
    def forward(self, x):
        return 2 * x


class SumAndDifference(Function):
    def forward(self, x0, x1):
        return x0 + x1, x0 - x1


class Plugin:
    @hookimpl
    def dezero_register_ops(self, register):
        register("twice", lambda x: Twice()(x), Twice)
        register("sum_and_difference", lambda *xs: SumAndDifference()(*xs), SumAndDifference)


@pytest.fixture
def plugin(registered):
    return registered(Plugin(), "plugin")


A = np.array([1.0, 2.0])


def test_a_registered_function_gives_an_array_for_an_array(plugin):
    y = Twice()(A)
    assert type(y) is np.ndarray
    np.testing.assert_array_equal(y, [2.0, 4.0])


def test_a_registered_function_of_two_operands_gives_an_array_for_two_arrays(plugin):
    ys = SumAndDifference()(A, 1.0)
    assert [type(y) for y in ys] == [np.ndarray, np.ndarray]
    np.testing.assert_array_equal(ys, [[2.0, 3.0], [0.0, 1.0]])


@pytest.mark.parametrize("x", [3.0, np.float64(3.0), np.array(3.0)], ids=lambda x: type(x).__name__)
def test_a_registered_function_gives_a_scalar_of_numpy_for_a_number(plugin, x):
    y = Twice()(x)
    assert (type(y), y) == (np.float64, 6.0)


@pytest.mark.parametrize("inputs", [(Variable(A), A), (A, Variable(A)), (Variable(A), Variable(A))])
def test_a_registered_function_gives_variables_where_one_input_is_a_variable(plugin, inputs):
    assert {type(y) for y in SumAndDifference()(*inputs)} == {Variable}


def test_a_registered_function_gives_a_variable_for_a_variable_of_integers(plugin):
    assert type(Twice()(Variable(np.array([1, 2])))) is Variable


def test_a_registered_function_gives_a_variable_under_no_grad(plugin):
    with dezero_core.no_grad():
        assert type(Twice()(Variable(A))) is Variable


def test_a_function_that_no_plugin_has_registered_gives_a_variable_as_in_the_book():
    y = Twice()(A)
    assert type(y) is Variable
    np.testing.assert_array_equal(y.data, [2.0, 4.0])


def test_a_function_whose_plugin_was_unloaded_gives_a_variable_again(plugin):
    unregister("plugin")
    assert type(Twice()(A)) is Variable


def test_a_result_that_is_no_array_is_refused_for_arrays_too(registered):
    class Text(Function):
        def forward(self, x):
            return "text"

    class OfText:
        @hookimpl
        def dezero_register_ops(self, register):
            register("text", lambda x: Text()(x), Text)

    registered(OfText(), "plugin")
    with pytest.raises(VariableTypeError, match=r"Text\.forward"):
        Text()(A)
