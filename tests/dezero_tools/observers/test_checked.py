"""``checked()``: what ``backward`` reads is what ``forward`` saw, or an error says what is not.

Promise: docs/how_to/find_a_nan.md
"""

import gc
import sys
import weakref
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, GradientError, Variable, grad
from dezero_tools import WrittenArrayError, checked, numeric_op


class Square(Function):
    def forward(self, x):
        return x * x

    def backward(self, gy):
        x = self.inputs[0].data
        if isinstance(gy, Variable):
            return Multiply()(Multiply()(gy, x), 2.0)
        return 2.0 * gy * x


class Multiply(Function):
    """Keeps of a constant and an input the constant alone."""

    saves = ("other inputs",)

    def forward(self, x, y):
        return x * y

    def backward(self, gy):
        x, y = self.inputs
        gx = Multiply().of(gy, y.data) if self.needs_grad[0] else None
        return gx, Multiply().of(gy, x.data) if self.needs_grad[1] else None


class Root(Function):
    saves = ("outputs",)

    def forward(self, x):
        return np.sqrt(x)

    def backward(self, gy):
        return gy / (2.0 * self.outputs[0]().data)


class Pick(Function):
    """Has an array of its own."""

    saves = ()

    def __init__(self, places):
        self.places = places

    def forward(self, x):
        return x[self.places]

    def backward(self, gy):
        gx = np.zeros(3)
        gx[self.places] = gy
        return gx


def line_here(offset=0):
    frame = sys._getframe(1)
    return f"{frame.f_code.co_filename}:{frame.f_lineno + offset}"


@pytest.fixture
def x():
    return Variable(np.array([1.0, 4.0, 9.0]))


def write_data(x, y):
    x.data[1] = 5.0


def write_in_place(x, y):
    x.data += np.array([0.0, 1.0, 0.0])


def write_a_view(x, y):
    flipped = x.data[::-1].reshape(3, 1)
    flipped[1, 0] = 5.0


def write_the_bytes(x, y):
    x.data.view(np.uint8)[8:16] = np.array([5.0]).view(np.uint8)


WRITES = [write_data, write_in_place, write_a_view, write_the_bytes]


@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
@pytest.mark.parametrize("inside", [True, False])
def test_checked_names_an_input_that_is_written_to_with_line_and_change(write, inside, x):
    x.grad = np.zeros(3)
    with checked():
        y, where = Square()(x), line_here()
        if inside:
            write(x, y)
    if not inside:
        write(x, y)
    with pytest.raises(WrittenArrayError) as caught:
        y.backward()
    error = caught.value
    assert isinstance(error, RuntimeError)
    assert (error.function, error.what, error.where) == (Square, "input 0", where)
    for part in ("input 0 of Square", __name__, where, "[1] was 4.0 and is 5.0", "x.data = "):
        assert part in str(error)
    np.testing.assert_array_equal(x.grad, np.zeros(3))
    with pytest.raises(WrittenArrayError):
        grad(y, x, create_graph=True)


def test_arrays_without_a_change_give_the_same_gradients_as_outside_of_checked(x):
    def gradients():
        y = Root()(Multiply()(Square()(x), np.array([1.0, 2.0, 3.0])))
        return [grad(y, x), grad(grad(Square()(x), x, create_graph=True), x)]

    plain = gradients()
    with checked():
        for a, b in zip(gradients(), plain, strict=True):
            np.testing.assert_array_equal(a, b)


def test_checked_names_a_constant_that_is_written_to(x):
    scale = np.array([1.0, 2.0, 3.0])
    with checked():
        y = Multiply()(x, scale)
    scale[2] = 0.0
    with pytest.raises(WrittenArrayError, match=r"input 1 of Multiply.*\[2\] was 3.0 and is 0.0"):
        y.backward()


def test_checked_allows_writing_to_an_array_that_backward_does_not_read(x):
    scale = np.array([1.0, 2.0, 3.0])
    with checked():
        y = Multiply()(x, scale)
        z = Root()(x)
    x.data[:] = 0.0
    y.backward()
    z.backward()
    np.testing.assert_array_equal(x.grad, scale + np.array([0.5, 0.25, 1 / 6]))


