"""sort, partition, argsort and argpartition: who gets the gradient of a place."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import argsort, partition, sort

PLACES = np.array([10.0, 20.0, 30.0, 40.0])


def gradient_of(function, *numbers, **kwargs):
    x = Variable(np.array(numbers))
    y = function(x, **kwargs)
    y.grad = PLACES
    y.backward()
    return x.grad


@pytest.mark.parametrize("kind", ["quicksort", "heapsort", "stable", None])
def test_equal_elements_keep_their_order_in_every_kind_of_sort(kind):
    gradient = gradient_of(sort, 2.0, 1.0, 2.0, 1.0, kind=kind)
    np.testing.assert_array_equal(gradient, [30.0, 10.0, 40.0, 20.0])


@pytest.mark.parametrize("kth", [0, 1, 3, [0, 2]])
def test_equal_elements_keep_their_order_in_a_partition(kth):
    """The parts may be in any order: so only what follows from the values is asked."""
    x = Variable(np.array([2.0, 1.0, 2.0, 1.0]))
    y = partition(x, kth)
    y.grad = PLACES
    y.backward()
    for value in (1.0, 2.0):
        np.testing.assert_array_equal(x.grad[x.data == value], PLACES[y.data == value])


@pytest.mark.parametrize("function", [sort, lambda x: partition(x, (0, 1, 2, 3))])
def test_sort_puts_nan_last_with_its_gradient(function):
    gradient = gradient_of(function, np.nan, 1.0, np.nan, -np.inf)
    np.testing.assert_array_equal(gradient, [30.0, 20.0, 40.0, 10.0])


def test_sort_takes_zeros_of_both_signs_as_equal():
    np.testing.assert_array_equal(gradient_of(sort, 0.0, -0.0, 0.0, -1.0), [20, 30, 40, 10])


def test_sort_of_large_arrays_with_ties_in_some_rows_has_the_right_gradient():
    rng = np.random.default_rng(0)
    data = np.stack([rng.normal(size=1000), rng.integers(0, 5, 1000).astype(float)])
    x = Variable(data)
    y = sort(x, axis=1)
    y.grad = arriving = np.arange(2000.0).reshape(2, 1000)
    y.backward()
    order = np.argsort(data, axis=1, kind="stable")
    np.testing.assert_array_equal(np.take_along_axis(x.grad, order, 1), arriving)


def test_a_sum_of_the_largest_elements_by_sort_has_second_derivatives():
    x = Variable(np.array([3.0, 1.0, 2.0, 4.0]))
    first = grad(sort(x)[2:] ** 3.0, x, create_graph=True)
    np.testing.assert_array_equal(first.data, [27.0, 0.0, 0.0, 48.0])
    np.testing.assert_array_equal(grad(first, x), [18.0, 0.0, 0.0, 24.0])


def test_variable_has_no_methods_that_would_sort_in_place():
    x = Variable(np.array([2.0, 1.0]))
    for method in ("sort", "partition"):
        with pytest.raises(AttributeError):
            getattr(x, method)(0)


def test_argsort_and_argpartition_give_plain_arrays():
    x = Variable(np.array([[3.0, 1.0, 2.0]]))
    assert type(x.argsort()) is np.ndarray
    np.testing.assert_array_equal(argsort(x, stable=True), [[1, 2, 0]])
    assert x.argpartition(0)[0, 0] == 1


@pytest.mark.parametrize(
    ("call", "error", "name"),
    [
        (lambda x: sort(x, axis=1), np.exceptions.AxisError, "Sort"),
        (lambda x: sort(x, kind="blue"), ValueError, "Sort"),
        (lambda x: sort(x, order="a"), ValueError, "Sort"),
        (lambda x: sort(x, kind="stable", stable=True), ValueError, "Sort"),
        (lambda x: partition(x, 9), ValueError, "Partition"),
        (lambda x: partition(x, 0.5), TypeError, "Partition"),
    ],
)
def test_bad_input_of_sorting_functions_is_numpys_error_with_a_note(call, error, name):
    with pytest.raises(error) as caught:
        call(Variable(np.array([2.0, 1.0])))
    assert f"{name}.forward" in caught.value.__notes__[0]


def test_partition_and_argpartition_refuse_a_variable_as_kth():
    with pytest.raises(TypeError, match="needs a constant for 'kth'"):
        partition(Variable(np.array([2.0, 1.0])), Variable(np.array(0)))
