"""diagonal, trace, diag, diagflat, tril and triu."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import diag, diagflat, diagonal, trace, tril, triu


def matrix():
    return Variable(np.arange(6.0).reshape(2, 3))


def test_the_gradient_of_diagonal_goes_back_to_the_diagonal():
    x = matrix()
    y = x.diagonal(1)
    y.grad = np.array([10.0, 20.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 5.0])
    np.testing.assert_array_equal(x.grad, [[0.0, 10.0, 0.0], [0.0, 0.0, 20.0]])


def test_diagonal_gives_a_view_of_the_data():
    x = matrix()
    assert np.shares_memory(diagonal(x).data, x.data)


def test_diagonal_on_other_axes_puts_the_diagonal_last():
    x = Variable(np.zeros((2, 3, 4)))
    y = diagonal(x, -1, axis1=2, axis2=0)
    y.grad = arriving = np.arange(6.0).reshape(3, 2)
    y.backward()
    expected = np.zeros((2, 3, 4))
    for number in range(2):  # one row further down than right
        expected[number, :, number + 1] = arriving[:, number]
    np.testing.assert_array_equal(x.grad, expected)


def test_the_gradient_of_a_trace_is_a_multiple_of_the_identity():
    x = Variable(np.arange(9.0).reshape(3, 3))
    y = x.trace()
    y.grad = np.array(5.0)
    y.backward()
    np.testing.assert_array_equal(x.grad, 5.0 * np.eye(3))


def test_an_inf_beside_the_diagonal_does_not_reach_the_trace():
    x = Variable(np.array([[1.0, np.inf], [np.nan, 2.0]]))
    y = np.trace(x)
    y.backward()
    assert y.item() == 3.0
    np.testing.assert_array_equal(x.grad, np.eye(2))


def test_diag_of_a_vector_and_of_a_matrix_undo_one_another():
    x = Variable(np.array([1.0, 2.0]))
    y = np.diag(np.diag(x, 1), 1)
    y.grad = np.array([3.0, 4.0])
    y.backward()
    np.testing.assert_array_equal(y.data, x.data)
    np.testing.assert_array_equal(x.grad, [3.0, 4.0])


def test_the_gradient_of_diagflat_has_the_shape_of_the_input():
    x = matrix()
    y = diagflat(x, -1)
    y.grad = np.arange(49.0).reshape(7, 7)
    y.backward()
    np.testing.assert_array_equal(x.grad, np.arange(7.0, 49.0, 8.0).reshape(2, 3))


@pytest.mark.parametrize("function", [tril, triu])
def test_an_inf_outside_the_triangle_does_not_reach_tril_and_triu(function):
    """Also where the gradient that arrives is itself inf."""
    x = Variable(np.full((2, 2), np.inf))
    y = function(x)
    y.grad = np.full((2, 2), np.inf)
    y.backward()
    inside = function(np.ones((2, 2))) != 0.0
    np.testing.assert_array_equal(y.data, np.where(inside, np.inf, 0.0))
    np.testing.assert_array_equal(x.grad, np.where(inside, np.inf, 0.0))


@pytest.mark.parametrize(("function", "expected"), [(tril, [3, 2, 1]), (triu, [1, 2, 3])])
def test_tril_and_triu_of_a_vector_repeat_the_vector_as_rows(function, expected):
    x = Variable(np.ones(3))
    function(x).backward()
    np.testing.assert_array_equal(x.grad, expected)


@pytest.mark.parametrize(
    ("call", "error", "name"),
    [
        (lambda x: diagonal(x, axis1=2), np.exceptions.AxisError, "Diagonal"),
        (lambda x: diagonal(x, 0, 1, 1), ValueError, "Diagonal"),
        (lambda x: trace(x, axis2=-3), np.exceptions.AxisError, "Trace"),
        (lambda x: diag(x.reshape(1, 2, 3)), ValueError, "Diag"),
        (lambda x: diagflat(x, 0.5), TypeError, "DiagFlat"),
        (lambda x: tril(x.sum()), TypeError, "Tril"),
        (lambda x: triu(x, "k"), TypeError, "Triu"),
    ],
)
def test_bad_input_of_diagonal_functions_is_numpys_error_with_a_note(call, error, name):
    with pytest.raises(error) as caught:
        call(matrix())
    assert f"{name}.forward" in caught.value.__notes__[0]


@pytest.mark.parametrize("function", [diag, diagflat, tril, triu])
def test_diagonal_functions_refuse_a_variable_as_offset(function):
    with pytest.raises(TypeError, match="needs a constant for 'k'"):
        function(matrix(), Variable(np.array(1)))


def test_trace_refuses_out_by_name():
    with pytest.raises(TypeError, match=r"np\.trace .* no out="):
        np.trace(matrix(), out=np.zeros(()))


@pytest.mark.parametrize("axes", [(1, 3), (3, 1), (0, 2), (1, 2), (-1, 0), (2, 1)])
@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_the_gradient_of_a_diagonal_lands_where_numpy_took_it_from(axes, offset):
    """Also of two axes that are not side by side, behind another one."""
    shape = (2, 3, 2, 3)
    x = Variable(np.zeros(shape))
    y = np.diagonal(x, offset, *axes)
    y.grad = np.random.default_rng(0).normal(size=y.shape)
    gy = y.grad.copy()
    y.backward()
    from_ = np.diagonal(np.arange(x.size).reshape(shape), offset, *axes)
    expected = np.zeros(x.size)
    expected[from_.reshape(-1)] = gy.reshape(-1)
    np.testing.assert_array_equal(x.grad, expected.reshape(shape))