def test_checked_names_an_output_that_is_written_to(x):
    with checked():
        y = Root()(x)
    y.data[0] = 7.0
    with pytest.raises(WrittenArrayError, match=r"output 0 of Root.*\[0\] was 1.0 and is 7.0"):
        y.backward()


def test_checked_names_an_array_among_the_attributes_that_is_written_to(x):
    places = np.array([0, 2])
    with checked():
        y = Pick(places)(x)
    places[0] = 1
    with pytest.raises(WrittenArrayError, match=r"self.places of Pick.*\[0\] was 0 and is 1"):
        y.backward()


#: What holds an array, how to get it from there, and what the message calls it.
PLACES = {
    "list": (lambda a: [a], lambda kept: kept[0], "self.kept[0]"),
    "tuple": (lambda a: (1, a), lambda kept: kept[1], "self.kept[1]"),
    "dict": (lambda a: {"a": a}, lambda kept: kept["a"], "self.kept['a']"),
    "nested": (lambda a: [{"a": (a,)}], lambda kept: kept[0]["a"][0], "self.kept[0]['a'][0]"),
    "closure": (lambda a: lambda: a, lambda kept: kept(), "self.kept()"),
    "partial": (lambda a: partial(np.asarray, a), lambda kept: kept(), "self.kept[1][0]"),
    "keyword": (lambda a: partial(dict, a=a), lambda kept: kept()["a"], "self.kept[2]['a']"),
    "beside a class": (lambda a: [np, Square, a], lambda kept: kept[2], "self.kept[2]"),
    "object": (lambda a: SimpleNamespace(a=a), lambda kept: kept.a, "self.kept.a"),
}


class Scale(Function):
    saves = ()

    def __init__(self, kept, find):
        self.kept, self.find = kept, find

    def forward(self, x):
        return x * self.find(self.kept)

    def backward(self, gy):
        return gy * self.find(self.kept)


@pytest.mark.parametrize("place", PLACES)
def test_checked_names_an_array_inside_of_an_attribute_that_is_written_to(place, x):
    hold, find, path = PLACES[place]
    scales = np.ones(3)
    with checked():
        y = Scale(hold(scales), find)(x)
    scales[1] = 5.0
    with pytest.raises(WrittenArrayError) as caught:
        y.backward()
    assert caught.value.what == path
    assert "[1] was 1.0 and is 5.0" in str(caught.value)


def test_checked_allows_writing_to_an_attribute_that_only_forward_mentions(x):
    class Centred(Function):
        saves = ()

        def __init__(self):
            self.mean = np.zeros(3)

        def forward(self, x):
            self.mean *= 0.9
            self.mean += 0.1 * x
            return x - self.mean

        def backward(self, gy):
            return gy

    centred = Centred()
    with checked():
        y = centred(centred(x))
        y.backward()
    np.testing.assert_array_equal(x.grad, np.ones(3))


@pytest.mark.filterwarnings("ignore::dezero_core.ApproximateGradientWarning")
def test_checked_names_a_keyword_of_numeric_op_that_is_written_to(x):
    scales = np.ones(3)
    with checked():
        y = numeric_op(lambda v, scales: v * scales, elementwise=True)(x, scales=scales)
    scales[0] = 9.0
    with pytest.raises(WrittenArrayError, match=r"self\.constants\['scales'\].*\[0\] was 1.0"):
        y.backward()


@pytest.mark.parametrize("number", [0, 1])
def test_checked_finds_a_change_of_inputs_and_of_outputs(number, x):
    class Both(Function):
        saves = ("inputs", "outputs")

        def forward(self, x):
            return x * x

        def backward(self, gy):
            return gy * self.outputs[0]().data / self.inputs[0].data * 2.0

    with checked():
        y = Both()(x)
    (x, y)[number].data[0] = 7.0
    with pytest.raises(WrittenArrayError, match=("input 0", "output 0")[number]):
        y.backward()


def test_checked_takes_a_zero_of_opposite_sign_as_a_change():
    x = Variable(np.zeros(2))
    with checked():
        y = Root()(x)
    np.negative(y.data, out=y.data)
    with pytest.raises(WrittenArrayError, match=r"\[0\] was 0\.0 and is -0\.0"):
        y.backward()


