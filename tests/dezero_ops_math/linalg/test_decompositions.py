"""cholesky and qr: which triangle is read, modes, bases that are a choice, what lacks rank."""

import numpy as np
import pytest
from dezero_ops_math.linalg import cholesky
from dezero_tools.testing.oracles import slope

from dezero_core import Variable, grad

A = np.array([[4.0, 2.0], [2.0, 5.0]])


def test_the_gradient_of_cholesky_agrees_with_the_symmetric_one_by_hand():
    """Of a number, d sqrt(a) = da / 2 / sqrt(a); l21 = a21 / sqrt(a11)."""
    x = Variable(A)
    y = cholesky(x)
    y.grad = np.array([[0.0, 0.0], [1.0, 0.0]])
    y.backward()
    np.testing.assert_array_equal(y.data, [[2.0, 0.0], [1.0, 2.0]])
    np.testing.assert_allclose(x.grad, [[-0.125, 0.25], [0.25, 0.0]], atol=1e-15)


def test_the_upper_factor_of_cholesky_and_its_gradient_are_transposes_of_the_lower():
    rng = np.random.default_rng(0)
    gy = rng.normal(size=(2, 2))
    lower, upper = Variable(A), Variable(A)
    y, z = cholesky(lower), cholesky(upper, upper=True)
    y.grad, z.grad = gy, gy.T.copy()
    y.backward()
    z.backward()
    np.testing.assert_array_equal(y.data, z.data.T)
    np.testing.assert_allclose(lower.grad, upper.grad, rtol=1e-14)


def test_gradients_above_the_diagonal_of_cholesky_change_no_gradient():
    one, other = Variable(A), Variable(A)
    y, z = cholesky(one), cholesky(other)
    y.grad, z.grad = np.ones((2, 2)), np.array([[1.0, 100.0], [1.0, 1.0]])
    y.backward()
    z.backward()
    np.testing.assert_array_equal(one.grad, other.grad)


def test_cholesky_reads_only_one_triangle():
    lower = np.array([[4.0, np.nan], [2.0, 5.0]])
    y, z = cholesky(Variable(lower)), np.linalg.cholesky(Variable(lower.T), upper=True)
    np.testing.assert_array_equal(y.data, z.data.T)


def test_the_log_determinant_by_cholesky_has_the_inverse_as_gradient():
    x = Variable(A)
    diagonal = np.einsum("ii->i", cholesky(x))
    np.einsum("i->", np.log(diagonal)).backward()
    np.testing.assert_allclose(2.0 * x.grad, np.linalg.inv(A), rtol=1e-14)


def positive(*shape, complex_too=False, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=shape) + (1j * rng.normal(size=shape) if complex_too else 0.0)
    return a @ np.swapaxes(a, -1, -2).conj() / shape[-1] + np.eye(shape[-1])


def derivative_of_factor(a, d):
    """Return the derivative of the lower factor along a Hermitian `d`, column by column."""
    wide = np.clongdouble if np.iscomplexobj(a) else np.longdouble
    a, d = a.astype(wide), d.astype(wide)
    factor, slope = np.zeros_like(a), np.zeros_like(a)
    for j in range(len(a)):
        row, of_row = factor[j, :j].conj(), slope[j, :j].conj()
        column = a[j:, j] - factor[j:, :j] @ row
        of_column = d[j:, j] - slope[j:, :j] @ row - factor[j:, :j] @ of_row
        root = np.sqrt(column[0].real)
        of_root = of_column[0].real / (2 * root)
        factor[j:, j] = column / root
        slope[j:, j] = (of_column - factor[j:, j] * of_root) / root
    return slope


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("n", [64, 65, 150])
def test_the_gradient_of_cholesky_agrees_with_the_derivative_of_its_loop(dtype, upper, n):
    complex_too = dtype in "FD"
    a = positive(n, n, complex_too=complex_too).astype(dtype)
    d = positive(n, n, complex_too=complex_too, seed=1)
    weights = positive(n, n, complex_too=complex_too, seed=2)[:, ::-1].astype(dtype)
    x = Variable(a)
    np.sum(np.real(weights * cholesky(x, upper=upper))).backward()
    assert x.grad.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(x.grad, x.grad.T.conj())
    of_factor = derivative_of_factor(a, d)
    truth = np.sum(np.real(weights * (of_factor.T.conj() if upper else of_factor)))
    got = np.sum(np.real(x.grad.conj() * d))
    size = float(np.sum(np.abs(x.grad) * np.abs(d)))
    assert abs(float(got - truth)) < 20.0 * np.finfo(dtype).eps * size


@pytest.mark.parametrize("shape", [(2, 90, 90), (2, 1, 70, 70)])
def test_each_large_matrix_of_a_stack_has_the_gradient_of_its_factor(shape):
    a, weights = positive(*shape), positive(*shape, seed=1)
    x = Variable(a)
    np.sum(weights * cholesky(x)).backward()
    for index in np.ndindex(shape[:-2]):
        alone = Variable(a[index])
        np.sum(weights[index] * cholesky(alone)).backward()
        np.testing.assert_allclose(x.grad[index], alone.grad, rtol=0.0, atol=1e-14)


def test_gradients_above_the_diagonal_of_a_large_factor_change_no_gradient():
    a, gy = positive(150, 150), np.tril(positive(150, 150, seed=1))
    found = []
    for above in (0.0, 1.0):
        x = Variable(a)
        y = cholesky(x)
        y.grad = gy + above * np.triu(np.ones((150, 150)), 1)
        y.backward()
        found.append(x.grad)
    np.testing.assert_allclose(*found, rtol=0.0, atol=1e-15)


