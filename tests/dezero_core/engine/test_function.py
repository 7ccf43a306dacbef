"""Function: what goes in, what comes out, and what an application leaves behind.

Promise: docs/tutorial/function.md
"""

import threading
from collections import namedtuple

import numpy as np
import pytest

from dezero_core import Function, GradientError, Parameter, Variable, no_grad


class Spread(Function):
    """Takes any number of arrays and returns their sum, their number and the first one."""

    def forward(self, *xs):
        return sum(xs), np.array(len(xs)), xs[0]

    def backward(self, g_sum, g_number, g_first):
        return tuple(g_sum + g_first if i == 0 else g_sum for i in range(len(self.inputs)))


def variables(*values):
    return [Variable(np.array(value)) for value in values]


def test_an_array_from_forward_comes_back_as_a_variable(book):
    (x,) = variables(3.0)
    y = book.Square()(x)
    assert type(y) is Variable
    assert y.data == 9.0


def test_a_tuple_of_arrays_from_forward_comes_back_as_a_list_of_variables(book):
    outputs = book.SumAndProduct()(*variables(3.0, 5.0))
    assert type(outputs) is list
    assert [y.item() for y in outputs] == [8.0, 15.0]


def test_a_tuple_of_one_array_from_forward_comes_back_as_a_variable():
    class Single(Function):
        def forward(self, x):
            return (x * 2.0,)

        def backward(self, gy):
            return (gy * 2.0,)

    (x,) = variables([1.0, 2.0])
    y = Single()(x)
    y.backward()
    np.testing.assert_array_equal(y.data, [2.0, 4.0])
    np.testing.assert_array_equal(x.grad, [2.0, 2.0])


def test_a_function_takes_any_number_of_inputs():
    xs = variables(*np.arange(2.0, 12.0))
    total, number, first = Spread()(*xs)
    assert (total.item(), number.item(), first.item()) == (65.0, 10, 2.0)
    total.backward()
    assert [x.grad.item() for x in xs] == [1.0] * 10


def test_an_integer_output_beside_a_real_output_is_a_constant():
    x0, x1 = variables(2.0, 3.0)
    total, number, first = Spread()(x0, x1)
    assert number.creator is None
    assert total.creator is first.creator is not None


def test_a_function_without_inputs_makes_an_input():
    class Ones(Function):
        def forward(self):
            return np.ones(2)

    y = Ones()()
    assert (y.creator, y.generation) == (None, 0)


def test_a_numpy_scalar_from_forward_becomes_a_0d_array(book):
    y = book.Sin()(Variable(np.array(1.0, np.float32)))
    assert type(y.data) is np.ndarray
    assert (y.shape, y.dtype) == ((), np.float32)


def test_python_numbers_from_forward_become_0d_arrays():
    class Count(Function):
        def forward(self, x):
            return x.size, 0.5

    number, half = Count()(Variable(np.zeros(7)))
    assert (type(number.data), number.item(), half.item()) == (np.ndarray, 7, 0.5)


def test_a_function_refers_to_its_inputs_and_weakly_to_its_outputs(book, no_collector):
    (x,) = variables(3.0)
    y = book.Square()(x)
    function = y.creator
    assert isinstance(function, book.Square)
    assert function.inputs == (x,)
    assert function.inputs[0] is x
    assert function.outputs[0]() is y
    del y
    assert function.outputs[0]() is None


def test_several_inputs_and_outputs_of_a_function_keep_their_order(book):
    x0, x1 = variables(3.0, 5.0)
    outputs = book.SumAndProduct()(x0, x1)
    function = outputs[0].creator
    assert outputs[1].creator is function
    assert [x is y for x, y in zip(function.inputs, (x0, x1), strict=True)] == [True, True]
    assert [r() is y for r, y in zip(function.outputs, outputs, strict=True)] == [True, True]


