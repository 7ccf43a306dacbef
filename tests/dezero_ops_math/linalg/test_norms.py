"""Norms at 0, at ties, at elements that are 0, inf, huge or tiny; and what is refused."""

import mpmath
import numpy as np
import pytest
from dezero_tools.functional import hessian, jacobian

from dezero_core import Variable, grad

VECTOR_ORDERS = (None, 0, 1, 2, 3, 4, 2.5, 1.5, 0.5, np.inf, -np.inf)
MATRIX_ORDERS = (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
HALF, INF, NAN = 0.5, np.inf, np.nan


def gradient(array, *args, **kwargs):
    x = Variable(np.asarray(array))
    np.linalg.norm(x, *args, **kwargs).backward()
    return x.grad


@pytest.mark.parametrize("dtype", [float, complex])
def test_the_gradient_of_every_norm_at_0_is_0(dtype):
    for order in VECTOR_ORDERS:
        np.testing.assert_array_equal(gradient(np.zeros(3, dtype), order), np.zeros(3))
    for order in MATRIX_ORDERS:
        np.testing.assert_array_equal(gradient(np.zeros((2, 3), dtype), order), np.zeros((2, 3)))
    np.testing.assert_array_equal(gradient(np.array(0.0, dtype)), 0.0)
    for order in 2, 3, 0.5, INF:
        assert gradient(np.zeros((0, 3), dtype), order, axis=0).shape == (0, 3)


def test_norms_along_an_axis_have_gradient_0_only_at_vectors_of_0():
    got = gradient([[3.0, 4.0], [0.0, 0.0]], axis=1)
    np.testing.assert_allclose(got, [[0.6, 0.8], [0.0, 0.0]], rtol=1e-15)


@pytest.mark.parametrize("order", [None, 2, 3, 4, 2.5, 0.5, -1])
@pytest.mark.parametrize("power", [1, 2])
def test_the_second_derivative_of_a_norm_or_its_square_at_0_is_nan(order, power):
    with np.errstate(divide="ignore"), pytest.warns(RuntimeWarning, match="encountered in"):
        got = hessian(lambda x: np.linalg.norm(x, order) ** power)(np.zeros(2))
    np.testing.assert_array_equal(got, np.full((2, 2), NAN))


@pytest.mark.parametrize("order", ["fro", "nuc", 2, -2])
@pytest.mark.parametrize("shape", [(2, 2), (1, 2)])
def test_the_second_derivative_of_a_matrix_norm_at_0_is_nan(order, shape):
    with np.errstate(all="ignore"):
        got = hessian(lambda x: np.linalg.norm(x, order))(np.zeros(shape))
    assert np.isnan(got).all()


@pytest.mark.parametrize("order", [1, INF])
def test_norms_made_of_absolute_values_have_second_derivative_0_at_0(order):
    for x in np.zeros(2), np.zeros((2, 2)):
        assert not hessian(lambda x: np.linalg.norm(x, order))(x).any()


def test_norms_of_vectors_beside_a_vector_of_0_have_exact_derivatives():
    x = Variable(np.array([[3.0, 4.0], [0.0, 0.0]]))
    first = grad(np.linalg.norm(x, axis=1), x, create_graph=True)
    np.testing.assert_array_equal(first.data[0], gradient([3.0, 4.0]))
    with pytest.warns(RuntimeWarning):
        second = grad(first[:, 0], x)
    np.testing.assert_allclose(second[0], [16.0 / 125.0, -12.0 / 125.0], rtol=1e-15)
    assert np.isnan(second[1]).all()


@pytest.mark.parametrize("order", [2, 3, 4, 1.5, -1])
def test_the_gradient_of_a_norm_does_not_depend_on_other_vectors(order):
    rows = np.random.default_rng(0).uniform(0.5, 3.0, (50, 3))
    expected = gradient(rows, order, axis=1)
    rows[::2] *= 1e-250
    np.testing.assert_array_equal(gradient(rows, order, axis=1)[1::2], expected[1::2])


@pytest.mark.parametrize(("order", "shape"), [("nuc", (2, 2)), (2, (3, 2)), (2, (2, 2))])
def test_singular_values_of_0_hide_no_second_derivative_of_a_matrix_norm(order, shape):
    a = np.zeros(shape)
    a[0, 0] = 2.0
    second = hessian(lambda x: np.linalg.norm(x, order))(a)
    assert np.isfinite(second).all()
    np.testing.assert_allclose([second[0, 1, 0, 1], second[1, 0, 1, 0]], 0.5)


@pytest.mark.parametrize("order", ["nuc", 2])
def test_the_second_derivative_at_a_complex_singular_value_of_0_is_nan(order):
    x = Variable(np.zeros((1, 1), complex))
    first = grad(np.linalg.norm(x, order), x, create_graph=True)
    with np.errstate(all="ignore"):
        assert np.isnan(grad(np.sum(np.real(first)), x)).all()


def test_the_second_derivative_of_norms_of_complex_numbers_at_0_is_nan():
    x = Variable(np.array([0j, 3.0 + 4.0j, 1.0]))
    for order, expected in (1, [True, False, False]), (INF, [False] * 3), (3, [False] * 3):
        first = grad(np.linalg.norm(x, order), x, create_graph=True)
        with np.errstate(invalid="ignore"):
            second = grad(np.sum(np.real(first)), x)
        np.testing.assert_array_equal(np.isnan(second), expected)


#: Of [1, 1] the slopes of a norm are both the same.
SLOPES = {None: HALF**0.5, 3: HALF ** (2 / 3), 4: HALF**0.75, 1.5: HALF ** (1 / 3), HALF: 2.0}
SLOPES |= {
    -1: 0.25,
    -2: 8.0**-HALF,
    1: 1.0,
    INF: HALF,
    0.9: HALF ** (-1 / 9),
    30: HALF ** (29 / 30),
}


@pytest.mark.parametrize(
    "size", [1e200, 1e160, 1.5e308, 1e-105, 1e-160, 1e-200, 1e-310, 5e-324, 1.0, INF]
)
@pytest.mark.parametrize("turn", [1.0, -1.0, 1j])
@pytest.mark.parametrize("order", SLOPES)
def test_the_gradient_of_a_norm_does_not_depend_on_the_size_of_numbers(order, size, turn):
    array = np.array([size, size]) if turn != 1j else np.array([complex(0.0, size)] * 2)
    x, y = (Variable(np.real(turn) * array if turn != 1j else array) for _ in range(2))
    with np.errstate(all="ignore"):
        norms = np.linalg.norm(x, order), np.linalg.vector_norm(y, ord=order or 2)
    for norm in norms:
        norm.backward()
    for each in x, y:
        np.testing.assert_allclose(each.grad, SLOPES[order] * turn, rtol=1e-13)


@pytest.mark.parametrize("order", ["fro", 1, -1, INF, -INF, 2, -2, "nuc"])
@pytest.mark.parametrize("size", [1e200, 1.2e308, 1e-200, 1e-310])
def test_the_gradient_of_a_matrix_norm_does_not_depend_on_the_size_of_numbers(order, size):
    a = np.array([[1.0, 1.0], [0.5, -1.0]])
    x = Variable(a * size)
    with np.errstate(over="ignore"):
        y = np.linalg.matrix_norm(x, ord=order)
    y.backward()
    np.testing.assert_allclose(x.grad, gradient(a, order), rtol=1e-12)


@pytest.mark.parametrize(("dtype", "size"), [(np.float32, 1e30), (np.float32, 1e-30)])
def test_the_gradient_of_a_norm_in_small_dtypes_does_not_depend_on_the_size(dtype, size):
    x = Variable(np.array([size, size], dtype))
    with np.errstate(over="ignore"):
        y = np.linalg.norm(x)
    y.backward()
    np.testing.assert_allclose(x.grad, HALF**0.5, rtol=1e-6)
    assert x.grad.dtype == dtype


@pytest.mark.parametrize("size", [1e-200, 1e-100, 1e100, 1e200])
@pytest.mark.parametrize("order", [2, 3, 4, 1.5, -1])
def test_the_second_derivative_of_a_norm_is_inversely_proportional_to_the_size(order, size):
    a = np.array([1.0, 2.0])
    with np.errstate(over="ignore", divide="ignore"):  # NumPy's own, of the value
        got = hessian(lambda x: np.linalg.norm(x, order))(a * size)
    expected = hessian(lambda x: np.linalg.norm(x, order))(a) / size
    np.testing.assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("array", "order", "expected"),
    [
        ([INF, 2.0], None, [1.0, 0.0]),
        ([2.0, -INF], 3, [0.0, -1.0]),
        ([INF, 2.0], 1, [1.0, 1.0]),
        ([INF, 2.0], 0.5, [1.0, INF]),
        ([INF, 2.0], -1, [0.0, 1.0]),
        ([INF, NAN], None, [NAN, NAN]),
        ([1e-167, 1e180], -1, [1.0, 0.0]),
        ([1e-200, 1e300], -2, [1.0, 0.0]),
        ([complex(INF, -INF), 2.0], 1, [HALF**0.5 * (1.0 - 1.0j), 1.0]),
        ([complex(INF, NAN), 2.0], 1, [complex(NAN, NAN), 1.0]),
        ([complex(INF, 1.0), 2.0], None, [1.0, 0.0]),
        ([complex(INF, 1.0), 2.0], 1, [1.0, 1.0]),
        ([[INF, 2.0], [1.0, 1.0]], "fro", [[1.0, 0.0], [0.0, 0.0]]),
        ([[INF, 2.0], [1.0, 1.0]], 1, [[1.0, 0.0], [1.0, 0.0]]),
    ],
)
def test_the_gradient_of_a_norm_at_an_infinite_element_is_the_limit(array, order, expected):
    x = Variable(np.asarray(array))
    with np.errstate(all="ignore"):
        y = np.linalg.norm(x, order)
    y.backward()
    np.testing.assert_allclose(x.grad, expected, rtol=1e-15)


