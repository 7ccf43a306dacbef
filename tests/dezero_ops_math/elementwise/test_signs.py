"""fabs, copysign and heaviside at 0 and -0.0, of nan and of what NumPy does not take."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import copysign, fabs, heaviside

NAN, INF = np.nan, np.inf


def gradients(function, *numbers):
    variables = [Variable(np.array(number)) for number in numbers]
    y = function(*variables)
    y.backward()
    return (y.item(), *(x.grad.item() for x in variables))


@pytest.mark.parametrize(
    ("x", "slope"),
    [(2.0, 1.0), (-2.0, -1.0), (0.0, 0.0), (-0.0, 0.0), (INF, 1.0), (-5e-324, -1.0), (NAN, NAN)],
)
def test_the_derivative_of_fabs_is_the_sign_and_0_at_0(x, slope):
    np.testing.assert_equal(gradients(fabs, x), (abs(x), slope))


@pytest.mark.parametrize(
    ("x0", "x1", "value", "slope"),
    [
        (2.0, 3.0, 2.0, 1.0),
        (2.0, -3.0, -2.0, -1.0),
        (-2.0, 3.0, 2.0, -1.0),
        (-2.0, -3.0, -2.0, 1.0),
        (2.0, 0.0, 2.0, 1.0),
        (2.0, -0.0, -2.0, -1.0),
        (0.0, -1.0, -0.0, 0.0),
        (-INF, INF, INF, -1.0),
        (2.0, NAN, 2.0, 1.0),
        (NAN, 1.0, NAN, NAN),
    ],
)
def test_copysign_changes_the_sign_of_the_gradient_with_that_of_the_value(x0, x1, value, slope):
    np.testing.assert_array_equal(gradients(copysign, x0, x1), (value, slope, 0.0))


def test_copysign_of_a_constant_takes_the_sign_of_a_variable():
    x = Variable(np.array([3.0, -0.0]))
    y = copysign(2.0, x)
    y.backward()
    np.testing.assert_array_equal(y.data, [2.0, -2.0])
    np.testing.assert_array_equal(x.grad, [0.0, 0.0])


@pytest.mark.parametrize(
    ("x0", "value", "slope"),
    [
        (-1.0, 0.0, 0.0),
        (0.0, 0.25, 1.0),
        (-0.0, 0.25, 1.0),
        (5e-324, 1.0, 0.0),
        (INF, 1.0, 0.0),
        (NAN, NAN, 0.0),
    ],
)
def test_heaviside_gives_the_gradient_at_0_to_the_value_at_0(x0, value, slope):
    np.testing.assert_equal(gradients(heaviside, x0, 0.25), (value, 0.0, slope))


def test_heaviside_gives_the_value_at_0_the_sum_of_gradients_over_zeros():
    middle = Variable(np.array(0.5))
    y = heaviside(np.array([0.0, 1.0, 0.0]), middle)
    y.grad = np.array([1.0, INF, 4.0])
    y.backward()
    assert middle.grad == 5.0


@pytest.mark.parametrize(
    ("function", "first", "second"),
    [
        (lambda x: fabs(x * x * x), [-12.0, 12.0], [12.0, 12.0]),
        (lambda x: copysign(x * x * x, -1.0), [12.0, -12.0], [-12.0, -12.0]),
        (lambda x: heaviside(0.0, x * x * x), [12.0, 12.0], [-12.0, 12.0]),
        (lambda x: heaviside(x, 0.5) * x * x, [0.0, 4.0], [0.0, 2.0]),
    ],
    ids=["fabs", "copysign", "heaviside at 0", "heaviside"],
)
def test_derivatives_through_fabs_and_copysign_are_those_of_the_branch(function, first, second):
    x = Variable(np.array([-2.0, 2.0]))
    gx = grad(function(x), x, create_graph=True)
    np.testing.assert_array_equal(gx.data, first)
    np.testing.assert_array_equal(grad(gx, x), second)


@pytest.mark.parametrize("function", [fabs, copysign, heaviside])
def test_complex_numbers_in_fabs_copysign_and_heaviside_are_numpys_error_with_a_note(function):
    z = Variable(np.array([1.0j]))
    with pytest.raises(TypeError, match="not supported for the input types") as caught:
        function(*[z] * (1 if function is fabs else 2))
    (note,) = caught.value.__notes__
    assert function.__name__.title() in note
    assert "complex128[1]" in note


@pytest.mark.parametrize("function", [copysign, heaviside])
def test_copysign_and_heaviside_on_wrong_shapes_are_numpys_error(function):
    with pytest.raises(ValueError, match="could not be broadcast"):
        function(Variable(np.zeros(2)), np.zeros(3))


@pytest.mark.parametrize("function", [np.fabs, np.copysign, np.heaviside])
def test_fabs_copysign_and_heaviside_refuse_out(function):
    x = Variable(np.zeros(2))
    with pytest.raises(TypeError, match="takes no out="):
        function(*[x] * function.nin, out=np.zeros(2))
