"""prod, cumprod and their likes where elements are 0, inf or nan, to the third derivative."""

from itertools import combinations

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import cumprod, nancumprod, nanprod, prod

NAN, INF = np.nan, np.inf
ROWS = [
    (2.0, 3.0, 5.0, 7.0),
    (0.0, 3.0, 5.0, 7.0),
    (2.0, 3.0, 0.0, 7.0),
    (0.0, 3.0, 0.0, 7.0),
    (0.0, -0.0, 0.0, 7.0),
    (0.0, 0.0, 0.0, 0.0),
    (1e-200, 1e200, 0.0, 1e-150),
    (3.0, 0.0),
    (0.0,),
]
TURNS = [1.0, 1.0 + 0.5j]


def others(x, *left_out):
    """Return the product of all elements but some; 0 if one of these is left out twice."""
    if len(set(left_out)) < len(left_out):
        return 0.0
    return np.prod(np.delete(x, left_out))


def real(z):
    return np.real(z) if z.dtype.kind == "c" else z


@pytest.mark.parametrize("row", ROWS, ids=repr)
@pytest.mark.parametrize("turn", TURNS)
def test_derivatives_of_prod_are_products_of_the_other_elements(row, turn):
    data = turn * np.array(row)
    places = range(len(row))
    x = Variable(data)
    first = grad(real(prod(x)), x, create_graph=True)
    np.testing.assert_allclose(first.data.conj(), [others(data, i) for i in places], 1e-14)
    for i in places:
        second = grad(real(first.conj()[i]), x, create_graph=True)
        expected = [others(data, i, j) for j in places]
        np.testing.assert_allclose(second.data.conj(), expected, 1e-14)
        for j in range(i):
            third = grad(real(second.conj()[j]), x)
            expected = [others(data, i, j, k) for k in places]
            np.testing.assert_allclose(third.conj(), expected, 1e-14)


@pytest.mark.parametrize("row", ROWS, ids=repr)
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("rows", [1, 40])
def test_derivatives_of_cumprod_are_those_of_each_product(row, turn, rows):
    """Many rows are computed in another way than few."""
    data = turn * np.array(row)
    n = len(row)
    weights = np.arange(1.0, n + 1.0)
    x = Variable(np.tile(data, (rows, 1)))
    y = cumprod(x, axis=1)
    y.grad = np.tile(weights, (rows, 1)).astype(data.dtype)
    y.backward(create_graph=True)
    first = x.grad[-1].conj()

    def expected(*by):
        """Return the derivative of the weighted sum of the products by some elements."""
        return np.sum([weights[k] * others(data[: k + 1], *by) for k in range(np.max(by), n)])

    np.testing.assert_allclose(first.data, [expected(i) for i in range(n)], 1e-13)
    for i, j in combinations(range(n), 2):
        second = grad(real(first[i]), x)[-1].conj()
        np.testing.assert_allclose(second[j], expected(i, j), 1e-13)
        assert second[i] == 0.0


def test_the_gradient_of_cumprod_does_not_overflow_on_the_way():
    """The gradient of the first product is 1: the others are far beyond the largest number."""
    for rows in (1, 40):
        x = Variable(np.full((rows, 50), 1e10))
        with np.errstate(over="ignore"):
            y = cumprod(x, axis=1)
        gy = np.zeros((rows, 50))
        gy[:, 0] = 1.0
        y.grad = gy
        with np.errstate(over="ignore", invalid="ignore"):
            y.backward()
        np.testing.assert_array_equal(x.grad[:, 0], 1.0)


@pytest.mark.parametrize("function", [prod, cumprod])
def test_nan_in_a_product_reaches_the_gradients_of_the_other_elements(function):
    x = Variable(np.array([2.0, NAN, 3.0]))
    function(x).backward()
    np.testing.assert_array_equal(np.isnan(x.grad), [True, False, True])


@pytest.mark.parametrize(
    "row",
    [
        (2.0, NAN),
        (2.0, INF),
        (NAN, 2.0),
        (2.0, 3.0, NAN),
        (2.0, NAN, 3.0),
        (INF, 2.0, -3.0),
        (NAN, 5.0, 0.0),
        (5.0, INF, 0.0),
    ],
    ids=repr,
)
@pytest.mark.parametrize("rows", [1, 40])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_nan_and_inf_reach_no_earlier_product_of_cumprod(row, rows):
    """So nan and inf do not reach the products before them."""
    places = range(len(row))
    for k in places:
        x = Variable(np.tile(row, (rows, 1)))
        first = grad(cumprod(x, axis=1)[-1, k], x, create_graph=True)
        expected = [others(row[: k + 1], i) if i <= k else 0.0 for i in places]
        np.testing.assert_array_equal(first.data[-1], expected)
        for i in places:
            second = grad(first[-1, i], x, create_graph=True)
            expected = [others(row[: k + 1], i, j) if max(i, j) <= k else 0.0 for j in places]
            np.testing.assert_array_equal(second.data[-1], expected)
            for j in range(i):
                third = grad(second[-1, j], x)[-1]
                expected = [
                    others(row[: k + 1], i, j, m) if max(i, m) <= k else 0.0 for m in places
                ]
                np.testing.assert_array_equal(third, expected)


