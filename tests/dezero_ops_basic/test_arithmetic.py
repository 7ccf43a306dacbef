"""The arithmetic operators at their edges; the contract covers what is between.

Promise: docs/reference/operators.rst
"""

import operator

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_basic import absolute, div, floordiv, mod, neg, pos, sign

BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
]
IN_PLACE = [
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.itruediv,
    operator.ifloordiv,
    operator.imod,
    operator.ipow,
]


def variable(*numbers):
    return Variable(np.array(numbers if len(numbers) > 1 else numbers[0]))


def test_division_by_zero_is_inf_with_numpys_warning():
    x = variable(0.0, 0.0)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        y = np.array([1.0, -1.0]) / x
    np.testing.assert_array_equal(y.data, [np.inf, -np.inf])
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        y.backward()
    np.testing.assert_array_equal(x.grad, [-np.inf, np.inf])


def test_division_of_zero_by_zero_is_nan_with_numpys_warning():
    x = variable(0.0)
    with pytest.warns(RuntimeWarning, match="invalid value encountered in divide"):
        y = x / 0.0
    with pytest.warns(RuntimeWarning, match="encountered in divide"):
        y.backward()
    np.testing.assert_array_equal([y.data, x.grad], [np.nan, np.inf])


@pytest.mark.parametrize(
    ("function", "value", "warning"),
    [(floordiv, np.inf, "divide by zero"), (mod, np.nan, "invalid value")],
)
def test_floor_division_and_remainder_by_zero_are_numpys(function, value, warning):
    x = variable(1.0)
    with pytest.warns(RuntimeWarning, match=warning):
        y = function(x, 0.0)
    np.testing.assert_array_equal(y.data, value)


def test_floor_division_of_integers_by_zero_is_numpys():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert floordiv(variable(1), 0).data == 0


def test_gradient_of_a_quotient_survives_a_divisor_whose_square_underflows():
    """-x0 / x1**2 = -1e-300 / 1e-400, and 1e-400 is 0 in floating point."""
    x0, x1 = variable(1e-300), variable(1e-200)
    div(x0, x1).backward()
    np.testing.assert_allclose(x1.grad, -1e100, rtol=1e-12)


def test_the_gradient_of_a_constant_divisor_is_not_computed_and_gives_no_warning():
    """Its own slope, -1e200 * 1e200, would overflow, and nobody asked for it."""
    x = variable(1.0)
    (x / 1e-200).backward()
    np.testing.assert_allclose(x.grad, 1e200, rtol=1e-15)


@pytest.mark.parametrize(
    ("x0", "quotient", "rest"), [(7.0, 2.0, 1.0), (-7.0, -3.0, 2.0), (6.0, 2.0, 0.0)]
)
def test_rounded_division_and_remainder_take_the_sign_of_the_divisor(x0, quotient, rest):
    """At the jump as well, the slope of the remainder is that of the piece to the right."""
    x, d = variable(x0), variable(3.0)
    y = mod(x, d)
    y.backward()
    assert (floordiv(x, d).item(), y.item()) == (quotient, rest)
    assert (x.grad, d.grad) == (1.0, -quotient)


def test_absolute_value_and_sign_have_no_slope_at_zero():
    x = variable(-2.0, 0.0, 3.0)
    absolute(x).backward()
    np.testing.assert_array_equal(x.grad, [-1.0, 0.0, 1.0])
    x.cleargrad()
    sign(x).backward()
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, 0.0])


def test_a_complex_absolute_value_has_slope_zero_and_no_second_derivative_at_zero():
    x = variable(0j, 3.0 + 4.0j)
    y = absolute(x)
    y.grad = np.ones(2)
    y.backward(create_graph=True)
    np.testing.assert_allclose(x.grad.data, [0.0, 0.6 + 0.8j], rtol=1e-15)
    first = x.grad
    x.cleargrad()
    first.grad = np.ones(2)
    with pytest.warns(RuntimeWarning, match="invalid value"):
        first.backward()
    assert np.isnan(x.grad[0].real)
    assert np.isnan(x.grad[0].imag)
    np.testing.assert_allclose(x.grad[1], (16.0 - 12.0j) / 125.0, rtol=1e-15)


def test_a_variable_on_both_sides_of_an_operator_gets_the_sum_of_gradients():
    x = variable(3.0, -2.0)
    for y, slope in ((x + x, 2.0), (x - x, 0.0), (x * x, [6.0, -4.0]), (x / x, 0.0)):
        x.cleargrad()
        y.backward()
        np.testing.assert_array_equal(x.grad, np.broadcast_to(slope, 2))


def test_an_integer_operand_of_an_arithmetic_operator_is_a_constant():
    n, x = variable(2, 3), variable(0.5, 0.25)
    (n * x).backward()
    np.testing.assert_array_equal(x.grad, [2.0, 3.0])
    assert n.grad is None


def test_unary_plus_makes_a_new_variable_with_a_copy_of_the_data():
    x = variable(1.0, 2.0)
    y = +x
    assert y is not x
    assert not np.shares_memory(x.data, y.data)


