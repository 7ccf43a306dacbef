"""Triangular systems, Sylvester's and Lyapunov's equations: truths, triangles, types, errors.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest
import scipy.linalg
from dezero_ops_scipy.linalg import (
    solve_continuous_lyapunov,
    solve_discrete_lyapunov,
    solve_sylvester,
    solve_triangular,
)
from mpmath import mp

from dezero_core import Variable, grad

from .matrix_truths import STACKS, assert_derivatives, assert_single, assert_stack, drawn

A, B, Q = drawn(3, 3, plus=3.0 * np.eye(3)), drawn(2, 2), drawn(3, 2)
TURNS = {0: lambda a: a, 1: lambda a: a.T, 2: lambda a: a.H, "T": lambda a: a.T}


def one_triangle(a, lower, unit_diagonal):
    a = a.copy()
    for i in range(a.rows):
        for j in range(a.cols):
            if i != j and (i > j) != lower:
                a[i, j] = 0
        if unit_diagonal:
            a[i, i] = 1
    return a


def of_kronecker(a, b, q):
    """The solution of ``a x + x b = q``, as one system for all elements of x."""
    m, n = a.rows, b.rows
    whole = mp.zeros(m * n)
    for i in range(m):
        for j in range(n):
            for k in range(m):
                whole[i * n + j, k * n + j] += a[i, k]
            for k in range(n):
                whole[i * n + j, i * n + k] += b[k, j]
    x = mp.inverse(whole) * mp.matrix([q[i, j] for i in range(m) for j in range(n)])
    return mp.matrix([[x[i * n + j] for j in range(n)] for i in range(m)])


@pytest.mark.parametrize(("lower", "unit_diagonal"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("trans", TURNS)
def test_derivatives_of_solve_triangular_agree_with_mpmath(trans, lower, unit_diagonal):
    def theirs(a, b):
        return mp.inverse(TURNS[trans](one_triangle(a, lower, unit_diagonal))) * b

    def ours(a, b):
        return solve_triangular(a, b, trans, lower, unit_diagonal)

    assert_derivatives(ours, theirs, A, Q[:, 0])
    assert_derivatives(ours, theirs, A + 1j * Q @ Q.T, Q + 1j * Q[::-1], orders=(1, 2))


@pytest.mark.parametrize(("lower", "unit_diagonal"), [(False, False), (True, False), (True, True)])
def test_solve_triangular_neither_reads_nor_differentiates_the_other_triangle(lower, unit_diagonal):
    part = (np.tril if lower else np.triu)(A, 0)
    garbage = np.where(part == 0.0, np.nan, part)
    if unit_diagonal:
        np.fill_diagonal(garbage, np.nan)
    x = Variable(garbage)
    y = solve_triangular(x, Q, 0, lower, unit_diagonal, check_finite=False)
    y.backward()
    assert np.isfinite(y.data).all()
    np.testing.assert_array_equal(x.grad == 0.0, np.isnan(garbage))


@pytest.mark.parametrize("complex_too", [False, True])
def test_derivatives_of_solve_sylvester_agree_with_a_kronecker_system_of_mpmath(complex_too):
    a, b, q = (drawn(*x.shape, complex_too=complex_too) + x for x in (A, B, Q))
    assert_derivatives(solve_sylvester, of_kronecker, a, b, q)


@pytest.mark.parametrize("complex_too", [False, True])
def test_derivatives_of_lyapunovs_equations_agree_with_mpmath(complex_too):
    a, q = (drawn(2, 2, seed=n, complex_too=complex_too) for n in (1, 2))
    a = a + 2.0 * np.eye(2)

    def theirs(a, q):
        return of_kronecker(a, a.H, q)

    def stein(a, q):
        """With a^-1 from the left: ``-a^-1 x + x a* = -a^-1 q``."""
        return of_kronecker(-mp.inverse(a), a.H, -mp.inverse(a) * q)

    assert_derivatives(solve_continuous_lyapunov, theirs, a, q)
    for method in ("direct", "bilinear", None):
        assert_derivatives(
            lambda a, q, method=method: solve_discrete_lyapunov(a, q, method=method),
            stein,
            a / 5.0,
            q,
        )


def test_real_and_complex_matrices_in_one_equation_are_solved_rightly():
    """SciPy's own results are wrong there: it takes blocks of a real Schur form for triangles."""
    a = np.array([[0.0, 2.0], [-2.0, 0.5]])
    q = drawn(2, 2, complex_too=True)
    x = solve_sylvester(Variable(a), a + 3.0 * np.eye(2), q).data
    np.testing.assert_allclose(a @ x + x @ (a + 3.0 * np.eye(2)), q, rtol=1e-13)
    x = solve_continuous_lyapunov(Variable(a + np.eye(2)), q).data
    np.testing.assert_allclose((a + np.eye(2)) @ x + x @ (a + np.eye(2)).T, q, rtol=1e-13)
    narrow, q_narrow = Variable(a.astype(np.float32)), q.astype(np.complex64)
    assert solve_sylvester(narrow, narrow + np.float32(3.0), q_narrow).dtype == np.complex64
    assert solve_continuous_lyapunov(narrow, q_narrow).dtype == np.complex64
    assert solve_discrete_lyapunov(narrow / np.float32(4.0), q_narrow).dtype == np.complex64
    v = Variable(a / 4.0)
    x = solve_discrete_lyapunov(v, q, "bilinear")
    np.testing.assert_allclose(a / 4.0 @ x.data @ a.T / 4.0 - x.data, -q, rtol=1e-13)
    np.sum(np.real(x)).backward()
    assert v.grad.dtype == np.float64


