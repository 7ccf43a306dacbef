"""Powers and roots at 0, and beyond what numbers can hold; fmod where the quotient is rounded."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_basic import float_power
from dezero_ops_math import cbrt, fmod, reciprocal, sqrt

INF, NAN = np.inf, np.nan
ZERO_DIVISION = "ignore:divide by zero encountered:RuntimeWarning"
INVALID = "ignore:invalid value encountered:RuntimeWarning"


def gradients(function, *numbers, gy=1.0):
    xs = [Variable(np.array(number)) for number in numbers]
    y = function(*xs)
    y.grad = np.array(gy)
    y.backward()
    return [x.grad.item() for x in xs]


@pytest.mark.parametrize("root", [sqrt, cbrt])
def test_the_gradient_of_sqrt_and_cbrt_at_0_is_infinite(root):
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert gradients(root, 0.0) == [INF]


@pytest.mark.parametrize("root", [sqrt, cbrt])
def test_a_gradient_of_0_becomes_nan_through_a_root_at_0(root):
    with pytest.warns(RuntimeWarning, match="invalid value"):
        np.testing.assert_array_equal(gradients(root, 0.0, gy=0.0), [NAN])


def test_the_cube_root_of_a_negative_number_has_a_positive_derivative():
    np.testing.assert_allclose(gradients(cbrt, -8.0), [1 / 12], rtol=1e-15)


def test_the_reciprocal_does_not_overflow_on_the_way_to_a_small_gradient():
    assert gradients(reciprocal, 2.0**-700, gy=2.0**-1000) == [-(2.0**400)]
    assert gradients(reciprocal, 2.0**700, gy=2.0**1000) == [-(2.0**-400)]


def test_the_reciprocal_of_integers_is_numpys_integer_constant():
    y = reciprocal(Variable(np.array([1, 2])))
    assert y.creator is None
    np.testing.assert_array_equal(y.data, np.array([1, 0]), strict=True)


@pytest.mark.parametrize("scale", [0.1, 1.0, 3.0, 40.0])
def test_gradients_of_float_power_are_right_where_the_exponent_less_one_is_rounded(scale):
    rng = np.random.default_rng(0)
    largest = 300.0 / (scale + 1.0)
    x, c = 10.0 ** rng.uniform(-largest, largest, 40), rng.uniform(-scale, scale, 40)
    a, b = Variable(x), Variable(c)
    float_power(a, b).backward()
    with mpmath.workdps(50):
        exact = [(mpmath.mpf(p), mpmath.mpf(q)) for p, q in zip(x, c, strict=True)]
        by_base = [float(q * p ** (q - 1)) for p, q in exact]
        by_exponent = [float(p**q * mpmath.log(p)) for p, q in exact]
    np.testing.assert_array_max_ulp(a.grad, np.array(by_base), maxulp=8)
    np.testing.assert_array_max_ulp(b.grad, np.array(by_exponent), maxulp=8)


@pytest.mark.filterwarnings(ZERO_DIVISION)
@pytest.mark.parametrize(
    ("x", "c", "expected"),
    [
        (0.0, 0.0, [0.0, 0.0]),
        (0.0, 1.0, [1.0, 0.0]),
        (0.0, 2.0, [0.0, 0.0]),
        (0.0, 0.5, [INF, 0.0]),
        (0.0, 0.7, [INF, 0.0]),
        (0.0, -0.7, [-INF, -INF]),
        (0.0, -1.0, [-INF, -INF]),
        (INF, 2.0, [INF, INF]),
        (INF, 0.0, [0.0, INF]),
        (INF, 0.3, [0.0, INF]),
        (NAN, 2.0, [NAN, NAN]),
        (2.0, NAN, [NAN, NAN]),
        (2.0, INF, [INF, INF]),
        (2.0, -INF, [NAN, 0.0]),
    ],
)
@pytest.mark.filterwarnings(INVALID)
def test_float_power_of_0_and_of_infinity_has_the_right_gradients(x, c, expected):
    np.testing.assert_array_equal(gradients(float_power, x, c), expected)


def test_float_power_of_a_negative_base_is_right_beside_a_rounded_exponent():
    x = Variable(np.array([-2.0, 2.0]))
    float_power(x, np.array([3.0, 0.1])).backward()
    np.testing.assert_allclose(x.grad, [12.0, 0.1 * 2.0**-0.9], rtol=1e-15)


def test_float_power_of_a_negative_base_has_no_gradient_by_the_exponent():
    x = Variable(np.array([-2.0, -2.0, -2.0]))
    float_power(x, np.array([3.0, 2.0, 0.0])).backward()
    np.testing.assert_array_equal(x.grad, [12.0, -4.0, 0.0])
    with pytest.warns(RuntimeWarning, match="invalid value encountered in log"):
        np.testing.assert_array_equal(gradients(float_power, -2.0, 3.0), [12.0, NAN])


@pytest.mark.parametrize(("c", "expected"), [(2.0, [0, 2, 0, 0]), (3.0, [0, 0, 6, 0])])
def test_whole_float_powers_of_0_have_all_derivatives(c, expected):
    x = Variable(np.array(0.0))
    y = float_power(x, c)
    for truth in expected:
        y = grad(y, x, create_graph=True)
        assert y.item() == truth


def test_mixed_derivatives_of_float_power_do_not_depend_on_the_order():
    x, c = Variable(np.array(0.3)), Variable(np.array(0.7))
    by_x, by_c = grad(float_power(x, c), [x, c], create_graph=True)
    with mpmath.workdps(50):
        at = mpmath.mpf(0.3), mpmath.mpf(0.7)
        mixed = float(mpmath.diff(lambda x, c: x**c, at, (1, 1)))
        third = float(mpmath.diff(lambda x, c: x**c, at, (2, 1)))
    np.testing.assert_allclose(grad(by_c, x), mixed, rtol=1e-14)
    again = grad(by_x, c, create_graph=True)
    np.testing.assert_allclose(again.data, mixed, rtol=1e-14)
    np.testing.assert_allclose(grad(again, x), third, rtol=1e-13)


def test_float_power_does_not_round_a_single_precision_exponent():
    x, c = Variable(np.array(1e9)), np.float32(0.1)
    float_power(x, c).backward()
    np.testing.assert_allclose(x.grad, float(c) * 1e9 ** (float(c) - 1.0), rtol=1e-14)


def test_float_power_computes_gradients_of_single_precision_in_double():
    x, c = (Variable(np.array(number, np.float32)) for number in (0.1, 0.3))
    y = float_power(x, c)
    y.backward()
    assert (y.dtype, x.grad.dtype, c.grad.dtype) == (np.float64, np.float32, np.float32)
    base, exponent = float(x.data), float(c.data)
    assert x.grad == np.float32(exponent * base ** (exponent - 1.0))
    assert c.grad == np.float32(base**exponent * np.log(base))


def slopes_of_fmod(x0, x1):
    a, b = Variable(np.array(x0)), Variable(np.array(x1))
    fmod(a, b).backward()
    return a.grad.item(), b.grad.item()


@pytest.mark.parametrize(
    ("x0", "x1"),
    [
        (7.0, 3.0),
        (-7.0, 3.0),
        (7.0, -3.0),
        (-7.0, -3.0),
        (6.0, 3.0),
        (0.0, 3.0),
        (2.0, 3.0),
        (np.nextafter(3.0, 0.0), 0.1),
        (np.nextafter(0.7, 0.0), 0.1),
        (np.nextafter(1.0, 0.0) * 5.0, 5.0),
        (0.3, 0.1),
        (1e15, 0.7),
        (1e300, 1e299),
        (5e-324, 5e-324),
        (1.7e308, -1e308),
    ],
)
def test_the_derivative_of_fmod_by_the_divisor_is_minus_the_truncated_quotient(x0, x1):
    exact = int(Fraction(x0) / Fraction(x1))  # int() rounds towards 0
    assert slopes_of_fmod(x0, x1) == (1.0, -exact)


def test_the_derivative_of_fmod_is_exact_where_the_quotient_is_rounded_up():
    x0, x1 = np.nextafter(3.0, 0.0), 1.0 - 2.0**-53
    assert x0 / x1 == 3.0
    assert Fraction(x0) / Fraction(x1) < 3
    assert slopes_of_fmod(x0, x1) == (1.0, -2.0)


def test_fmod_takes_a_constant_divisor():
    x = Variable(np.array([7.0, -7.0]))
    fmod(x, 3.0).backward()
    np.testing.assert_array_equal(x.grad, [1.0, 1.0])


def test_the_derivative_of_fmod_by_an_infinite_divisor_is_0():
    assert slopes_of_fmod(7.0, np.inf) == (1.0, 0.0)


@pytest.mark.parametrize(("x0", "x1"), [(1.0, 0.0), (np.inf, 2.0)])
def test_the_derivative_of_fmod_is_nan_where_there_is_no_remainder(x0, x1):
    with pytest.warns(RuntimeWarning, match="invalid value"):
        np.testing.assert_equal(slopes_of_fmod(x0, x1), (1.0, np.nan))


def test_the_second_derivative_of_fmod_takes_the_quotient_as_constant():
    x0, x1 = Variable(np.array([7.5, -7.5])), Variable(np.array([2.0, 3.0]))
    first = grad(fmod(x0, x1) * x1, x1, create_graph=True)
    # fmod(x0, x1) x1 = x0 x1 - n x1**2
    np.testing.assert_array_equal(first.data, [7.5 - 2 * 3 * 2.0, -7.5 + 2 * 2 * 3.0])
    np.testing.assert_array_equal(grad(first, x1), [-6.0, 4.0])


def test_complex_numbers_in_fmod_are_numpys_error_with_a_note():
    with pytest.raises(TypeError, match="not supported for the input types") as caught:
        fmod(Variable(np.array([1.0j])), 2.0)
    assert "Fmod" in caught.value.__notes__[0]
