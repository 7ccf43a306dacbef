"""eigh and eigvalsh: phases, equal eigenvalues, triangles, and what is refused."""

import numpy as np
import pytest
from dezero_tools.testing.oracles import slope

from dezero_core import Variable, grad

RNG = np.random.default_rng(3)
M = RNG.normal(size=(4, 4)) + 1j * RNG.normal(size=(4, 4))
Q = np.linalg.qr(RNG.normal(size=(4, 4)))[0]


def hermitian(a):
    return (a + a.conj().T) / 2.0


def adjoint(a):
    return np.swapaxes(a, -1, -2).conj()


def along(x, direction):
    """What the gradient of x says about going in that direction."""
    return np.sum(np.real(np.conj(x.grad) * direction))


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_a_loss_of_complex_eigh_without_phases_has_the_right_gradient(triangle):
    def loss(a):
        w, v = np.linalg.eigh(a, triangle)
        return np.sum(np.real(M * ((v * np.sin(w)) @ adjoint(v))))

    a, d = hermitian(M + M @ M), hermitian(M @ M)
    x = Variable(a)
    loss(x).backward()
    assert along(x, d) == pytest.approx(slope(lambda h: loss(a + h * d), 0.02)[0], rel=1e-8)


def test_the_gradient_of_eigh_is_hermitian_though_only_one_triangle_is_read():
    a = hermitian(M)
    one, both = Variable(np.tril(a)), Variable(a)
    for x in one, both:
        w, v = np.linalg.eigh(x)
        np.sum(np.real(M * ((v * w) @ adjoint(v)))).backward()
    np.testing.assert_allclose(both.grad, adjoint(both.grad), atol=1e-14)
    np.testing.assert_array_equal(one.grad, both.grad)
    # (v * w) @ v* is the matrix itself.
    np.testing.assert_allclose(both.grad, hermitian(M.conj()), atol=1e-13)


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_the_gradient_of_eigvalsh_does_not_depend_on_the_other_triangle(triangle):
    a = hermitian(M)
    x = Variable(np.tril(a) if triangle == "L" else np.triu(a))
    np.sum(np.linalg.eigvalsh(x, triangle) ** 2).backward()
    np.testing.assert_allclose(x.grad, 2.0 * a, atol=1e-13)


def test_an_eigenvector_beside_nearly_equal_eigenvalues_has_the_right_gradient():
    """As for the first principal components of fewer samples than dimensions."""
    a = (Q * [4.0, 0.0, 0.0, 0.0]) @ Q.T
    a, d = (a + a.T) / 2.0, hermitian(M.real)
    assert 0.0 < np.ptp(np.linalg.eigvalsh(a)[:3]) < 1e-14

    def loss(a):
        v = np.linalg.eigh(a)[1][:, 3:]
        return np.sum(M.real * (v @ adjoint(v)))

    x = Variable(a)
    loss(x).backward()
    assert along(x, d) == pytest.approx(slope(lambda h: loss(a + h * d), 0.02)[0], rel=1e-8)


@pytest.mark.parametrize("n", [1, 3])
def test_equal_eigenvalues_of_eigvalsh_have_the_right_gradient(n):
    x = Variable(2.0 * np.eye(n))
    np.sum(np.linalg.eigvalsh(x) ** 3).backward()
    np.testing.assert_allclose(x.grad, 12.0 * np.eye(n), rtol=1e-15)


LOSSES = {
    "a space": lambda w, v: np.sum(M.real * (v[:, :2] @ v[:, :2].T)),
    "a matrix function": lambda w, v: np.sum(M.real * ((v * w**2) @ v.T)),
    "one that vanishes there": lambda w, v: np.sum(M.real * ((v * np.log(w)) @ v.T)),
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("basis", [np.eye(4), Q], ids=["equal", "equal to rounding"])
def test_a_loss_of_eigh_vectors_of_equal_eigenvalues_has_nan_as_gradient(loss, basis):
    """Of both it exists; but from what reaches eigh it could only be guessed."""
    a = basis @ np.diag([1.0, 1.0, 3.0, 3.0]) @ basis.T
    x = Variable((a + a.T) / 2.0)
    loss(*np.linalg.eigh(x)).backward()
    assert np.isnan(x.grad).any()


def test_second_derivatives_of_equal_eigenvalues_of_eigh_are_nan():
    x = Variable(np.diag([1.0, 1.0, 3.0]))
    first = grad(np.sum(np.linalg.eigvalsh(x) ** 3), x, create_graph=True)
    np.testing.assert_allclose(first.data, np.diag([3.0, 3.0, 27.0]))
    assert np.isnan(grad(first[0, 1], x)).any()


def test_the_third_derivative_of_a_cube_by_eigh_is_right():
    """a**3 by its eigenvectors: along d its third derivative is 6 d**3."""
    a, d, m = hermitian(M.real), hermitian(M.imag), M.real @ M.imag
    x = Variable(a)
    w, v = np.linalg.eigh(x)
    y = np.sum(m * ((v * w**3) @ v.T))
    for _ in range(2):
        y = np.sum(grad(y, x, create_graph=True) * d)
    got = np.sum(grad(y, x) * d)
    assert got == pytest.approx(6.0 * np.sum(m * (d @ d @ d)), rel=1e-9)


@pytest.mark.parametrize("function", [np.linalg.eigh, np.linalg.eigvalsh])
def test_bad_input_of_eigh_and_eigvalsh_is_numpys_error_with_a_note(function):
    x = Variable(np.ones((2, 3)))
    with pytest.raises(np.linalg.LinAlgError, match="must be square") as caught:
        function(x)
    (note,) = caught.value.__notes__
    assert function.__name__.title() in note
    assert "float64[2, 3]" in note
    with pytest.raises(ValueError, match="UPLO argument must be 'L' or 'U'") as caught:
        function(Variable(np.eye(2)), "x")
    assert caught.value.__notes__
    with pytest.raises(TypeError, match="'UPLO'"):
        function(Variable(np.eye(2)), UPLO=Variable(np.array(1.0)))
    assert x.grad is None


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_eigh_and_eigvalsh_keep_single_precision(dtype):
    x = Variable(np.diag([1.0, 2.0]).astype(dtype))
    w, v = np.linalg.eigh(x)
    (np.sum(w) + np.sum(np.real(v))).backward()
    assert (w.dtype, v.dtype, x.grad.dtype) == (np.float32, dtype, dtype)
