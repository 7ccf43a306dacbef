"""Inverses and pseudoinverses at their edges."""

import numpy as np
import pytest
from dezero_ops_math.linalg import inv, pinv, tensorinv

from dezero_core import Variable


def test_the_gradient_of_inv_agrees_with_the_one_by_hand():
    """d(1 / x) = -dx / x^2; with D = ad - bc, y[0, 1] = -b / D: by a it is bd / D^2."""
    x = Variable(np.array([[4.0]]))
    inv(x).backward()
    np.testing.assert_array_equal(x.grad, [[-1.0 / 16.0]])
    x = Variable(np.array([[1.0, 3.0], [0.0, 1.0]]))
    y = inv(x)
    y.grad = np.array([[0.0, 1.0], [0.0, 0.0]])
    y.backward()
    np.testing.assert_allclose(x.grad, [[3.0, -1.0], [-9.0, 3.0]], rtol=1e-14)


def test_a_nan_in_a_stack_stays_in_its_matrix_through_inv():
    x = Variable(np.array([np.eye(2), np.full((2, 2), np.nan)]))
    inv(x).backward()
    np.testing.assert_array_equal(x.grad[0], -np.ones((2, 2)))
    assert np.isnan(x.grad[1]).all()


@pytest.mark.parametrize(
    ("function", "a", "options", "error"),
    [
        (inv, np.ones((2, 2)), {}, np.linalg.LinAlgError),
        (inv, np.ones((2, 3)), {}, np.linalg.LinAlgError),
        (inv, np.ones(2), {}, np.linalg.LinAlgError),
        (pinv, np.ones(2), {}, np.linalg.LinAlgError),
        (pinv, np.full((2, 2), np.nan), {}, np.linalg.LinAlgError),
        (pinv, np.ones((2, 2)), {"rcond": 0.1, "rtol": 0.1}, ValueError),
        (tensorinv, np.ones((2, 2)), {"ind": 0}, ValueError),
        (tensorinv, np.ones((2, 3)), {"ind": 1}, np.linalg.LinAlgError),
    ],
)
def test_bad_arguments_of_inverses_are_numpys_error_with_a_note(function, a, options, error):
    x = Variable(a)
    with pytest.raises(error) as caught:
        function(x, **options)
    with pytest.raises(error) as numpys:
        getattr(np.linalg, function.__name__)(a, **options)
    assert caught.type is numpys.type
    assert str(caught.value) == str(numpys.value)
    assert ".forward of plugin 'math'" in caught.value.__notes__[0]
    assert (x.creator, x.generation, x.grad) == (None, 0, None)


@pytest.mark.parametrize("name", ["rcond", "rtol"])
def test_pinv_refuses_a_variable_as_tolerance(name):
    with pytest.raises(TypeError, match=f"'{name}'"):
        pinv(Variable(np.eye(2)), **{name: Variable(np.array(0.1))})


@pytest.mark.parametrize("hermitian", [False, True])
def test_a_pseudoinverse_of_lower_rank_has_the_derivative_of_that_rank(hermitian):
    """With a = t u u^T of one vector u it is u u^T / t / |u|^4, as long as that is its form."""
    u = np.array([[1.0], [2.0], [2.0]])
    u = u / np.linalg.norm(u)
    weights = np.array([[1.0, 2.0, 3.0], [2.0, -1.0, 1.0], [3.0, 1.0, 2.0]])

    def value(u):
        length = np.sum(u * u)
        return np.sum(weights * (u @ u.T)) / 4.0 / length**2

    x = Variable(4.0 * u @ u.T)
    y = pinv(x, hermitian=hermitian)
    y.grad = weights
    y.backward()
    for direction in np.eye(3)[:, :, None]:
        step = 1e-5
        truth = (value(u + step * direction) - value(u - step * direction)) / (2.0 * step)
        change = 4.0 * (direction @ u.T + u @ direction.T)
        np.testing.assert_allclose(np.sum(x.grad * change), truth, atol=1e-9)


def test_the_pseudoinverse_of_zeros_and_its_gradient_are_zeros():
    x = Variable(np.zeros((2, 3)))
    y = pinv(x)
    y.backward()
    np.testing.assert_array_equal(y.data, np.zeros((3, 2)))
    np.testing.assert_array_equal(x.grad, np.zeros((2, 3)))


def test_the_pseudoinverse_has_derivatives_where_singular_values_are_equal():
    """Of a regular matrix it is the inverse."""
    a = Variable(np.eye(2))
    b = Variable(np.eye(2))
    for x, function in ((a, pinv), (b, inv)):
        y = function(x)
        y.grad = np.array([[1.0, 2.0], [3.0, 4.0]])
        y.backward(create_graph=True)
        gradient = x.grad
        x.cleargrad()
        gradient.grad = np.array([[1.0, -1.0], [2.0, 0.5]])
        gradient.backward()
    np.testing.assert_allclose(a.grad, b.grad, rtol=1e-13)


def test_the_gradient_of_a_hermitian_pseudoinverse_is_hermitian():
    a = Variable(np.array([[2.0, 1.0j], [-1.0j, 3.0]]))
    y = pinv(a, hermitian=True)
    y.grad = np.array([[0.0, 1.0], [0.0, 0.0]]) + 0.0j
    y.backward()
    np.testing.assert_allclose(a.grad, a.grad.conj().T, rtol=1e-14)
    assert abs(a.grad[0, 1]) > 0.05
