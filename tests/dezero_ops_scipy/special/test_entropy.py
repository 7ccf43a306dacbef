"""Entropies and products with a logarithm have exact derivatives, also where a factor is 0.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpc, mpf

from dezero_core import Variable, grad
from dezero_ops_scipy import special

from .oracles import (
    assert_exact,
    assert_exact_partials,
    derivative,
    derivatives,
    digits,
    slopes,
    ulps,
)

INF, NAN = np.inf, np.nan
_digits = digits(45)


def test_three_derivatives_of_entr_agree_with_mpmath() -> None:
    numbers = [1e-90, 1e-5, 0.3, 1.0, 1e10]
    assert_exact(special.entr, partial(derivative, lambda x: -x * mp.log(x)), numbers)


CASES: dict[str, Any] = {
    "xlogy": lambda x, y: x * mp.log(y),
    "xlog1py": lambda x, y: x * mp.log1p(y),
    "rel_entr": lambda x, y: x * mp.log(x / y),
    "kl_div": lambda x, y: x * mp.log(x / y) - x + y,
}
PAIRS = [(0.3, 2.0), (5.0, 5.1), (1e-8, 3e5), (1e10, 1e-10), (2.0, 1e-12), (7.0, 0.3)]


@pytest.mark.parametrize("name", CASES)
def test_derivatives_of_entropies_agree_with_mpmath(name: str) -> None:
    assert_exact_partials(getattr(special, name), CASES[name], PAIRS)


@pytest.mark.parametrize("step", [1e-15, 1e-9, -1e-4])
def test_slopes_of_kl_div_of_almost_equal_numbers_have_all_digits(step: float) -> None:
    """They are differences from 0 there, which of a rounded quotient have few digits left."""
    x, y = 3.7, 3.7 * (1.0 + step)
    by_x, by_y = slopes(special.kl_div, x, y)
    assert ulps(float(by_x), mp.log(mpf(x) / mpf(y))) <= 8.0
    assert ulps(float(by_y), 1 - mpf(x) / mpf(y)) <= 8.0


def test_slopes_of_entropies_have_ratios_that_overflow() -> None:
    x, y = [1e300, 1e-300, 1e-200], [1e-300, 1e300, 1e120]
    logarithms = np.log(10.0) * np.array([600.0, -600.0, -320.0])
    np.testing.assert_allclose(slopes(special.kl_div, x, y)[0], logarithms, rtol=1e-15)
    np.testing.assert_allclose(slopes(special.rel_entr, x, y)[0], logarithms + 1.0, rtol=1e-15)


def test_xlogy_with_a_factor_of_0_has_the_right_gradients() -> None:
    by_x, by_y = slopes(
        special.xlogy, [0.0, 0.0, 0.0, 2.0, 2.0, 0.0], [0.0, 3.0, -1.0, 0.0, -1.0, NAN]
    )
    np.testing.assert_array_equal(by_x, [-INF, np.log(3.0), NAN, -INF, NAN, NAN])
    np.testing.assert_array_equal(by_y, [0.0, 0.0, 0.0, INF, NAN, NAN])


def test_xlog1py_with_a_factor_of_0_has_the_right_gradients() -> None:
    by_x, by_y = slopes(
        special.xlog1py, [0.0, 0.0, 0.0, 2.0, 2.0, 0.0], [-1.0, 3.0, -2.0, -1.0, -2.0, NAN]
    )
    np.testing.assert_array_equal(by_x, [-INF, np.log(4.0), NAN, -INF, NAN, NAN])
    np.testing.assert_array_equal(by_y, [0.0, 0.0, 0.0, INF, NAN, NAN])


@pytest.mark.parametrize(("name", "one"), [("xlogy", 0.0), ("xlog1py", 1.0)])
def test_derivatives_by_y_are_differentiable_at_a_factor_of_0(name: str, one: float) -> None:
    x, y = Variable(np.array(0.0)), Variable(np.array(2.0))
    by_y = grad(getattr(special, name)(x, y), y, create_graph=True)
    np.testing.assert_array_equal(grad(by_y, [x, y]), [1.0 / (2.0 + one), 0.0])


def test_gradients_of_entr_at_the_edges_are_the_limits() -> None:
    np.testing.assert_array_equal(slopes(special.entr, [0.0, -1.0, INF])[0], [INF, NAN, -INF])
    np.testing.assert_array_equal(derivatives(special.entr, [0.0, INF], 2)[2], [-INF, 0.0])


def test_gradients_of_relative_entropies_at_the_edges_are_the_limits() -> None:
    x, y = [0.0, 0.0, 1.0, -1.0, 1.0, 2.0], [0.0, 2.0, 0.0, 1.0, -1.0, INF]
    by_x, by_y = slopes(special.rel_entr, x, y)
    np.testing.assert_array_equal(by_x, [NAN, -INF, INF, NAN, NAN, -INF])
    np.testing.assert_array_equal(by_y, [0.0, 0.0, -INF, NAN, NAN, 0.0])
    by_x, by_y = slopes(special.kl_div, x, y)
    np.testing.assert_array_equal(by_x, [NAN, -INF, INF, NAN, NAN, -INF])
    np.testing.assert_array_equal(by_y[:5], [1.0, 1.0, -INF, NAN, NAN])


def test_the_sum_of_kl_div_has_a_gradient_of_0_at_equal_distributions() -> None:
    p, q = Variable(np.array([0.2, 0.3, 0.5])), Variable(np.array([0.2, 0.3, 0.5]))
    np.sum(special.kl_div(p, q)).backward()
    np.testing.assert_array_equal([p.grad, q.grad], np.zeros((2, 3)))


@pytest.mark.parametrize("z", [0.3 + 0.4j, -1.5 + 2.0j, 0.0 + 3.0j])
def test_gradients_of_products_with_a_logarithm_are_right_for_complex_numbers(z: complex) -> None:
    """The gradient of the real part is the conjugate of the derivative."""
    for function, slope in (
        (special.xlogy, 2.5 / mpc(z)),
        (special.xlog1py, 2.5 / (1 + mpc(z))),
    ):
        y = Variable(np.array(z))
        function(2.5, y).real.backward()
        assert complex(y.grad) == pytest.approx(complex(mp.conj(slope)), rel=1e-15, abs=0.0)


@pytest.mark.parametrize("name", ["entr", "rel_entr", "kl_div"])
def test_entropies_refuse_complex_numbers_as_scipy_does(name: str) -> None:
    z = Variable(np.array([0.1 + 0.1j]))
    with pytest.raises(TypeError, match="not supported for the input types"):
        getattr(special, name)(*(z,) * (1 if name == "entr" else 2))
