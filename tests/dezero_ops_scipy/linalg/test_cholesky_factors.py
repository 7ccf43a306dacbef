"""Cholesky's decomposition and its systems: truths, blocks, triangles, a likelihood, errors.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest
import scipy.linalg
from dezero_ops_math.linalg import cholesky as numpys_cholesky
from dezero_ops_scipy.linalg import cho_factor, cho_solve, cholesky
from mpmath import mp

from dezero_core import Variable, grad

from .matrix_truths import (
    STACKS,
    assert_derivatives,
    assert_single,
    assert_stack,
    drawn,
    hermitian,
)

A = hermitian(drawn(3, 3, plus=3.0 * np.eye(3)))
COMPLEX = hermitian(drawn(3, 3, complex_too=True, plus=3.0 * np.eye(3)))
FACTOR, B = drawn(3, 3, plus=2.0 * np.eye(3)), drawn(3, 2)


def positive(n, seed=0):
    a = drawn(n, n, seed=seed)
    return a @ a.T + n * np.eye(n)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("a", [A, COMPLEX], ids=["real", "complex"])
def test_derivatives_of_scipys_cholesky_agree_with_mpmath(a, lower):
    def theirs(a):
        return mp.cholesky(a) if lower else mp.cholesky(a).H

    def ours(a):
        return cholesky(a, lower)

    assert_derivatives(ours, theirs, a, projections=[hermitian])
    np.testing.assert_array_equal(ours(Variable(a)).data, scipy.linalg.cholesky(a, lower))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("a", [A, COMPLEX], ids=["real", "complex"])
def test_derivatives_of_a_system_solved_by_cho_factor_are_those_of_the_inverse(a, lower):
    b = B + 1j * B[::-1] if np.iscomplexobj(a) else B[:, 0]
    assert_derivatives(
        lambda a, b: cho_solve(cho_factor(a, lower), b),
        lambda a, b: mp.inverse(a) * b,
        a,
        b,
        projections=[hermitian],
    )


@pytest.mark.parametrize("b", [B[:, 0], B], ids=["vector", "matrix"])
@pytest.mark.parametrize("lower", [False, True])
def test_derivatives_of_cho_solve_by_the_factor_agree_with_mpmath(lower, b):
    def theirs(c, b):
        n = c.rows
        for i in range(n):
            for j in range(n):
                if i != j and (i > j) != lower:
                    c[i, j] = 0
        return mp.inverse(c * c.T if lower else c.T * c) * b

    assert_derivatives(lambda c, b: cho_solve((c, lower), b), theirs, FACTOR, b)


@pytest.mark.parametrize("n", [64, 65, 140])
def test_the_gradient_of_a_large_cholesky_in_blocks_is_that_of_the_formula_for_the_whole(n):
    a, g = positive(n), drawn(n, n)
    x = Variable(a)
    blocks = grad(cholesky(x, lower=True), x, grad_outputs=g)
    # A gradient that has a graph is computed by the formula.
    whole = grad(numpys_cholesky(x), x, True, grad_outputs=g)
    found = blocks, whole.data
    np.testing.assert_allclose(*found, rtol=0.0, atol=1e-13 * np.abs(found[1]).max())
    np.testing.assert_array_equal(found[0], found[0].T)


@pytest.mark.parametrize("complex_too", [False, True])
@pytest.mark.parametrize("lower", [False, True])
def test_the_log_determinant_of_a_large_matrix_has_the_inverse_and_its_derivative(
    lower, complex_too
):
    """d log det A = tr(A^-1 dA), and the derivative of A^-1 is -A^-1 dA A^-1."""
    a = positive(70) + (1j * (drawn(70, 70) - drawn(70, 70).T) if complex_too else 0.0)
    x = Variable(a)
    diagonal = np.real(np.diagonal(cho_factor(x, lower)[0]))
    g = grad(2.0 * np.sum(np.log(diagonal)), x, create_graph=True)
    inverse = np.linalg.inv(a)
    np.testing.assert_allclose(g.data, inverse, rtol=0.0, atol=1e-15)
    direction = hermitian(drawn(70, 70, seed=3, complex_too=complex_too))
    gg = grad(np.sum(np.real(np.conj(g) * direction)), x)
    np.testing.assert_allclose(gg, -inverse @ direction @ inverse, rtol=0.0, atol=1e-16)


def test_the_likelihood_of_a_gaussian_process_has_the_gradient_of_the_textbook():
    """Rasmussen and Williams 2006, equation 5.9: tr((a a^T - K^-1) dK) / 2 with a = K^-1 y."""
    x, y = np.linspace(0.0, 1.0, 90), drawn(90)
    d = (x[:, None] - x) ** 2

    def kernel(t):
        amplitude, length, noise = np.exp(t)
        return amplitude**2 * np.exp(-d / (2.0 * length**2)) + noise**2 * np.eye(90)

    t = Variable(np.log([1.3, 0.2, 0.4]))
    factor = cho_factor(kernel(t))
    loss = -0.5 * (y @ cho_solve(factor, y)) - np.sum(np.log(np.diagonal(factor[0])))
    loss.backward()
    _, length, noise = np.exp(t.data)
    k = kernel(t.data)
    inverse = np.linalg.inv(k)
    inner = np.outer(inverse @ y, inverse @ y) - inverse
    smooth = k - noise**2 * np.eye(90)
    changes = 2.0 * smooth, smooth * d / length**2, 2.0 * noise**2 * np.eye(90)
    truth = [0.5 * np.sum(inner * change) for change in changes]
    np.testing.assert_allclose(t.grad, truth, rtol=1e-11)


@pytest.mark.parametrize("lower", [False, True])
def test_cho_factor_has_scipys_factor_and_zeros_in_the_other_triangle(lower):
    c, flag = cho_factor(Variable(A), lower)
    theirs, _ = scipy.linalg.cho_factor(A, lower)
    np.testing.assert_array_equal(c.data, np.tril(theirs) if lower else np.triu(theirs))
    assert flag is lower


@pytest.mark.parametrize("lower", [False, True])
def test_the_other_triangle_of_a_factor_is_neither_read_nor_differentiated(lower):
    other = np.triu(np.ones((3, 3)), 1).T if not lower else np.triu(np.ones((3, 3)), 1)
    x = Variable(np.where(other == 1.0, np.nan, FACTOR))
    y = cho_solve((x, lower), B, check_finite=False)
    (g,) = grad(y, [x], create_graph=True, grad_outputs=Variable(np.ones((3, 2))))
    (gg,) = grad(g, [x], grad_outputs=np.ones((3, 3)))
    for each in (g.data, gg):
        np.testing.assert_array_equal(each == 0.0, other == 1.0)
        assert np.isfinite(each).all()
    a, b = Variable(A), Variable(np.where(other == 1.0, np.nan, A))
    for each in (a, b):
        np.sum(np.sin(cholesky(each, lower, check_finite=False))).backward()
    np.testing.assert_array_equal(a.grad, b.grad)


def test_gradients_in_the_other_triangle_of_cholesky_change_nothing():
    one, other = Variable(positive(70)), Variable(positive(70))
    y, z = cholesky(one), cholesky(other)
    y.grad, z.grad = np.ones((70, 70)), np.triu(np.ones((70, 70)))
    y.backward()
    z.backward()
    np.testing.assert_array_equal(one.grad, other.grad)


FUNCTIONS = {
    "cholesky": (cholesky, (A,)),
    "cho_factor": (lambda a: cho_factor(a, True)[0], (A,)),
    "cho_solve": (lambda c, b: cho_solve((c, False), b), (FACTOR, B)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_cholesky_factors_of_float32_stay_float32(name):
    function, arrays = FUNCTIONS[name]
    assert_single(function, *arrays)


@STACKS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_stacks_of_cholesky_factors_are_computed_one_by_one(name):
    function, arrays = FUNCTIONS[name]
    assert_stack(function, *(np.stack([x, 2.0 * x]) for x in arrays))


def test_integers_have_a_cholesky_factor_and_no_graph():
    x = Variable(np.array([[4, 2], [2, 5]]))
    y = cholesky(x, lower=True)
    np.testing.assert_array_equal(y.data, [[2.0, 0.0], [1.0, 2.0]])
    assert y.creator is None


def test_the_gradient_of_a_cholesky_factor_of_one_number_is_by_hand():
    x = Variable(np.array([[9.0]]))
    cholesky(x).backward()
    np.testing.assert_array_equal(x.grad, [[1.0 / 6.0]])


def test_cholesky_with_overwriting_leaves_the_data_of_variables():
    a, b = Variable(np.asfortranarray(A)), Variable(np.asfortranarray(B))
    cho_solve(cho_factor(a, overwrite_a=True), b, overwrite_b=True)
    cholesky(a, overwrite_a=True)
    np.testing.assert_array_equal(a.data, A)
    np.testing.assert_array_equal(b.data, B)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: cholesky(Variable(-np.eye(2))), np.linalg.LinAlgError),
        (lambda: cho_factor(Variable(np.zeros((2, 2)))), np.linalg.LinAlgError),
        (lambda: cholesky(Variable(np.ones((2, 3)))), ValueError),
        (lambda: cholesky(Variable(np.full((2, 2), np.nan))), ValueError),
        (lambda: cho_solve((Variable(np.eye(2)), True), np.ones(3)), ValueError),
        (lambda: cho_solve((np.eye(2), True), Variable(np.array([np.inf, 1.0]))), ValueError),
        (lambda: cho_solve(Variable(np.eye(3)), np.ones(3)), ValueError),
    ],
)
def test_matrices_without_a_cholesky_factor_are_scipys_errors(call, error):
    with pytest.raises(error):
        call()
