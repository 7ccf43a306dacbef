"""gradient, trapezoid and interp: functions that are known at points."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import gradient, interp, trapezoid


def line():
    return Variable(np.array([1.0, 4.0, 9.0, 16.0]))


def points(*numbers):
    return Variable(np.array(numbers, dtype=float))


def backward(y, gradients):
    y.grad = np.array(gradients)
    y.backward()


def test_np_gradient_gives_a_variable_for_one_axis_and_a_tuple_for_several():
    x = Variable(np.arange(9.0).reshape(3, 3))
    both = np.gradient(x)
    assert type(both) is tuple
    assert [type(each) for each in both] == [Variable, Variable]
    assert type(gradient(x, axis=1)) is Variable


def test_an_unused_axis_of_np_gradient_has_no_part_in_the_derivative():
    x = Variable(np.arange(9.0).reshape(3, 3))
    _, across = gradient(x)
    across.backward()
    np.testing.assert_array_equal(x.grad, [[-1.5, 0.0, 1.5]] * 3)


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize("spacing", [0.5, [0.0, 0.5, 1.0, 1.5], [0, 1, 3, 4]])
def test_the_derivative_of_np_gradient_has_the_weights_of_unit_vectors(spacing, edge_order):
    x, arriving = line(), np.array([1.0, 10.0, 100.0, 1000.0])
    backward(gradient(x, spacing, edge_order=edge_order), arriving)
    columns = np.gradient(np.eye(4), spacing, axis=0, edge_order=edge_order)
    np.testing.assert_allclose(x.grad, arriving @ columns, rtol=1e-14)


def test_np_gradient_on_an_even_grid_passes_an_inf_only_to_neighbours():
    x = line()
    backward(gradient(x, [0.0, 1.0, 2.0, 3.0]), [0.0, np.inf, 0.0, 0.0])
    np.testing.assert_array_equal(x.grad, [-np.inf, 0.0, np.inf, 0.0])


def test_tiny_spacings_of_np_gradient_do_not_overflow():
    x = line()
    backward(gradient(x, 1e-200, edge_order=2), [0.0, 1.0, 0.0, 0.0])
    np.testing.assert_allclose(x.grad, [-5e199, 0.0, 5e199, 0.0], rtol=1e-15)


def test_double_precision_coordinates_of_np_gradient_keep_single_precision():
    """Of which a hundred million has no neighbours at a distance of 1."""
    x = Variable(np.arange(3.0, dtype=np.float32))
    y = gradient(x, 1e8 + np.array([0.0, 1.0, 3.0]))
    y.grad = np.array([0.0, 0.0, 1.0], np.float32)
    y.backward()
    np.testing.assert_array_equal(x.grad, np.array([0.0, -0.5, 0.5], np.float32), strict=True)


def test_trapezoid_has_the_right_gradients_by_values_and_points():
    x, y = points(0.0, 1.0, 3.0), points(2.0, 4.0, 6.0)
    backward(np.trapezoid(y, x), 10.0)
    np.testing.assert_array_equal(y.grad, [5.0, 15.0, 10.0])
    np.testing.assert_array_equal(x.grad, [-30.0, -20.0, 50.0])


@pytest.mark.parametrize("count", [0, 1])
def test_trapezoid_over_one_point_or_none_has_gradients_of_zeros(count):
    x, y = Variable(np.ones(count)), Variable(np.ones(count))
    backward(trapezoid(y, x), 1.0)
    np.testing.assert_array_equal(x.grad, np.zeros(count))
    np.testing.assert_array_equal(y.grad, np.zeros(count))


def test_points_of_trapezoid_for_all_rows_get_the_sum_of_gradients():
    y, x = Variable(np.array([[1.0, 2.0], [3.0, 5.0]])), points(0.0, 2.0)
    backward(trapezoid(y, x), [1.0, 10.0])
    np.testing.assert_array_equal(y.grad, [[1.0, 1.0], [10.0, 10.0]])
    np.testing.assert_array_equal(x.grad, [-41.5, 41.5])


def test_the_slope_of_interp_at_a_point_is_that_on_the_right():
    x, xp, fp = points(-1, 0, 1, 3, 4), np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, 8.0])
    interp(x, xp, fp).backward()
    np.testing.assert_array_equal(x.grad, [0.0, 2.0, 3.0, 3.0, 0.0])


def test_interp_beyond_the_ends_gives_the_gradient_to_the_end_values():
    xp, x = np.array([0.0, 1.0]), points(-1.0, 2.0, 3.0)
    for left, right, expected in ((None, None, [1, 2]), (5.0, None, [0, 2]), (None, 5.0, [1, 0])):
        fp = points(1.0, 2.0)
        interp(x, xp, fp, left, right).backward()
        np.testing.assert_array_equal(fp.grad, expected)


def test_interp_has_the_right_gradients_by_points_and_values():
    xp, fp = points(0.0, 4.0), points(0.0, 8.0)
    interp(np.array(1.0), xp, fp).backward()
    np.testing.assert_array_equal(fp.grad, [0.75, 0.25])
    np.testing.assert_array_equal(xp.grad, [-1.5, -0.5])


@pytest.mark.parametrize("at", [0.5, 5.5, -4.5, 1e6 + 0.5])
def test_interp_with_a_period_joins_the_last_point_to_the_first(at):
    """Points 1 and 4 with a period of 5: 0.5 is between 4 - 5 and 1; a million is a multiple."""
    x, xp, fp = points(at), points(4.0, 1.0), points(10.0, 20.0)
    y = interp(x, xp, fp, period=5.0)
    y.backward()
    np.testing.assert_allclose(y.data, [17.5])
    np.testing.assert_allclose(x.grad, [5.0])
    np.testing.assert_allclose(fp.grad, [0.25, 0.75])
    np.testing.assert_allclose(xp.grad, [-1.25, -3.75])


def test_interp_at_a_jump_takes_the_values_of_numpy():
    """Where points coincide there is no slope; at the last of them it is that beyond, 0."""
    x, fp = points(1.0, 3.0), points(0.0, 2.0, 8.0, 9.0, 5.0)
    y = interp(x, np.array([0.0, 1.0, 1.0, 3.0, 3.0]), fp)
    y.backward()
    np.testing.assert_array_equal(y.data, [8.0, 5.0])
    np.testing.assert_array_equal(x.grad, [0.5, 0.0])
    np.testing.assert_array_equal(fp.grad, [0.0, 0.0, 1.0, 0.0, 1.0])


def test_interp_of_small_integers_does_not_overflow():
    x = points(0.5, 1.5)
    interp(x, np.array([0, 1, 2], np.uint8), np.array([0, 255, 3], np.uint8)).backward()
    np.testing.assert_array_equal(x.grad, [255.0, -252.0])


def test_interp_reduces_single_precision_to_the_period_in_double():
    """A million is just below a multiple of 0.1, and 0.085 above one of 0.1 in single precision."""
    x, fp = Variable(np.array([1e6], np.float32)), points(0.0, 9.0)
    interp(x, np.array([0.0, 0.09]), fp, period=0.1).backward()
    np.testing.assert_allclose(x.grad, [-900.0], rtol=1e-6)
    np.testing.assert_allclose(fp.grad, [1.0, 0.0], atol=1e-6)


def test_interp_takes_complex_values_at_real_points():
    x, fp = points(0.5, 1.5), Variable(np.array([1.0 + 2.0j, 3.0 - 1.0j, 2.0j]))
    y = interp(x, np.arange(3.0), fp)
    backward(y, [1.0 + 1.0j, 2.0 - 1.0j])
    np.testing.assert_array_equal(x.grad, [2.0 - 3.0, 2.0 * -3.0 - 1.0 * 3.0])
    np.testing.assert_array_equal(fp.grad, [0.5 + 0.5j, 1.5 + 0.0j, 1.0 - 0.5j])


def test_mixed_second_derivatives_of_interp_are_right():
    x, fp = points(0.25), points(1.0, 5.0)
    slope = grad(interp(x, np.array([0.0, 2.0]), fp), x, create_graph=True)
    np.testing.assert_array_equal(slope.data, [2.0])
    np.testing.assert_array_equal(grad(slope, fp), [-0.5, 0.5])


@pytest.mark.parametrize(
    ("call", "error", "name"),
    [
        (lambda x: gradient(x, 1.0, 2.0), TypeError, "Gradient"),
        (lambda x: gradient(x, [0.0, 1.0]), ValueError, "Gradient"),
        (lambda x: gradient(x, edge_order=3), ValueError, "Gradient"),
        (lambda x: gradient(x, axis=1), np.exceptions.AxisError, "Gradient"),
        (lambda x: trapezoid(x, np.ones(3)), ValueError, "TrapezoidOver"),
        (lambda x: trapezoid(x, axis=1), IndexError, "Trapezoid"),
        (lambda x: interp(0.5, x, np.ones(3)), ValueError, "Interp"),
        (lambda x: interp(x, x, x, period=0.0), ValueError, "Interp"),
        (lambda x: interp(x * 1j, x, x), TypeError, "Interp"),
        (lambda x: interp(x, x * 1j, x, period=2.0), TypeError, "Interp"),
    ],
)
def test_bad_input_of_np_gradient_trapezoid_and_interp_is_an_error_with_a_note(call, error, name):
    with pytest.raises(error) as caught:
        call(line())
    assert f"{name}.forward" in caught.value.__notes__[0]


def test_np_gradient_trapezoid_and_interp_refuse_variables_as_options_by_name():
    number = Variable(np.array(1.0))
    for call, name in (
        (lambda x: gradient(x, number), r"varargs\[0\]"),
        (lambda x: trapezoid(x, dx=number), "dx"),
        (lambda x: interp(x, x, x, left=number), "left"),
        (lambda x: interp(x, x, x, period=number), "period"),
    ):
        with pytest.raises(TypeError, match=f"needs a constant for '{name}'"):
            call(line())