def test_living_inputs_of_a_function_are_found_though_nothing_is_saved(book):
    x0, x1 = variables(3.0, 5.0)
    y = book.Add()(x0, x1)
    assert [x is v for x, v in zip(y.creator.inputs, (x0, x1), strict=True)] == [True, True]


def test_a_function_knows_shape_and_dtype_of_a_dropped_unsaved_input(book):
    (x,) = variables(3.0)
    hidden = book.Square()(x)
    y = book.Add()(hidden, 2.0)
    del hidden
    assert [(v.shape, v.dtype) for v in y.creator.inputs] == [((), np.float64), ((), None)]


@pytest.mark.parametrize("name", ["inputs", "outputs", "needs_grad", "generation"])
@pytest.mark.parametrize("function", ["Mul", "Add"])
def test_a_function_that_was_not_applied_has_no_inputs_and_outputs(book, function, name):
    getattr(book, function)()(*variables(2.0, 3.0))
    assert not hasattr(getattr(book, function)(), name)


@pytest.mark.parametrize("function", ["Mul", "Add"])
def test_a_function_that_was_freed_has_no_inputs(book, function):
    y = getattr(book, function)()(*variables(2.0, 3.0))
    y.backward(free_graph=True)
    assert y.creator.inputs == ()


@pytest.mark.parametrize("own", [lambda self, x: x, Function.__call__])
def test_a_call_of_the_authors_own_is_refused_with_what_to_write(own):
    with pytest.raises(TypeError, match=r"Own must not define __call__.*in forward"):
        type("Own", (Function,), {"__call__": own})
    with pytest.raises(TypeError, match=r"Own must not define __call__.*in forward"):
        type("Own", (type("Mixin", (), {"__call__": own}), Function), {})


def test_a_function_has_the_highest_generation_of_its_inputs_and_its_outputs_the_next(book):
    (x,) = variables(2.0)
    a = book.Square()(x)
    b = book.Square()(a)
    assert [v.generation for v in (x, a, b)] == [0, 1, 2]
    for y in (book.Add()(x, b), book.Add()(b, a), book.Add()(b, 1.0)):
        assert (y.creator.generation, y.generation) == (2, 3)


@pytest.mark.parametrize("name", ["Square", "Tanh", "Neg"])
def test_a_function_instance_may_be_applied_to_its_own_result(book, name):
    function = getattr(book, name)()
    twice, by_hand = variables(0.5, 0.5)
    function(function(twice)).backward()
    getattr(book, name)()(getattr(book, name)()(by_hand)).backward()
    assert twice.grad == by_hand.grad


def test_applications_of_one_function_instance_are_separate_nodes(book):
    square = book.Square()
    x0, x1 = variables(2.0, 3.0)
    y0, y1 = square(x0), square(x1)
    assert y0.creator is not y1.creator
    y0.backward()
    assert (x0.grad, x1.grad) == (4.0, None)


def test_a_reused_function_instance_keeps_its_settings(book):
    cube = book.Pow(3)
    (x,) = variables(2.0)
    cube(cube(x)).backward()
    assert x.grad == 9 * 2.0**8


def test_backward_may_return_none_for_an_input_without_a_gradient():
    class First(Function):
        def forward(self, x0, x1):
            return x0

        def backward(self, gy):
            return gy, None

    x0, x1 = variables(2.0, 3.0)
    First()(x0, x1).backward()
    assert (x0.grad, x1.grad) == (1.0, None)


def test_the_method_of_gives_arrays_for_arrays_and_variables_for_variables(book):
    assert type(book.Square().of(np.array([3.0]))) is np.ndarray
    y = book.Square().of(Variable(np.array([3.0])))
    assert type(y) is Variable
    assert y.creator is not None
    mixed = book.Mul().of(np.array([2.0]), Variable(np.array([3.0])))
    assert (type(mixed), mixed.data[0]) == (Variable, 6.0)


