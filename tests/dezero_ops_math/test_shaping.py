"""reshape and transpose: what does not fit, and what stays a view."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import reshape, transpose


def matrix():
    return Variable(np.arange(6.0).reshape(2, 3))


def test_the_gradient_is_given_the_shape_it_had():
    x = matrix()
    y = x.reshape(3, 2)
    y.grad = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    y.backward()
    np.testing.assert_array_equal(x.grad, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def test_order_f_is_undone_in_order_f():
    """Column by column: [[0 1 2] [3 4 5]] is read as 0 3 1 4 2 5."""
    x = matrix()
    y = reshape(x, 6, order="F")
    y.grad = np.array([10.0, 11.0, 12.0, 13.0, 14.0, 15.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0])
    np.testing.assert_array_equal(x.grad, [[10.0, 12.0, 14.0], [11.0, 13.0, 15.0]])


def test_the_axes_of_the_gradient_are_put_back():
    """Axes (1, 2, 0) are no permutation that undoes itself."""
    x = Variable(np.zeros((2, 3, 4)))
    y = x.transpose(1, 2, 0)
    y.grad = np.arange(24.0).reshape(3, 4, 2)
    y.backward()
    assert y.shape == (3, 4, 2)
    assert x.grad[1, 2, 3] == y_of(2, 3, 1)


def y_of(i, j, k):
    """The element of ``np.arange(24.0).reshape(3, 4, 2)``."""
    return 8.0 * i + 2.0 * j + k


def test_t_is_a_property():
    x = matrix()
    (x.T * np.array([[1.0, 2.0]] * 3)).backward()
    assert x.T.shape == (3, 2)
    np.testing.assert_array_equal(x.grad, [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])
    with pytest.raises(AttributeError):
        x.T = x


@pytest.mark.parametrize("function", [lambda x: reshape(x, -1), transpose])
def test_the_data_are_a_view(function):
    x = matrix()
    assert np.shares_memory(function(x).data, x.data)


def test_second_derivatives_pass_through():
    x = matrix()
    first = grad(reshape(x, 3, 2).T ** 3.0, x, create_graph=True)
    np.testing.assert_allclose(first.data, 3.0 * x.data**2, rtol=1e-15)
    np.testing.assert_allclose(grad(first, x), 6.0 * x.data, rtol=1e-15)


@pytest.mark.parametrize("shape", [(4, 2), (-1, -1), (-1, 4), 5, (0, -1)], ids=repr)
def test_a_shape_of_another_size_is_numpys_error_with_a_note(shape):
    with pytest.raises(ValueError, match=r"reshape|unknown dimension") as caught:
        reshape(matrix(), shape)
    assert type(caught.value) is ValueError
    (note,) = caught.value.__notes__
    assert "Reshape" in note
    assert "float64[2, 3]" in note
    assert "test_shaping.py" in note


@pytest.mark.parametrize("order", ["A", "K", "fortran"])
def test_an_order_that_depends_on_the_memory_is_refused(order):
    with pytest.raises(ValueError, match=f"order must be 'C' or 'F', got '{order}'"):
        reshape(matrix(), 6, order=order)


@pytest.mark.parametrize("axes", [(0,), (0, 0), (0, 2), (0, 1, 2), ()], ids=repr)
def test_axes_that_are_no_permutation_are_numpys_error_with_a_note(axes):
    with pytest.raises(ValueError, match=r"axes|axis") as caught:
        transpose(matrix(), axes)
    (note,) = caught.value.__notes__
    assert "Transpose" in note
    assert "float64[2, 3]" in note


@pytest.mark.parametrize("function", [reshape, transpose])
def test_lengths_and_axes_are_integers(function):
    for argument in (1.0, "ab", (1.5, 4.0)):
        with pytest.raises(TypeError):
            function(matrix(), argument)


@pytest.mark.parametrize("operand", [None, "1", [1.0, 2.0]], ids=repr)
def test_an_operand_that_is_no_array_is_a_type_error(operand):
    with pytest.raises(TypeError, match="is not supported"):
        reshape(operand, 1)
    with pytest.raises(TypeError, match="is not supported"):
        transpose(operand)
