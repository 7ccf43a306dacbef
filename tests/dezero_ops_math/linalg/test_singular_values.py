"""svd and svdvals: what is a choice of LAPACK's, equal and vanishing singular values."""

import numpy as np
import pytest
from dezero_tools.testing.oracles import slope

from dezero_core import Variable, grad

RNG = np.random.default_rng(4)


def drawn(*shape, real=False):
    a = RNG.normal(size=shape)
    return a if real else a + 1j * RNG.normal(size=shape)


def adjoint(a):
    return np.swapaxes(a, -1, -2).conj()


def check(loss, a, d, rel=1e-8):
    """Compare the gradient at `a` with differences in the direction d."""
    x = Variable(a)
    loss(x).backward()
    got = np.sum(np.real(np.conj(x.grad) * d))
    assert got == pytest.approx(slope(lambda h: loss(a + h * d), 0.02)[0], rel=rel)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5), (4, 3)])
def test_a_loss_of_complex_svd_without_phases_has_the_right_gradient(shape, full):
    m, n = shape
    k, weights = min(shape), drawn(*shape)
    by_u, by_v = drawn(m, m), drawn(n, n)

    def loss(a):
        u, s, vh = np.linalg.svd(a, full)
        whole = np.sum(np.real(weights * ((u[:, :k] * np.sin(s)) @ vh[:k])))
        # The space of the first columns, and of those that were added, but not their basis.
        left = np.sum(np.real(by_u * (u[:, :2] @ adjoint(u[:, :2]) + u[:, k:] @ adjoint(u[:, k:]))))
        right = np.sum(np.real(by_v * (adjoint(vh[k:]) @ vh[k:])))
        return whole + left + right

    check(loss, drawn(*shape), drawn(*shape))


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 3)])
def test_equal_singular_values_of_svdvals_have_the_right_gradient(shape):
    x = Variable(2.0 * np.eye(*shape))
    np.sum(np.linalg.svdvals(x) ** 3).backward()
    np.testing.assert_allclose(x.grad, 12.0 * np.eye(*shape), atol=1e-14)


def test_a_singular_value_of_0_has_gradient_0():
    x = Variable(np.diag([2.0, 0.0]))
    np.sum(np.linalg.svdvals(x)).backward()
    np.testing.assert_array_equal(np.abs(x.grad), [[1.0, 0.0], [0.0, 0.0]])
    x = Variable(np.zeros((2, 3)))
    np.linalg.svd(x).S.backward()
    np.testing.assert_array_equal(x.grad, np.zeros((2, 3)))


@pytest.mark.parametrize("shape", [(4, 3), (3, 3), (3, 4)])
def test_the_space_of_nonzero_singular_values_has_the_right_gradient_at_low_rank(shape):
    a = drawn(shape[0], 2) @ drawn(2, shape[1])
    m = drawn(shape[0], shape[0])

    def loss(a):
        u = np.linalg.svd(a).U[:, :2]
        return np.sum(np.real(m * (u @ adjoint(u))))

    check(loss, a, drawn(*shape) / 10.0)


LOSSES = {
    "a space": lambda u, s, vh: np.sum(M2 * (u[:, :1] @ u[:, :1].T)),
    "the polar factor": lambda u, s, vh: np.sum(M2 * (u @ vh)),
    "a matrix function": lambda u, s, vh: np.sum(M2 * ((u * s**2) @ vh)),
}
M2 = np.array([[1.0, 5.0], [3.0, 2.0]])


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("turned", [0.0, 0.3], ids=["equal", "equal to rounding"])
def test_a_loss_of_svd_columns_of_equal_singular_values_has_nan_as_gradient(loss, turned):
    """Of the last two it exists; but from what reaches svd it could only be guessed."""
    c, s = np.cos(turned), np.sin(turned)
    x = Variable(np.array([[c, -s], [s, c]]) @ np.array([[s, c], [c, -s]]))
    loss(*np.linalg.svd(x)).backward()
    assert np.isnan(x.grad).any()


def test_a_loss_of_svd_columns_of_vanishing_singular_values_has_nan_as_gradient():
    for a in np.zeros((2, 2)), np.eye(3, 2) * [1.0, 0.0], np.eye(2, 3) * [[1.0], [0.0]]:
        x = Variable(a)
        u, _, vh = np.linalg.svd(x, full_matrices=False)
        (np.sum(u[:, 1]) + np.sum(vh[1])).backward()
        assert np.isnan(x.grad).any()


def test_hermitian_svd_has_a_hermitian_gradient_also_for_opposite_eigenvalues():
    m, d = drawn(3, 3, real=True), drawn(3, 3, real=True)
    a, d = np.diag([2.0, -2.0, 1.0]) + 0.1, d + d.T

    def loss(a):
        u, s, vh = np.linalg.svd(a, hermitian=True)
        return np.sum(m * u[:, 2:] * vh[2:] + m * ((u[:, :2] * s[:2] ** 2) @ vh[:2]))

    check(loss, a, d)
    whole, triangle = Variable(a), Variable(np.tril(a))
    loss(whole).backward()
    loss(triangle).backward()
    np.testing.assert_allclose(whole.grad, whole.grad.T, atol=1e-15)
    np.testing.assert_array_equal(triangle.grad, whole.grad)


def test_the_third_derivative_of_a_triple_product_by_svd_is_right():
    """a a^T a by its singular vectors: along d its third derivative is 6 d d^T d."""
    a, d, m = (drawn(3, 2, real=True) for _ in range(3))
    x = Variable(a)
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    y = np.sum(m * ((u * s**3) @ vh))
    for _ in range(2):
        y = np.sum(grad(y, x, create_graph=True) * d)
    got = np.sum(grad(y, x) * d)
    assert got == pytest.approx(6.0 * np.sum(m * (d @ d.T @ d)), rel=1e-9)


def test_svd_returns_a_variable_or_a_named_tuple_like_numpy():
    x = Variable(np.eye(2))
    assert type(np.linalg.svd(x, compute_uv=False)) is Variable
    assert np.linalg.svd(x)._fields == np.linalg.svd(np.eye(2))._fields


def test_bad_input_of_svd_and_svdvals_is_numpys_error_with_a_note():
    x = Variable(np.ones(3))
    for function, name in (np.linalg.svd, "Svd."), (np.linalg.svdvals, "Svdvals."):
        with pytest.raises(np.linalg.LinAlgError, match="at least two-dim") as caught:
            function(x)
        (note,) = caught.value.__notes__
        assert name in note
        assert "float64[3]" in note
    assert x.grad is None


@pytest.mark.parametrize("name", ["full_matrices", "hermitian"])
def test_svd_refuses_a_variable_as_option_by_name(name):
    with pytest.raises(TypeError, match=f"'{name}'"):
        np.linalg.svd(Variable(np.eye(2)), **{name: Variable(np.array(1.0))})
