"""Bessel functions have derivatives as exact as SciPy's values, and their limits at 0.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
import scipy.special

from dezero_core import Variable, VariableTypeError
from dezero_ops_scipy import special

from .bessel_truths import bessel_derivative
from .oracles import assert_exact, derivatives, slopes

INF, NAN = np.inf, np.nan
WITHOUT_ORDER = ("j0", "j1", "y0", "y1", "i0", "i1", "k0", "k1")
SCALED = ("i0e", "i1e", "k0e", "k1e")
NAMES = {"jv": "v", "yv": "v", "yn": "n", "iv": "v", "kv": "v", "ive": "v", "kve": "v"}

# Not next to zeros of the function or of one of the derivatives.
OSCILLATING = (1e-6, 0.3, 1.1, 2.9, 17.0, 101.0, 700.0)
GROWING = (1e-6, 0.3, 1.1, 2.9, 17.0, 101.0, 690.0)


@pytest.mark.parametrize("name", WITHOUT_ORDER)
def test_three_derivatives_of_bessel_functions_of_order_0_and_1_agree_with_mpmath(
    name: str,
) -> None:
    numbers = OSCILLATING if name[0] in "jy" else GROWING
    truth = partial(bessel_derivative, name, int(name[1]))
    assert_exact(getattr(special, name), truth, numbers)
    if name[0] in "ji":
        assert_exact(getattr(special, name), truth, [-x for x in numbers[:4]])


@pytest.mark.parametrize("name", ["j0", "j1", "y0", "y1"])
def test_slopes_of_oscillating_functions_agree_with_mpmath_where_others_of_scipy_are_better(
    name: str,
) -> None:
    """Between 3 and 5, and from 8 on, as is said in the module."""
    truth = partial(bessel_derivative, name, int(name[1]))
    assert_exact(getattr(special, name), truth, (0.011, 3.1, 4.6, 6.2, 7.9, 8.1, 26.0), [8.0])


def test_elements_of_one_array_have_the_derivatives_that_they_have_alone() -> None:
    """Whichever of several formulas is the exact one of an element."""
    x = np.array([[0.0, 1e-3, 0.7, 2.9, 4.1, 5.5], [7.9, 8.1, 30.0, 650.0, 720.0, 1e3]]).T
    for name in ("j0", "j1", "y0", "y1", "i1", "k1", "jv", "yn", "iv", "kv", "ive", "i0e"):
        function = partial(getattr(special, name), 2) if name in NAMES else getattr(special, name)
        found = derivatives(function, x, 2)
        alone = [derivatives(function, np.array([y]), 2) for y in x.flat]
        for each, expected in zip(found, zip(*alone, strict=True), strict=True):
            np.testing.assert_array_equal(each.ravel(), np.concatenate(expected))


@pytest.mark.parametrize(
    ("name", "v", "limit"),
    [
        ("jv", 3, 16.0),
        ("jv", 2.3, 1024.0),
        ("jv", -1.5, 1024.0),
        ("jv", 30.5, 1024.0),
        ("yn", 3, 16.0),
        ("yn", -2, 16.0),
        ("yv", 2.3, 256.0),
        ("yv", -1.5, 256.0),
        ("iv", 3, 8.0),
        ("iv", 2.3, 8.0),
        ("iv", -1.7, 16.0),
        ("iv", 30.5, 8.0),
        ("kv", 3, 8.0),
        ("kv", -2.3, 64.0),
        ("kv", 30.5, 256.0),
    ],
)
def test_two_derivatives_of_bessel_functions_of_any_order_agree_with_mpmath(
    name: str, v: float, limit: float
) -> None:
    """Of orders that are no integers, SciPy's own values are off by tens of ulp, and more."""
    truth = partial(bessel_derivative, name, v)
    function = partial(getattr(special, name), v)
    between_zeros = ((abs(v) + each) * np.pi / 2.0 for each in (9.0, 81.0))
    assert_exact(function, truth, (0.02, 0.7, *between_zeros), (limit, limit))


@pytest.mark.parametrize("name", ["jv", "yv", "iv", "kv"])
@pytest.mark.parametrize("v", [0, -1.3])
def test_derivatives_of_bessel_functions_of_complex_numbers_agree_with_mpmath(
    name: str, v: float
) -> None:
    numbers = [0.3 + 0.4j, -2.5 - 1.5j, 6.0 + 4.0j]
    truth = partial(bessel_derivative, name, v)
    assert_exact(partial(getattr(special, name), v), truth, numbers, (128.0, 128.0))


@pytest.mark.parametrize(
    ("name", "v", "first", "second"),
    [
        ("j0", None, 0.0, -0.5),
        ("j1", None, 0.5, 0.0),
        ("jv", 2, 0.0, 0.25),
        ("jv", 0.5, INF, -INF),
        ("jv", -1.5, INF, -INF),
        ("y0", None, INF, -INF),
        ("y1", None, INF, -INF),
        ("yn", 2, INF, -INF),
        ("yn", -1, -INF, INF),
        ("yv", 0.5, INF, -INF),
        ("i0", None, 0.0, 0.5),
        ("i1", None, 0.5, 0.0),
        ("iv", 2, 0.0, 0.25),
        ("iv", 0.5, INF, -INF),
        ("iv", -1.5, INF, -INF),
        ("k0", None, -INF, INF),
        ("k1", None, -INF, INF),
        ("kv", 2.5, -INF, INF),
    ],
)
def test_derivatives_of_bessel_functions_at_0_are_the_limits(
    name: str, v: float | None, first: float, second: float
) -> None:
    """From ``J[v](x) = (x / 2)**v / Gamma(v + 1) (1 - x**2 / (4 v + 4) ...)`` and its like."""
    function = getattr(special, name) if v is None else partial(getattr(special, name), v)
    _, *found = derivatives(function, 0.0, 2)
    assert [float(each) for each in found] == [first, second]


