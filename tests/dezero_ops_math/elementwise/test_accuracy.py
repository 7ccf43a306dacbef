"""Every gradient is right to the last digits: near 0, near a pole, huge and tiny.

The truth is computed in 700 digits, so that no formula of it can lose too many.
"""

import math

import mpmath
import numpy as np
import pytest

import dezero_ops_math
from dezero_core import Variable, grad

DIGITS = 700
ULPS = 8

RNG = np.random.default_rng(0)
SUBNORMAL = [5e-324, 3e-320, 1e-310, 2.2e-308]
TINY = [*SUBNORMAL, *10.0 ** RNG.uniform(-307, -1, 15)]
HUGE = [*10.0 ** RNG.uniform(0, 308, 15), 1e155, 1e300, 1.7e308]
FEW = [*RNG.uniform(0, 1, 15), *RNG.uniform(1, 9, 15), 0.5]
BELOW_1 = [1 - 2.0**-53, 1 - 1e-12, 1 - 1e-6, 0.99, 0.9]
ABOVE_1 = [1 + 2.0**-52, 1 + 1e-12, 1 + 1e-6, 1.01, 1.1]
QUARTER_TURNS = [k * math.pi / 2 for k in (1, 2, 3, 7, 1001)]
HALVES = [0.5, 1.0, 2.5, 3.0, 1000.5, 1e15 + 0.5, 1e17]


def both(*numbers):
    return [sign * x for some in numbers for x in some for sign in (1.0, -1.0)]


POSITIVE = TINY + FEW + ABOVE_1 + HUGE
INSIDE = both([x for x in FEW if x < 1.0], TINY, BELOW_1)
EVERYWHERE = both(POSITIVE)
TO_700 = both(TINY, FEW, [20.0, 100.0, 700.0, 709.7])

SLOPES = {
    "arccos": (INSIDE, lambda x: -1 / mpmath.sqrt(1 - x * x)),
    "arccosh": (ABOVE_1 + HUGE, lambda x: 1 / mpmath.sqrt(x * x - 1)),
    "arcsin": (INSIDE, lambda x: 1 / mpmath.sqrt(1 - x * x)),
    "arcsinh": (EVERYWHERE, lambda x: 1 / mpmath.sqrt(1 + x * x)),
    "arctan": (EVERYWHERE, lambda x: 1 / (1 + x * x)),
    "arctanh": (INSIDE, lambda x: 1 / (1 - x * x)),
    "cbrt": (EVERYWHERE, lambda x: 1 / mpmath.cbrt(x * x) / 3),
    "cos": (both(POSITIVE, QUARTER_TURNS), lambda x: -mpmath.sin(x)),
    "cosh": (TO_700, mpmath.sinh),
    "deg2rad": (EVERYWHERE, lambda x: mpmath.pi / 180),
    "degrees": (EVERYWHERE, lambda x: 180 / mpmath.pi),
    "exp": (TO_700, mpmath.exp),
    "exp2": ([*TO_700, 1022.5, -1070.5], lambda x: mpmath.log(2) * mpmath.mpf(2) ** x),
    "expm1": (TO_700, mpmath.exp),
    "log": (POSITIVE, lambda x: 1 / x),
    "log10": (POSITIVE, lambda x: 1 / x / mpmath.log(10)),
    "log1p": ([*POSITIVE, *(-x for x in TINY + BELOW_1)], lambda x: 1 / (1 + x)),
    "log2": (POSITIVE, lambda x: 1 / x / mpmath.log(2)),
    "rad2deg": (EVERYWHERE, lambda x: 180 / mpmath.pi),
    "radians": (EVERYWHERE, lambda x: mpmath.pi / 180),
    "reciprocal": ([x for x in EVERYWHERE if abs(x) > 1e-308], lambda x: -1 / x**2),
    "sin": (both(POSITIVE, QUARTER_TURNS), mpmath.cos),
    "sinc": (
        both(TINY, [x for x in FEW if x < 1.0], [0.05, 0.1, 0.15, 0.2], HALVES),
        lambda x: (mpmath.cospi(x) - mpmath.sincpi(x)) / x,
    ),
    "sinh": (TO_700, mpmath.cosh),
    "sqrt": (POSITIVE, lambda x: 1 / mpmath.sqrt(x) / 2),
    "square": (both(TINY, FEW), lambda x: 2 * x),
    "tan": (both(POSITIVE, QUARTER_TURNS), lambda x: 1 / mpmath.cos(x) ** 2),
}


