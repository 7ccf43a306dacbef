"""``**`` where it is hard: zero to a power, powers of zero, negative bases.

Promise: docs/edges.md
"""

import warnings

import mpmath
import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_basic import float_power, pow

ZEROS = [0, 0.0, np.float32(0.0), np.array(0.0), np.array([0.0]), np.array([0])]


def variable(*numbers):
    return Variable(np.array(numbers if len(numbers) > 1 else numbers[0]))


@pytest.mark.parametrize("zero", ZEROS, ids=repr)
def test_a_power_with_exponent_zero_is_one_and_flat_also_at_zero(zero):
    x = variable(0.0, 2.0, -3.0)
    y = x**zero
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, 0.0])


def test_zero_to_the_power_of_a_variable_zero_is_one_and_flat():
    x, c = variable(0.0), variable(0.0)
    y = x**c
    y.backward()
    assert (y.item(), x.grad, c.grad) == (1.0, 0.0, 0.0)


def test_a_power_of_zero_is_zero_and_flat():
    c = variable(2.0, 0.5)
    y = 0.0**c
    y.backward()
    np.testing.assert_array_equal(y.data, [0.0, 0.0])
    np.testing.assert_array_equal(c.grad, [0.0, 0.0])


def test_a_negative_power_of_zero_is_inf_with_numpys_warning():
    x = variable(0.0)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        y = x**-1.0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        y.backward()
    assert (y.item(), x.grad) == (np.inf, -np.inf)


def test_the_gradient_of_a_negative_power_at_zero_is_minus_infinite():
    c = variable(-1.0)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        y = 0.0**c
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        y.backward()
    assert (y.item(), c.grad) == (np.inf, -np.inf)


def test_the_gradient_of_a_root_at_zero_is_infinite():
    x = variable(0.0)
    y = x**0.5
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        y.backward()
    assert (y.item(), x.grad) == (0.0, np.inf)


@pytest.mark.parametrize(
    ("exponent", "value", "slope"),
    [(2, 4.0, -4.0), (3, -8.0, 12.0), (1, -2.0, 1.0), (-1, -0.5, -0.25), (-2, 0.25, 0.25)],
)
@pytest.mark.parametrize(
    "kind", [int, float, np.float64, np.array, lambda c: np.array(c, float), lambda c: variable(c)]
)
def test_a_negative_base_takes_integer_exponents(exponent, value, slope, kind):
    """An exponent that is a constant or an integer Variable brings no nan and no warning."""
    x = variable(-2.0)
    y = x ** kind(exponent)
    y.backward()
    np.testing.assert_allclose([y.data, x.grad], [value, slope], rtol=1e-15)


def test_a_variable_exponent_of_a_negative_base_has_no_slope():
    x, c = variable(-2.0), variable(3.0)
    y = x**c
    with pytest.warns(RuntimeWarning, match="invalid value encountered in log"):
        y.backward()
    np.testing.assert_array_equal([y.data, x.grad, c.grad], [-8.0, 12.0, np.nan])


def test_a_fractional_power_of_a_negative_base_is_nan_with_numpys_warning():
    with pytest.warns(RuntimeWarning, match="invalid value encountered in"):
        y = variable(-2.0) ** 0.5
    assert np.isnan(y.data)


def test_elements_of_a_power_at_zero_and_beside_zero_each_have_their_own_gradient():
    x = variable(0.0, 0.0, 0.0, -2.0, 2.0)
    y = x ** np.array([0.0, 1.0, 2.0, 3.0, 0.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 0.0, 0.0, -8.0, 1.0])
    np.testing.assert_array_equal(x.grad, [0.0, 1.0, 0.0, 12.0, 0.0])


@pytest.mark.parametrize(
    ("exponent", "derivatives"),
    [
        (0, [1.0, 0.0, 0.0]),
        (1, [0.0, 1.0, 0.0, 0.0]),
        (2, [0.0, 0.0, 2.0, 0.0]),
        (3, [0.0, 0.0, 0.0, 6.0, 0.0]),
    ],
)
def test_higher_derivatives_of_powers_at_zero_are_exact(exponent, derivatives):
    x = variable(0.0)
    y = pow(x, exponent)
    assert y.item() == derivatives[0]
    for derivative in derivatives[1:]:
        if y.creator is None:
            assert derivative == 0.0
            break
        y = grad(y, x, create_graph=True)
        assert y.item() == derivative