@pytest.mark.parametrize("write", [True, False])
def test_checked_finds_a_replaced_element_of_an_array_of_objects(write, x):
    parts = np.empty(2, dtype=object)
    parts[:] = [np.ones(3), None]
    with checked():
        y = Scale(parts, lambda kept: kept[0])(x)
    if not write:
        y.backward()
        return
    parts[1] = "another"
    with pytest.raises(WrittenArrayError, match=r"\[1\] was None and is another"):
        y.backward()


def test_the_error_of_checked_for_a_0d_array_speaks_of_a_single_element():
    x = Variable(np.array(3.0))
    with checked():
        y = Square()(x)
    x.data[...] = 4.0
    with pytest.raises(WrittenArrayError, match=r"its one element was 3\.0 and is 4\.0"):
        y.backward()


def test_checked_does_not_take_replaced_data_for_changed_data(x):
    with checked():
        y = Square()(x)
    x.data = x.data + 1.0
    y.backward()
    np.testing.assert_array_equal(x.grad, [2.0, 8.0, 18.0])


def test_checked_does_not_take_nan_for_a_change():
    x = Variable(np.array([np.nan, 1.0]))
    with checked():
        y = Square()(x)
    y.backward()
    x.data[:] = 1.0, np.nan
    with pytest.raises(WrittenArrayError, match=r"\[0\] was nan and is 1.0"):
        y.backward()
    x.data[0] = np.nan
    with pytest.raises(WrittenArrayError, match=r"\[1\] was 1.0 and is nan"):
        y.backward()


def test_a_changed_shape_is_found_by_checked():
    data = np.ones((2, 3))
    x = Variable(data)
    with checked():
        y = Multiply()(x, Variable(np.ones((2, 3))))
        scale = np.ones((2, 3))
        z = Multiply()(x, scale)
    scale.shape = (3, 2)
    with pytest.raises(WrittenArrayError, match=r"of shape \(2, 3\) and are of shape \(3, 2\)"):
        z.backward()
    y.backward()


def test_an_operation_applied_outside_of_checked_is_not_verified(x):
    y = Square()(x)
    with checked():
        x.data[0] = 2.0
        y.backward()
    assert x.grad[0] == 4.0


def test_the_copies_of_checked_are_freed_with_the_graph(x, no_collector):
    with checked():
        y = Square()(x)
        guard = weakref.ref(vars(y.creator)["_end"].__self__)
    assert guard() is not None
    y.backward(free_graph=True)
    assert guard() is None
    with pytest.raises(RuntimeError, match="free_graph"):
        y.backward()
    with checked():
        y = Square()(x)
        guard = weakref.ref(vars(y.creator)["_end"].__self__)
    del y
    assert guard() is None
    gc.enable()


def test_a_function_observed_by_checked_may_be_applied_again(x):
    square = Square()
    with checked():
        y = square(square(x))
        y.backward()
    np.testing.assert_array_equal(x.grad, 4.0 * x.data**3)


class Fails(Square):
    def backward(self, gy):
        raise ZeroDivisionError("no")


def test_an_error_in_backward_under_checked_names_the_line_of_the_call(x):
    with checked():
        y, where = Fails()(x), line_here()
    with pytest.raises(ZeroDivisionError) as caught:
        y.backward()
    called = line_here(-1)
    (note,) = caught.value.__notes__
    assert f"called at {called}; it was applied at {where}" in note


def test_an_error_in_backward_without_checked_names_checked(x):
    with pytest.raises(ZeroDivisionError) as caught:
        Fails()(x).backward()
    (note,) = caught.value.__notes__
    assert note.endswith(
        "to see the line that applied it, run the forward pass inside of "
        "`with dezero_tools.checked():`"
    )


def test_checked_still_refuses_attributes_that_hide_a_derivative(x):
    class Hides(Square):
        def forward(self, x):
            self.kept = x
            return x * x

    with checked():
        y = Hides()(x)
        with pytest.raises(GradientError, match=r"self\.kept"):
            grad(y, x, create_graph=True)
