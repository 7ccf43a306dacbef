"""Operands: the arrays of Variables, and constants of every kind; needs_grad tells which.

Promise: docs/how_to/write_an_operation.md
"""

import operator

import numpy as np
import pytest

from dezero_core import Function, Variable, VariableTypeError

seen = {}


@pytest.fixture(autouse=True)
def nothing_seen():
    seen.clear()


class Spy(Function):
    """x0 * x1; remembers for the test what it has been handed."""

    saves = ()

    def forward(self, *xs):
        seen["forward"] = xs
        return xs[0] * xs[1]

    def backward(self, *gys):
        seen["needs_grad"] = self.needs_grad
        return tuple(np.ones(x.shape) for x in self.inputs)


def variables(*values):
    return [Variable(np.array(value)) for value in values]


def test_forward_is_handed_the_arrays_of_the_variables_without_a_copy():
    x0, x1 = variables([1.0, 2.0], [3.0, 4.0])
    Spy()(x0, x1)
    assert seen["forward"][0] is x0.data
    assert seen["forward"][1] is x1.data


@pytest.mark.parametrize(
    "constant", [np.array([2.0, 3.0]), 2.0, 2, True, np.float64(2.0), np.int8(2)], ids=repr
)
def test_operands_may_be_arrays_and_python_and_numpy_scalars(book, constant):
    for swap in (False, True):
        (x,) = variables([1.0, 4.0])
        y = book.Mul()(constant, x) if swap else book.Mul()(x, constant)
        y.backward()
        np.testing.assert_array_equal(y.data, x.data * constant)
        np.testing.assert_array_equal(x.grad, np.ones(2) * constant)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble])
@pytest.mark.parametrize("scalar", [2.0, 2, True])
def test_python_scalars_as_operands_do_not_change_the_dtype(book, dtype, scalar):
    x = Variable(np.array([1.5], dtype))
    for inputs in ((x, scalar), (scalar, x)):
        y = book.Mul()(*inputs)
        y.backward()
        assert y.dtype == x.grad.dtype == dtype
        x.cleargrad()


def test_numpy_scalars_may_change_the_dtype_of_the_result_and_not_of_the_gradient(book):
    x = Variable(np.array([1.5], np.float32))
    y = book.Mul()(x, np.float64(2.0))
    y.backward()
    assert (y.dtype, x.grad.dtype) == (np.float64, np.float32)


def test_a_constant_of_an_ndarray_subclass_reaches_forward_as_a_plain_array():
    class Tagged(np.ndarray):
        pass

    Spy()(Variable(np.ones(2)), np.ones(2).view(Tagged))
    assert type(seen["forward"][1]) is np.ndarray


@pytest.mark.parametrize("operand", [None, "2", {}, object()])
def test_an_operand_that_is_no_array_or_number_is_refused_before_forward(operand):
    with pytest.raises(VariableTypeError) as caught:
        Spy()(*variables(1.0), operand)
    assert str(caught.value).startswith(f"{type(operand)} is not supported")
    assert caught.value.got is type(operand)
    assert seen == {}


@pytest.mark.parametrize("operand", [[1, 2], (1.0, 2.0), [[1.0], [2.0]], [np.ones(2), [3, 4]]])
def test_a_list_of_numbers_reaches_forward_as_the_array_that_numpy_makes_of_it(operand):
    Spy()(Variable(np.ones(2)), operand)
    np.testing.assert_array_equal(seen["forward"][1], np.asarray(operand), strict=True)


@pytest.mark.parametrize("operand", [["2"], [None], [[1.0], ["a"]]])
def test_a_list_of_anything_but_numbers_is_refused_before_forward(operand):
    with pytest.raises(VariableTypeError, match=r"of dtype .* is not supported"):
        Spy()(*variables(1.0), operand)
    assert seen == {}


@pytest.mark.parametrize("wrapped", [lambda x: [x, 1.0], lambda x: (1.0, x), lambda x: [[x], [1]]])
def test_a_list_with_a_variable_in_it_is_refused_with_np_stack(wrapped):
    (x,) = variables(1.0)
    with pytest.raises(VariableTypeError, match=r"np\.stack\(\[x, y\]\).*gradient would be lost"):
        Spy()(x, wrapped(x))
    assert seen == {}