@pytest.mark.parametrize("n", [2, 5, 60])
def test_slopes_of_yn_that_overflow_are_infinite(n: int) -> None:
    """Terms of opposite signs overflow, too."""
    for dtype in (np.float64, np.float32):
        x = np.array([1e-37, 1e-30, 0.02], dtype)
        _, slope = derivatives(partial(special.yn, n), x, 1)
        with np.errstate(over="ignore"):
            truth = math.factorial(n) / np.pi * (2.0 / np.float64(x)) ** n / x
            np.testing.assert_allclose(slope, truth.astype(dtype), rtol=2e-4)


def test_derivatives_of_i1_of_denormal_numbers_are_those_at_0() -> None:
    """There, SciPy's iv(0, x) is nan."""
    assert derivatives(special.i1, 1e-320, 1)[1] == 0.5


@pytest.mark.parametrize("name", ["y0", "y1", "k0", "k1"])
def test_gradients_of_bessel_functions_below_their_domain_are_nan(name: str) -> None:
    assert np.isnan(slopes(getattr(special, name), [-1.0, -0.1, NAN])).all()
    assert np.isnan(slopes(partial(special.jv, 0.5), [-1.0, NAN])).all()


def test_gradients_of_modified_bessel_functions_that_overflow_are_infinite() -> None:
    """As the values are."""
    np.testing.assert_array_equal(slopes(special.i0, [800.0, -800.0]), [[INF, -INF]])
    np.testing.assert_array_equal(slopes(special.k0, [800.0]), [[0.0]])


@pytest.mark.parametrize("name", NAMES)
def test_bessel_functions_refuse_a_variable_as_their_order(name: str) -> None:
    order, x = Variable(np.array(2.0)), Variable(np.array(1.0))
    message = f"scipy.special.{name} has no derivative by {NAMES[name]}"
    for function in (getattr(special, name), getattr(scipy.special, name)):
        with pytest.raises(VariableTypeError, match=message) as caught:
            function(order, x)
    assert vars(caught.value)["got"] is Variable


@pytest.mark.parametrize("name", NAMES)
def test_orders_of_bessel_functions_broadcast(name: str) -> None:
    function, orders = getattr(special, name), np.array([[0], [3]])
    x = Variable(np.array([0.5, 2.0, 4.0]))
    y = function(orders, x)
    y.backward()
    np.testing.assert_array_equal(y.data, getattr(scipy.special, name)(orders, x.data))
    alone = [slopes(partial(function, order), x.data)[0] for order in (0, 3)]
    np.testing.assert_allclose(x.grad, np.sum(alone, axis=0), rtol=1e-14)
    assert function(orders, Variable(np.zeros((2, 0)))).shape == (2, 0)


@pytest.mark.parametrize("name", WITHOUT_ORDER)
def test_bessel_functions_of_order_0_and_1_refuse_complex_numbers_as_scipy_does(name: str) -> None:
    with pytest.raises(TypeError, match="not supported for the input types"):
        getattr(special, name)(Variable(np.array([1.0 + 1.0j])))


@pytest.mark.parametrize(("n", "whole"), [(2.9, 2), (-2.9, -2)])
def test_the_order_of_yn_is_cut_off_as_scipy_does_it(n: float, whole: int) -> None:
    with pytest.warns(RuntimeWarning, match="truncated to an integer"):
        found = slopes(partial(special.yn, n), [1.5])
    np.testing.assert_array_equal(found, slopes(partial(special.yn, whole), [1.5]))


@pytest.mark.parametrize("name", [*WITHOUT_ORDER, *SCALED, *NAMES])
def test_bessel_functions_keep_float32_to_the_second_derivative(name: str) -> None:
    function = partial(getattr(special, name), 2) if name in NAMES else getattr(special, name)
    narrow = derivatives(function, np.float32([0.7, 3.0, 30.0]), 2)
    wide = derivatives(function, np.array([np.float32(0.7), 3.0, 30.0]), 2)
    for got, expected in zip(narrow, wide, strict=True):
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["j0", "i0e", "k0e"])
def test_bessel_functions_of_integers_are_those_of_numbers(name: str) -> None:
    x = Variable(np.array([1, 2]))
    expected = getattr(scipy.special, name)(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(getattr(special, name)(x).data, expected)


def test_scipys_own_bessel_functions_are_differentiable() -> None:
    x = Variable(np.array([0.3, 2.0]))
    y = scipy.special.jv(2, x) + scipy.special.k1e(x)
    y.backward()
    ours = slopes(partial(special.jv, 2), x.data)[0] + slopes(special.k1e, x.data)[0]
    np.testing.assert_array_equal(x.grad, ours)
    assert special.jn is special.jv or special.jn(2, 1.0) == special.jv(2, 1.0)