@pytest.mark.parametrize("order", [1.01, 0.9, 0.5])
def test_a_tiny_element_beside_a_huge_element_keeps_its_gradient_in_a_norm(order):
    with np.errstate(over="ignore"):
        got = gradient([1e-300, 1e300], order)
    np.testing.assert_allclose(got[1], 1.0, rtol=1e-13)
    np.testing.assert_allclose(got[0], 10.0 ** (600.0 * (1.0 - order)), rtol=1e-11)


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
def test_equal_elements_share_the_gradient_of_a_maximum_norm(array, order, expected):
    np.testing.assert_allclose(gradient(array, order), expected, atol=1e-16)


@pytest.mark.parametrize("order", [0.5, 1, 1.5, 2.5, 3])
def test_an_element_of_0_has_gradient_0_in_a_norm(order):
    x = Variable(np.array([0.0, 2.0, 0.0]))
    first = grad(np.linalg.norm(x, order), x, create_graph=True)
    np.testing.assert_allclose(first.data, [0.0, 1.0, 0.0], rtol=1e-15)
    with np.errstate(divide="ignore", invalid="ignore"):
        second = grad(np.sum(first), x)
    # Below 2 it is infinite there, but for 1.
    expected = 0.0 if order in (1, 2.5, 3) else NAN
    np.testing.assert_allclose(second, [expected, 0.0, expected], atol=1e-16)


