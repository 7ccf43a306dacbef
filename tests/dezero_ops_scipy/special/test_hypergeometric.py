"""Hypergeometric functions have derivatives as exact as SciPy's values.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.special
from mpmath import mp, mpf

from dezero_core import Variable, VariableTypeError
from dezero_ops_scipy import special

from .oracles import assert_exact, derivative, derivatives, digits, slopes

INF, NAN = np.inf, np.nan
_digits = digits(45)


@pytest.mark.parametrize(("a", "b"), [(0.5, 1.5), (2.3, 0.7), (-1.3, 2.5), (3, -0.4)])
def test_three_derivatives_of_hyp1f1_agree_with_mpmath(a: float, b: float) -> None:
    truth = partial(derivative, lambda z: mp.hyp1f1(a, b, z))
    numbers = (1e-9, 0.3, -0.7, 2.6, 20.0)
    assert_exact(partial(special.hyp1f1, a, b), truth, numbers, (64.0, 64.0, 64.0))


@pytest.mark.parametrize(
    ("a", "b", "c"), [(0.5, 0.5, 1), (0.9, 2, 3.5), (-1.3, 2.2, 0.7), (3, 0.4, -0.6)]
)
def test_three_derivatives_of_hyp2f1_agree_with_mpmath(a: float, b: float, c: float) -> None:
    truth = partial(derivative, lambda z: mp.hyp2f1(a, b, c, z))
    numbers = (1e-9, 0.3, -0.7, 0.8, -4.5)
    assert_exact(partial(special.hyp2f1, a, b, c), truth, numbers, (256.0, 512.0, 1024.0))


def test_derivatives_of_hypergeometric_functions_of_complex_numbers_agree_with_mpmath() -> None:
    numbers = [0.3 + 0.4j, -0.5 - 0.2j, 1.2 + 0.5j]
    truth = partial(derivative, lambda z: mp.hyp1f1(0.5, 1.5, z))
    assert_exact(partial(special.hyp1f1, 0.5, 1.5), truth, numbers, (32.0, 32.0))
    truth = partial(derivative, lambda z: mp.hyp2f1(0.5, 1, 1.5, z))
    assert_exact(partial(special.hyp2f1, 0.5, 1, 1.5), truth, numbers, (256.0, 256.0))


def test_derivatives_of_elementary_hypergeometric_functions_are_elementary() -> None:
    """``M(1, 2, x) = (exp(x) - 1) / x``, and ``F(-a, 1; 1; -z) = (1 + z)**a``."""
    x = np.array([0.7, -3.0, 11.0])
    (found,) = slopes(partial(special.hyp1f1, 1, 2), x)
    np.testing.assert_allclose(found, (np.exp(x) - np.expm1(x) / x) / x, rtol=1e-14)
    z = np.array([0.3, -0.2, 0.8])
    (found,) = slopes(lambda y: special.hyp2f1(-2.5, 1, 1, -y), z)
    np.testing.assert_allclose(found, 2.5 * (1.0 + z) ** 1.5, rtol=1e-14)


def test_derivatives_of_hypergeometric_polynomials_end_at_0() -> None:
    """Also if a parameter below is an integer under 0, where the series ends before that."""
    x = np.array([0.5, -2.0])
    # M(-2, -3, x) = 1 + 2/3 x + x**2 / 6
    value, first, second, third = derivatives(partial(special.hyp1f1, -2, -3), x, 3)
    np.testing.assert_allclose(value, 1.0 + x * (2.0 / 3.0) + x * x / 6.0, rtol=1e-15)
    np.testing.assert_allclose(first, 2.0 / 3.0 + x / 3.0, rtol=1e-15, atol=1e-16)
    np.testing.assert_allclose(second, np.full(2, 1.0 / 3.0), rtol=1e-15)
    np.testing.assert_array_equal(third, [0.0, 0.0])
    # F(-2, 1; 2; x) = 1 - x + x**2 / 3
    _, first, second, third = derivatives(partial(special.hyp2f1, -2, 1, 2), x, 3)
    np.testing.assert_allclose(first, -1.0 + x * (2.0 / 3.0), rtol=1e-15)
    np.testing.assert_allclose(second, np.full(2, 2.0 / 3.0), rtol=1e-15)
    np.testing.assert_array_equal(third, [0.0, 0.0])
    assert slopes(partial(special.hyp1f1, 0.0, 2.0), 1.0) == [0.0]
    np.testing.assert_array_equal(derivatives(partial(special.hyp1f1, -2, -2), x, 3)[3], [0.0, 0.0])


def test_gradients_of_hyp2f1_at_the_end_of_its_domain_are_the_limits() -> None:
    """At 1, by Gauss's sum: finite if ``c - a - b > 1``, which is NIST DLMF 15.4.20."""
    (found,) = slopes(partial(special.hyp2f1, 0.5, 0.5, 3.5), 1.0)
    expected = mpf(1) / 14 * mp.gamma(4.5) * mp.gamma(1.5) / mp.gamma(3) ** 2
    np.testing.assert_allclose(found, float(expected), rtol=1e-14)
    assert slopes(partial(special.hyp2f1, 0.5, 0.5, 1.5), 1.0) == [INF]
    assert np.isnan(slopes(partial(special.hyp2f1, 1, 1, 2), NAN))
    assert np.isnan(slopes(partial(special.hyp1f1, 1, 2), NAN))


@pytest.mark.parametrize("parameter", ["a", "b", "c"])
@pytest.mark.parametrize("library", [special, scipy.special])
def test_hypergeometric_functions_refuse_variables_as_parameters(
    parameter: str, library: Any
) -> None:
    given = {"a": 1.0, "b": 2.0, "c": 3.0} | {parameter: Variable(np.array(1.0))}
    message = f"hyp2f1 has no derivative by {parameter}: give it {parameter}.data"
    with pytest.raises(VariableTypeError, match=message):
        library.hyp2f1(*given.values(), Variable(np.array(0.5)))
    if parameter != "c":
        with pytest.raises(VariableTypeError, match=f"hyp1f1 has no derivative by {parameter}"):
            library.hyp1f1(given["a"], given["b"], Variable(np.array(0.5)))


def test_parameters_of_hypergeometric_functions_broadcast_and_keep_float32() -> None:
    a, x = np.array([[0.5], [1.5]]), Variable(np.array([0.1, 0.2, 0.3]))
    special.hyp2f1(a, 1.0, 2.0, x).backward()
    alone = [slopes(partial(special.hyp2f1, each, 1.0, 2.0), x.data)[0] for each in (0.5, 1.5)]
    np.testing.assert_allclose(x.grad, np.sum(alone, axis=0), rtol=1e-15)
    for function in (partial(special.hyp1f1, 0.5, 2), partial(special.hyp2f1, 0.5, 1.0, 2)):
        narrow = derivatives(function, np.float32([0.3, -0.5]), 2)
        for got, expected in zip(narrow, derivatives(function, [0.3, -0.5], 2), strict=True):
            assert got.dtype == np.float32
            np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_a_hyp1f1_that_is_infinite_has_an_infinite_slope() -> None:
    """The parameter below is no end of a polynomial."""
    np.testing.assert_array_equal(slopes(partial(special.hyp1f1, 0.5, -1.0), 0.5), [-INF])
