"""solve_banded and solveh_banded: truths, elements that stand for nothing, types, errors.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest
import scipy.linalg
from dezero_ops_scipy.linalg import solve_banded, solveh_banded
from mpmath import mp

from dezero_core import Variable, VariableTypeError, grad

from .matrix_truths import STACKS, assert_derivatives, assert_single, assert_stack, drawn

B = drawn(4, 2)


def stored(lower, upper, n=4, complex_too=False):
    ab = drawn(lower + upper + 1, n, complex_too=complex_too)
    ab[upper] += 4.0
    return ab


def dense(ab, upper, n):
    a = mp.zeros(n)
    for row in range(ab.rows):
        for j in range(n):
            if 0 <= j + row - upper < n:
                a[j + row - upper, j] = ab[row, j]
    return a


def mirrored(ab, lower, n):
    """The Hermitian matrix of one triangle; the imaginary part of its diagonal is not read."""
    a = dense(ab, 0 if lower else ab.rows - 1, n)
    whole = a + a.H
    for i in range(n):
        whole[i, i] = mp.re(a[i, i])
    return whole


@pytest.mark.parametrize("widths", [(0, 0), (1, 1), (2, 1), (0, 2), (1, 0), (3, 3)])
def test_derivatives_of_solve_banded_agree_with_mpmath(widths):
    lower, upper = widths
    assert_derivatives(
        lambda ab, b: solve_banded(widths, ab, b),
        lambda ab, b: mp.inverse(dense(ab, upper, 4)) * b,
        stored(lower, upper),
        B[:, 0],
    )
    assert_derivatives(
        lambda ab, b: solve_banded(widths, ab, b),
        lambda ab, b: mp.inverse(dense(ab, upper, 4)) * b,
        stored(lower, upper, complex_too=True),
        B + 1j * B[::-1],
        orders=(1, 2),
    )


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_derivatives_of_solveh_banded_agree_with_mpmath(rows, lower):
    widths = (rows - 1, 0) if lower else (0, rows - 1)
    for complex_too in (False, True):
        ab = stored(*widths, complex_too=complex_too)
        assert_derivatives(
            lambda ab, b: solveh_banded(ab, b, lower=lower),
            lambda ab, b: mp.inverse(mirrored(ab, lower, 4)) * b,
            ab,
            B + 1j * B[::-1] if complex_too else B[:, 0],
        )


@pytest.mark.parametrize("widths", [(2, 1), (1, 1), (0, 2)])
def test_elements_that_stand_for_nothing_are_neither_read_nor_differentiated(widths):
    lower, upper = widths
    unused = np.ones((lower + upper + 1, 4), bool)
    for row in range(lower + upper + 1):
        for j in range(4):
            unused[row, j] = not 0 <= j + row - upper < 4
    x = Variable(np.where(unused, np.nan, stored(lower, upper)))
    y = solve_banded(widths, x, B, check_finite=False)
    (g,) = grad(y, [x], create_graph=True, grad_outputs=Variable(np.ones((4, 2))))
    (gg,) = grad(g, [x], grad_outputs=np.ones(x.shape))
    for each in (g.data, gg):
        np.testing.assert_array_equal(each == 0.0, unused)
        assert np.isfinite(each).all()


def test_a_large_band_matrix_has_the_gradient_of_the_dense_one():
    n = 60
    ab, b = stored(1, 1, n), drawn(n)
    x = Variable(ab)
    np.sum(solve_banded((1, 1), x, b) ** 2).backward()
    a = np.diag(ab[1]) + np.diag(ab[0, 1:], 1) + np.diag(ab[2, :-1], -1)
    full = Variable(a)
    np.sum(np.linalg.solve(full, b) ** 2).backward()
    np.testing.assert_allclose(x.grad[1], np.diag(full.grad), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(x.grad[0, 1:], np.diag(full.grad, 1), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(x.grad[2, :-1], np.diag(full.grad, -1), rtol=1e-11, atol=1e-14)


FUNCTIONS = {
    "solve_banded": (lambda ab, b: solve_banded((1, 1), ab, b), (stored(1, 1), B)),
    "solveh_banded": (lambda ab, b: solveh_banded(ab, b, lower=True), (stored(2, 0), B)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_banded_systems_of_float32_stay_float32(name):
    function, arrays = FUNCTIONS[name]
    assert_single(function, *arrays)


@STACKS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_stacks_of_banded_systems_are_solved_one_by_one(name):
    function, arrays = FUNCTIONS[name]
    assert_stack(function, *(np.stack([x, 2.0 * x]) for x in arrays))


@STACKS
def test_a_banded_system_without_right_hand_sides_has_a_gradient_of_zeros():
    x = Variable(stored(1, 1))
    y = solve_banded((1, 1), x, np.zeros((4, 0)))
    (g,) = grad(y, [x], grad_outputs=np.zeros((4, 0)))
    np.testing.assert_array_equal(g, np.zeros((3, 4)))


def test_banded_systems_with_overwriting_leave_the_data_of_variables():
    ab, b = Variable(np.asfortranarray(stored(1, 1))), Variable(np.asfortranarray(B))
    solve_banded((1, 1), ab, b, overwrite_ab=True, overwrite_b=True)
    half = Variable(np.asfortranarray(stored(2, 0)))
    solveh_banded(half, b, overwrite_ab=True, overwrite_b=True, lower=True)
    np.testing.assert_array_equal(ab.data, stored(1, 1))
    np.testing.assert_array_equal(half.data, stored(2, 0))
    np.testing.assert_array_equal(b.data, B)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: solve_banded((1, 1), Variable(np.zeros((3, 4))), B), np.linalg.LinAlgError),
        (lambda: solve_banded((1, 1), Variable(np.ones((2, 4))), B), ValueError),
        (lambda: solve_banded((1, 1), Variable(np.ones((3, 5))), B), ValueError),
        (lambda: solve_banded((1, 1), Variable(np.full((3, 4), np.nan)), B), ValueError),
        (lambda: solveh_banded(Variable(-np.ones((2, 4))), B), np.linalg.LinAlgError),
        (lambda: solveh_banded(Variable(np.ones((2, 5))), B), ValueError),
    ],
)
def test_banded_systems_that_cannot_be_solved_are_scipys_errors(call, error):
    with pytest.raises(error):
        call()


def test_the_numbers_of_diagonals_are_constants():
    lower = Variable(np.array(1))
    with pytest.raises(VariableTypeError, match=r"linalg\.solve_banded has no derivative by l"):
        solve_banded((lower, 1), np.eye(3, 4), B)


def test_the_bits_of_scipys_banded_solutions_are_kept():
    ab, half = stored(1, 1), stored(2, 0)
    y = solve_banded((1, 1), Variable(ab), B)
    np.testing.assert_array_equal(y.data, scipy.linalg.solve_banded((1, 1), ab, B))
    y = solveh_banded(Variable(half), B, lower=True)
    np.testing.assert_array_equal(y.data, scipy.linalg.solveh_banded(half, B, lower=True))