@pytest.mark.parametrize("order", [-1, -2])
def test_a_norm_of_negative_order_and_its_gradient_are_0_beside_an_element_0(order):
    x = Variable(np.array([0.0, 3.0]))
    with np.errstate(divide="ignore"):  # NumPy's own, of 0.0**-1
        y = np.linalg.norm(x, order)
    y.backward()
    assert y.data == 0.0
    np.testing.assert_array_equal(x.grad, [0.0, 0.0])


@pytest.mark.parametrize(("numbers", "fourth"), [((0.0, 1.0), 24.0), ((0.5, 2.0), 24.0)])
def test_the_fourth_power_of_norm_4_has_all_derivatives_also_at_0(numbers, fourth):
    x = Variable(np.array(numbers))
    y = np.linalg.norm(x, 4) ** 4
    for _ in range(3):
        y = grad(y, x, create_graph=True)[0]
    assert grad(y, x)[0] == pytest.approx(fourth, rel=1e-12)


def test_powers_in_the_gradient_of_a_norm_neither_overflow_nor_vanish():
    tiny, huge = np.full(2, 1e-150), np.full(2, 1e150)
    np.testing.assert_allclose(gradient(tiny, -2), [2.0**-1.5] * 2, rtol=1e-14)
    np.testing.assert_allclose(gradient(huge, -2), [2.0**-1.5] * 2, rtol=1e-14)
    np.testing.assert_allclose(gradient(huge, 2), [2.0**-0.5] * 2, rtol=1e-15)


