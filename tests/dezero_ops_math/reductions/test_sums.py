"""sum, nansum, mean, nanmean: nothing at all, nan, dtypes, counts that do not fit; and cumsum."""

import warnings

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import cumsum, mean, nancumsum, nanmean, nansum, sum

NAN, INF = np.nan, np.inf


def variable(*numbers):
    return Variable(np.array(numbers))


def test_sum_gives_every_element_the_gradient_of_the_sum():
    x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    y = sum(x, axis=0)
    y.grad = np.array([10.0, 20.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [4.0, 6.0])
    np.testing.assert_array_equal(x.grad, [[10.0, 20.0], [10.0, 20.0]])


def test_mean_divides_by_the_number_of_elements():
    x = Variable(np.arange(6.0).reshape(2, 3))
    y = mean(x, axis=1, keepdims=True)
    y.backward()
    np.testing.assert_array_equal(y.data, [[1.0], [4.0]])
    np.testing.assert_allclose(x.grad, np.full((2, 3), 1.0 / 3.0), rtol=1e-15)


def test_mean_behind_a_mask_divides_by_the_number_of_elements_of_each_row():
    x = Variable(np.arange(6.0).reshape(2, 3))
    y = mean(x, axis=1, where=np.array([[True, True, False], [True, True, True]]))
    y.grad = np.array([1.0, 6.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [0.5, 4.0])
    np.testing.assert_array_equal(x.grad, [[0.5, 0.5, 0.0], [2.0, 2.0, 2.0]])


@pytest.mark.parametrize("function", [sum, nansum, mean, nanmean])
def test_second_derivatives_of_sums_and_means_of_squares_are_right(function):
    x = variable(1.0, 2.0)
    first = grad(function(x * x), x, create_graph=True)
    part = 1.0 if "sum" in function.__name__ else 0.5
    np.testing.assert_array_equal(first.data, part * np.array([2.0, 4.0]))
    np.testing.assert_array_equal(grad(first, x), part * np.array([2.0, 2.0]))


def test_nansum_leaves_out_nan_with_gradient_0():
    data = np.array([[1.0, NAN, 3.0], [NAN, NAN, 5.0]])
    x = Variable(data)
    y = nansum(x, axis=1)
    y.grad = np.array([10.0, INF])
    y.backward()
    np.testing.assert_array_equal(y.data, [4.0, 5.0])
    np.testing.assert_array_equal(x.grad, [[10.0, 0.0, 10.0], [0.0, 0.0, INF]])
    x.cleargrad()
    nanmean(x, axis=1).backward()
    np.testing.assert_array_equal(x.grad, [[0.5, 0.0, 0.5], [0.0, 0.0, 1.0]])


def test_nansum_does_not_leave_out_inf():
    x = variable(INF, 1.0, NAN)
    y = nansum(x)
    y.backward()
    assert y.item() == INF
    np.testing.assert_array_equal(x.grad, [1.0, 1.0, 0.0])


def test_nansum_of_only_nan_is_zero_with_gradient_0():
    x = variable(NAN, NAN)
    y = nansum(x)
    y.backward()
    assert y.item() == 0.0
    np.testing.assert_array_equal(x.grad, [0.0, 0.0])


def test_nanmean_of_only_nan_is_nan_with_one_warning_and_gradient_0():
    x = Variable(np.array([[NAN, NAN], [1.0, NAN]]))
    with pytest.warns(RuntimeWarning) as caught:
        y = nanmean(x, axis=1)
    assert [str(warning.message) for warning in caught] == ["Mean of empty slice"]
    y.backward()
    np.testing.assert_array_equal(y.data, [NAN, 1.0])
    np.testing.assert_array_equal(x.grad, [[0.0, 0.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((0,), {}),
        ((0, 2), {"axis": 0}),
        ((2, 2), {"axis": 1, "where": np.array([[True, True], [False, False]])}),
        ((2,), {"where": False}),
    ],
    ids=repr,
)
def test_mean_of_no_elements_is_nan_and_warns_like_numpy(shape, options):
    data = np.ones(shape)
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter("always")
        value = np.mean(data, **options)
    x = Variable(data)
    with warnings.catch_warnings(record=True) as got:
        warnings.simplefilter("always")
        y = mean(x, **options)
        y.backward()
    np.testing.assert_array_equal(y.data, value)
    assert [str(w.message) for w in got] == [str(w.message) for w in expected]
    taken = np.broadcast_to(options.get("where", True), shape)
    np.testing.assert_array_equal(x.grad, taken * 0.5)


def test_sum_of_no_elements_is_zero():
    x = Variable(np.zeros((0, 2)))
    y = sum(x)
    y.backward()
    assert y.item() == 0.0
    assert x.grad.shape == (0, 2)


def test_the_initial_value_of_sum_does_not_change_the_gradient():
    x = variable(1.0, 2.0)
    y = sum(x, initial=10.0)
    y.backward()
    assert y.item() == 13.0
    np.testing.assert_array_equal(x.grad, [1.0, 1.0])


def test_sum_of_no_elements_without_an_initial_value_is_numpys_error():
    with pytest.raises(ValueError, match="zero-size array") as caught:
        sum(Variable(np.zeros(0)), initial=None)
    assert "Sum.forward" in caught.value.__notes__[0]


@pytest.mark.parametrize("function", [sum, mean])
def test_an_axis_given_twice_to_sum_is_numpys_error(function):
    with pytest.raises(ValueError, match="duplicate"):
        function(Variable(np.ones((2, 3))), axis=(0, -2))


@pytest.mark.parametrize("function", [sum, nansum, mean, nanmean])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble, complex])
def test_sum_in_another_dtype_gives_the_gradient_the_dtype_of_the_input(function, dtype):
    x = Variable(np.array([1.0, 2.0], np.float32))
    y = function(x, dtype=dtype)
    y.grad = np.ones((), dtype)
    y.backward()
    assert (y.dtype, x.grad.dtype) == (dtype, np.float32)


@pytest.mark.parametrize("function", [sum, mean])
def test_sum_in_an_integer_dtype_is_a_constant(function):
    y = function(variable(1.5, 2.5), dtype=int)
    assert (y.dtype.kind, y.creator) == ("i", None)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64])
