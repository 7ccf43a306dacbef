"""expm, logm and sqrtm: truths, sizes, eigenvalues that are equal or below 0, types, errors.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest
import scipy.linalg
from dezero_ops_scipy.linalg import expm, logm, sqrtm
from mpmath import mp

from dezero_core import Variable, grad

from .matrix_truths import (
    STACKS,
    assert_derivatives,
    assert_single,
    assert_stack,
    columns,
    drawn,
)

A = drawn(3, 3, plus=2.0 * np.eye(3))
COMPLEX = A + 1j * drawn(3, 3, seed=1)
FUNCTIONS = {
    "expm": (expm, lambda a: mp.expm(a, "taylor")),
    "logm": (logm, mp.logm),
    "sqrtm": (sqrtm, mp.sqrtm),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("a", [A, COMPLEX], ids=["real", "complex"])
def test_derivatives_of_functions_of_matrices_agree_with_mpmath(name, a):
    ours, theirs = FUNCTIONS[name]
    assert_derivatives(ours, theirs, a, orders=(0, 1, 2) if name == "expm" else (0, 1))
    np.testing.assert_array_equal(ours(Variable(a)).data, getattr(scipy.linalg, name)(a))


def by_values(function, a):
    """The function of a matrix whose eigenvalues are apart, by its vectors, in 60 digits."""
    w, v = mp.eig(a)
    return v * mp.diag([function(x) for x in w]) * mp.inverse(v)


@pytest.mark.parametrize("name", ["logm", "sqrtm"])
def test_second_derivatives_of_logm_and_sqrtm_agree_with_eigenvectors_of_mpmath(name):
    function = mp.log if name == "logm" else mp.sqrt
    assert_derivatives(FUNCTIONS[name][0], lambda a: by_values(function, a), A)


@pytest.mark.parametrize("seed", [0, 26])  # in complex numbers, the second one turns to -pi i
@pytest.mark.parametrize("name", ["logm", "sqrtm"])
def test_derivatives_of_a_matrix_with_an_eigenvalue_below_0_are_complex_and_right(name, seed):
    function = mp.log if name == "logm" else mp.sqrt
    a = drawn(3, 3, seed=seed, plus=np.diag([-3.0, 1.0, 4.0]))

    def upper(x):  # rounding puts a real eigenvalue on either side of the jump
        return function(mp.mpc(mp.re(x), 0) if abs(mp.im(x)) < mp.mpf(10) ** -40 else x)

    assert np.iscomplexobj(FUNCTIONS[name][0](Variable(a)).data)
    assert_derivatives(FUNCTIONS[name][0], lambda a: by_values(upper, a), a)


@pytest.mark.parametrize("size", [1e-9, 1e-3, 30.0])
@pytest.mark.parametrize("gradient", [1e-150, 1.0, 1e150])
def test_gradients_of_expm_of_any_size_keep_their_digits(size, gradient):
    """The corner of a block matrix, with more digits than it loses."""
    a, g = size * drawn(3, 3), gradient * drawn(3, 3, seed=2)
    x = Variable(a)
    y = expm(x)
    y.grad = g
    y.backward()
    with mp.workdps(80):
        block = mp.zeros(6)
        block[:3, :3] = block[3:, 3:] = columns(a.T)
        block[:3, 3:] = columns(g) / mp.mpf(gradient)
        corner = mp.expm(block, "taylor")[:3, 3:] * mp.mpf(gradient)
    truth = np.array(corner.tolist(), dtype=float)
    np.testing.assert_allclose(x.grad, truth, rtol=0.0, atol=2e-14 * np.abs(truth).max())


def test_second_derivatives_of_expm_beside_a_large_gradient_keep_their_digits():
    """The second derivative is linear in the gradient that arrives."""
    found = []
    for factor in (1.0, 2.0**80):
        x = Variable(A)
        y = expm(x)
        g = grad(y, x, create_graph=True, grad_outputs=Variable(factor * np.eye(3)))
        found.append(grad(g, x, grad_outputs=np.ones((3, 3)) / factor)[...])
    np.testing.assert_array_equal(*found)


def test_the_derivative_of_expm_at_zero_is_the_direction_itself():
    g = drawn(4, 4)
    x = Variable(np.zeros((4, 4)))
    y = expm(x)
    y.grad = g
    y.backward()
    np.testing.assert_allclose(x.grad, g, rtol=1e-15)


def test_the_derivative_of_expm_near_zero_is_a_float32_direction_however_large():
    x, g = ((size * drawn(2, 2)).astype(np.float32) for size in (1e-9, 1e37))
    x = Variable(x)
    got = grad(expm(x), x, grad_outputs=g)
    np.testing.assert_allclose(got, g, rtol=1e-6)


def test_a_matrix_without_enough_eigenvectors_has_derivatives():
    """Of [[2, 1], [0, 2]] the corner is the first derivative; its own, a sixth of the third."""
    for function, first, third in (
        (expm, np.exp(2.0), np.exp(2.0)),
        (logm, 0.5, 0.25),
        (sqrtm, 0.5 / np.sqrt(2.0), 0.375 * 2.0**-2.5),
    ):
        x = Variable(np.array([[2.0, 1.0], [0.0, 2.0]]))
        y = function(x)
        assert y.data[0, 1] == pytest.approx(first, rel=1e-13, abs=0.0)
        (g,) = grad(y[0, 1], [x])
        assert g[1, 0] == pytest.approx(third / 6.0, rel=1e-11, abs=0.0)


def test_the_gradient_of_the_trace_of_logm_is_the_transposed_inverse():
    """log det A = tr log A."""
    x = Variable(A)
    np.trace(logm(x)).backward()
    np.testing.assert_allclose(x.grad, np.linalg.inv(A).T, rtol=1e-13, atol=1e-14)


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate:RuntimeWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_float32_matrices_stay_in_single_precision(name):
    assert_single(FUNCTIONS[name][0], np.array([[2.0, 0.5], [0.25, 1.5]]))


@STACKS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_stacks_of_functions_of_matrices_are_computed_one_by_one(name):
    assert_stack(FUNCTIONS[name][0], np.stack([A, A.T @ A]))


@pytest.mark.parametrize("shape", [(0, 0), (0, 2, 2)])
@pytest.mark.parametrize("name", ["expm", pytest.param("sqrtm", marks=STACKS)])
def test_expm_and_sqrtm_of_an_empty_array_have_gradients_without_elements(name, shape):
    x = Variable(np.zeros(shape))
    y = FUNCTIONS[name][0](x)
    (g,) = grad(y, [x], grad_outputs=np.zeros(shape))
    assert y.shape == g.shape == shape


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_integer_matrices_are_constants_and_numbers_are_refused(name):
    function = FUNCTIONS[name][0]
    whole = np.array([[2, 1], [1, 3]])
    y = function(Variable(whole))
    np.testing.assert_array_equal(y.data, getattr(scipy.linalg, name)(whole))
    assert y.creator is None
    for x in (np.array(4.0), np.ones(1)):
        with pytest.raises(ValueError, match=rf"scipy\.linalg\.{name} .* square matrices"):
            function(Variable(x))
    with pytest.raises((ValueError, np.linalg.LinAlgError)):
        function(Variable(np.ones((2, 3))))


def test_what_is_not_finite_has_a_gradient_of_nan():
    x = Variable(np.diag([1000.0, 1.0]))
    with np.errstate(all="ignore"):
        y = expm(x)
    assert np.isinf(y.data[0, 0])
    y.grad = np.full((2, 2), np.inf)
    y.backward()
    np.testing.assert_array_equal(x.grad, np.full((2, 2), np.nan))


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate:RuntimeWarning")  # as SciPy says
@pytest.mark.parametrize("name", ["logm", "sqrtm"])
def test_functions_of_matrices_in_single_precision_stay_so_also_if_they_are_complex(name):
    function, _ = FUNCTIONS[name]
    assert function(Variable(COMPLEX.astype(np.complex64))).dtype == np.complex64
    turned = np.array([[-1.0, 0.5], [0.0, 2.0]], np.float32)
    assert function(Variable(turned)).dtype == np.complex64
