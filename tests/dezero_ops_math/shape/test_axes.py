"""transpose, swapaxes, moveaxis, …: axes put back, and axes that are none."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import matrix_transpose, moveaxis, rollaxis, swapaxes, transpose


def matrix():
    return Variable(np.arange(6.0).reshape(2, 3))


def test_transposing_functions_put_the_axes_of_the_gradient_back():
    """Axes (1, 2, 0) are no permutation that undoes itself."""
    x = Variable(np.zeros((2, 3, 4)))
    y = x.transpose(1, 2, 0)
    gy = np.arange(24.0).reshape(3, 4, 2)
    y.grad = gy
    y.backward()
    assert y.shape == (3, 4, 2)
    assert x.grad[1, 2, 3] == gy[2, 3, 1]


def test_moveaxis_moves_every_axis_of_the_gradient_back():
    a = np.arange(120.0).reshape(2, 3, 4, 5)
    moves = [(moveaxis, i, j) for i in range(-4, 4) for j in range(-4, 4)]
    moves += [(rollaxis, i, j) for i in range(-4, 4) for j in range(-4, 5)]
    moves += [(moveaxis, (0, -1), (j, j - 3)) for j in range(3)]
    for function, *arguments in moves:
        x = Variable(np.zeros_like(a))
        y = function(x, *arguments)
        y.grad = getattr(np, function.__name__)(a, *arguments)
        y.backward()
        np.testing.assert_array_equal(x.grad, a)


def test_t_and_mt_are_properties_of_variable():
    x = matrix()
    (x.T * np.array([[1.0, 2.0]] * 3)).backward()
    assert x.T.shape == x.mT.shape == (3, 2)
    np.testing.assert_array_equal(x.grad, [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])
    for name in ("T", "mT"):
        with pytest.raises(AttributeError):
            setattr(x, name, x)


def test_t_reverses_all_axes_and_mt_swaps_the_last_two():
    x = Variable(np.zeros((2, 3, 4)))
    assert x.T.shape == (4, 3, 2)
    assert x.mT.shape == np.linalg.matrix_transpose(x).shape == (2, 4, 3)


@pytest.mark.parametrize(
    "function", [transpose, matrix_transpose, lambda x: x.swapaxes(0, 1), lambda x: rollaxis(x, 1)]
)
def test_transposing_functions_give_a_view_of_the_data(function):
    x = matrix()
    assert np.shares_memory(function(x).data, x.data)


def test_second_derivatives_pass_through_transposing_functions():
    x = matrix()
    y = moveaxis(swapaxes(transpose(x), 0, 1), 0, 1)
    first = grad(y**3.0, x, create_graph=True)
    np.testing.assert_allclose(first.data, 3.0 * x.data**2, rtol=1e-15)
    np.testing.assert_allclose(grad(first, x), 6.0 * x.data, rtol=1e-15)


def test_lists_of_axes_changed_after_transpose_or_moveaxis_change_no_gradient():
    axes, source = [1, 2, 0], [0]
    x = Variable(np.zeros((2, 3, 4)))
    y, z = transpose(x, axes), moveaxis(x, source, [2])
    axes[:], source[:] = [0, 1, 2], [1]
    y.backward()
    z.backward()
    assert x.grad.shape == (2, 3, 4)


@pytest.mark.parametrize("axes", [(0,), (0, 0), (0, 2), (0, 1, 2), ()], ids=repr)
def test_transpose_by_axes_that_are_no_permutation_is_numpys_error_with_a_note(axes):
    with pytest.raises(ValueError, match=r"axes|axis") as caught:
        transpose(matrix(), axes)
    (note,) = caught.value.__notes__
    assert "Transpose" in note
    assert "float64[2, 3]" in note


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: swapaxes(x, 0, 2), "SwapAxes"),
        (lambda x: moveaxis(x, 0, -3), "MoveAxis"),
        (lambda x: rollaxis(x, 0, 4), "RollAxis"),
    ],
)
def test_an_axis_out_of_range_in_transposing_functions_is_numpys_error_with_a_note(call, name):
    with pytest.raises(np.exceptions.AxisError) as caught:
        call(matrix())
    assert name in caught.value.__notes__[0]


def test_matrix_transpose_of_a_vector_is_an_error():
    x = Variable(np.ones(3))
    for call in (matrix_transpose, lambda x: x.mT):
        with pytest.raises(ValueError, match="at least 2-dimensional") as caught:
            call(x)
        assert "MatrixTranspose" in caught.value.__notes__[0]


def test_transpose_refuses_axes_that_are_no_integers():
    for axes in (1.0, "ab", (1.5, 0.0)):
        with pytest.raises(TypeError):
            transpose(matrix(), axes)
    with pytest.raises(TypeError):
        matrix().transpose((1, 0), 2)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x, axis: transpose(x, (axis, 0)), "axes"),
        (lambda x, axis: swapaxes(x, 0, axis), "axis2"),
        (lambda x, axis: moveaxis(x, axis, 0), "source"),
        (lambda x, axis: rollaxis(x, axis), "axis"),
    ],
)
def test_transposing_functions_refuse_a_variable_as_axis(call, name):
    with pytest.raises(TypeError, match=f"'{name}"):
        call(matrix(), Variable(np.array(1)))


@pytest.mark.parametrize("operand", [None, "1", ["1", "2"]], ids=repr)
@pytest.mark.parametrize("function", [transpose, matrix_transpose])
def test_transposing_functions_refuse_an_operand_that_is_no_array(function, operand):
    with pytest.raises(TypeError, match="is not supported"):
        function(operand)