def ulps(got, truth):
    """Return how many units in the last place `got` is away; 0 where both overflow."""
    rounded = float(truth)
    if math.isinf(rounded):
        return 0.0 if got == rounded else math.inf
    return float(abs(mpmath.mpf(got) - truth) / math.ulp(rounded))


@pytest.mark.filterwarnings("ignore:(overflow|divide by zero) encountered:RuntimeWarning")
@pytest.mark.parametrize("name", SLOPES)
def test_the_gradient_of_an_elementwise_function_is_right_to_the_last_digits(name):
    numbers, slope = SLOPES[name]
    x = Variable(np.array(numbers))
    getattr(dezero_ops_math, name)(x).backward()
    with mpmath.workdps(DIGITS):
        truths = [slope(mpmath.mpf(number)) for number in numbers]
        errors = [ulps(got, truth) for got, truth in zip(x.grad.tolist(), truths, strict=True)]
    worst = int(np.argmax(errors))
    assert errors[worst] <= ULPS, (numbers[worst], x.grad[worst], truths[worst])


@pytest.mark.parametrize("name", SLOPES)
def test_gradients_of_single_numbers_agree_with_those_of_an_array(name):
    """What is done to avoid overflow for one number does not depend on those beside it."""
    numbers = [x for x in SLOPES[name][0] if 1e-100 < abs(x) < 100.0]
    x = Variable(np.array(numbers))
    function = getattr(dezero_ops_math, name)
    function(x).backward()
    for number, together in zip(numbers, x.grad, strict=True):
        alone = Variable(np.array(number))
        function(alone).backward()
        assert ulps(alone.grad.item(), mpmath.mpf(float(together))) <= ULPS


#: nth derivatives of functions that mpmath has under another name.
TRUTHS = {
    "arccos": mpmath.acos,
    "arccosh": mpmath.acosh,
    "arcsin": mpmath.asin,
    "arcsinh": mpmath.asinh,
    "arctan": mpmath.atan,
    "arctanh": mpmath.atanh,
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "log2": lambda x: mpmath.log(x, 2),
    "reciprocal": lambda x: 1 / x,
}
NAMES = [*TRUTHS, "cbrt", "cosh", "expm1", "log10", "log1p", "sinh"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("at", [1e-3, 0.25, 0.75])
def test_five_derivatives_of_inverse_functions_agree_with_mpmath(name, at):
    at = 1.0 + at if name == "arccosh" else at
    x = Variable(np.array(at))
    y = getattr(dezero_ops_math, name)(x)
    with mpmath.workdps(50):
        truth = TRUTHS.get(name) or getattr(mpmath, name)
        expected = [float(c) for c in mpmath.diffs(truth, mpmath.mpf(at), 5)]
    got = [y.item()]
    for _ in range(5):
        y = grad(y, x, create_graph=True)
        got.append(y.item())
    np.testing.assert_allclose(got, expected, rtol=1e-11)


@pytest.mark.parametrize("name", ["arcsin", "arccos", "arctan", "arcsinh", "arctanh"])
def test_the_second_derivative_near_0_is_right_to_the_last_digits(name):
    at = 1e-9
    x = Variable(np.array(at))
    first = grad(getattr(dezero_ops_math, name)(x), x, create_graph=True)
    with mpmath.workdps(50):
        truth = mpmath.diff(TRUTHS[name], mpmath.mpf(at), 2)
        assert ulps(grad(first, x).item(), truth) <= ULPS


LINEAR = {"deg2rad", "degrees", "rad2deg", "radians"}


@pytest.mark.parametrize("name", sorted(SLOPES.keys() - LINEAR))
def test_elementwise_functions_of_nan_and_their_gradients_are_nan(name):
    x = Variable(np.array([1.5 if name == "arccosh" else 0.5, np.nan]))
    y = getattr(dezero_ops_math, name)(x)
    y.backward()
    np.testing.assert_array_equal(np.isnan([y.data, x.grad]), [[False, True], [False, True]])
