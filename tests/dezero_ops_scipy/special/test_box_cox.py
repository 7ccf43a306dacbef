"""The transformation of Box and Cox is differentiable by its exponent, also at 0 and next to it.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from dezero_core import Variable, grad
from dezero_ops_scipy import special

from .oracles import assert_exact_partials, digits, slopes, ulps

INF, NAN = np.inf, np.nan
_digits = digits(60)


def boxcox(x: Any, lmbda: Any) -> Any:
    return (x**lmbda - 1) / lmbda


def inv_boxcox(y: Any, lmbda: Any) -> Any:
    return (1 + lmbda * y) ** (1 / lmbda)


EXPONENTS = (-2.5, -1e-3, 1e-9, 0.3, 1.0, 2.0, 3.7)


@pytest.mark.parametrize("x", [0.2, 0.999, 2.0, 50.0, 1e5])
def test_derivatives_of_boxcox_agree_with_mpmath(x: float) -> None:
    assert_exact_partials(special.boxcox, boxcox, [(x, lmbda) for lmbda in EXPONENTS])


@pytest.mark.parametrize(
    ("x", "lmbda"),
    [(1e100, 2.5), (1e-80, -2.0), (1e-200, 0.4), (1e30, -3.0), (1e300, 1.1e-3), (1e-300, -7e-3)],
)
def test_gradients_of_boxcox_of_huge_and_tiny_numbers_agree_with_mpmath(
    x: float, lmbda: float
) -> None:
    with mp.workdps(800):
        log, power = mp.log(mpf(x)), mpf(x) ** mpf(lmbda)
        expected = power / mpf(x), power * log / lmbda - (power - 1) / mpf(lmbda) ** 2
    for got, truth in zip(slopes(special.boxcox, x, lmbda), expected, strict=True):
        assert ulps(float(got), truth) <= 8.0


def test_derivatives_of_boxcox_by_an_exponent_of_0_are_powers_of_the_logarithm() -> None:
    """The series of ``(exp(u) - 1) / lmbda`` gives ``log(x)**(n + 1) / (n + 1)``."""
    x, lmbda = np.array([0.3, 2.0, 100.0]), Variable(np.zeros(3))
    y = special.boxcox(x, lmbda)
    for n in range(1, 5):
        y = grad(y, lmbda, create_graph=True, grad_outputs=Variable(np.ones(3)))
        np.testing.assert_allclose(y.data, np.log(x) ** (n + 1) / (n + 1), rtol=1e-14)


def test_mixed_derivatives_of_boxcox_are_those_of_a_power() -> None:
    """Of ``x**(lmbda - 1)``, which its slope by `x` is: ``log(x)**2`` times it, and so on."""
    x, lmbda = Variable(np.array([0.3, 2.0, 9.0])), Variable(np.array([0.7, -1.2, 3.3]))
    ones = Variable(np.ones(3))
    y = special.boxcox(x, lmbda)
    for by in (lmbda, lmbda, x):
        y = grad(y, by, create_graph=True, grad_outputs=ones)
    log, c = np.log(x.data), lmbda.data
    np.testing.assert_allclose(y.data, x.data ** (c - 1.0) * log**2, rtol=1e-14)
    expected = x.data ** (c - 2.0) * ((c - 1.0) * log**2 + 2.0 * log)
    np.testing.assert_allclose(grad(y, x, grad_outputs=ones), expected, rtol=1e-14)


def test_gradients_of_boxcox_at_the_edges_are_the_limits() -> None:
    x = [0.0, 0.0, 0.0, 0.0, 0.0, -1.0, INF, INF, 1.0]
    lmbda = [2.0, 1.0, 0.5, 0.0, -1.0, 2.0, 0.5, -2.0, NAN]
    by_x, by_lmbda = slopes(special.boxcox, x, lmbda)
    np.testing.assert_array_equal(by_x, [0.0, 1.0, INF, INF, INF, NAN, 0.0, 0.0, NAN])
    np.testing.assert_array_equal(by_lmbda[:8], [0.25, 1.0, 4.0, INF, INF, NAN, INF, 0.25])


@pytest.mark.parametrize("y", [-0.9, 0.3, 5.0])
def test_derivatives_of_inv_boxcox_agree_with_mpmath(y: float) -> None:
    exponents = [each for each in EXPONENTS if 1.0 + each * y > 0.05]
    pairs = [(y, lmbda) for lmbda in (*exponents, -0.15, 1e-14)]
    assert_exact_partials(special.inv_boxcox, inv_boxcox, pairs, (8.0, 24.0))


@pytest.mark.parametrize(
    ("y", "lmbda"), [(500.0, 0.01), (600.0, 1e-12), (-60.0, 0.01), (1e10, 0.05), (200.0, -0.003)]
)
def test_gradients_of_inv_boxcox_have_digits_that_its_logarithm_loses(
    y: float, lmbda: float
) -> None:
    with mp.workdps(80):
        z = 1 + mpf(lmbda) * mpf(y)
        x = z ** (1 / mpf(lmbda))
        expected = x / z, x * (mpf(y) / (mpf(lmbda) * z) - mp.log(z) / mpf(lmbda) ** 2)
    for got, truth in zip(slopes(special.inv_boxcox, y, lmbda), expected, strict=True):
        assert ulps(float(got), truth) <= 8.0


def test_gradients_of_inv_boxcox_at_an_exponent_of_0_are_those_of_an_exponential() -> None:
    y = np.array([-2.0, 0.5, 3.0])
    by_y, by_lmbda = slopes(special.inv_boxcox, y, np.zeros(3))
    np.testing.assert_allclose(by_y, np.exp(y), rtol=1e-15)
    np.testing.assert_allclose(by_lmbda, -np.exp(y) * y * y / 2.0, rtol=1e-15)


def test_gradients_of_inv_boxcox_by_y_at_the_edges_are_the_limits() -> None:
    y, lmbda = [-2.0, -1.0, -0.5, 1.0, -2.0, -1e4], [0.5, 1.0, 2.0, -1.0, 1.0, 1e-14]
    by_y, by_lmbda = slopes(special.inv_boxcox, y, lmbda)
    np.testing.assert_array_equal(by_y, [0.0, 1.0, INF, INF, NAN, 0.0])
    assert np.isnan(by_lmbda[4])


def test_inv_boxcox_undoes_boxcox_in_the_gradient_too() -> None:
    x, lmbda = Variable(np.array([0.3, 2.0, 7.0])), Variable(np.array([0.0, -1.5, 0.7]))
    back = special.inv_boxcox(special.boxcox(x, lmbda), lmbda)
    back.backward()
    np.testing.assert_allclose(x.grad, np.ones(3), rtol=1e-13)
    np.testing.assert_allclose(lmbda.grad, np.zeros(3), atol=1e-13)


def test_the_exponent_of_boxcox_may_be_a_number() -> None:
    x = Variable(np.array([0.5, 4.0]))
    special.boxcox(x, 0.5).backward()
    np.testing.assert_allclose(x.grad, [0.5**-0.5, 0.5], rtol=1e-15)


def test_second_derivatives_by_the_power_alone_agree_with_mpmath():
    x, c = np.array([0.5, 3.0]), Variable(np.array([0.7, -1.2]))
    (slope,) = grad(special.boxcox(x, c), [c], create_graph=True)
    (found,) = grad(slope, [c])
    for y, at, power in zip(found.data, x, c.data, strict=True):
        with mp.workdps(40):
            true = mp.diff(lambda c, at=at: (mpf(at) ** c - 1) / c, mpf(power), 2)
        assert y == pytest.approx(float(true), rel=1e-12, abs=0.0)
