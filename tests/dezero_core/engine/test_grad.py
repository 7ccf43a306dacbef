"""grad(): gradients as return values.

Promise: docs/tutorial/higher_order.md
"""

import contextlib

import numpy as np
import pytest

from dezero_core import (
    GradientError,
    GraphError,
    MissingOperationError,
    Variable,
    VariableTypeError,
    grad,
    no_grad,
)


def variables(*values):
    return [Variable(np.array(value)) for value in values]


def test_grad_of_one_result_by_one_input_is_an_array(book):
    (x,) = variables([1.0, 2.0])
    g = grad(book.Square()(x), x)
    assert type(g) is np.ndarray
    np.testing.assert_array_equal(g, [2.0, 4.0])


def test_grad_of_one_result_by_several_inputs_is_a_list(book):
    x, y = variables(2.0, 3.0)
    assert grad(book.Mul()(x, y), [x, y]) == [3.0, 2.0]
    assert grad(book.Mul()(x, y), (y,)) == [2.0]


def test_grad_returns_gradients_in_the_order_of_inputs_that_may_repeat(book):
    x, y = variables(2.0, 3.0)
    assert grad(book.Mul()(x, y), [y, x, y]) == [2.0, 3.0, 2.0]


def test_grad_of_several_results_is_that_of_their_sum(book):
    x, y = variables(2.0, 3.0)
    product, square = book.Mul()(x, y), book.Square()(x)
    assert grad([product, square], [x, y]) == [3.0 + 4.0, 2.0]


def test_grad_counts_a_result_given_twice_twice(book):
    (x,) = variables(3.0)
    y = book.Square()(x)
    assert grad([y, y], x) == 12.0


def test_grad_of_two_results_of_which_one_leads_to_the_other_is_right(book):
    (x,) = variables(3.0)
    a = book.Square()(x)
    y = book.Square()(a)
    assert grad([a, y], [x, a]) == [6.0 + 4 * 27.0, 1.0 + 18.0]


def test_grad_of_both_outputs_of_a_function_adds_up(book):
    x0, x1 = variables(3.0, 5.0)
    assert grad(book.SumAndProduct()(x0, x1), [x0, x1]) == [6.0, 4.0]


def test_grad_by_an_intermediate_variable_is_right(book):
    (x,) = variables(3.0)
    a = book.Square()(x)
    y = book.Mul()(book.Square()(a), x)
    assert grad(y, [a, x]) == [2 * 9.0 * 3.0, 5 * 3.0**4]


def test_grad_by_one_of_several_outputs_is_right(book):
    x0, x1 = variables(3.0, 5.0)
    s, p = book.SumAndProduct()(x0, x1)
    y = book.Square()(p)
    assert grad(y, [s, p]) == [0.0, 30.0]


def test_grad_of_a_result_by_itself_is_one(book):
    (x,) = variables([1.0, 2.0])
    y = book.Square()(x)
    np.testing.assert_array_equal(grad(y, y), [1.0, 1.0])


def test_grad_by_a_variable_that_the_result_does_not_depend_on_is_zero(book):
    x = Variable(np.ones(2))
    elsewhere = Variable(np.ones((2, 3), np.float32))
    later = book.Square()(book.Square()(x))
    with pytest.warns(UserWarning, match="does not depend on input [12] of grad"):
        gx, ge, gl = grad(book.Square()(x), [x, elsewhere, later])
    np.testing.assert_array_equal(gx, [2.0, 2.0])
    np.testing.assert_array_equal(ge, np.zeros((2, 3)))
    np.testing.assert_array_equal(gl, np.zeros(2))
    assert (type(ge), ge.dtype) == (np.ndarray, np.float32)


def test_grad_by_an_unreachable_variable_under_create_graph_is_a_variable_of_zeros(book, operators):
    x, elsewhere = variables(2.0, [1.0, 2.0])
    with pytest.warns(UserWarning, match="does not depend on input 0 of grad"):
        g = grad(book.Square()(x), elsewhere, create_graph=True)
    assert type(g) is Variable
    np.testing.assert_array_equal(g.data, [0.0, 0.0])


def test_grad_changes_no_grad_attribute(book):
    x, y = variables(2.0, 3.0)
    a = book.Mul()(x, y)
    z = book.Square()(a)
    grad(z, [x, a])
    assert [v.grad for v in (x, y, a, z)] == [None] * 4
    marks = [np.array(float(i)) for i in range(4)]
    for v, mark in zip((x, y, a, z), marks, strict=True):
        v.grad = mark
    grad(z, [x, a], create_graph=False)
    assert [v.grad is mark for v, mark in zip((x, y, a, z), marks, strict=True)] == [True] * 4


def test_grad_starts_from_ones_though_the_result_has_a_gradient(book):
    (x,) = variables(3.0)
    y = book.Square()(x)
    y.grad = np.array(1000.0)
    assert grad(y, x) == 6.0


