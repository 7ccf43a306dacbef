"""Medians, quantiles and percentiles where elements are equal, nan or few."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import (
    max,
    median,
    min,
    nanmedian,
    nanpercentile,
    nanquantile,
    percentile,
    quantile,
)

NAN, INF, THIRD = np.nan, np.inf, 1.0 / 3.0
METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]


def gradient(function, data, *args, **options):
    x = Variable(np.array(data))
    function(x, *args, **options).backward()
    return x.grad


@pytest.mark.parametrize(
    ("numbers", "shares"),
    [
        ((3.0, 1.0, 2.0), (0.0, 0.0, 1.0)),
        ((4.0, 1.0, 3.0, 2.0), (0.0, 0.0, 0.5, 0.5)),
        ((1.0, 2.0, 2.0), (0.0, 0.5, 0.5)),
        ((2.0, 2.0, 2.0), (THIRD, THIRD, THIRD)),
        ((1.0, 2.0, 2.0, 3.0), (0.0, 0.5, 0.5, 0.0)),
        ((1.0, 1.0, 3.0, 3.0), (0.25, 0.25, 0.25, 0.25)),
        ((1.0, 1.0, 1.0, 3.0), (THIRD, THIRD, THIRD, 0.0)),
        ((1.0, 2.0, 3.0, 3.0), (0.0, 0.5, 0.25, 0.25)),
        ((0.0, -0.0, 1.0), (0.5, 0.5, 0.0)),
        ((-INF, 0.0, INF), (0.0, 1.0, 0.0)),
        ((INF, INF, 0.0), (0.5, 0.5, 0.0)),
        ((7.0,), (1.0,)),
    ],
)
def test_equal_elements_share_the_gradient_of_a_median(numbers, shares):
    for function in (median, nanmedian):
        np.testing.assert_allclose(gradient(function, numbers), shares, rtol=1e-15)
    with np.errstate(invalid="ignore"):  # NumPy interpolates between inf and inf
        np.testing.assert_allclose(gradient(quantile, numbers, 0.5), shares, rtol=1e-15)
        np.testing.assert_allclose(gradient(nanpercentile, numbers, 50), shares, rtol=1e-15)


@pytest.mark.parametrize("numbers", [(3.0, 1.0, 2.0), (2.0, 3.0, 3.0), (1.0, 1.0, 5.0), (4.0,)])
def test_quantiles_0_and_1_have_the_gradients_of_the_extremes(numbers):
    np.testing.assert_array_equal(gradient(quantile, numbers, 1.0), gradient(max, numbers))
    np.testing.assert_array_equal(gradient(percentile, numbers, 0), gradient(min, numbers))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("q", [0.0, 0.05, 0.2, 0.3, 0.5, 0.77, 0.95, 1.0])
@pytest.mark.parametrize("count", [1, 2, 5, 6])
def test_the_gradient_of_a_quantile_reproduces_numpys_value(method, q, count):
    """A quantile is linear in the sorted elements."""
    data = np.random.default_rng(count).permutation(np.arange(1.0, count + 1.0) ** 2)
    for function in (quantile, nanquantile):
        got = gradient(function, data, q, method=method)
        expected = np.quantile(data, q, method=method)
        np.testing.assert_allclose(np.sum(got * data), expected, rtol=1e-14)
        np.testing.assert_allclose(np.sum(got), 1.0, rtol=1e-15)
        assert np.count_nonzero(got) <= 2


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble])
@pytest.mark.parametrize("function", [percentile, nanpercentile])
@pytest.mark.parametrize("q", [35, 33.3])
def test_the_gradient_of_a_quantile_reproduces_numpys_value_in_every_dtype(function, dtype, q):
    data = np.arange(101).astype(dtype)
    got = gradient(function, data, q)
    expected = np.percentile(data, q)
    assert got.dtype == dtype
    np.testing.assert_allclose(np.sum(got * data), expected, rtol=2.0 * np.finfo(dtype).eps)


def test_each_of_several_quantiles_has_its_own_gradient():
    x = Variable(np.array([[1.0, 2.0, 3.0], [6.0, 5.0, 4.0]]))
    y = quantile(x, [0.25, 1.0], axis=1)
    y.grad = np.array([[1.0, 2.0], [10.0, INF]])
    y.backward()
    np.testing.assert_array_equal(y.data, [[1.5, 4.5], [3.0, 6.0]])
    np.testing.assert_array_equal(x.grad, [[0.5, 0.5, 10.0], [INF, 1.0, 1.0]])


def test_a_list_of_ranks_changed_after_quantile_changes_no_gradient():
    q, x = [0.0, 0.0], Variable(np.array([1.0, 2.0, 3.0]))
    y = quantile(x, q)
    q[:] = [1.0, 1.0]
    y.backward()
    np.testing.assert_array_equal(x.grad, [2.0, 0.0, 0.0])


@pytest.mark.parametrize("function", [median, quantile, percentile])
def test_the_quantile_of_a_row_with_nan_is_nan_and_gives_nan_the_gradient(function):
    """As with ``max``; to the other rows it makes no difference."""
    arguments = () if function is median else (0.5,)
    x = Variable(np.array([[1.0, NAN, 2.0, NAN], [4.0, 3.0, 2.0, 1.0]]))
    y = function(x, *arguments, axis=1)
    y.backward()
    assert np.isnan(y.data[0])
    assert not np.isnan(y.data[1])
    np.testing.assert_array_equal(x.grad[0], [0.0, 0.5, 0.0, 0.5])
    np.testing.assert_allclose(x.grad[1].sum(), 1.0, rtol=1e-15)


@pytest.mark.parametrize("function", [nanmedian, nanquantile, nanpercentile])
def test_nanquantile_and_nanmedian_leave_out_nan_with_gradient_0(function):
    arguments = {nanmedian: (), nanquantile: (0.5,), nanpercentile: (50,)}[function]
    x = Variable(np.array([[1.0, NAN, 2.0, NAN], [4.0, 3.0, NAN, 1.0], [4.0, 3.0, 2.0, 1.0]]))
    y = function(x, *arguments, axis=1)
    y.backward()
    np.testing.assert_array_equal(y.data, [1.5, 3.0, 2.5])
    np.testing.assert_array_equal(
        x.grad, [[0.5, 0.0, 0.5, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0]]
    )


@pytest.mark.parametrize("function", [nanmedian, nanquantile, nanpercentile])
def test_nanquantile_of_only_nan_is_nan_with_one_warning_and_gradient_0(function):
    arguments = () if function is nanmedian else (0.5,)
    x = Variable(np.array([[NAN, NAN], [1.0, NAN]]))
    with pytest.warns(RuntimeWarning, match="All-NaN slice") as caught:
        y = function(x, *arguments, axis=1)
    assert len(caught) == 1
    y.backward()
    np.testing.assert_array_equal(y.data, [NAN, 1.0])
    np.testing.assert_array_equal(x.grad, [[0.0, 0.0], [1.0, 0.0]])


def test_the_median_of_no_elements_is_nan_with_numpys_warning():
    x = Variable(np.zeros((0, 2)))
    with pytest.warns(RuntimeWarning, match="Mean of empty slice|invalid value"):
        y = median(x, axis=0)
    y.backward()
    np.testing.assert_array_equal(y.data, [NAN, NAN])
    assert x.grad.shape == (0, 2)


def test_the_second_derivative_of_a_median_of_squares_goes_to_the_middle_elements():
    x = Variable(np.array([1.0, 2.0, 4.0, 3.0]))
    first = grad(median(x * x), x, create_graph=True)
    np.testing.assert_array_equal(first.data, [0.0, 2.0, 0.0, 3.0])
    np.testing.assert_array_equal(grad(first, x), [0.0, 1.0, 0.0, 1.0])


def test_the_median_of_complex_numbers_follows_numpys_order():
    z = Variable(np.array([3.0 + 1.0j, 1.0 - 5.0j, 3.0 - 1.0j]))
    y = median(z)
    y.grad = np.array(2.0 + 1.0j)
    y.backward()
    assert y.item() == 3.0 - 1.0j
    np.testing.assert_array_equal(z.grad, [0.0, 0.0, 2.0 + 1.0j])


@pytest.mark.parametrize("function", [quantile, percentile, nanquantile, nanpercentile])
@pytest.mark.parametrize(
    ("q", "options"), [(-0.1, {}), (100.5, {}), (0.5, {"method": "none"}), ([[[0.5]]], {})]
)
def test_a_bad_rank_or_method_of_quantile_is_numpys_error(function, q, options):
    data = np.array([1.0, 2.0])
    with pytest.raises(ValueError) as numpys:  # noqa: PT011 (whatever NumPy says)
        getattr(np, function.__name__)(data, q, **options)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        function(Variable(data), q, **options)
    assert str(caught.value) == str(numpys.value)
    assert f"in {function.__name__}" in caught.value.__notes__[0].lower()


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
def test_quantiles_refuse_weights_and_overwrite_input_by_name(name):
    x = Variable(np.array([3.0, 1.0, 2.0]))
    with pytest.raises(TypeError, match=rf"np\.{name} .* weights="):
        getattr(np, name)(x, 0.5, method="inverted_cdf", weights=np.ones(3))
    with pytest.raises(TypeError, match=rf"np\.{name} .* overwrite_input="):
        getattr(np, name)(x, 0.5, overwrite_input=True)
    with pytest.raises(TypeError, match=r"np\.median .* overwrite_input="):
        np.median(x, overwrite_input=True)
    np.testing.assert_array_equal(x.data, [3.0, 1.0, 2.0])


@pytest.mark.parametrize("function", [np.nanquantile, np.nanpercentile])
def test_a_matrix_of_ranks_of_quantile_over_no_axis_is_refused(function):
    """NumPy gives the result a shape in which the axes of q are out of place."""
    with pytest.raises(ValueError, match="q must have one axis at most"):
        function(Variable(np.ones((2, 3))), np.array([[0.2], [0.7]]), axis=())


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_an_infinite_gradient_of_a_nanmedian_reaches_its_element_beside_a_row_with_two():
    """The neighbour has a weight of 0 in the first row alone: 0 times inf is not added."""
    x = Variable(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, np.nan]]))
    y = np.nanmedian(x, axis=1)
    y.grad = np.array([np.inf, 1.0])
    y.backward()
    np.testing.assert_array_equal(x.grad, [[0.0, np.inf, 0.0], [0.5, 0.5, 0.0]])
