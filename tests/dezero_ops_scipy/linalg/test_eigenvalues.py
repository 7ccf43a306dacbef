"""Eigenvalues of pairs of Hermitian matrices: truths, what is equal, phases, refusals.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest
import scipy.linalg
from dezero_ops_scipy.linalg import eigh
from dezero_tools.testing.oracles import slope
from mpmath import mp

from dezero_core import Variable, VariableTypeError, grad

from .matrix_truths import STACKS, assert_derivatives, assert_stack, drawn, hermitian

A = hermitian(drawn(3, 3, plus=np.diag([0.0, 2.0, 5.0])))
B = hermitian(drawn(3, 3, seed=1, plus=3.0 * np.eye(3)))
COMPLEX = [hermitian(x + 0.5j * drawn(3, 3, seed=2)) for x in (A, B)]


def of_pair(a, b=None, reference=None):
    """Values and vectors by the factor of b: ``L^-1 a L^-*`` has the same values."""
    inverse = mp.inverse(mp.cholesky(b)) if b is not None else mp.eye(a.rows)
    w, q = mp.eighe(inverse * a * inverse.H)
    v = inverse.H * q
    for j in range(a.cols):  # of the two signs, that which LAPACK has
        if mp.re(sum(v[i, j] * reference[i, j] for i in range(a.rows))) < 0:
            for i in range(a.rows):
                v[i, j] = -v[i, j]
    return w, v


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("pair", [(A,), (A, B)], ids=["one", "pair"])
def test_derivatives_of_scipys_eigh_agree_with_mpmath(pair, lower):
    w, v = scipy.linalg.eigh(*pair, lower=lower)
    for got, truth in zip(eigh(*map(Variable, pair), lower=lower), (w, v), strict=True):
        np.testing.assert_array_equal(got.data, truth)
    assert_derivatives(
        lambda *pair: eigh(*pair, lower=lower),
        lambda *pair: of_pair(*pair, reference=v),
        *pair,
        projections=[hermitian] * 2,
    )


@pytest.mark.parametrize("pair", [(A,), (A, B), COMPLEX], ids=["one", "pair", "complex"])
def test_derivatives_of_eigenvalues_alone_agree_with_mpmath(pair):
    assert_derivatives(
        lambda *pair: eigh(*pair, eigvals_only=True),
        lambda *pair: of_pair(*pair, reference=mp.eye(3))[0],
        *pair,
        projections=[hermitian] * 2,
    )


def test_a_loss_of_complex_pairs_without_phases_has_the_right_gradient():
    m = drawn(3, 3, complex_too=True)

    def loss(a, b):
        w, v = eigh(a, b)
        return np.sum(np.real(m * ((v * np.sin(w)) @ np.swapaxes(np.conj(v), -1, -2))))

    a, b = map(Variable, COMPLEX)
    loss(a, b).backward()
    for x, k in ((a, 0), (b, 1)):
        d = hermitian(drawn(3, 3, seed=5, complex_too=True))
        np.testing.assert_allclose(x.grad, x.grad.conj().T, rtol=1e-13)

        def moved(h, k=k, d=d):
            pair = list(COMPLEX)
            pair[k] = pair[k] + h * d
            return loss(*map(Variable, pair)).data

        along = np.sum(np.real(np.conj(x.grad) * d))
        assert along == pytest.approx(slope(moved, 0.02)[0], rel=1e-8, abs=0.0)


def test_the_gradient_by_the_second_matrix_is_by_hand():
    """Of numbers w = a / b and v = 1 / sqrt(b)."""
    a, b = Variable(np.array([[6.0]])), Variable(np.array([[4.0]]))
    w, v = eigh(a, b)
    np.testing.assert_allclose([*grad(w, [a, b])], [[[0.25]], [[-0.375]]], rtol=1e-15)
    (gb,) = grad(v, [b])
    np.testing.assert_allclose(gb * np.sign(v.data), [[-0.0625]], rtol=1e-15)


def test_equal_eigenvalues_have_a_gradient_if_the_loss_treats_them_alike():
    a, b = Variable(2.0 * B), Variable(B)
    w, v = eigh(a, b)
    np.testing.assert_allclose(w.data, 2.0, rtol=1e-14)
    ga, gb = grad(np.sum(w), [a, b])
    np.testing.assert_allclose(ga, np.linalg.inv(B), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(gb, -2.0 * np.linalg.inv(B), rtol=1e-13, atol=1e-14)
    (ga,) = grad(np.sum(v * np.arange(9.0).reshape(3, 3)), [a])
    assert np.isnan(ga).any()


def test_eigenvalues_that_rounding_makes_equal_spoil_the_gradients_of_their_own_vectors_alone():
    a = Variable(np.diag([1.0, 1.0 + 2.0**-52, 5.0]))
    _, v = eigh(a, driver="ev")  # which leaves the diagonal as it is
    (g,) = grad(v[0, 2] * np.sign(v.data[2, 2]), [a])
    np.testing.assert_allclose(g, [[0.0, 0.0, 0.125], [0.0, 0.0, 0.0], [0.125, 0.0, 0.0]])
    assert np.isnan(grad(v[0, 1], [a])[0]).any()


def test_only_the_triangle_that_is_asked_for_is_read():
    other = np.where(np.tri(3, k=-1), np.nan, A)
    a = Variable(other)
    w = eigh(a, lower=False, eigvals_only=True, check_finite=False)
    np.testing.assert_allclose(w.data, np.linalg.eigvalsh(A), rtol=1e-13)
    w.backward()
    np.testing.assert_array_equal(a.grad, a.grad.T)


@pytest.mark.parametrize("driver", ["ev", "evd", "evr", "evx"])
def test_every_driver_gives_the_same_gradient_of_the_space(driver):
    a = Variable(A)
    w, v = eigh(a, driver=driver)
    np.sum(drawn(3, 3) * ((v * np.exp(w)) @ v.T)).backward()
    truth = Variable(A)
    w, v = np.linalg.eigh(truth)
    np.sum(drawn(3, 3) * ((v * np.exp(w)) @ v.T)).backward()
    np.testing.assert_allclose(a.grad, truth.grad, rtol=1e-11, atol=1e-12)


@STACKS
def test_stacks_of_pairs_are_solved_one_by_one_and_one_matrix_is_shared():
    def space(a, b):
        w, v = eigh(a, b)
        return (v * np.exp(w)[..., None, :]) @ np.swapaxes(v, -1, -2)

    assert_stack(space, np.stack([A, B]), np.stack([B, 2.0 * B]))
    shared = Variable(B)
    y = space(Variable(np.stack([A, A])), shared)
    alone = space(Variable(A), shared)
    got, truth = (grad(np.sum(x), [shared])[0] for x in (y, 2.0 * alone))
    np.testing.assert_allclose(got, truth, rtol=1e-12)


def test_eigh_of_float32_stays_float32_and_of_integers_is_a_constant():
    a, b = Variable(A.astype(np.float32)), Variable(B.astype(np.float32))
    w, v = eigh(a, b)
    first = grad(np.sum(w) + np.sum((v * np.exp(w)) @ v.T), [a, b], create_graph=True)
    second = grad(sum(np.sum(g * g) for g in first), [a, b])
    assert {x.dtype for x in (w, v, *first, *second)} == {np.dtype(np.float32)}
    w, v = eigh(Variable(np.array([[2, 1], [1, 2]])))
    np.testing.assert_allclose(w.data, [1.0, 3.0], rtol=1e-15)
    assert w.creator is v.creator is None


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"type": 2}, "type=2"),
        ({"type": 3}, "type=3"),
        ({"subset_by_index": [0, 1]}, "subset_by_index"),
        ({"subset_by_value": [0.0, 1.0]}, "subset_by_value"),
    ],
)
def test_what_eigh_has_no_derivative_of_is_refused_by_name(options, named):
    with pytest.raises(VariableTypeError, match=rf"scipy\.linalg\.eigh .* {named}"):
        eigh(Variable(A), B, **options)
    assert len(eigh(A, B, **options)) == 2


def test_the_type_of_a_problem_without_a_second_matrix_does_not_matter():
    np.testing.assert_array_equal(eigh(Variable(A), type=2)[0].data, scipy.linalg.eigh(A)[0])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: eigh(Variable(np.ones((2, 3)))), ValueError),
        (lambda: eigh(Variable(A), np.eye(2)), ValueError),
        (lambda: eigh(Variable(A), -np.eye(3)), np.linalg.LinAlgError),
        (lambda: eigh(Variable(np.full((2, 2), np.nan))), ValueError),
        (lambda: eigh(Variable(A), driver="gv"), ValueError),
    ],
)
def test_pairs_without_eigenvalues_are_scipys_errors(call, error):
    with pytest.raises(error):
        call()
