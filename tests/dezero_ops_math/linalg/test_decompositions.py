"""cholesky and qr: which triangle is read, modes, bases that are a choice, what lacks rank."""

import numpy as np
import pytest
from dezero_ops_math.linalg import cholesky
from dezero_tools.testing.oracles import slope

from dezero_core import Variable, grad

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


RNG = np.random.default_rng(6)


@pytest.mark.parametrize("shape", [(5, 2), (4, 3)])
def test_columns_that_complete_adds_have_a_gradient_as_a_space(shape):
    (m, n), complex = shape, 1j * RNG.normal(size=shape)
    a, d = RNG.normal(size=shape) + complex, RNG.normal(size=shape) - complex
    weights = RNG.normal(size=(m, m)) + 1j * RNG.normal(size=(m, m))

    def loss(a):
        q, r = np.linalg.qr(a, "complete")
        added = q[:, n:]
        space = np.sum(np.real(weights * (added @ np.swapaxes(added, 0, 1).conj())))
        return space + np.sum(np.real(q[:, :n] * weights[:, :n])) + np.sum(np.real(r * r))

    x = Variable(a)
    loss(x).backward()
    got = np.sum(np.real(np.conj(x.grad) * d))
    assert got == pytest.approx(slope(lambda h: loss(a + h * d), 0.02)[0], rel=1e-8)


@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
def test_the_logarithm_of_a_determinant_by_the_diagonal(mode):
    a = RNG.normal(size=(2, 3, 3))
    x = Variable(a)
    r = np.linalg.qr(x, mode)
    r = r if mode == "r" else r.R
    diagonal = r[:, np.arange(3), np.arange(3)]
    np.sum(np.log(np.abs(diagonal))).backward()
    np.testing.assert_allclose(x.grad, np.swapaxes(np.linalg.inv(a), -1, -2), rtol=1e-9)


@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (2, 2)])
def test_the_product_of_both_is_the_matrix_itself(shape):
    m = RNG.normal(size=shape)
    x = Variable(RNG.normal(size=shape))
    q, r = np.linalg.qr(x)
    np.sum(m * (q @ r)).backward()
    np.testing.assert_allclose(x.grad, m, atol=1e-14)


def test_the_third_derivative_of_a_triple_product():
    """a a^T a is q r r^T r; along d, three times, that is 6 d d^T d."""
    a, d, m = (RNG.normal(size=(3, 2)) for _ in range(3))
    x = Variable(a)
    q, r = np.linalg.qr(x)
    y = np.sum(m * (q @ r @ r.T @ r))
    for _ in range(2):
        y = np.sum(grad(y, x, create_graph=True) * d)
    assert np.sum(grad(y, x) * d) == pytest.approx(6.0 * np.sum(m * (d @ d.T @ d)), rel=1e-9)


def test_columns_that_depend_on_each_other_have_no_derivative():
    x = Variable(np.array([[1.0, 0.0], [0.0, 0.0]]))
    q, _ = np.linalg.qr(x)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix") as caught:
        q.backward()
    assert "Qr.backward" in caught.value.__notes__[0]
    assert x.grad is None


@pytest.mark.parametrize("mode", ["raw", "economic"])
def test_reflectors_are_refused_by_name(mode):
    with pytest.raises(ValueError, match=f"mode='{mode}'"):
        np.linalg.qr(Variable(np.eye(2)), mode)


def test_what_numpy_refuses_is_its_own_error_with_a_note():
    with pytest.raises(ValueError, match="Unrecognized mode 'x'") as caught:
        np.linalg.qr(Variable(np.eye(2)), "x")
    assert "Qr.forward" in caught.value.__notes__[0]
    for mode in "reduced", "r":
        with pytest.raises(np.linalg.LinAlgError, match="at least two-dim") as caught:
            np.linalg.qr(Variable(np.ones(2)), mode)
        assert "float64[2]" in caught.value.__notes__[0]
    with pytest.raises(TypeError, match="'mode'"):
        np.linalg.qr(Variable(np.eye(2)), Variable(np.array(1.0)))