@pytest.mark.parametrize("order", [2, 3, 1, np.inf])
def test_the_norm_of_nan_and_its_gradient_are_nan(order):
    assert np.isnan(gradient([1.0, np.nan, 3.0], order)[1])
    x = Variable(np.array([1.0, np.nan]))
    np.linalg.vector_norm(x, ord=order).backward()
    assert np.isnan(x.grad[1])


def test_vector_norm_and_matrix_norm_have_the_gradient_of_norm():
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
def test_norms_keep_the_precision_of_their_data(dtype):
    for order in (1, 2, 3, 4, 0.5, np.inf):
        x = Variable(np.array([1.0, 2.0], dtype))
        first = grad(np.linalg.norm(x, order), x, create_graph=True)
        assert first.dtype == dtype


def test_bad_input_of_norms_is_numpys_error_with_a_note():
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
def test_norms_refuse_a_variable_as_option_by_name(name):
    for function in np.linalg.norm, np.linalg.vector_norm:
        with pytest.raises(TypeError, match=f"'{name}'"):
            function(Variable(np.ones(2)), **{name: Variable(np.array(2.0))})


@pytest.mark.parametrize("size", [300.0, 1e5, 1e10])
@pytest.mark.parametrize(
    "norm",
    [
        np.linalg.norm,
        lambda x: np.linalg.norm(x, 2),
        np.linalg.vector_norm,
        lambda x: np.linalg.matrix_norm(x[None]),
        lambda x: np.linalg.norm(x + 0j),
    ],
    ids=["norm", "of order 2", "vector_norm", "matrix_norm", "complex"],
)
def test_second_and_third_derivatives_of_a_norm_are_exact_beside_a_large_element(norm, size):
    """As a quotient, the first would be a difference that cancels: 1 / size**3 of 1 / size."""
    mpmath.mp.dps = 60

    def exact(*order):
        length = lambda a, b: mpmath.sqrt(a * a + b * b)  # noqa: E731
        return float(mpmath.diff(length, (mpmath.mpf(size), mpmath.mpf(1)), order))

    x = np.array([size, 1.0])
    second = [[exact(2, 0), exact(1, 1)], [exact(1, 1), exact(0, 2)]]
    np.testing.assert_allclose(hessian(norm)(x), second, rtol=1e-15)
    third = [[exact(3 - a - b, a + b) for a in range(2)] for b in range(2)]
    np.testing.assert_allclose(jacobian(hessian(norm))(x)[0], third, rtol=2e-15)