def test_the_sum_of_integers_is_a_constant_in_numpys_dtype(dtype):
    data = np.array([1, 0, 1], dtype=dtype)
    y = sum(Variable(data))
    assert (y.item(), y.dtype, y.creator) == (2, np.sum(data).dtype, None)


@pytest.mark.parametrize("where", [True, np.arange(70_001) < 70_000], ids=["all", "masked"])
def test_the_mean_of_more_elements_than_float16_can_count_has_the_right_gradient(where):
    x = Variable(np.ones(70_000 + (where is not True), np.float16))
    mean(x, where=where).backward()
    np.testing.assert_array_equal(x.grad[:70_000], np.float16(1.0 / 70_000.0))


def test_a_reduction_that_nobody_provides_is_named_in_the_error():
    with pytest.raises(TypeError, match=r"np\.packbits"):
        np.packbits(variable(1.0, 2.0))


def test_cumsum_gives_each_element_the_gradients_of_all_its_sums():
    x = Variable(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    y = cumsum(x, axis=1)
    y.grad = np.array([[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]])
    y.backward()
    np.testing.assert_array_equal(y.data, [[1.0, 3.0, 6.0], [4.0, 9.0, 15.0]])
    np.testing.assert_array_equal(x.grad, [[111.0, 110.0, 100.0], [222.0, 220.0, 200.0]])


@pytest.mark.parametrize("order", ["C", "F"])
def test_cumsum_without_an_axis_adds_the_elements_in_a_row(order):
    x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]], order=order))
    y = cumsum(x)
    y.grad = np.array([1.0, 10.0, 100.0, 1000.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 3.0, 6.0, 10.0])
    np.testing.assert_array_equal(x.grad, [[1111.0, 1110.0], [1100.0, 1000.0]])


def test_nancumsum_counts_nan_as_zero_with_gradient_0():
    x = Variable(np.array([1.0, np.nan, 3.0]))
    y = nancumsum(x)
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 1.0, 4.0])
    np.testing.assert_array_equal(x.grad, [3.0, 0.0, 1.0])


def test_nan_reaches_all_later_sums_of_cumsum():
    y = cumsum(Variable(np.array([1.0, np.nan, 3.0])))
    np.testing.assert_array_equal(y.data, [1.0, np.nan, np.nan])


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_cumsum_of_a_number_is_an_array_of_one_element_like_in_numpy(axis):
    x = Variable(np.array(3.0))
    y = cumsum(x, axis=axis)
    y.backward()
    assert (y.shape, x.grad.shape) == ((1,), ())


def test_the_second_derivative_of_cumsum_of_squares_is_right():
    x = Variable(np.array([1.0, 2.0, 3.0]))
    first = grad(cumsum(x * x), x, create_graph=True)
    np.testing.assert_array_equal(first.data, [6.0, 8.0, 6.0])
    np.testing.assert_array_equal(grad(first, x), [6.0, 4.0, 2.0])
