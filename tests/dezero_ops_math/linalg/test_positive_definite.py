"""Cholesky's factor: which triangle is read, and what the gradient is."""

import numpy as np
import pytest
from dezero_ops_math.linalg import cholesky

from dezero_core import Variable

A = np.array([[4.0, 2.0], [2.0, 5.0]])


def test_the_gradient_by_hand_is_symmetric():
    """Of a number, d sqrt(a) = da / 2 / sqrt(a); l21 = a21 / sqrt(a11)."""
    x = Variable(A)
    y = cholesky(x)
    y.grad = np.array([[0.0, 0.0], [1.0, 0.0]])
    y.backward()
    np.testing.assert_array_equal(y.data, [[2.0, 0.0], [1.0, 2.0]])
    np.testing.assert_allclose(x.grad, [[-0.125, 0.25], [0.25, 0.0]], atol=1e-15)


def test_the_upper_factor_is_the_transpose_and_so_is_its_gradient():
    rng = np.random.default_rng(0)
    gy = rng.normal(size=(2, 2))
    lower, upper = Variable(A), Variable(A)
    y, z = cholesky(lower), cholesky(upper, upper=True)
    y.grad, z.grad = gy, gy.T.copy()
    y.backward()
    z.backward()
    np.testing.assert_array_equal(y.data, z.data.T)
    np.testing.assert_allclose(lower.grad, upper.grad, rtol=1e-14)


def test_a_gradient_of_the_zeros_above_the_diagonal_changes_nothing():
    one, other = Variable(A), Variable(A)
    y, z = cholesky(one), cholesky(other)
    y.grad, z.grad = np.ones((2, 2)), np.array([[1.0, 100.0], [1.0, 1.0]])
    y.backward()
    z.backward()
    np.testing.assert_array_equal(one.grad, other.grad)


def test_only_one_triangle_is_read():
    lower = np.array([[4.0, np.nan], [2.0, 5.0]])
    y, z = cholesky(Variable(lower)), np.linalg.cholesky(Variable(lower.T), upper=True)
    np.testing.assert_array_equal(y.data, z.data.T)


def test_the_logarithm_of_the_determinant_has_the_inverse_as_its_gradient():
    x = Variable(A)
    diagonal = np.einsum("ii->i", cholesky(x))
    np.einsum("i->", np.log(diagonal)).backward()
    np.testing.assert_allclose(2.0 * x.grad, np.linalg.inv(A), rtol=1e-14)


@pytest.mark.parametrize("a", [-np.eye(2), np.zeros((2, 2)), np.ones((2, 3)), np.ones(2)])
def test_what_has_no_factor_is_numpys_own_error_with_a_note(a):
    x = Variable(a)
    with pytest.raises(np.linalg.LinAlgError) as numpys:
        np.linalg.cholesky(a)
    with pytest.raises(np.linalg.LinAlgError) as caught:
        cholesky(x)
    assert str(caught.value) == str(numpys.value)
    assert "Cholesky.forward" in caught.value.__notes__[0]
    assert (x.creator, x.generation, x.grad) == (None, 0, None)