@pytest.mark.parametrize("saves", ["inputs", ["inputs"], ("input",), ("inputs", "grads"), None])
def test_saves_is_checked_when_the_function_class_is_defined(saves):
    with pytest.raises(TypeError, match=r"Mistaken\.saves must be a tuple of 'inputs', "):
        type("Mistaken", (Function,), {"saves": saves})


def test_a_function_applied_under_no_grad_records_nothing(book):
    (x,) = variables(2.0)
    square = book.Square()
    with no_grad():
        y = square(x)
    assert (y.creator, y.generation, y.data) == (None, 0, 4.0)
    assert not hasattr(square, "inputs")
    assert not hasattr(square, "outputs")


def test_backward_may_return_variables_in_a_plain_pass():
    class Verbose(Function):
        def forward(self, x):
            return x * 2.0

        def backward(self, gy):
            return Variable(gy * 2.0)

    x = Parameter(np.array([3.0]))
    Verbose()(x).backward()
    assert type(x.grad) is np.ndarray
    assert x.grad == 2.0


def test_a_function_without_forward_raises_not_implemented_error():
    with pytest.raises(NotImplementedError, match=r"Empty must define forward\(self, \*xs\)"):
        type("Empty", (Function,), {})()(Variable(np.array(1.0)))


def test_reading_unsaved_data_is_an_error_that_names_the_function():
    class Forgetful(Function):
        saves = ()

        def forward(self, x):
            return x * x

        def backward(self, gy):
            return gy * 2.0 * self.inputs[0].data

    (x,) = variables(3.0)
    y = Forgetful()(x)
    with pytest.raises(GradientError, match=r"Forgetful.*inputs") as caught:
        y.backward()
    assert caught.value.function is Forgetful
    assert x.grad is None


@pytest.mark.parametrize("name", ["_constants", "_edges", "_apply", "_node_for_backward", "_where"])
def test_an_attribute_name_that_function_uses_itself_is_refused(name):
    with pytest.raises(TypeError, match=f"Author defines '{name}', which Function has for its own"):
        type("Author", (Function,), {name: lambda self: ()})


def test_a_function_class_with_slots_is_refused():
    """A graph copies an instance by its __dict__: what sits in a slot would be lost."""
    with pytest.raises(TypeError, match="Slotted must not define __slots__"):
        type("Slotted", (Function,), {"__slots__": ("c",)})


def test_several_threads_may_apply_one_function_instance():
    class Slow(Function):
        def forward(self, x):
            met.wait()
            return x * x

        def backward(self, gy):
            return gy * 2.0 * self.inputs[0].data

    met = threading.Barrier(3, timeout=30)
    slow, xs, ys = Slow(), variables(1.0, 2.0, 3.0), {}

    def apply(x):
        ys[x] = slow(x)

    threads = [threading.Thread(target=apply, args=(x,)) for x in xs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for x in xs:
        ys[x].backward()
    assert [x.grad for x in xs] == [2.0, 4.0, 6.0]


@pytest.mark.parametrize("name", ["edges", "cuts", "cut", "saved_inputs", "input_specs"])
def test_an_author_may_give_attributes_of_a_function_any_other_name(name):
    class Scale(Function):
        def __init__(self, value):
            setattr(self, name, value)

        def forward(self, x):
            return x * getattr(self, name)

        def backward(self, gy):
            return gy * getattr(self, name)

    (x,) = variables(2.0)
    y = Scale(3)(x)
    y.backward()
    assert (y.item(), x.grad) == (6.0, 3.0)


def test_forward_may_return_a_named_tuple():
    """As numpy.linalg.eigh does."""

    class Halves(Function):
        def forward(self, x):
            return namedtuple("Pair", "low high")(x * 0.25, x * 0.75)

        def backward(self, g_low, g_high):
            return g_low * 0.25 + g_high * 0.75

    (x,) = variables(2.0)
    low, high = Halves()(x)
    high.backward()
    assert (low.item(), high.item(), x.grad) == (0.5, 1.5, 0.75)
