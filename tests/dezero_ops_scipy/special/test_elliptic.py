"""Complete elliptic integrals have exact derivatives for every parameter, also near 0.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.special
from mpmath import mp

from dezero_core import Variable
from dezero_ops_scipy import special

from .oracles import assert_exact, derivative, derivatives, digits, slopes

INF, NAN = np.inf, np.nan
_digits = digits(45)


NUMBERS = (
    0.0,
    1e-300,
    -1e-9,
    0.2,
    0.75,
    1.0 - 2.0**-30,
    -0.9,
    -7.0,
    -99.0,
    -101.0,
    -1e3,
    -2e4,
    -9e4,
    -1e6,
    -1e20,
)


def truth(of_mpmath: Any, order: int, m: float) -> Any:
    """Return a derivative: near 1, by the distance from there."""
    if m < 0.9:
        return derivative(of_mpmath, order, m)
    return (-1) ** order * derivative(lambda u: of_mpmath(1 - u), order, 1.0 - m)


@pytest.mark.parametrize(
    ("function", "of_mpmath"), [(special.ellipk, mp.ellipk), (special.ellipe, mp.ellipe)]
)
def test_three_derivatives_of_elliptic_integrals_agree_with_mpmath(
    function: Any, of_mpmath: Any
) -> None:
    assert_exact(function, partial(truth, of_mpmath), NUMBERS)


def test_derivatives_of_elliptic_integrals_are_those_of_their_closed_forms() -> None:
    """NIST DLMF 19.4.1 and 19.4.2, where they do not cancel."""
    m = np.array([0.5, 0.9, -3.0, -1e4])
    k, e = scipy.special.ellipk(m), scipy.special.ellipe(m)
    (by_k,), (by_e,) = slopes(special.ellipk, m), slopes(special.ellipe, m)
    np.testing.assert_allclose(by_k, (e / (1.0 - m) - k) / (2.0 * m), rtol=1e-14)
    np.testing.assert_allclose(by_e, (e - k) / (2.0 * m), rtol=1e-14)


def test_derivatives_of_elliptic_integrals_at_0_are_those_of_their_series() -> None:
    """``pi / 2 (1 + m / 4 + 9 m**2 / 64 + ...)`` and ``pi / 2 (1 - m / 4 - 3 m**2 / 64 - ...)``."""
    for function, series in (
        (special.ellipk, [1.0, 1 / 4, 9 / 32]),
        (special.ellipe, [1.0, -1 / 4, -3 / 32]),
    ):
        expected = np.pi / 2.0 * np.array(series)
        np.testing.assert_allclose(derivatives(function, 0.0, 2), expected, rtol=1e-15)


def test_derivatives_of_elliptic_integrals_at_the_ends_of_the_domain_are_the_limits() -> None:
    ends = [1.0, -INF, 1.5, INF, NAN]
    _, *found = derivatives(special.ellipk, ends, 3)
    for slope in found:
        np.testing.assert_array_equal(slope, [INF, 0.0, NAN, NAN, NAN])
    _, *found = derivatives(special.ellipe, ends, 3)
    for slope in found:
        np.testing.assert_array_equal(slope, [-INF, 0.0, NAN, NAN, NAN])


def test_the_second_derivative_of_ellipe_next_to_1_keeps_most_digits() -> None:
    """There, SciPy's hypergeometric function has an error of its own."""
    m = 1.0 - 2.0**-40
    expected = float(truth(mp.ellipe, 2, m))
    assert derivatives(special.ellipe, m, 2)[2] == pytest.approx(expected, rel=1e-11, abs=0.0)


def test_elliptic_integrals_keep_float32_and_refuse_complex_numbers() -> None:
    for function in (special.ellipk, special.ellipe):
        m = np.float32([0.0, 0.3, -5.0, -1e6])
        for n, got in enumerate(derivatives(function, m, 2)):
            assert got.dtype == np.float32
            np.testing.assert_allclose(got, derivatives(function, m.astype(float), n)[n], rtol=1e-6)
        with pytest.raises(TypeError, match="not supported for the input types"):
            function(Variable(np.array([0.5j])))
        assert function(Variable(np.array([0, 1]))).data[0] == np.pi / 2.0