FUNCTIONS = {
    "solve_triangular": (solve_triangular, (A, Q)),
    "solve_sylvester": (solve_sylvester, (A, B, Q)),
    "solve_continuous_lyapunov": (solve_continuous_lyapunov, (A, drawn(3, 3))),
    "solve_discrete_lyapunov": (solve_discrete_lyapunov, (A / 8.0, drawn(3, 3))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_matrix_equations_have_scipys_bits_also_of_integers_which_are_constants(name):
    function, arrays = FUNCTIONS[name]
    theirs = getattr(scipy.linalg, name)
    y = function(*map(Variable, arrays))
    np.testing.assert_array_equal(y.data, theirs(*arrays))
    whole = [np.rint(9.0 * x).astype(int) for x in arrays]
    y = function(*map(Variable, whole))
    np.testing.assert_array_equal(y.data, theirs(*whole))
    assert y.creator is None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_matrix_equations_of_float32_stay_float32(name):
    function, arrays = FUNCTIONS[name]
    assert_single(function, *arrays)


@STACKS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_stacks_of_matrix_equations_are_solved_and_differentiated_one_by_one(name):
    function, arrays = FUNCTIONS[name]
    assert_stack(function, *(np.stack([x, 0.5 * x]) for x in arrays))
    shared = [Variable(x) for x in arrays]
    y = function(*shared[:-1], Variable(np.stack([arrays[-1], arrays[-1]])))
    gradients = grad(np.sum(y), shared[:-1])
    alone = grad(2.0 * np.sum(function(*shared)), shared[:-1])
    for got, truth in zip(gradients, alone, strict=True):
        np.testing.assert_allclose(got, truth, rtol=1e-13, atol=1e-14)


def test_solve_triangular_with_overwriting_leaves_the_data_of_variables():
    a, b = Variable(np.asfortranarray(A)), Variable(np.asfortranarray(Q))
    expected = solve_triangular(a, b).data
    y = solve_triangular(a, b, overwrite_b=True)
    np.testing.assert_array_equal(y.data, expected)
    np.testing.assert_array_equal(b.data, Q)


def test_triangular_systems_without_right_hand_sides_have_gradients_of_zeros():
    a, b = Variable(A), Variable(np.zeros((3, 0)))
    y = solve_triangular(a, b)
    ga, gb = grad(y, [a, b], grad_outputs=np.zeros((3, 0)))
    assert (y.shape, gb.shape) == ((3, 0), (3, 0))
    np.testing.assert_array_equal(ga, np.zeros((3, 3)))


def test_a_list_is_a_right_hand_side_and_a_gradient_of_nan_is_passed_on():
    a = Variable(A)
    y = solve_triangular(a, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(y.data, scipy.linalg.solve_triangular(A, [1.0, 2.0, 3.0]))
    y.grad = np.array([np.nan, 0.0, 0.0])
    y.backward()
    assert np.isnan(a.grad[0, 0])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (
            lambda: solve_triangular(Variable(np.zeros((2, 2))), np.ones(2)),
            np.linalg.LinAlgError,
        ),
        (lambda: solve_triangular(Variable(np.ones((2, 3))), np.ones(2)), ValueError),
        (lambda: solve_triangular(Variable(np.eye(2)), np.ones(3)), ValueError),
        (lambda: solve_triangular(Variable(np.eye(2)), np.array([np.nan, 1.0])), ValueError),
        (lambda: solve_continuous_lyapunov(Variable(np.eye(2)), np.eye(3)), ValueError),
        (lambda: solve_continuous_lyapunov(Variable(np.ones((2, 3))), np.eye(2)), ValueError),
        (lambda: solve_discrete_lyapunov(Variable(np.eye(2)), np.eye(2), "guess"), ValueError),
        (
            lambda: solve_discrete_lyapunov(Variable(np.eye(2)[::-1]), np.eye(2)),
            np.linalg.LinAlgError,
        ),
        (lambda: solve_sylvester(Variable(np.ones((2, 3))), np.eye(2), np.eye(2)), ValueError),
    ],
)
def test_matrix_equations_that_cannot_be_solved_are_scipys_errors(call, error):
    with pytest.raises(error):
        call()
