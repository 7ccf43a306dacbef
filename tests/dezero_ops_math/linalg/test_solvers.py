"""Linear systems at their edges."""

import numpy as np
import pytest
from dezero_ops_math.linalg import solve, tensorsolve

from dezero_core import Variable


def test_gradients_by_hand():
    """x = b / a: dx = db / a - b da / a^2."""
    a, b = Variable(np.array([[4.0]])), Variable(np.array([8.0]))
    x = solve(a, b)
    x.backward()
    np.testing.assert_array_equal(x.data, [2.0])
    np.testing.assert_array_equal(a.grad, [[-0.5]])
    np.testing.assert_array_equal(b.grad, [0.25])


def test_a_right_hand_side_of_two_dimensions_is_a_matrix_also_for_a_stack():
    """As of NumPy 2: b[0] is no vector that belongs to a[0]."""
    a = Variable(np.array([2.0 * np.eye(2), 4.0 * np.eye(2)]))
    b = Variable(np.array([[8.0, 16.0], [8.0, 16.0]]))
    x = solve(a, b)
    x.backward()
    np.testing.assert_array_equal(x.data, [[[4.0, 8.0]] * 2, [[2.0, 4.0]] * 2])
    np.testing.assert_array_equal(b.grad, np.full((2, 2), 0.75))
    np.testing.assert_array_equal(a.grad, [np.full((2, 2), -6.0), np.full((2, 2), -1.5)])


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("function", [solve, tensorsolve])
def test_the_gradient_of_a_constant_is_not_computed(function, which):
    operands = [np.eye(2), np.ones(2)]
    operands[which] = Variable(operands[which])
    x = function(*operands)
    gradients = x.creator.backward(np.ones(2))
    assert [gradient is not None for gradient in gradients] == [which == 0, which == 1]


def test_integer_matrices_are_constants():
    b = Variable(np.array([1.0, 1.0]))
    solve(np.array([[2, 0], [0, 4]]), b).backward()
    np.testing.assert_array_equal(b.grad, [0.5, 0.25])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.ones((2, 2)), np.ones(2)),
        (np.ones((2, 3)), np.ones(2)),
        (np.eye(2), np.ones(3)),
        (np.eye(2), np.ones(())),
        (np.ones((2, 2, 2)), np.ones((3, 2, 1))),
    ],
)
def test_bad_arguments_are_numpys_own_error_with_a_note(a, b):
    x = Variable(a)
    with pytest.raises(ValueError) as numpys:  # noqa: PT011 (LinAlgError is one)
        np.linalg.solve(a, b)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        np.linalg.solve(x, b)
    assert caught.type is numpys.type
    assert str(caught.value) == str(numpys.value)
    assert "Solve.forward" in caught.value.__notes__[0]
    assert (x.creator, x.generation, x.grad) == (None, 0, None)


def test_axes_of_a_tensor_may_change_before_the_gradient_is_computed():
    a, axes = 2.0 * np.eye(6).reshape(6, 2, 3).transpose(2, 0, 1), [0]
    expected, x = Variable(a), Variable(a)
    tensorsolve(expected, np.arange(6.0), [0]).backward()
    y = tensorsolve(x, np.arange(6.0), axes)
    axes[0] = 1
    y.backward()
    np.testing.assert_array_equal(x.grad, expected.grad)
