"""Norms at 0, at ties, at elements that are 0; and what is refused."""

import numpy as np
import pytest

from dezero_core import Variable, grad

VECTOR_ORDERS = (None, 0, 1, 2, 3, 4, 2.5, 0.5, np.inf, -np.inf)
MATRIX_ORDERS = (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
HALF = 0.5


def gradient(array, *args, **kwargs):
    x = Variable(np.asarray(array))
    np.linalg.norm(x, *args, **kwargs).backward()
    return x.grad


@pytest.mark.parametrize("dtype", [float, complex])
def test_at_0_the_gradient_is_0_for_every_norm(dtype):
    for order in VECTOR_ORDERS:
        np.testing.assert_array_equal(gradient(np.zeros(3, dtype), order), np.zeros(3))
    for order in MATRIX_ORDERS:
        np.testing.assert_array_equal(gradient(np.zeros((2, 3), dtype), order), np.zeros((2, 3)))
    np.testing.assert_array_equal(gradient(np.array(0.0, dtype)), 0.0)


def test_only_the_vectors_that_are_0_have_slope_0():
    got = gradient([[3.0, 4.0], [0.0, 0.0]], axis=1)
    np.testing.assert_allclose(got, [[0.6, 0.8], [0.0, 0.0]], rtol=1e-15)


@pytest.mark.parametrize("order", [1, 2])
def test_at_0_the_second_derivative_is_0_as_that_of_abs(order):
    x = Variable(np.zeros(2))
    first = grad(np.linalg.norm(x, order), x, create_graph=True)
    np.testing.assert_array_equal(grad(np.sum(first), x), [0.0, 0.0])


@pytest.mark.parametrize(
    ("array", "order", "expected"),
    [
        ([3.0, -3.0, 1.0], np.inf, [HALF, -HALF, 0.0]),
        ([3.0, -1.0, 1.0], -np.inf, [0.0, -HALF, HALF]),
        ([3.0j, -3.0], np.inf, [HALF * 1j, -HALF]),
        ([[1.0, -3.0], [3.0, 1.0]], 1, [[HALF, -HALF], [HALF, HALF]]),
        ([[1.0, -3.0], [4.0, 2.0]], 1, [[HALF, -HALF], [HALF, HALF]]),
        ([[1.0, -3.0], [4.0, 2.0]], -1, [[HALF, -HALF], [HALF, HALF]]),
        ([[1.0, -3.0], [2.0, 2.0]], np.inf, [[HALF, -HALF], [HALF, HALF]]),
        ([[1.0, -3.0], [2.0, 2.0]], -np.inf, [[HALF, -HALF], [HALF, HALF]]),
        ([[2.0, 0.0], [0.0, -2.0]], 2, [[HALF, 0.0], [0.0, -HALF]]),
        ([[2.0, 0.0], [0.0, -2.0]], -2, [[HALF, 0.0], [0.0, -HALF]]),
        ([[2.0, 0.0], [0.0, -2.0]], "nuc", [[1.0, 0.0], [0.0, -1.0]]),
    ],
)
def test_ties_share_the_gradient(array, order, expected):
    np.testing.assert_allclose(gradient(array, order), expected, atol=1e-16)


@pytest.mark.parametrize("order", [0.5, 1, 1.5, 2.5, 3])
def test_an_element_that_is_0_has_slope_0(order):
    x = Variable(np.array([0.0, 2.0, 0.0]))
    first = grad(np.linalg.norm(x, order), x, create_graph=True)
    np.testing.assert_array_equal(first.data, [0.0, 1.0, 0.0])
    if order > 2:  # below, the second derivative is infinite there
        np.testing.assert_array_equal(grad(np.sum(first), x), [0.0, 0.0, 0.0])


@pytest.mark.parametrize("order", [-1, -2])
def test_an_element_that_is_0_makes_a_norm_of_negative_powers_0_and_its_slope(order):
    x = Variable(np.array([0.0, 3.0]))
    with np.errstate(divide="ignore"):  # NumPy's own, of 0.0**-1
        y = np.linalg.norm(x, order)
    y.backward()
    assert y.data == 0.0
    np.testing.assert_array_equal(x.grad, [0.0, 0.0])


@pytest.mark.parametrize(("numbers", "fourth"), [((0.0, 1.0), 24.0), ((0.5, 2.0), 24.0)])
def test_the_norm_of_fourth_powers_has_all_derivatives_also_at_0(numbers, fourth):
    x = Variable(np.array(numbers))
    y = np.linalg.norm(x, 4) ** 4
    for _ in range(3):
        y = grad(y, x, create_graph=True)[0]
    assert grad(y, x)[0] == pytest.approx(fourth, rel=1e-12)


def test_powers_that_would_overflow_or_vanish_do_not():
    tiny, huge = np.full(2, 1e-150), np.full(2, 1e150)
    np.testing.assert_allclose(gradient(tiny, -2), [2.0**-1.5] * 2, rtol=1e-14)
    np.testing.assert_allclose(gradient(huge, -2), [2.0**-1.5] * 2, rtol=1e-14)
    np.testing.assert_allclose(gradient(huge, 2), [2.0**-0.5] * 2, rtol=1e-15)


@pytest.mark.parametrize("order", [2, 3, 1, np.inf])
def test_nan_is_nan(order):
    assert np.isnan(gradient([1.0, np.nan, 3.0], order)[1])
    x = Variable(np.array([1.0, np.nan]))
    np.linalg.vector_norm(x, ord=order).backward()
    assert np.isnan(x.grad[1])


def test_the_same_norm_by_another_name():
    a = np.array([[1.0, -2.0, 3.0], [4.0, 0.5, -6.0]])
    for other, expected in (
        (lambda x: np.linalg.vector_norm(x), gradient(a)),
        (lambda x: np.linalg.vector_norm(x, ord=None), gradient(a)),
        (lambda x: np.linalg.vector_norm(x, axis=(1, 0), ord=3), gradient(a.ravel(), 3)),
        (lambda x: np.linalg.matrix_norm(x), gradient(a, "fro")),
        (lambda x: np.linalg.matrix_norm(x, ord=2), gradient(a, 2)),
    ):
        x = Variable(a)
        other(x).backward()
        np.testing.assert_array_equal(x.grad, expected.reshape(2, 3))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.complex64])
