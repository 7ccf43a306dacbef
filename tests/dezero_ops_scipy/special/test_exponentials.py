"""Softmax and sums of exponentials have exact gradients, by numbers and by weights.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
from mpmath import mp, mpf

from dezero_core import Variable, grad
from dezero_ops_scipy import special

from .oracles import slopes

INF, NAN = np.inf, np.nan
NAMES = ("softmax", "log_softmax", "logsumexp")


def gradients(function: Callable[..., Any], *arrays: Any) -> list[Any]:
    """Return the gradients of the sum of a result, of arrays as they are."""
    variables = [Variable(np.asarray(array)) for array in arrays]
    y = function(*variables)
    return grad(y, variables, grad_outputs=np.ones(y.shape, y.dtype))


def test_derivatives_of_softmax_of_huge_values_are_exact() -> None:
    x = np.array([1e8, 1e8 - 1.0, 1e8 - 30.0])
    with mp.workdps(45):
        parts = [mp.exp(mpf(v) - mpf(1e8)) for v in x]
        shares = np.array([float(part / sum(parts)) for part in parts])
    np.testing.assert_allclose(special.softmax(Variable(x)).data, shares, rtol=1e-15)
    (found,) = slopes(special.logsumexp, x)
    np.testing.assert_allclose(found, shares, rtol=1e-15)
    (row,) = slopes(lambda v: special.softmax(v)[2], x)
    np.testing.assert_allclose(row, shares[2] * (np.eye(3)[2] - shares), rtol=1e-15)
    (log_row,) = slopes(lambda v: special.log_softmax(v)[0], x)
    np.testing.assert_allclose(log_row, np.eye(3)[0] - shares, rtol=1e-14)


def test_gradients_of_weighted_sums_of_exponentials_agree_with_mpmath() -> None:
    a, b = np.array([0.3, -2.0, 700.0, 699.0]), np.array([2.0, -1.0, 0.5, 1e-3])
    with mp.workdps(45):
        terms = [mp.exp(mpf(x)) for x in a]
        total = sum(mpf(w) * term for w, term in zip(b, terms, strict=True))
        rates = [float(term / total) for term in terms]
    by_a, by_b = slopes(lambda x, w: special.logsumexp(x, b=w), a, b)
    np.testing.assert_allclose(by_b, rates, rtol=1e-14)
    np.testing.assert_allclose(by_a, b * rates, rtol=1e-14)


def test_second_derivatives_of_weighted_sums_are_those_by_hand() -> None:
    """Of ``log(S)`` with ``S = sum(b exp(a))``: by b[i] and b[j], ``-r[i] r[j]``, and so on."""
    a, b = Variable(np.array([0.3, -1.0])), Variable(np.array([2.0, -0.5]))
    by_a, by_b = grad(special.logsumexp(a, b=b), [a, b], create_graph=True)
    r = np.exp(a.data) / np.sum(b.data * np.exp(a.data))
    s = b.data * r
    np.testing.assert_allclose(grad(by_b[0], b), -r[0] * r, rtol=1e-14)
    np.testing.assert_allclose(grad(by_b[0], a), r[0] * (np.array([1.0, 0.0]) - s), rtol=1e-14)
    np.testing.assert_allclose(grad(by_a[0], b), r * (np.array([1.0, 0.0]) - s[0]), rtol=1e-14)
    np.testing.assert_allclose(grad(by_a[0], a), s[0] * (np.array([1.0, 0.0]) - s), rtol=1e-14)


def test_an_element_of_weight_0_has_a_gradient_by_its_weight_alone() -> None:
    """It is neither the largest one nor a nan in the result, and ``exp(1000)`` may overflow."""
    weights = [0.0, 1.0, 3.0]
    by_a, by_b = slopes(lambda a, b: special.logsumexp(a, b=b), [1.0, 0.0, 0.0], weights)
    np.testing.assert_allclose(by_a, [0.0, 0.25, 0.75], rtol=1e-15)
    np.testing.assert_allclose(by_b, np.array([np.e, 1.0, 1.0]) / 4.0, rtol=1e-15)
    by_a, by_b = slopes(lambda a, b: special.logsumexp(a, b=b), [1000.0, 0.0, 0.0], weights)
    np.testing.assert_array_equal(by_a, [0.0, 0.25, 0.75])
    np.testing.assert_array_equal(by_b, [INF, 0.25, 0.25])
    by_a, by_b = slopes(lambda a, b: special.logsumexp(a, b=b), [NAN, INF, 0.0], [0.0, 0.0, 2.0])
    np.testing.assert_array_equal(by_a, [0.0, 0.0, 1.0])
    np.testing.assert_array_equal(by_b, [NAN, INF, 0.5])


def test_the_second_derivative_by_an_element_of_weight_0_and_its_weight_is_its_rate() -> None:
    a, b = Variable(np.array([0.7, 0.0])), Variable(np.array([0.0, 2.0]))
    by_a = grad(special.logsumexp(a, b=b), a, create_graph=True)
    np.testing.assert_allclose(grad(by_a[0], b), [np.exp(0.7) / 2.0, 0.0], rtol=1e-15)


def test_a_sum_of_which_all_weights_are_0_grows_infinitely_by_them() -> None:
    by_a, by_b = slopes(lambda a, b: special.logsumexp(a, b=b), [1.0, 2.0], [0.0, 0.0])
    np.testing.assert_array_equal(by_a, [0.0, 0.0])
    np.testing.assert_array_equal(by_b, [INF, INF])


def test_logsumexp_of_a_negative_sum_is_nan_and_so_is_its_gradient() -> None:
    a, b = Variable(np.zeros((2, 2))), Variable(np.array([[1.0, -2.0], [1.0, 1.0]]))
    y = special.logsumexp(a, 1, b)
    y.backward()
    np.testing.assert_allclose(y.data, [NAN, np.log(2.0)])
    np.testing.assert_array_equal(a.grad, [[NAN, NAN], [0.5, 0.5]])
    np.testing.assert_array_equal(b.grad, [[NAN, NAN], [0.5, 0.5]])


def test_logsumexp_with_its_sign_has_gradients_of_negative_sums() -> None:
    a, b = Variable(np.array([0.0, 1.0])), Variable(np.array([2.0, -3.0]))
    result = special.logsumexp(a, b=b, return_sign=True)
    assert type(result) is tuple
    y, sign = result
    expected = scipy.special.logsumexp(a.data, b=b.data, return_sign=True)
    assert (float(y.data), float(sign.data)) == expected
    assert sign.data == -1.0
    (y + 5.0 * sign).backward()  # which does not change
    total = 2.0 - 3.0 * np.e
    np.testing.assert_allclose(a.grad, np.array([2.0, -3.0 * np.e]) / total, rtol=1e-15)
    np.testing.assert_allclose(b.grad, np.array([1.0, np.e]) / total, rtol=1e-15)


def test_the_complex_sign_of_a_sum_has_a_gradient() -> None:
    """Of ``sign = S / abs(S)``, by the angle: ``d angle(S) = Im(dS / S)``."""
    a = Variable(np.array([0.3 + 0.4j, -0.2 + 1.0j]))
    y, sign = special.logsumexp(a, return_sign=True)
    angle = np.arctan2(sign.imag, sign.real)
    (y + 2.0 * angle).backward()
    s = np.exp(a.data) / np.sum(np.exp(a.data))
    # dL = Re(s da) + 2 Im(s da), of which the gradient is that by the parts of a.
    np.testing.assert_allclose(a.grad, np.conj((1.0 - 2.0j) * s), rtol=1e-14)


def test_the_gradient_of_logsumexp_of_complex_numbers_is_that_of_its_shares() -> None:
    a, b = np.array([1.0 + 3.0j, 1.0 - 1.0j]), np.array([0.5 - 1.0j, 2.0 + 0.0j])
    by_a, by_b = gradients(lambda x, w: special.logsumexp(x, b=w).real, a, b)
    r = np.exp(a) / np.sum(b * np.exp(a))
    np.testing.assert_allclose(by_b, np.conj(r), rtol=1e-14)
    np.testing.assert_allclose(by_a, np.conj(b * r), rtol=1e-14)


def test_logsumexp_gives_infinite_numbers_the_right_gradient() -> None:
    """They grow together: shares of the largest, as in dezero-ops-math."""
    rows = [[-INF, -INF], [INF, 0.0], [0.0, -INF], [INF, INF]]
    (found,) = slopes(lambda a: special.logsumexp(a, axis=1), rows)
    np.testing.assert_array_equal(found, [[0.5, 0.5], [1.0, 0.0], [1.0, 0.0], [0.5, 0.5]])
    (found,) = slopes(lambda a: special.logsumexp(a, axis=1, b=[1.0, 3.0]), rows)
    np.testing.assert_array_equal(found, [[0.25, 0.75], [1.0, 0.0], [1.0, 0.0], [0.25, 0.75]])


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_softmax_of_infinite_numbers_is_nan_like_scipys() -> None:
    assert np.isnan(special.softmax(Variable(np.array([INF, 0.0]))).data).any()


def test_weights_of_logsumexp_broadcast_with_its_numbers() -> None:
    a, b = np.array([0.2, 1.0, -0.5]), np.array([[1.0], [2.0]])
    y = special.logsumexp(Variable(a), 0, Variable(b), keepdims=True)
    np.testing.assert_array_equal(y.data, scipy.special.logsumexp(a, 0, b, keepdims=True))
    by_a, by_b = slopes(lambda x, w: special.logsumexp(x, 0, w, keepdims=True), a, b)
    np.testing.assert_allclose(by_a, np.ones(3), rtol=1e-15)  # it is a + log(3)
    np.testing.assert_allclose(by_b, np.ones((2, 1)), rtol=1e-15)
    (by_b,) = slopes(lambda w: special.logsumexp(a, b=w), b)
    np.testing.assert_allclose(by_b, np.full((2, 1), 1.0 / 3.0), rtol=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_softmax_and_logsumexp_keep_float32_to_the_second_derivative(name: str) -> None:
    function: Any = getattr(special, name)
    x = Variable(np.float32([0.3, 0.6, 2.0]))
    y = function(x)
    first = grad(np.sum(y * y), x, create_graph=True)
    assert (y.dtype, first.dtype, grad(first[0], x).dtype) == (np.float32,) * 3
    wide = Variable(x.data.astype(float))
    expected = grad(np.sum(function(wide) ** 2), wide)
    np.testing.assert_allclose(first.data, expected, rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_softmax_and_logsumexp_refuse_an_axis_out_of_range(name: str) -> None:
    with pytest.raises(np.exceptions.AxisError):
        getattr(special, name)(Variable(np.zeros((2, 3))), axis=2)


@pytest.mark.parametrize("name", NAMES)
def test_scipys_own_softmax_and_logsumexp_refuse_a_variable(name: str) -> None:
    """Never a number without its gradient."""
    with pytest.raises(TypeError, match="its gradient would be lost"):
        getattr(scipy.special, name)(Variable(np.array([1.0, 2.0])))


def test_logsumexp_takes_integers_lists_and_empty_arrays() -> None:
    assert special.logsumexp(Variable(np.array([0, 0]))).data == np.log(2.0)
    a = Variable(np.array(1.5))
    y = special.logsumexp(a, b=[1, 2])
    y.backward()
    np.testing.assert_allclose([y.data, a.grad], [1.5 + np.log(3.0), 1.0], rtol=1e-15)
    empty = Variable(np.zeros((0, 3)))
    y = special.logsumexp(empty, axis=0, b=np.ones(3))
    y.backward()
    np.testing.assert_array_equal(y.data, [-INF] * 3)
    assert empty.grad.shape == (0, 3)
