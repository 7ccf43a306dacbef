"""eig and eigvals: LAPACK's order, equal eigenvalues, matrices without enough vectors."""

import numpy as np
import pytest
from dezero_ops_math.linalg.eigenvalues import _matching_positions, _pivots

from dezero_core import Variable, grad

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("dtype", [float, complex])
def test_eigenvalues_of_large_matrices_have_the_right_gradient_in_any_order(dtype):
    """The sum of the squares is the trace of a @ a: its gradient is 2 a^T, conjugated."""
    n = 200
    a = RNG.normal(size=(n, n))
    a = a if dtype is float else a + 1j * RNG.normal(size=(n, n))
    x = Variable(a)
    np.sum(np.real(np.linalg.eigvals(x) ** 2)).backward()
    np.testing.assert_allclose(x.grad, 2.0 * a.conj().T, atol=1e-10)


def test_second_derivatives_of_eigenvectors_are_right_in_any_order(monkeypatch):
    a, d = RNG.normal(size=(2, 3, 3)) + np.diag([0.0, 3.0, 7.0]), RNG.normal(size=(2, 3, 3))
    x, numpys = Variable(a), np.linalg.eig
    numpys(x)  # loads the module that binds it, by NumPy's name

    def the_other_way_round(a):
        w, v = numpys(a)
        return w[..., ::-1], v[..., ::-1]

    monkeypatch.setattr(np.linalg, "eig", the_other_way_round)
    first = grad(np.sum(np.real(np.linalg.eigvals(x) ** 2)), x, create_graph=True)
    np.testing.assert_allclose(first.data, 2.0 * np.swapaxes(a, -1, -2), atol=1e-12)
    np.testing.assert_allclose(grad(np.sum(first * d), x), 2.0 * np.swapaxes(d, -1, -2), atol=1e-12)


def test_equal_eigenvalues_in_two_orders_are_matched_one_to_one():
    w = np.array([[2.0, 1.0, 2.0], [1.0, 1.0, 1.0]])
    found = np.array([[1.0, 2.0, 2.0], [1.0, 1.0, 1.0]])
    order = _matching_positions(found, w)
    np.testing.assert_array_equal(np.sort(order), [[0, 1, 2], [0, 1, 2]])
    np.testing.assert_array_equal(np.take_along_axis(found, order, -1), w)


def test_the_pivot_among_equally_large_components_is_the_real_component():
    v = np.array([[0.5 + 0.5j, 0.8], [np.sqrt(0.5), 0.6j]])
    np.testing.assert_array_equal(_pivots(v), [[False, True], [True, False]])


@pytest.mark.parametrize("function", [np.linalg.eigvals, lambda x: np.linalg.eig(x)[0]])
def test_equal_eigenvalues_of_eigvals_have_the_right_gradient(function):
    x = Variable(np.stack([2.0 * np.eye(3), np.diag([2.0, 1.0, 2.0])]))
    np.sum(function(x) ** 3).backward()
    np.testing.assert_array_equal(x.grad[0], 12.0 * np.eye(3))
    np.testing.assert_array_equal(x.grad[1], np.diag([12.0, 3.0, 12.0]))


def test_a_loss_of_eigenvectors_of_equal_eigenvalues_has_nan_as_gradient():
    x = Variable(np.diag([1.0, 1.0, 3.0]))
    w, v = np.linalg.eig(x)
    np.sum(np.arange(9.0).reshape(3, 3) * ((v * w**2) @ np.linalg.inv(v))).backward()
    assert np.isnan(x.grad).any()


def test_a_matrix_power_by_eig_has_the_right_gradient_in_any_phase():
    """v w**2 inv(v) is a @ a."""
    a, m = RNG.normal(size=(4, 4)), RNG.normal(size=(4, 4))
    x = Variable(a)
    w, v = np.linalg.eig(x)
    assert w.dtype == np.complex128
    np.sum(np.real(m * ((v * w**2) @ np.linalg.inv(v)))).backward()
    assert x.grad.dtype == np.float64
    np.testing.assert_allclose(x.grad, m @ a.T + a.T @ m, atol=1e-12)


def test_the_third_derivative_of_a_cube_by_eig_is_right():
    """The sum of the cubes is the trace of a**3; along d, three times, that is 6 tr(d**3)."""
    a, d = RNG.normal(size=(3, 3)) + np.diag([0.0, 3.0, 7.0]), RNG.normal(size=(3, 3))
    for values in np.linalg.eigvals, lambda x: np.linalg.eig(x).eigenvalues:
        x = Variable(a)
        y = np.sum(np.real(values(x) ** 3))
        for _ in range(2):
            y = np.sum(grad(y, x, create_graph=True) * d)
        assert np.sum(grad(y, x) * d) == pytest.approx(6.0 * np.trace(d @ d @ d), rel=1e-9)


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_bad_input_of_eig_and_eigvals_is_numpys_error_with_a_note(name):
    function = getattr(np.linalg, name)
    for a, message in (np.ones((2, 3)), "must be square"), (np.full((2, 2), np.nan), "infs or NaN"):
        x = Variable(a)
        with pytest.raises(np.linalg.LinAlgError, match=message) as caught:
            function(x)
        (note,) = caught.value.__notes__
        assert name.title() in note
        assert x.grad is None


def test_eig_and_eigvals_keep_single_precision():
    for a in np.array([[0.0, 1.0], [-2.0, 0.0]]), np.array([[0.0, 1.0], [2.0, 0.0]]):
        x = Variable(a.astype(np.float32))
        w, v = np.linalg.eig(x)
        assert w.dtype == v.dtype == np.linalg.eig(x.data)[0].dtype
        (np.sum(np.real(w)) + np.sum(np.real(v))).backward()
        assert x.grad.dtype == np.float32