def second(x, c):
    """Return the four second derivatives of x**c, each order of differentiation."""
    y = x**c
    by_x, by_c = grad(y, [x, c], create_graph=True)
    return [grad(first, variable) for first in (by_x, by_c) for variable in (x, c)]


def test_mixed_second_derivatives_of_a_power_with_exponent_zero_are_right():
    """d2/dxdc x**c = x**(c - 1) (1 + c log x): 1 / x at c = 0, although x**0 is constant."""
    by_xx, by_xc, by_cx, by_cc = second(variable(2.0, 0.5), variable(0.0, 0.0))
    np.testing.assert_allclose(by_xx, [0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(by_xc, [0.5, 2.0], rtol=1e-15)
    np.testing.assert_allclose(by_cx, [0.5, 2.0], rtol=1e-15)
    np.testing.assert_allclose(by_cc, [np.log(2.0) ** 2, np.log(2.0) ** 2], rtol=1e-15)


def test_mixed_second_derivatives_of_a_power_with_base_zero_are_right():
    """All four go to 0 with x for c > 2, and nothing warns."""
    for derivative in second(variable(0.0, 0.0), variable(3.0, 2.5)):
        np.testing.assert_array_equal(derivative, [0.0, 0.0])


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize(
    ("exponent", "mixed"), [(0.0, np.inf), (1.0, -np.inf), (1.5, 0.0), (2.0, 0.0)]
)
def test_mixed_second_derivatives_of_a_power_at_zero_are_the_limits(exponent, mixed):
    """x**(c - 1) (1 + c log x), as x goes to 0."""
    _, by_xc, by_cx, _ = second(variable(0.0), variable(exponent))
    assert (by_xc.item(), by_cx.item()) == (mixed, mixed)


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_zero_to_the_zero_does_not_change_mixed_derivatives_of_other_elements():
    """0**0 is a case of its own, and only there."""
    _, by_xc, by_cx, _ = second(variable(0.0, 4.0), variable(0.0, 0.0))
    np.testing.assert_allclose([by_xc[1], by_cx[1]], [0.25, 0.25], rtol=1e-15)


def test_a_power_of_a_number_has_the_gradient_by_the_exponent():
    c = variable(3.0)
    y = 2**c
    y.backward()
    np.testing.assert_allclose([y.data, c.grad], [8.0, 8.0 * np.log(2.0)], rtol=1e-15)


def test_an_exponent_gets_a_gradient_of_its_own_precision_beside_a_lower_one():
    """A base of lower precision must not take the logarithm down with it."""
    for base in (np.float32(2.0), np.array([2], np.int8), np.array(2.0, np.float16)):
        c = variable(0.5)
        (base**c).backward()
        np.testing.assert_allclose(c.grad, np.sqrt(2.0) * np.log(2.0), rtol=1e-14)


def test_integers_to_negative_integers_are_numpys_error_with_a_note():
    with pytest.raises(ValueError, match="negative integer powers") as caught:
        variable(2, 3) ** -1
    assert "Pow" in caught.value.__notes__[0]
    assert "int64[2], -1" in caught.value.__notes__[0]


def test_powers_without_a_pole_give_no_warning():
    """The filters of these tests turn warnings into errors; here they are counted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x, c = variable(0.0, 0.0, 2.0), variable(0.0, 1.0, -1.0)
        (x**c).backward()
    assert caught == []


@pytest.mark.parametrize("x", [np.nan, np.inf, 5e-324])
def test_a_power_with_exponent_zero_is_flat_at_every_base(x):
    base = variable(x)
    (base ** np.array(0.0)).backward()
    assert base.grad == 0.0


@pytest.mark.parametrize(
    ("x", "c"), [(1e-300, 0.3), (63.7, -63.7), (-1.0, 1e155), (-1.0, -1e155), (30.0, 1e300)]
)
def test_the_gradient_of_a_power_is_exact_where_the_exponent_less_one_is_rounded(x, c):
    base = variable(x)
    with np.errstate(over="ignore"):
        (base**c).backward()
    with mpmath.workdps(400):
        truth = float(mpmath.mpf(c) * mpmath.mpf(x) ** (mpmath.mpf(c) - 1))
    np.testing.assert_array_max_ulp(base.grad, truth, 4)


@pytest.mark.parametrize("exponent", [2, 0.5, -1, 2.0])
@pytest.mark.parametrize("z", [-4.0 + 0.0j, 1e200 + 1e200j, complex(np.inf), 1e-320 + 0.0j])
def test_a_power_agrees_with_the_operator_of_numpy(z, exponent):
    with np.errstate(all="ignore"):
        array = np.array([z])
        np.testing.assert_array_equal((Variable(array) ** exponent).data, array**exponent)


def test_a_power_of_booleans_has_numpys_dtype():
    x = np.array([True, False])
    assert (Variable(x) ** 2).dtype == (x**2).dtype


def test_a_power_of_a_number_has_the_second_derivative_by_the_exponent():
    """By hand: 2**c log(2)**2."""
    c = variable(3.0)
    first = grad(2.0**c, c, create_graph=True)
    assert grad(first, c) == pytest.approx(8.0 * np.log(2.0) ** 2, rel=1e-15)


def derivatives_at_zero(f, orders):
    x = variable(0.0)
    y = f(x)
    found = []
    for _ in range(orders):
        y = grad(y, x, create_graph=True)
        found.append(y.item())
    return found


#: Of the Taylor series by hand: n! times the coefficient of x**n. The square of the sum of five
#: powers has the coefficients 1, 2, 3, 4, 5, 4, 3, 2, 1.
LARGER = {
    "(1 + x + ... + x**4)**2": (
        lambda x: (x**0 + x**1 + x**2 + x**3 + x**4) ** 2,
        [2, 6, 24, 120, 480, 2160, 10080, 40320],
    ),
    "1 / (1 + x**2)": (lambda x: 1 / (1 + x**2), [0, -2, 0, 24, 0, -720, 0]),
    "sqrt(1 + x**2)": (lambda x: (x**2 + 1) ** 0.5, [0, 1, 0, -3, 0, 45, 0]),
    "Rosenbrock": (lambda x: (1 - x) ** 2 + 100 * (x - x**2) ** 2, [-2, 202, -1200, 2400, 0, 0]),
    "(1 + x)**(x**0)": (lambda x: (1 + x) ** (x**0), [1, 0, 0, 0, 0]),
    "(1 + x**1)**3": (lambda x: (1 + x**1) ** 3, [3, 6, 6, 0, 0]),
    "(1 + (x * x)**1.0)**2": (lambda x: (1 + (x * x) ** 1.0) ** 2, [0, 4, 0, 24, 0, 0]),
    "(1 + float_power(x, 2))**2": (lambda x: (1 + float_power(x, 2)) ** 2, [0, 4, 0, 24, 0, 0]),
    "an array exponent": (lambda x: (1 + x ** np.array(2.0)) ** 2, [0, 4, 0, 24, 0, 0]),
}


@pytest.mark.parametrize("name", LARGER)
def test_constant_powers_at_zero_are_right_to_every_order_inside_larger_expressions(name):
    f, true = LARGER[name]
    np.testing.assert_allclose(derivatives_at_zero(f, len(true)), true, rtol=1e-14)


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_a_variable_exponent_of_zero_leaves_the_derivatives_by_the_base_right():
    """By the exponent they are infinite there, and are computed beside."""
    c = variable(2.0)
    found = derivatives_at_zero(lambda x: (1 + x**c) ** 2, 6)
    np.testing.assert_allclose(found, [0, 4, 0, 24, 0, 0], rtol=1e-14)


@pytest.mark.parametrize(("by_x", "by_c"), [(1, 0), (0, 1), (2, 1), (1, 2), (3, 2), (2, 3)])
@pytest.mark.parametrize(("x", "c"), [(0.7, 2.0), (2.3, 0.5), (1.1, -1.5), (3.0, 1.0), (0.4, 0.0)])
def test_mixed_derivatives_of_powers_agree_with_mpmath_at_every_order(by_x, by_c, x, c):
    base, exponent = variable(x), variable(c)
    y = base**exponent
    for _ in range(by_x):
        y = grad(y, base, create_graph=True)
    for _ in range(by_c):
        y = grad(y, exponent, create_graph=True)
    with mpmath.workdps(60):
        truth = float(mpmath.diff(lambda a, b: a**b, (x, c), (by_x, by_c)))
    assert y.item() == pytest.approx(truth, rel=1e-12, abs=1e-13)