def test_a_list_of_lists_of_different_lengths_is_numpys_error_with_a_note():
    with pytest.raises(ValueError, match="inhomogeneous shape") as caught:
        Spy()(*variables(1.0), [[1.0], [2.0, 3.0]])
    assert "in Spy.forward" in caught.value.__notes__[0]


def test_the_buffer_of_an_array_as_operand_is_advised_to_be_the_array():
    """The book's ``x.grad.data`` is the memory of an ndarray here."""
    (x,) = variables(1.0)
    with pytest.raises(VariableTypeError, match=r"or a number\. Write x\.grad\.\n"):
        Spy()(x, np.ones(1).data)


def test_a_masked_array_as_operand_is_refused(book):
    with pytest.raises(VariableTypeError, match="MaskedArray"):
        book.Mul()(Variable(np.ones(2)), np.ma.masked_array([1.0, 2.0], mask=[True, False]))


@pytest.mark.parametrize("first", [True, False], ids=["first", "second"])
def test_a_matrix_as_operand_is_refused_on_either_side(operators, first):
    x, m = Variable(np.ones((2, 2))), np.ones((2, 2)).view(np.matrix)
    for product in (operator.mul, np.multiply):
        with pytest.raises(VariableTypeError, match=r"matrix.*asarray.*@"):
            product(m, x) if first else product(x, m)


@pytest.mark.parametrize("data", [np.array(3), np.array([1, 2]), np.array([True, False])])
def test_integer_and_boolean_variables_are_constants(book, data):
    k, x = Variable(data), Variable(np.array(1.5))
    y = book.Mul()(k, x)
    y.backward()
    assert k.grad is None
    assert x.grad == data.sum()


def test_integer_data_stay_a_constant_after_real_data_have_been_replaced(book):
    x, w = variables(1.5, 2.0)
    book.Square()(x)
    x.data = np.array(3)
    book.Mul()(x, w).backward()
    assert (x.grad, w.grad) == (None, 3.0)


def test_real_data_are_no_constant_after_integer_data_have_been_replaced(book):
    x, w = variables(3, 2.0)
    book.Mul()(x, w)
    x.data = np.array(1.5)
    book.Mul()(x, w).backward()
    assert x.grad == 2.0


def test_a_result_of_constants_alone_is_an_input(book):
    for inputs in (variables(2, 3), [2.0, 3.0], [np.ones(2), 3.0]):
        y = book.Div()(*inputs)
        assert (y.creator, y.generation) == (None, 0)


def test_needs_grad_tells_inputs_from_constants():
    x, k = variables(2.0, 3)
    Spy()(x, 3.0).backward()
    assert seen["needs_grad"] == (True, False)
    Spy()(k, x).backward()
    assert seen["needs_grad"] == (False, True)
    Spy()(x, Variable(np.array(1.0))).backward()
    assert seen["needs_grad"] == (True, True)


def test_a_gradient_returned_for_a_constant_is_not_checked():
    class Careless(Function):
        def forward(self, x, k):
            return x * k

        def backward(self, gy):
            return gy * self.inputs[1].data, "of no interest"

    (x,) = variables(2.0)
    Careless()(x, 3.0).backward()
    assert x.grad == 3.0


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (lambda x: x, "factor"),
        (lambda x: [1.0, x], r"factor\[1\]"),
        (lambda x: {"a": (x,)}, r"factor\['a'\]\[0\]"),
    ],
)
@pytest.mark.parametrize("data", [np.array(2.0), np.array(2)], ids=["float", "int"])
def test_a_variable_given_to_init_is_refused_for_lack_of_a_gradient(given, path, data):
    class Scale(Function):
        def __init__(self, factor):
            self.factor = factor

        def forward(self, x):
            raise AssertionError("is not reached")

    x = Variable(np.ones(3))
    with pytest.raises(VariableTypeError, match=rf"Scale of .* constant for '{path}',.*its \.data"):
        Scale(given(Variable(data)))(x)
    assert x.grad is None