def test_grad_under_create_graph_changes_no_grad_attribute(book, operators):
    (x,) = variables(2.0)
    a = book.Square()(x)
    y = book.Square()(a)
    g = grad(y, x, create_graph=True)
    assert type(g) is Variable
    grad(g, x)
    assert [v.grad for v in (x, a, y, g)] == [None] * 4


def test_grad_has_the_shape_and_dtype_of_the_input(book):
    x = Variable(np.ones((3,), np.float32))
    y = book.Mul()(x, Variable(np.ones((2, 3))))
    g = grad(y, x)
    assert (g.shape, g.dtype) == ((3,), np.float32)
    np.testing.assert_array_equal(g, [2.0, 2.0, 2.0])


@pytest.mark.parametrize("data", [np.array(3), np.array([True, False])], ids=["int", "bool"])
def test_grad_by_integer_data_is_an_error_that_says_to_convert(book, data):
    x, k = Variable(np.array(2.0)), Variable(data)
    with pytest.raises(VariableTypeError, match=f"input 1 of grad.*{data.dtype}.*astype") as caught:
        grad(book.Mul()(x, k), [x, k])
    assert caught.value.got == data.dtype


@pytest.mark.parametrize("wrong", [np.array([2.0]), 2.0, None, Variable(None)])
def test_grad_by_an_object_that_is_no_variable_with_data_is_an_error(book, wrong):
    (x,) = variables(2.0)
    with pytest.raises(VariableTypeError, match=r"input 1 of grad\(\)"):
        grad(book.Square()(x), [x, wrong])


@pytest.mark.parametrize("wrong", [np.array([2.0]), [2.0], [np.array(1.0)]])
def test_grad_of_an_object_that_is_no_variable_is_a_type_error(wrong):
    (x,) = variables(2.0)
    with pytest.raises(TypeError, match="Variable"):
        grad(wrong, x)


def test_grad_of_an_input_is_an_error():
    (x,) = variables(2.0)
    with pytest.raises(GraphError, match="no creator"):
        grad(x, x)


def test_grad_of_several_results_with_one_of_no_grad_is_an_error(book):
    (x,) = variables(2.0)
    with no_grad():
        y = book.Square()(x)
    with pytest.raises(GraphError, match="no_grad"):
        grad([book.Square()(x), y], x)


def test_grad_by_a_constant_gradient_is_right(operators):
    (x,) = variables(2.0)
    one = grad(x + 1.0, x, create_graph=True)
    assert one.item() == 1.0
    assert grad(one * x, one) == 2.0


def test_grad_of_a_function_is_refused_with_the_grad_of_the_tools():
    with pytest.raises(VariableTypeError, match=r"function .* dezero_tools\.functional\.grad\(f\)"):
        grad(np.sum, Variable(np.array(1.0)))


def test_grad_of_an_unrecorded_gradient_names_create_graph(operators):
    (x,) = variables(2.0)
    gradient = grad(x * x, x)
    with pytest.raises(VariableTypeError, match="with create_graph=True"):
        grad(gradient, x)


@pytest.mark.parametrize("form", [lambda g: g, lambda g: [g], lambda g: (Variable(g),)])
def test_grad_starts_from_the_given_grad_outputs(book, form):
    x = Variable(np.array([2.0, 3.0]))
    y = book.Square()(x)
    gx = grad(y, x, grad_outputs=form(np.array([10.0, 0.5])))
    np.testing.assert_array_equal(gx, [40.0, 3.0])
    assert x.grad is None


def test_grad_refuses_grad_outputs_of_another_number_or_shape(book):
    x = Variable(np.array([2.0, 3.0]))
    y = book.Square()(x)
    with pytest.raises(GradientError, match="2 grad_outputs for 1 outputs"):
        grad(y, x, grad_outputs=[np.ones(2), np.ones(2)])
    with pytest.raises(GradientError, match=r"shape \(3,\)"):
        grad(y, x, grad_outputs=np.ones(3))


@pytest.mark.parametrize("given", [np.ones(2, dtype=int), np.ones(2, dtype=np.float32)])
@pytest.mark.parametrize("create_graph", [False, True])
def test_grad_converts_grad_outputs_to_the_dtype_of_the_output(book, given, create_graph):
    x, seen = Variable(np.array([2.0, 3.0])), []

    class Seeing(book.Square):
        def backward(self, gy):
            seen.append(gy.dtype)
            return super().backward(gy)

    y = Seeing()(x)
    if not create_graph:
        grad(y, x, grad_outputs=given)
    else:
        with contextlib.suppress(MissingOperationError):  # where no operators are installed
            grad(y, x, create_graph=True, grad_outputs=given)
    assert seen == [np.float64]
