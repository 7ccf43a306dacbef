"""LU and polar decompositions: truths, shapes, exchanged rows, what is equal, errors.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest
import scipy.linalg
from dezero_ops_scipy.linalg import cho_solve, lu_factor, lu_solve, polar
from mpmath import mp

from dezero_core import Variable, VariableTypeError, grad

from .matrix_truths import STACKS, assert_derivatives, assert_single, assert_stack, drawn

A = drawn(3, 3, seed=1, plus=3.0 * np.eye(3))[[1, 2, 0]]
COMPLEX = A + 1j * drawn(3, 3, seed=2)
B = drawn(3, 2)
SHAPED = {
    "square": A,
    "complex": COMPLEX,
    "tall": drawn(4, 2, seed=4)[[2, 0, 1, 3]],
    "wide": drawn(2, 4, seed=5),
    "row": drawn(1, 3, complex_too=True),
}


def eliminated(a, rows):
    """Gauss: L below the diagonal and U in the rest, with the rows in that order."""
    lu = mp.matrix([[a[i, j] for j in range(a.cols)] for i in rows])
    for k in range(min(lu.rows, lu.cols)):
        for i in range(k + 1, lu.rows):
            lu[i, k] /= lu[k, k]
            for j in range(k + 1, lu.cols):
                lu[i, j] -= lu[i, k] * lu[k, j]
    return lu


def order_of(piv, m):
    rows = list(range(m))
    for i, j in enumerate(piv):
        rows[i], rows[j] = rows[j], rows[i]
    return rows


@pytest.mark.parametrize("name", SHAPED)
def test_derivatives_of_lu_factor_agree_with_an_elimination_of_mpmath(name):
    a = SHAPED[name]
    lu, piv = lu_factor(Variable(a))
    theirs, their_piv = scipy.linalg.lu_factor(a)
    np.testing.assert_array_equal(lu.data, theirs)
    np.testing.assert_array_equal(piv, their_piv)
    assert type(piv) is np.ndarray
    rows = order_of(piv, len(a))
    assert_derivatives(lambda a: lu_factor(a)[0], lambda a: eliminated(a, rows), a)


@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("a", [A, COMPLEX], ids=["real", "complex"])
def test_derivatives_of_a_system_solved_by_lu_factor_are_those_of_mpmath(a, trans):
    def theirs(a, b):
        return mp.inverse((a, a.T, a.H)[trans]) * b

    for b in (B, B[:, 0]):
        b = b + 1j * b[::-1] if np.iscomplexobj(a) else b
        assert_derivatives(lambda a, b: lu_solve(lu_factor(a), b, trans), theirs, a, b)


@pytest.mark.parametrize("trans", [0, 1, 2])
def test_derivatives_of_lu_solve_by_the_factors_agree_with_their_product_in_mpmath(trans):
    piv = np.array([2, 2, 2])

    def theirs(lu, b):
        lower, upper = mp.eye(3), mp.zeros(3)
        for i in range(3):
            for j in range(3):
                if i > j:
                    lower[i, j] = lu[i, j]
                else:
                    upper[i, j] = lu[i, j]
        product, a = lower * upper, mp.zeros(3)
        for i, row in enumerate(order_of(piv, 3)):
            for j in range(3):
                a[row, j] = product[i, j]
        return mp.inverse((a, a.T, a.H)[trans]) * b

    lu = drawn(3, 3, plus=2.0 * np.eye(3))
    assert_derivatives(lambda lu, b: lu_solve((lu, piv), b, trans), theirs, lu, B)
    assert_derivatives(
        lambda lu, b: lu_solve((lu, piv), b, trans), theirs, lu + 1j * B @ B.T, B + 1j * B[::-1]
    )


def test_the_log_determinant_by_lu_factor_has_the_transposed_inverse_as_gradient():
    a = drawn(40, 40)
    x = Variable(a)
    np.sum(np.log(np.abs(np.diagonal(lu_factor(x)[0])))).backward()
    np.testing.assert_allclose(x.grad, np.linalg.inv(a).T, rtol=1e-9, atol=1e-12)


def unitary(a):
    """``A (A* A)^-1/2``, and of a matrix with more columns the adjoint of that of its adjoint."""
    return a * mp.inverse(mp.sqrtm(a.H * a)) if a.rows >= a.cols else unitary(a.H).H


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("name", SHAPED)
def test_derivatives_of_polar_agree_with_roots_of_mpmath(name, side):
    def theirs(a):
        u = unitary(a)
        return u, u.H * a if side == "right" else a * u.H

    a = SHAPED[name]
    assert_derivatives(lambda a: polar(a, side=side), theirs, a)
    for got, truth in zip(polar(Variable(a), side), scipy.linalg.polar(a, side), strict=True):
        np.testing.assert_array_equal(got.data, truth)


def test_the_gradient_of_polar_where_singular_values_are_equal_is_by_hand():
    """Near 2 I, U turns by the skew part of the change, halved, and P grows by the other."""
    g = drawn(3, 3)
    for number, by_hand in ((0, (g - g.T) / 4.0), (1, (g + g.T) / 2.0)):
        x = Variable(2.0 * np.eye(3))
        y = polar(x)[number]
        y.grad = g
        y.backward()
        np.testing.assert_allclose(x.grad, by_hand, atol=1e-15)


FUNCTIONS = {
    "lu_factor": (lambda a: lu_factor(a)[0], (A,)),
    "lu_solve": (lambda lu, b: lu_solve((lu, np.array([1, 1, 2])), b), (A + 3.0 * np.eye(3), B)),
    "polar": (polar, (A,)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_lu_and_polar_of_float32_stay_float32(name):
    function, arrays = FUNCTIONS[name]
    assert_single(function, *arrays)


@STACKS
def test_stacks_of_lu_and_polar_are_computed_one_by_one():
    def solved(a, b):
        return lu_solve(lu_factor(a), b)

    for function, arrays in ((solved, (A, B)), FUNCTIONS["lu_factor"], FUNCTIONS["polar"]):
        assert_stack(function, *(np.stack([x, x[::-1]]) for x in arrays))


def test_lu_of_integers_is_a_constant_and_overwriting_leaves_the_data():
    x, b = Variable(np.array([[1, 2], [2, 2]])), Variable(np.array([5.0, 6.0]))
    lu, piv = lu_factor(x, overwrite_a=True)
    assert lu.creator is None
    np.testing.assert_array_equal(lu_solve((lu, piv), b, overwrite_b=True).data, [1.0, 2.0])
    np.testing.assert_array_equal(b.data, [5.0, 6.0])
    a = Variable(np.asfortranarray(A))
    lu_factor(a, overwrite_a=True)
    np.testing.assert_array_equal(a.data, A)


def test_a_singular_matrix_has_lu_factors_with_scipys_warning_and_no_gradient():
    x = Variable(np.ones((2, 2)))
    with pytest.warns(scipy.linalg.LinAlgWarning, match="Singular"):
        lu, _ = lu_factor(x)
    with pytest.raises(np.linalg.LinAlgError):
        lu.backward()


@pytest.mark.parametrize(("function", "of"), [(lu_solve, "lu_factor"), (cho_solve, "cho_factor")])
def test_a_factor_that_is_no_pair_is_refused_also_if_it_has_two_rows(function, of):
    for factor in (Variable(np.eye(2)), (np.eye(2),), Variable(np.eye(3))):
        with pytest.raises(ValueError, match=f"takes the pair that scipy.linalg.{of} returns, got"):
            function(factor, Variable(np.ones(2)))


def test_rows_that_changed_places_are_constants():
    with pytest.raises(VariableTypeError, match=r"linalg\.lu_solve has no derivative by piv"):
        lu_solve((np.eye(2), Variable(np.array([0, 1]))), np.ones(2))


def test_polar_of_a_tall_matrix_without_full_rank_has_no_gradient():
    x = Variable(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
    u, _ = polar(x)
    with pytest.raises(np.linalg.LinAlgError):
        grad(u, x, grad_outputs=np.ones((3, 2)))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: lu_factor(Variable(np.full((2, 2), np.nan))), ValueError),
        (lambda: lu_solve((Variable(np.eye(2)), np.array([0, 1])), np.ones(3)), ValueError),
        (
            lambda: lu_solve((np.eye(2), [0, 1]), Variable(np.array([np.inf, 1.0]))),
            ValueError,
        ),
        (lambda: polar(Variable(np.ones(2))), ValueError),
        (lambda: polar(Variable(np.eye(2)), "above"), ValueError),
    ],
)
def test_what_lu_and_polar_do_not_take_is_scipys_error(call, error):
    with pytest.raises(error):
        call()
