"""What forward puts aside is no secret constant: x**3 has second derivative 6x, or an error.

Promise: docs/how_to/write_an_operation.md
"""

from collections import deque, namedtuple
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, GradientError, Variable, grad, no_grad

pytestmark = pytest.mark.usefixtures("operators")

Pair = namedtuple("Pair", "x y")


class Holder:
    def __init__(self, x):
        self.x = x


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


#: How forward puts x aside, where the message then finds it, how backward gets it back.
HIDING_PLACES = {
    "array": (lambda x: x, "kept", lambda kept: kept),
    "0-d scalar": (lambda x: np.sum(x), "kept", lambda kept: kept),
    "python number": (lambda x: float(x), "kept", lambda kept: kept),
    "list": (lambda x: [x], "kept[0]", lambda kept: kept[0]),
    "tuple": (lambda x: (1, x), "kept[1]", lambda kept: kept[1]),
    "named tuple": (lambda x: Pair(0, x), "kept[1]", lambda kept: kept.y),
    "dict": (lambda x: {"x": x}, "kept['x']", lambda kept: kept["x"]),
    "set": (lambda x: {float(x)}, "kept", lambda kept: next(iter(kept))),
    "nested": (lambda x: {"a": [(x,)]}, "kept['a'][0][0]", lambda kept: kept["a"][0][0]),
    "object array": (lambda x: np.array([x, None]), "kept", lambda kept: kept[0]),
    "deque": (lambda x: deque([x]), "kept", lambda kept: kept[0]),
    "namespace": (lambda x: SimpleNamespace(x=x), "kept", lambda kept: kept.x),
    "instance": (Holder, "kept", lambda kept: kept.x),
    "instance with slots": (Slotted, "kept", lambda kept: kept.x),
    "variable": (lambda x: Variable(x), "kept", lambda kept: kept.data),
    "closure": (lambda x: lambda: x, "kept()", lambda kept: kept()),
    "partial": (lambda x: partial(np.copy, x), "kept[1][0]", lambda kept: kept()),
}


def cube_that_hides(hide, find):
    class Cube(Function):
        def forward(self, x):
            self.kept = hide(x)
            return x * x * x

        def backward(self, gy):
            x = find(self.kept)
            return gy * 3.0 * x * x

    return Cube


def assert_refused(cube, y, x, path):
    with pytest.raises(GradientError) as caught:
        y.backward(create_graph=True)
    error = caught.value
    assert error.function is cube
    assert cube.__name__ in str(error)
    assert f"self.{path}" in str(error)
    assert error.attribute.startswith(path)
    assert x.grad is None
    with pytest.raises(GradientError):
        grad(y, x, create_graph=True)


@pytest.mark.parametrize("place", HIDING_PLACES)
def test_an_array_put_aside_by_forward_is_refused_with_the_attribute(place):
    hide, path, find = HIDING_PLACES[place]
    cube, x = cube_that_hides(hide, find), Variable(np.array(2.0))
    y = cube()(x)
    assert grad(y, x) == 12.0, "the first derivative is right in any case"
    assert_refused(cube, y, x, path)


class Recorded(Function):
    """x**3, with x put aside; it has an __init__, so that it might be given constants."""

    def __init__(self):
        self.x = None

    def forward(self, x):
        self.x = x
        return x * x * x

    def backward(self, gy):
        return gy * 3.0 * self.x * self.x


def test_an_array_put_aside_by_forward_is_refused_in_a_function_with_init():
    x = Variable(np.array(2.0))
    assert_refused(Recorded, Recorded()(x), x, "x")


def test_an_array_put_aside_by_forward_is_refused_beside_constants_from_init():
    class Scaled(Recorded):
        def __init__(self):
            self.x, self.factor, self.offsets = None, 2.0, [np.ones(())]

    x = Variable(np.array(2.0))
    assert_refused(Scaled, Scaled()(x), x, "x")


def test_an_array_put_aside_by_an_earlier_call_is_refused():
    x = Variable(np.array(2.0))
    cube = Recorded()
    cube(x)
    assert_refused(Recorded, cube(x), x, "x")


def test_an_array_put_aside_by_a_call_under_no_grad_is_refused():
    x = Variable(np.array(2.0))
    cube = Recorded()
    with no_grad():
        cube(x)
    assert_refused(Recorded, cube(x), x, "x")


def test_an_array_put_into_a_container_from_init_is_refused():
    class Cube(Function):
        def __init__(self):
            self.kept = {}

        def forward(self, x):
            self.kept["x"] = x
            return x * x * x

        def backward(self, gy):
            return gy * 3.0 * self.kept["x"] * self.kept["x"]

    x = Variable(np.array(2.0))
    assert_refused(Cube, Cube()(x), x, "kept")


class Scale(Function):
    """x**2 times a constant, whatever the constant sits in."""

    def __init__(self, constant):
        self.constant = constant

    def forward(self, x):
        return x * x * self.value()

    def backward(self, gy):
        return gy * 2.0 * self.inputs[0].data * self.value()

    def value(self):
        constant = self.constant
        while isinstance(constant, (tuple, list, dict)):
            constant = next(iter(constant.values() if isinstance(constant, dict) else constant))
        return constant


@pytest.mark.parametrize(
    "constant",
    [5.0, 5, np.float64(5.0), np.array(5.0), (5.0,), [np.array(5.0)], {"k": [np.array(5.0)]}],
    ids=["float", "int", "scalar", "array", "tuple", "list", "nested"],
)
@pytest.mark.parametrize("calls", [1, 2], ids=["fresh", "reused"])
def test_constants_given_to_init_are_constants_at_every_order(constant, calls):
    x = Variable(np.array(3.0))
    scale = Scale(constant)
    for _ in range(calls):
        y = scale(x)
    g = grad(y, x, create_graph=True)
    assert (g.item(), grad(g, x)) == (30.0, 10.0)