def test_the_gradient_of_a_large_factor_is_that_of_its_graph():
    x = Variable(positive(150, 150))
    y = np.sum(positive(150, 150, seed=1) * cholesky(x))
    graph = grad(y, x, create_graph=True)
    np.testing.assert_allclose(grad(y, x), graph.data, rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("n", [50, 140])
def test_a_likelihood_by_cholesky_and_solve_has_the_derivatives_of_the_inverse(n):
    """Rasmussen and Williams 2006, equation 5.9: tr((K^-1 - a a^T) dK) / 2 with a = K^-1 y."""
    rng = np.random.default_rng(0)
    x, y = np.linspace(0.0, 6.0, n), rng.normal(size=n)
    distances, one = (x[:, None] - x) ** 2, np.eye(n)

    def likelihood(t):
        length, scale, noise = t
        k = np.exp(-0.5 * distances / length**2) * scale**2 + noise * one
        factor = np.linalg.cholesky(k)
        alpha = np.linalg.solve(factor.T, np.linalg.solve(factor, y))
        return 0.5 * (y @ alpha) + np.sum(np.log(np.diagonal(factor)))

    def textbook(t):
        length, scale, noise = t
        smooth = np.exp(-0.5 * distances / length**2) * scale**2
        inverse = np.linalg.inv(smooth + noise * one)
        inner = inverse - np.outer(inverse @ y, inverse @ y)
        changes = smooth * distances / length**3, 2.0 * smooth / scale, one
        return np.array([0.5 * np.sum(inner * change) for change in changes])

    t, d = np.array([1.3, 0.9, 0.2]), np.array([0.3, -0.5, 0.1])
    leaves = [Variable(np.array(number)) for number in t]
    first = grad(likelihood(leaves), leaves, create_graph=True)
    np.testing.assert_allclose(grad(likelihood(leaves), leaves), textbook(t), rtol=1e-10)
    np.testing.assert_allclose([g.data for g in first], textbook(t), rtol=1e-10)
    along = sum((g * part for g, part in zip(first, d, strict=True)), 0.0)
    truth, _ = slope(lambda h: textbook(t + h * d), 0.1)
    np.testing.assert_allclose(grad(along, leaves), truth, rtol=1e-7)


@pytest.mark.parametrize("a", [-np.eye(2), np.zeros((2, 2)), np.ones((2, 3)), np.ones(2)])
def test_cholesky_of_a_matrix_without_a_factor_is_numpys_error_with_a_note(a):
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
def test_columns_that_complete_qr_adds_have_a_gradient_as_a_space(shape):
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
def test_the_log_determinant_by_the_diagonal_of_qr_has_the_right_gradient(mode):
    a = RNG.normal(size=(2, 3, 3))
    x = Variable(a)
    r = np.linalg.qr(x, mode)
    r = r if mode == "r" else r.R
    diagonal = r[:, np.arange(3), np.arange(3)]
    np.sum(np.log(np.abs(diagonal))).backward()
    np.testing.assert_allclose(x.grad, np.swapaxes(np.linalg.inv(a), -1, -2), rtol=1e-9)


@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (2, 2)])
def test_the_product_of_q_and_r_has_the_gradient_of_the_matrix(shape):
    m = RNG.normal(size=shape)
    x = Variable(RNG.normal(size=shape))
    q, r = np.linalg.qr(x)
    np.sum(m * (q @ r)).backward()
    np.testing.assert_allclose(x.grad, m, atol=1e-14)


def test_the_third_derivative_of_a_triple_product_by_qr_is_right():
    """a a^T a is q r r^T r; along d, three times, that is 6 d d^T d."""
    a, d, m = (RNG.normal(size=(3, 2)) for _ in range(3))
    x = Variable(a)
    q, r = np.linalg.qr(x)
    y = np.sum(m * (q @ r @ r.T @ r))
    for _ in range(2):
        y = np.sum(grad(y, x, create_graph=True) * d)
    assert np.sum(grad(y, x) * d) == pytest.approx(6.0 * np.sum(m * (d @ d.T @ d)), rel=1e-9)


def test_the_derivative_of_qr_with_dependent_columns_is_an_error():
    x = Variable(np.array([[1.0, 0.0], [0.0, 0.0]]))
    q, _ = np.linalg.qr(x)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix") as caught:
        q.backward()
    assert "Qr.backward" in caught.value.__notes__[0]
    assert x.grad is None


@pytest.mark.parametrize("mode", ["raw", "economic"])
def test_qr_refuses_modes_that_give_reflectors_by_name(mode):
    with pytest.raises(ValueError, match=f"mode='{mode}'"):
        np.linalg.qr(Variable(np.eye(2)), mode)


def test_bad_input_of_qr_is_numpys_error_with_a_note():
    with pytest.raises(ValueError, match="Unrecognized mode 'x'") as caught:
        np.linalg.qr(Variable(np.eye(2)), "x")
    assert "Qr.forward" in caught.value.__notes__[0]
    for mode in "reduced", "r":
        with pytest.raises(np.linalg.LinAlgError, match="at least two-dim") as caught:
            np.linalg.qr(Variable(np.ones(2)), mode)
        assert "float64[2]" in caught.value.__notes__[0]
    with pytest.raises(TypeError, match="'mode'"):
        np.linalg.qr(Variable(np.eye(2)), Variable(np.array(1.0)))
