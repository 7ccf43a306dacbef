"""Linear systems at their edges; least squares: constants, lower ranks, what is missing."""

import numpy as np
import pytest
from dezero_ops_math.linalg import lstsq, solve, tensorsolve

from dezero_core import Variable


def test_gradients_of_solve_agree_with_those_by_hand():
    """x = b / a: dx = db / a - b da / a^2."""
    a, b = Variable(np.array([[4.0]])), Variable(np.array([8.0]))
    x = solve(a, b)
    x.backward()
    np.testing.assert_array_equal(x.data, [2.0])
    np.testing.assert_array_equal(a.grad, [[-0.5]])
    np.testing.assert_array_equal(b.grad, [0.25])


def test_solve_takes_a_right_hand_side_of_two_dimensions_as_a_matrix():
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
def test_solve_does_not_compute_the_gradient_of_a_constant(function, which):
    operands = [np.eye(2), np.ones(2)]
    operands[which] = Variable(operands[which])
    x = function(*operands)
    gradients = x.creator.backward(np.ones(2))
    assert [gradient is not None for gradient in gradients] == [which == 0, which == 1]


def test_solve_takes_integer_matrices_as_constants():
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
def test_bad_arguments_of_solve_are_numpys_error_with_a_note(a, b):
    x = Variable(a)
    with pytest.raises(ValueError) as numpys:  # noqa: PT011 (LinAlgError is one)
        np.linalg.solve(a, b)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        np.linalg.solve(x, b)
    assert caught.type is numpys.type
    assert str(caught.value) == str(numpys.value)
    assert "Solve.forward" in caught.value.__notes__[0]
    assert (x.creator, x.generation, x.grad) == (None, 0, None)


def test_lists_of_axes_changed_after_tensorsolve_change_no_gradient():
    a, axes = 2.0 * np.eye(6).reshape(6, 2, 3).transpose(2, 0, 1), [0]
    expected, x = Variable(a), Variable(a)
    tensorsolve(expected, np.arange(6.0), [0]).backward()
    y = tensorsolve(x, np.arange(6.0), axes)
    axes[0] = 1
    y.backward()
    np.testing.assert_array_equal(x.grad, expected.grad)


LINE = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])


def test_lstsq_with_a_column_of_ones_has_the_gradient_of_a_mean():
    b = Variable(np.array([1.0, 2.0, 6.0]))
    x, residuals, rank, s = lstsq(np.ones((3, 1)), b)
    x.backward()
    np.testing.assert_allclose(b.grad, np.full(3, 1.0 / 3.0), rtol=1e-14)
    b.cleargrad()
    residuals.backward()
    np.testing.assert_allclose(b.grad, [-4.0, -2.0, 6.0], rtol=1e-14)
    assert (rank.item(), rank.creator, s.creator) == (1, None, None)


def test_singular_values_of_lstsq_are_numpys_and_have_a_gradient():
    a = Variable(np.array([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    _, _, _, s = lstsq(a, np.ones(3))
    s.grad = np.array([1.0, 10.0])
    s.backward()
    np.testing.assert_array_equal(s.data, np.linalg.lstsq(a.data, np.ones(3))[3])
    np.testing.assert_allclose(a.grad, [[1.0, 0.0], [0.0, 10.0], [0.0, 0.0]], atol=1e-15)


def test_lstsq_gives_no_residuals_for_equations_that_can_be_fulfilled():
    a = Variable(np.eye(2))
    x, residuals, _, _ = lstsq(a, np.ones(2))
    assert residuals.shape == (0,)
    x.backward()
    np.testing.assert_allclose(a.grad, -np.ones((2, 2)), rtol=1e-14)


@pytest.mark.parametrize("rcond", [None, 1e-10])
def test_the_shortest_solution_of_lstsq_at_lower_rank_has_the_derivative_of_that_rank(rcond):
    """Of a = p q^T, x = q (p b) / |p|^2 / |q|^2."""
    p, q = np.array([1.0, 2.0, -1.0]), np.array([2.0, 1.0])
    b, weights = np.array([1.0, 3.0, 2.0]), np.array([1.0, -2.0])

    def value(p, q, b):
        return weights @ q * (p @ b) / (p @ p) / (q @ q)

    a, rhs = Variable(np.outer(p, q)), Variable(b)
    x, residuals, rank, _ = lstsq(a, rhs, rcond)
    x.grad = weights
    x.backward()
    assert (rank.item(), residuals.shape) == (1, (0,))
    step = 1e-5
    for dp, dq, db in zip(np.eye(3), np.eye(3, 2), np.eye(3), strict=True):
        up = value(p + step * dp, q + step * dq, b + step * db)
        down = value(p - step * dp, q - step * dq, b - step * db)
        got = np.sum(a.grad * (np.outer(dp, q) + np.outer(p, dq))) + rhs.grad @ db
        np.testing.assert_allclose(got, (up - down) / (2.0 * step), atol=1e-9)


def test_lstsq_of_float32_has_the_gradient_of_numpys_rank():
    """Two columns of which one is 0.1 times the other, and the last digits differ."""
    a = np.array([[1.0, 0.1], [2.0, 0.2], [3.0, 0.3]], np.float32)
    b = Variable(np.ones(3, np.float32))
    x, *_ = lstsq(a, b, 1e-6)
    x.backward()
    assert (x.dtype, b.grad.dtype) == (np.float32, np.float32)
    truth = np.linalg.pinv(a.astype(float), 1e-6).sum(axis=0)
    np.testing.assert_allclose(b.grad, truth, rtol=1e-5)


def test_lstsq_takes_integers_as_constants():
    b = Variable(np.array([1.0, 3.0, 5.0]))
    x, _, _, s = lstsq(LINE.astype(int), b)
    x.backward()
    np.testing.assert_allclose(b.grad, np.linalg.pinv(LINE).sum(axis=0), atol=1e-14)
    assert s.creator is None


def test_lstsq_refuses_a_variable_as_rcond():
    with pytest.raises(TypeError, match="'rcond'"):
        lstsq(Variable(LINE), np.ones(3), Variable(np.array(0.1)))


@pytest.mark.parametrize("b", [np.ones(2), np.ones((3, 1, 1)), np.ones(())], ids=np.shape)
def test_wrong_shapes_in_lstsq_are_numpys_error_with_a_note(b):
    a = Variable(LINE)
    with pytest.raises(np.linalg.LinAlgError) as numpys:
        np.linalg.lstsq(LINE, b)
    with pytest.raises(np.linalg.LinAlgError) as caught:
        lstsq(a, b)
    assert str(caught.value) == str(numpys.value)
    assert "LstSq.forward" in caught.value.__notes__[0]
    assert (a.creator, a.generation, a.grad) == (None, 0, None)