def test_the_precision_stays(dtype):
    for order in (1, 2, 3, 4, 0.5, np.inf):
        x = Variable(np.array([1.0, 2.0], dtype))
        first = grad(np.linalg.norm(x, order), x, create_graph=True)
        assert first.dtype == dtype


def test_what_numpy_refuses_is_its_own_error_with_a_note():
    for array, kwargs, error, message in (
        (np.ones(3), {"ord": "nuc"}, ValueError, "Invalid norm order 'nuc' for vectors"),
        (np.ones((2, 2)), {"ord": 3}, ValueError, "Invalid norm order for matrices"),
        (np.ones((2, 2, 2)), {"ord": 2}, ValueError, "Improper number of dimensions"),
        (np.ones((2, 2)), {"axis": (0, 0)}, ValueError, "Duplicate axes"),
        (np.ones(3), {"axis": 1}, np.exceptions.AxisError, "out of bounds"),
        (np.ones((0, 2)), {"ord": -2}, ValueError, "zero-size array"),
    ):
        x = Variable(array)
        with pytest.raises(error, match=message) as caught:
            np.linalg.norm(x, **kwargs)
        assert "Norm.forward" in caught.value.__notes__[0]
        assert x.grad is None


@pytest.mark.parametrize("name", ["ord", "axis", "keepdims"])
def test_a_variable_for_an_option_is_refused_by_name(name):
    for function in np.linalg.norm, np.linalg.vector_norm:
        with pytest.raises(TypeError, match=f"'{name}'"):
            function(Variable(np.ones(2)), **{name: Variable(np.array(2.0))})
