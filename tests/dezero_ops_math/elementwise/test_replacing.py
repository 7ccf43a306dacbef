"""nan_to_num: what was replaced has no part in the gradient."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import nan_to_num

NAN, INF = np.nan, np.inf


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_nan_to_num_replaces_inf_by_the_largest_number_of_each_dtype(dtype):
    x = Variable(np.array([1.5, NAN, INF, -INF], dtype))
    y = nan_to_num(x)
    y.backward()
    largest = np.finfo(dtype).max
    np.testing.assert_array_equal(y.data, np.array([1.5, 0, largest, -largest], dtype))
    np.testing.assert_array_equal(x.grad, [1.0, 0.0, 0.0, 0.0])
    assert (y.dtype, x.grad.dtype) == (dtype, dtype)


def test_nan_to_num_takes_the_replacing_numbers():
    x = Variable(np.array([NAN, INF, -INF, 4.0]))
    for y in nan_to_num(x, True, 1.0, 2.0, 3.0), np.nan_to_num(x, nan=1, posinf=2, neginf=3):
        np.testing.assert_array_equal(y.data, [1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(
        nan_to_num(x, nan=np.arange(4), posinf=INF, neginf=0).data[:2], [0.0, INF]
    )


def test_nan_to_num_works_on_slices_if_no_replacement_is_an_array():
    x = Variable(np.array([np.nan, 1.0]))
    for number in 1.0, np.array(2.0):
        assert nan_to_num(x, nan=number).creator.elementwise
    for name in "nan", "posinf", "neginf":
        assert not nan_to_num(x, **{name: [1.0, 2.0]}).creator.elementwise
    y = nan_to_num(x, nan=np.array([5.0, 6.0]))
    y.backward()
    np.testing.assert_array_equal(y.data, [5.0, 1.0])
    np.testing.assert_array_equal(x.grad, [0.0, 1.0])


def test_nan_to_num_does_not_change_the_data_of_its_input():
    x = Variable(np.array([NAN, INF]))
    nan_to_num(x)
    np.testing.assert_array_equal(x.data, [NAN, INF])


@pytest.mark.parametrize("bad", [NAN, INF])
def test_nan_to_num_stops_infinite_and_nan_gradients_of_replaced_numbers(bad):
    for dtype in (float, complex):
        x = Variable(np.array([NAN, INF, 2.0], dtype))
        y = nan_to_num(x)
        y.grad = np.array([bad, bad, 3.0], dtype)
        y.backward()
        np.testing.assert_array_equal(x.grad, [0.0, 0.0, 3.0])


def test_nan_to_num_treats_both_parts_of_complex_numbers_separately():
    z = Variable(np.array([complex(NAN, 2.0), complex(1.0, INF), complex(NAN, INF), 1.0 + 2.0j]))
    y = nan_to_num(z, nan=5.0, posinf=6.0)
    y.grad = np.full(4, 3.0 + 4.0j)
    y.backward()
    np.testing.assert_array_equal(y.data, [5.0 + 2.0j, 1.0 + 6.0j, 5.0 + 6.0j, 1.0 + 2.0j])
    np.testing.assert_array_equal(z.grad, [4.0j, 3.0, 0.0, 3.0 + 4.0j])


def test_nan_to_num_passes_an_infinite_complex_gradient_of_finite_numbers():
    z = Variable(np.array([1.0 + 2.0j]))
    y = nan_to_num(z)
    y.grad = np.array([complex(1.0, INF)])
    y.backward()
    np.testing.assert_array_equal(z.grad, [complex(1.0, INF)])


def test_second_derivatives_of_nan_to_num_are_those_of_the_finite_numbers():
    x = Variable(np.array([2.0, INF]))
    y = nan_to_num(x, posinf=5.0)
    first = grad(y * y, x, create_graph=True)
    np.testing.assert_array_equal(first.data, [4.0, 0.0])
    np.testing.assert_array_equal(grad(first, x), [2.0, 0.0])


def test_second_derivatives_of_nan_to_num_of_half_replaced_complex_numbers_are_right():
    z = Variable(np.array([2.0 + 1.0j, complex(3.0, NAN)]))
    y = nan_to_num(z, nan=7.0)
    first = grad(np.real(y * y), z, create_graph=True)
    # Of Re((x + iy)**2) = x**2 - y**2, where y may be the constant 7.
    np.testing.assert_array_equal(first.data, [4.0 - 2.0j, 6.0])
    np.testing.assert_array_equal(grad(np.real(first), z), [2.0, 2.0])
    np.testing.assert_array_equal(grad(np.imag(first), z), [-2.0j, 0.0])


def test_nan_to_num_of_integers_is_a_constant():
    y = nan_to_num(Variable(np.array([1, 2])))
    assert (y.dtype, y.creator) == (int, None)


def test_nan_to_num_refuses_to_write_into_its_input():
    x = Variable(np.array([NAN]))
    with pytest.raises(TypeError, match="takes no copy=False"):
        np.nan_to_num(x, copy=False)
    np.testing.assert_array_equal(x.data, [NAN])


@pytest.mark.parametrize("name", ["nan", "posinf", "neginf"])
def test_nan_to_num_refuses_variables_as_replacing_numbers(name):
    with pytest.raises(TypeError, match=rf"NanToNum .* needs a constant for '{name}'"):
        nan_to_num(Variable(np.array([NAN])), **{name: Variable(np.array(1.0))})
