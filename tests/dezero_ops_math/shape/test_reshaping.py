"""reshape, ravel, flatten: orders, views, what does not fit."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import flatten, ravel, reshape


def matrix():
    return Variable(np.arange(6.0).reshape(2, 3))


def test_the_gradient_of_reshape_has_the_shape_of_the_input():
    x = matrix()
    y = x.reshape(3, 2)
    y.grad = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    y.backward()
    np.testing.assert_array_equal(x.grad, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: reshape(x, 6, order="F"),
        lambda x: np.reshape(x, (6,), "F"),
        lambda x: x.reshape(6, order="f"),
        lambda x: ravel(x, "F"),
        lambda x: x.ravel("F"),
        lambda x: x.flatten("F"),
    ],
)
def test_reshaping_in_order_f_is_undone_in_order_f(function):
    """Column by column: [[0 1 2] [3 4 5]] is read as 0 3 1 4 2 5."""
    x = matrix()
    y = function(x)
    y.grad = np.array([10.0, 11.0, 12.0, 13.0, 14.0, 15.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0])
    np.testing.assert_array_equal(x.grad, [[10.0, 12.0, 14.0], [11.0, 13.0, 15.0]])


def test_reshape_takes_the_shape_in_every_form_of_numpy():
    x = matrix()
    for y in (
        x.reshape(3, 2),
        x.reshape((3, 2)),
        x.reshape([3, -1]),
        np.reshape(x, shape=(3, 2)),
        np.reshape(x, np.array([3, 2])),
    ):
        np.testing.assert_array_equal(y.data, [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    with pytest.raises(TypeError, match="reshape"):
        x.reshape()


@pytest.mark.parametrize("function", [lambda x: reshape(x, -1), ravel])
def test_reshaping_functions_give_a_view_where_numpy_does(function):
    x = matrix()
    assert np.shares_memory(function(x).data, x.data)


@pytest.mark.parametrize("function", [lambda x: reshape(x, -1, copy=True), flatten])
def test_reshaping_functions_give_a_copy_where_the_user_asks_for_a_copy(function):
    x = matrix()
    y = function(x)
    assert not np.shares_memory(y.data, x.data)
    y.backward()
    np.testing.assert_array_equal(x.grad, np.ones((2, 3)))


def test_reshape_without_copy_that_needs_a_copy_is_numpys_error():
    with pytest.raises(ValueError, match="copy while reshaping") as caught:
        np.reshape(matrix().T, 6, copy=False)
    assert "Reshape" in caught.value.__notes__[0]


def test_second_derivatives_pass_through_reshaping_functions():
    x = matrix()
    first = grad(ravel(reshape(x, (3, 2)), "F") ** 3.0, x, create_graph=True)
    np.testing.assert_allclose(first.data, 3.0 * x.data**2, rtol=1e-15)
    np.testing.assert_allclose(grad(first, x), 6.0 * x.data, rtol=1e-15)


@pytest.mark.parametrize("shape", [(4, 2), (-1, -1), (-1, 4), 5, (0, -1)], ids=repr)
def test_reshape_to_a_shape_of_another_size_is_numpys_error_with_a_note(shape):
    x = matrix()
    with pytest.raises(ValueError, match=r"reshape|unknown dimension") as caught:
        reshape(x, shape)
    assert type(caught.value) is ValueError
    (note,) = caught.value.__notes__
    assert "Reshape" in note
    assert "float64[2, 3]" in note
    assert "test_reshaping.py" in note
    assert x.grad is None


@pytest.mark.parametrize("order", ["A", "K", "fortran"])
@pytest.mark.parametrize("function", [lambda x, **kw: reshape(x, 6, **kw), ravel, flatten])
def test_reshaping_functions_refuse_an_order_that_depends_on_the_memory(function, order):
    with pytest.raises(ValueError, match=f"order must be 'C' or 'F', got '{order}'"):
        function(matrix(), order=order)


def test_reshape_refuses_lengths_that_are_no_integers():
    for shape in (1.0, "ab", (1.5, 4.0)):
        with pytest.raises(TypeError):
            reshape(matrix(), shape)


@pytest.mark.parametrize("shape", [Variable(np.array([3, 2])), (3, Variable(np.array(2)))])
def test_reshape_refuses_a_variable_as_shape(shape):
    with pytest.raises(TypeError, match="'shape"):
        reshape(matrix(), shape)


@pytest.mark.parametrize("operand", [None, "1", ["1", "2"]], ids=repr)
@pytest.mark.parametrize("function", [lambda x: reshape(x, 1), ravel, flatten])
def test_reshaping_functions_refuse_an_operand_that_is_no_array(function, operand):
    with pytest.raises(TypeError, match="is not supported"):
        function(operand)