def test_the_refusal_of_a_constant_assigned_from_outside_says_to_set_constants_in_init():
    class Power(Function):
        def forward(self, x):
            return x**self.exponent

        def backward(self, gy):
            x, c = self.inputs[0].data, self.exponent
            return gy * c * x ** (c - 1)

    x = Variable(np.array(2.0))
    power = Power()
    power.exponent = 3.0
    assert grad(power(x), x) == 12.0
    with pytest.raises(GradientError, match=r"self\.exponent.*constant belongs in __init__"):
        grad(power(x), x, create_graph=True)


def test_class_attributes_of_a_function_are_constants():
    class Halve(Scale):
        constant = np.array(0.5)

        def __init__(self):
            pass

    x = Variable(np.array(3.0))
    g = grad(Halve()(x), x, create_graph=True)
    assert (g.item(), grad(g, x)) == (3.0, 1.0)


def test_forward_may_put_aside_masks_shapes_dtypes_and_positions():
    """Through none of these does a derivative pass."""

    class Relu(Function):
        def forward(self, x):
            self.mask = x > 0
            self.where = np.flatnonzero(self.mask)
            self.shape, self.kind, self.name = x.shape, x.dtype, "relu"
            self.part = (slice(None), None, ...)
            return np.where(self.mask, x, 0.0)

        def backward(self, gy):
            return gy * self.mask

    x = Variable(np.array([2.0, -3.0]))
    g = grad(Relu()(x * x * np.sin(x)), x, create_graph=True)
    np.testing.assert_allclose(
        grad(g, x)[0], 2 * np.sin(2) + 8 * np.cos(2) - 4 * np.sin(2), rtol=1e-14
    )


def test_a_cube_that_reads_its_input_has_the_right_second_derivative(book):
    class Cube(Function):
        def forward(self, x):
            return x * x * x

        def backward(self, gy):
            x = self.inputs[0].data
            return gy * 3.0 * x * x

    x = Variable(np.array(2.0))
    g = grad(Cube()(x), x, create_graph=True)
    assert (g.item(), grad(g, x)) == (12.0, 12.0)


@dataclass(eq=False)
class Power(Function):
    c: float

    def forward(self, x):
        return x**self.c

    def backward(self, gy):
        return gy * self.c * self.inputs[0].data ** (self.c - 1.0)


def test_the_fields_of_a_function_that_is_a_dataclass_are_constants():
    """The decorator adds __init__ only after the class has been made."""
    x = Variable(np.array(2.0))
    g = grad(Power(3.0)(x), x, create_graph=True)
    assert (g.item(), grad(g, x)) == (12.0, 12.0)


def test_a_function_that_is_a_dataclass_with_eq_is_refused():
    """Two equal nodes would be one to the engine."""
    equal = dataclass(type("Equal", (Power,), {"__annotations__": {"c": float}}))
    with pytest.raises(TypeError, match=r"Equal defines __eq__.*@dataclass\(eq=False\)"):
        equal(3.0)(Variable(np.array(2.0)))


def test_the_search_for_hidden_arrays_ends_in_a_tangle_of_objects():
    """Every object leads to every other: by paths it would never end."""
    tangle = [SimpleNamespace() for _ in range(30)]
    for node in tangle:
        node.all = list(tangle)
    x = Variable(np.array(2.0))
    g = grad(Scale([3.0, tangle, range(10**12)])(x), x, create_graph=True)
    assert (g.item(), grad(g, x)) == (12.0, 6.0)


def test_a_hidden_array_is_found_though_a_name_in_a_closure_had_no_value():
    def later():
        return unknown

    x = Variable(np.array(2.0))
    y = Scale([3.0, later])(x)
    unknown = np.array(1.0)
    with pytest.raises(GradientError, match=r"self\.constant\[1\]\(\)"):
        grad(y, x, create_graph=True)
    assert later() is unknown


@pytest.mark.parametrize("outputs", [False, True])
def test_unsaved_data_that_a_helper_reads_are_refused(outputs, operators):
    class Forgetful(Function):
        saves = ()

        def forward(self, x):
            return x * x

        def backward(self, gy):
            return gy * 2.0 * helper(self)

    def helper(function):
        return (function.outputs[0]() if outputs else function.inputs[0]).data

    y = Forgetful()(Variable(np.array(3.0)))
    with pytest.raises(GradientError, match="did not save them"):
        y.backward(create_graph=True)


def test_a_helper_reads_outputs_though_the_data_of_an_input_were_replaced():
    class ByShape(Function):
        def forward(self, x):
            return x * x

        def backward(self, gy):
            return gy * 2.0 * self.inputs[0].data * helper(self)

    def helper(function):
        return len(function.outputs)

    x = Variable(np.array(3.0))
    y = ByShape()(x)
    x.data = np.array(100.0)
    y.backward()
    assert x.grad == 6.0


@pytest.mark.parametrize("name", ["_shape", "_dtype", "_saved", "_outputs", "_inputs", "_array"])
def test_attributes_that_hide_no_array_may_have_any_usual_name(name, operators):
    class Own(Function):
        def forward(self, x):
            setattr(self, name, (x.shape, 2))
            return x * x

        def backward(self, gy):
            assert getattr(self, name) == ((2,), 2)
            return gy * 2.0 * self.inputs[0].data

    own = Own()
    x = Variable(np.array([3.0, 4.0]))
    y = own(own(x))
    y.backward(create_graph=True)
    np.testing.assert_array_equal(x.grad.data, 4.0 * x.data**3)
