"""Types of arrays that call functions in their own way, or whose library is not imported yet.

Promise: docs/how_to/use_another_array_type.md
"""

import sys
from types import ModuleType

import numpy as np
import pytest

from dezero_core import Variable, VariableTypeError, grad, unregister
from dezero_core.extend import ArrayType, call_by_type, mode, placed

from .ducks import Duck, plugin_of

pytestmark = pytest.mark.usefixtures("operators")


@pytest.fixture
def swans(registered):
    """Register a type that notes what it is asked to call, and does it."""
    asked = []

    class Swan(Duck):
        pass

    def call(function, args, kwargs):
        owner = type(getattr(function, "__self__", None)).__name__
        asked.append((owner, function.__name__, [type(x) for x in args], kwargs))
        return function(*args, **kwargs)

    kind = ArrayType("swan", Swan, call=call, fitted=lambda gx, x: Swan(gx.values + 0.0))
    registered(plugin_of(kind), "swans")
    return Swan, asked


def test_a_type_may_call_methods_of_functions_in_its_own_way(swans):
    cls, asked = swans
    x = Variable(cls([1.0, 2.0]))
    y = x * 3.0
    y.backward()
    assert x.grad.values.tolist() == [3.0, 3.0]
    methods = [("Mul", "forward", [cls, float], {}), ("Mul", "backward", [cls], {})]
    assert [each for each in asked if each[0] == "Mul"] == methods


def test_the_observer_runs_the_calls_that_a_type_makes_in_its_own_way(swans):
    cls, asked = swans
    seen = []

    class Observer:
        def run(self, function, node, method, arrays):
            result = call_by_type(getattr(node, method), arrays, {})
            seen.append((type(function).__name__, method, type(result)))
            return result

        def recorded(self, function):
            seen.append((type(function).__name__, "recorded", len(function.inputs)))

    token = mode.set(mode.get().changed(observer=Observer()))
    try:
        x = Variable(cls([1.0, 2.0]))
        (x * 3.0).backward()
    finally:
        mode.reset(token)
    seen_of_mul = [("Mul", "forward", cls), ("Mul", "recorded", 2)]
    assert seen[:2] == seen_of_mul
    assert [each[1] for each in seen] == ["forward", "recorded", "backward"]
    assert [each[1] for each in asked if each[0] == "Mul"] == ["forward", "backward"]


def test_a_recorded_gradient_is_computed_by_functions_of_the_type(swans):
    cls, asked = swans
    x = Variable(cls([1.0, 2.0]))
    gx = grad(x * x, x, create_graph=True)
    assert gx.data.values.tolist() == [2.0, 4.0]
    assert all(method != "backward" for _, method, *_ in asked)


def test_gradients_get_the_form_of_their_arrays(registered):
    class Swan(Duck):
        pass

    given = []

    def fitted(gradient, array):
        given.append((type(gradient), array))
        return Swan(gradient.values + 10.0)

    registered(plugin_of(ArrayType("swan", Swan, fitted=fitted)), "swans")
    x = Variable(Swan([1.0, 2.0]))
    y = x + x
    y.backward()
    assert x.grad.values.tolist() == [12.0, 12.0]
    assert given == [(Swan, x.data)]
    assert grad(x * x, x, create_graph=True).data.values.tolist() == [12.0, 14.0]


def test_a_gradient_of_another_shape_than_the_array_is_left_as_it_is(swans):
    cls, _ = swans
    x = Variable(cls([1.0, 2.0]))
    y = x * x
    x.data = cls([1.0])
    (gx,) = grad(y, [x], grad_outputs=[cls([1.0, 1.0])])
    assert gx.shape in ((1,), (2,))


def test_a_function_without_a_derivative_is_called_as_the_type_of_its_arrays_does(swans):
    cls, asked = swans
    one, two = cls([1.0]), cls([2.0])
    joined = call_by_type(np.concatenate, ([one, two],), {"axis": 0})
    assert joined.values.tolist() == [1.0, 2.0]
    assert asked == [("NoneType", "concatenate", [list], {"axis": 0})]
    assert call_by_type(np.add, (1.0, 2.0), {}) == 3.0
    assert len(asked) == 1


def test_elements_are_put_back_by_sums_where_nobody_can_write(swans):
    cls, asked = swans
    found = placed(cls([1.0, 2.0, 3.0]), (2, 2), ([0, 0, 1], [1, 1, 0]))
    assert found.values.tolist() == [[0.0, 3.0], [3.0, 0.0]]
    assert asked[0][1] == "added_up"


def test_a_class_of_a_library_that_nobody_has_imported_is_named(registered, monkeypatch):
    class Late(Duck):
        pass

    registered(plugin_of(ArrayType("late", "slow_library:Late")), "late")
    with pytest.raises(VariableTypeError, match="No loaded plugin registers this type"):
        Variable(Late([1.0]))
    half = ModuleType("slow_library")  # that is being imported
    monkeypatch.setitem(sys.modules, "slow_library", half)
    with pytest.raises(VariableTypeError, match="No loaded plugin registers this type"):
        Variable(Late([1.0]))
    half.Late = Late
    x = Variable(Late([1.0, 2.0]))
    (x * 2.0).backward()
    assert type(x.grad) is Late
    unregister("late")
    with pytest.raises(VariableTypeError, match="No loaded plugin registers this type"):
        Variable(Late([1.0]))
