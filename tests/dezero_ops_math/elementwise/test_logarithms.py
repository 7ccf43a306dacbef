"""logaddexp and logaddexp2: shares in the sum, of infinities too."""

import mpmath
import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import logaddexp, logaddexp2

INF, NAN = np.inf, np.nan
BOTH = [(logaddexp, mpmath.exp), (logaddexp2, lambda d: mpmath.mpf(2) ** d)]


def shares(function, *numbers):
    x0, x1 = (Variable(np.array(number)) for number in numbers)
    function(x0, x1).backward()
    return [x0.grad.item(), x1.grad.item()]


@pytest.mark.parametrize("function", [logaddexp, logaddexp2])
@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((0.0, 0.0), [0.5, 0.5]),
        ((1e300, 1e300), [0.5, 0.5]),
        ((-INF, 1.0), [0.0, 1.0]),
        ((1.0, -INF), [1.0, 0.0]),
        ((INF, 1.0), [1.0, 0.0]),
        ((1.0, INF), [0.0, 1.0]),
        ((-INF, INF), [0.0, 1.0]),
        ((INF, -INF), [1.0, 0.0]),
        ((1e300, -1e300), [1.0, 0.0]),
    ],
)
def test_logaddexp_gives_a_far_larger_operand_the_whole_gradient_without_a_warning(
    function, numbers, expected
):
    assert shares(function, *numbers) == expected


@pytest.mark.parametrize("function", [logaddexp, logaddexp2])
@pytest.mark.parametrize("infinity", [INF, -INF])
def test_logaddexp_gives_equal_infinities_half_the_gradient_each(function, infinity):
    assert shares(function, infinity, infinity) == [0.5, 0.5]


@pytest.mark.filterwarnings("ignore:invalid value encountered in logaddexp:RuntimeWarning")
@pytest.mark.parametrize("function", [logaddexp, logaddexp2])
@pytest.mark.parametrize("numbers", [(NAN, 1.0), (1.0, NAN), (NAN, INF), (-INF, NAN)])
def test_logaddexp_of_nan_has_nan_gradients(function, numbers):
    np.testing.assert_array_equal(shares(function, *numbers), [NAN, NAN])


@pytest.mark.parametrize(("function", "power"), BOTH, ids=["e", "2"])
@pytest.mark.parametrize("scale", [1.0, 30.0, 350.0])
def test_gradients_of_logaddexp_are_right_where_the_difference_is_rounded(function, power, scale):
    x0, x1 = np.random.default_rng(0).uniform(-scale, scale, (2, 40))
    a, b = Variable(x0), Variable(x1)
    function(a, b).backward()
    with mpmath.workdps(400):
        differences = [mpmath.mpf(p) - mpmath.mpf(q) for p, q in zip(x0, x1, strict=True)]
        truth0 = [float(1 / (1 + power(-d))) for d in differences]
        truth1 = [float(1 / (1 + power(d))) for d in differences]
    np.testing.assert_array_max_ulp(a.grad, np.array(truth0), maxulp=4)
    np.testing.assert_array_max_ulp(b.grad, np.array(truth1), maxulp=4)


def test_a_gradient_of_logaddexp_may_be_as_small_as_numbers_get():
    assert shares(logaddexp, 0.0, -744.0) == [1.0, float(mpmath.exp(-744))]
    assert shares(logaddexp2, 0.0, -1074.0) == [1.0, 5e-324]


@pytest.mark.parametrize(("function", "scale"), [(logaddexp, 1.0), (logaddexp2, np.log(2.0))])
@pytest.mark.parametrize(
    ("numbers", "product"), [((0.0, 0.0), 0.25), ((INF, INF), 0.25), ((-INF, 1.0), 0.0)]
)
def test_the_second_derivative_of_logaddexp_is_the_product_of_the_first_derivatives(
    function, scale, numbers, product
):
    x0, x1 = (Variable(np.array(number)) for number in numbers)
    first = grad(function(x0, x1), x0, create_graph=True)
    expected = scale * product
    np.testing.assert_allclose(grad(first, [x0, x1]), [expected, -expected], rtol=1e-15)


@pytest.mark.parametrize("function", [logaddexp, logaddexp2])
def test_the_fourth_derivative_of_logaddexp_at_a_tie_is_that_of_log_cosh(function):
    """log(exp(x) + exp(0)) = x / 2 + log(2 cosh(x / 2)), and fourthly differentiated -1 / 8."""
    x = Variable(np.array(0.0))
    y = function(x, 0.0)
    for _ in range(4):
        y = grad(y, x, create_graph=True)
    power = 1.0 if function is logaddexp else np.log(2.0) ** 3
    np.testing.assert_allclose(y.data, -power / 8.0, rtol=1e-14)


def test_logaddexp_with_0_has_the_gradient_of_softplus():
    x = Variable(np.array([-740.0, -700.0, -4.5, 0.0, 4.5, 700.0]))
    logaddexp(0.0, x).backward()
    tails = np.exp(x.data[:2])
    np.testing.assert_allclose(x.grad[:2], tails, rtol=1e-15)
    np.testing.assert_allclose(x.grad[2:], 1.0 / (1.0 + np.exp(-x.data[2:])), rtol=1e-15)