@pytest.mark.parametrize("rows", [1, 40])
@pytest.mark.parametrize("bad", [INF, NAN])
def test_an_unused_product_of_cumprod_gives_no_warning(rows, bad):
    for row in (2.0, bad), (bad, 2.0):
        x = Variable(np.tile(row, (rows, 1)))
        cumprod(x, axis=1)[-1, 0].backward()
        np.testing.assert_array_equal(x.grad[-1], [1.0, 0.0])


@pytest.mark.parametrize("function", [prod, nanprod, lambda x: cumprod(x)[-1]])
@pytest.mark.parametrize("bad", [INF, NAN])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_second_derivatives_of_prod_by_two_elements_do_not_depend_on_the_two_elements(
    function, bad
):
    row = np.array([2.0, 3.0, bad])
    if function is nanprod:
        row[2] = INF
    x = Variable(row)
    first = grad(function(x), x, create_graph=True)
    for i in range(3):
        expected = [others(row, i, j) for j in range(3)]
        np.testing.assert_array_equal(grad(first[i], x), expected)


def test_a_gradient_of_0_of_prod_has_a_second_derivative():
    """By the weight of the last product, that of the first element is nan."""
    x, weights = Variable(np.array([2.0, 3.0, NAN])), Variable(np.array([1.0, 0.0, 0.0]))
    first = grad(np.sum(weights * cumprod(x)), x, create_graph=True)
    np.testing.assert_array_equal(first.data, [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(grad(first[0], weights), [1.0, 3.0, NAN])
    x = Variable(np.array([2.0, NAN, 3.0]))
    first = grad(np.sum(weights * cumprod(x)), x, create_graph=True)
    np.testing.assert_array_equal(grad(first[2], weights), [0.0, 0.0, NAN])


def test_nanprod_counts_nan_as_one_with_gradient_0():
    x = Variable(np.array([2.0, NAN, 3.0]))
    y = nanprod(x)
    y.backward()
    assert y.item() == 6.0
    np.testing.assert_array_equal(x.grad, [3.0, 0.0, 2.0])
    x.cleargrad()
    y = nancumprod(x)
    y.backward()
    np.testing.assert_array_equal(y.data, [2.0, 2.0, 6.0])
    np.testing.assert_array_equal(x.grad, [1.0 + 1.0 + 3.0, 0.0, 2.0])


def test_prod_of_no_elements_is_one_and_initial_is_a_factor():
    x = Variable(np.zeros((2, 0)))
    y = prod(x, axis=1)
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 1.0])
    assert x.grad.shape == (2, 0)
    x = Variable(np.array([2.0, 0.0]))
    y = prod(x, initial=5.0)
    y.backward()
    np.testing.assert_array_equal(x.grad, [0.0, 10.0])


def test_prod_multiplies_over_several_axes_in_any_order():
    x = Variable(np.arange(1.0, 25.0).reshape(2, 3, 4))
    y = prod(x, axis=(2, 0))
    y.backward()
    np.testing.assert_allclose(x.grad, y.data[:, np.newaxis] / x.data, rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble])
@pytest.mark.parametrize("rows", [1, 40])
def test_prod_and_cumprod_keep_the_dtype(dtype, rows):
    x = Variable(np.tile(np.array([2.0, 0.0, 3.0], dtype), (rows, 1)))
    y = cumprod(x, axis=1)
    y.backward()
    assert (y.dtype, x.grad.dtype) == (dtype, dtype)
    np.testing.assert_array_equal(x.grad[-1], [1.0, 2.0 + 6.0, 0.0])


def test_prod_in_another_dtype_has_the_gradient_of_that_dtype():
    """In float32 the product of the first two is inf."""
    x = Variable(np.array([1e20, 1e20, 1e-30], np.float32))
    y = prod(x, dtype=float)
    y.grad = np.array(1e-10)
    y.backward()
    np.testing.assert_allclose(y.data, 1e10, rtol=1e-6)
    np.testing.assert_allclose(x.grad, [1e-20, 1e-20, 1e30], rtol=1e-6)
    assert x.grad.dtype == np.float32
