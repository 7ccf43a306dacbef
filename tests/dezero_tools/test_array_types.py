"""Observers and pictures of a calculation with arrays of a registered type.

Promise: docs/how_to/use_another_array_type.md
"""

import numpy as np
import pytest
from dezero_tools.drawing.notebook import variable_html

from dezero_core import Variable, VariableTypeError
from dezero_tools import NotFiniteError, checked, numeric_op, observe, to_dot
from tests.dezero_core.engine.ducks import DUCKS, GEESE, Duck, Goose, plugin_of

pytestmark = pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")


@pytest.fixture(autouse=True)
def ducks(registered):
    registered(plugin_of(DUCKS, GEESE), "ducks")


def test_the_observer_nan_finds_it_in_an_array_with_values_and_refuses_a_lazy_one():
    with observe("nan"), pytest.raises(NotFiniteError) as caught:
        Variable(Duck([1.0, np.inf])) - Variable(Duck([1.0, np.inf]))
    assert caught.value.position == (1,)
    x = Variable(Goose([1.0]))
    with observe("nan"), pytest.raises(VariableTypeError, match=r"Sub\.forward.*a goose array"):
        x - x
    y = x * x
    for create_graph in (False, True):
        with observe("nan"), pytest.raises(VariableTypeError, match=r"\.forward|Mul\.backward"):
            y.backward(create_graph=create_graph)
    assert x.grad is None


@pytest.mark.parametrize("cls", [Duck, Goose])
def test_time_memory_trace_and_checked_run_with_registered_arrays(cls):
    x = Variable(cls([1.0, 2.0]))
    with observe("time") as times, observe("memory"), observe("trace"), checked():
        y = x * x
        y.backward()
    assert "Mul" in str(times)
    assert x.grad.values.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("cls", [Duck, Goose])
def test_a_picture_and_a_notebook_show_shape_and_dtype_of_a_registered_array(cls):
    x = Variable(cls([1.0, 2.0]), "x")
    assert "float64 (2,)" in to_dot(x * x)
    assert "(2,)" in variable_html(x)
    assert "float64" in variable_html(x)


def test_a_numeric_operation_takes_ndarrays_alone():
    cube = numeric_op(lambda x: x**3)
    with pytest.raises(
        VariableTypeError, match=r"takes ndarrays alone.*the function that was wrapped"
    ):
        cube(Variable(Duck([1.0])))