@pytest.mark.parametrize("function", [neg, pos, sign])
def test_negation_and_unary_plus_of_booleans_are_refused_like_in_numpy(function):
    with pytest.raises(TypeError, match="bool") as caught:
        function(variable(True, False))
    assert "bool[2]" in caught.value.__notes__[0]


@pytest.mark.parametrize("in_place", IN_PLACE, ids=lambda function: function.__name__)
def test_an_in_place_arithmetic_operator_makes_a_new_variable(in_place):
    x, y = variable(7.0, 5.0), variable(2.0, 3.0)
    before = x
    x = in_place(x, y)
    assert type(x) is Variable
    assert x is not before
    np.testing.assert_array_equal(before.data, [7.0, 5.0])
    np.testing.assert_array_equal(x.data, in_place(np.array([7.0, 5.0]), y.data))


@pytest.mark.parametrize("in_place", IN_PLACE, ids=lambda function: function.__name__)
def test_an_in_place_arithmetic_operator_on_an_ndarray_refuses_a_variable(in_place):
    a, x = np.array([7.0, 5.0]), variable(2.0, 3.0)
    with pytest.raises(TypeError, match=r"takes no out=.*a = a \+ x") as caught:
        in_place(a, x)
    assert caught.value.got == "out"
    np.testing.assert_array_equal(a, [7.0, 5.0])


def test_arithmetic_functions_refuse_arguments_of_ufuncs_by_name():
    x = variable(1.0, 2.0)
    with pytest.raises(TypeError, match=r"np\.add .* takes no where="):
        np.add(x, 1.0, where=np.array([True, False]))
    with pytest.raises(TypeError, match=r"np\.add .* takes no out="):
        np.add(x, 1.0, out=np.zeros(2))
    with pytest.raises(TypeError, match=r"np\.add\.reduce"):
        np.add.reduce(x)


@pytest.mark.parametrize("binary", BINARY, ids=lambda function: function.__name__)
@pytest.mark.parametrize(
    "other",
    [["1", "2"], None, "1", {}, np.array([None]), np.ma.array([1.0])],
    ids=repr,
)
def test_an_arithmetic_operand_that_is_no_number_is_a_type_error(binary, other):
    """Never an object array, whichever side it stands on."""
    x = variable(1.0, 2.0)
    with pytest.raises(TypeError):
        binary(x, other)
    if not (binary is operator.mod and isinstance(other, str)):  # Python's own formatting
        with pytest.raises(TypeError):
            binary(other, x)


@pytest.mark.parametrize("binary", BINARY, ids=lambda function: function.__name__)
def test_a_list_of_numbers_is_an_arithmetic_constant_on_either_side(binary):
    numbers = [3, 2]
    for swapped in (False, True):
        results = []
        for constant in (tuple(numbers) if swapped else numbers, np.array(numbers)):
            x = Variable(np.array([1.5, 2.5], np.float32))
            y = binary(constant, x) if swapped else binary(x, constant)
            y.backward()
            results.append((y.data, x.grad))
        for of_a_list, of_an_array in zip(*results, strict=True):
            np.testing.assert_array_equal(of_a_list, of_an_array, strict=True)


@pytest.mark.parametrize("binary", BINARY, ids=lambda function: function.__name__)
def test_a_list_with_a_variable_in_it_is_refused_with_np_stack(binary):
    x = variable(1.0, 2.0)
    with pytest.raises(TypeError, match=r"^use np\.stack\(\[x, y\]\) in place of"):
        binary(x, [x[0], 2.0])


@pytest.mark.parametrize("binary", BINARY, ids=lambda function: function.__name__)
def test_arithmetic_on_shapes_that_do_not_broadcast_is_numpys_error_with_a_note(binary):
    x = variable(1.0, 2.0)
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        binary(x, np.ones(3))
    assert type(caught.value) is ValueError
    (note,) = caught.value.__notes__
    (name,) = (type(y.creator).__name__ for y in [binary(x, x)])
    assert name in note
    assert "float64[2], float64[3]" in note
    assert "plugin 'basic'" in note
    assert "test_arithmetic.py" in note


def test_an_ndarray_on_the_left_leaves_the_operator_to_the_variable():
    """Without it, ndarray + x would make an object array, one element at a time."""
    y = np.array([1.0, 2.0]) + variable(3.0)
    assert type(y) is Variable
    assert Variable.__array_priority__ == 200


def test_grad_returns_a_new_variable_though_the_gradient_equals_grad_outputs():
    """The gradient of x + 1 is the one that is given: the user gets another Variable."""
    x, v = variable(1.0, 2.0), variable(3.0, 4.0) * 2.0
    before = v.data
    gradient = grad(x + 1.0, x, create_graph=True, grad_outputs=v)
    assert gradient is not v
    assert v.data is before
    assert not np.shares_memory(gradient.data, before)
    np.testing.assert_array_equal(gradient.data, before)
