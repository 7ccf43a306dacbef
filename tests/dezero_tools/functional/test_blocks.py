"""Rows or columns of a Jacobian are computed together, so many at once as memory allows.

Promise: docs/how_to/batches.md
"""

import re

import numpy as np
import pytest
from dezero_tools.functional import hessian, jacobian

from dezero_core import Function
from tests.memory import peak

RANDOM = np.random.default_rng(0)
WIDE, TALL = RANDOM.normal(size=(3, 7)), RANDOM.normal(size=(7, 3))


class Counted(Function):
    """The identity, which counts its passes back."""

    passes = 0

    def forward(self, x):
        return x + 0.0

    def backward(self, gy):
        Counted.passes += 1
        return gy


def by_rows(x):
    return np.sin(WIDE @ Counted()(x))


def by_columns(x):
    return np.sin(TALL @ x)


@pytest.mark.parametrize("chunk", [None, 1, 2, 3, 100])
def test_the_jacobian_is_the_same_for_any_number_of_rows_or_columns_at_once(chunk):
    x, z = RANDOM.normal(size=7), RANDOM.normal(size=3) + 1j * RANDOM.normal(size=3)
    expected = np.cos(WIDE @ x)[:, np.newaxis] * WIDE
    np.testing.assert_allclose(jacobian(by_rows, chunk=chunk)(x), expected, rtol=1e-14)
    u = RANDOM.normal(size=3)
    expected = np.cos(TALL @ u)[:, np.newaxis] * TALL
    np.testing.assert_allclose(jacobian(by_columns, chunk=chunk)(u), expected, rtol=1e-14)
    expected = np.cos(TALL @ z)[:, np.newaxis] * TALL
    got = jacobian(by_columns, holomorphic=True, chunk=chunk)(z)
    np.testing.assert_allclose(got, expected, rtol=1e-14)
    got = hessian(lambda x: np.sum(np.cos(x) * x[::-1]), chunk=chunk)(u)
    expected = np.diag(-np.cos(u) * u[::-1])
    expected -= np.fliplr(np.diag(np.sin(u) + np.sin(u[::-1])))
    # This holds in the middle, too, where both factors are of x[1].
    np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(("chunk", "passes"), [(None, 1), (2, 2), (1, 3)])
def test_one_pass_back_computes_so_many_rows(chunk, passes):
    Counted.passes = 0
    jacobian(by_rows, chunk=chunk)(np.ones(7))
    assert Counted.passes == passes


def wide_inside(x):
    return np.sum(np.sin(x[:, np.newaxis] * np.ones(2000)), axis=1)


def test_by_default_the_rows_need_less_than_256_mebibytes_and_of_a_chunk_as_many_as_it_has():
    x = RANDOM.normal(size=300)
    found, memory = peak(jacobian(wide_inside), x)
    np.testing.assert_allclose(found, np.diag(2000 * np.cos(x)), rtol=1e-12)
    assert 2**26 < memory < 2**28  # all rows at once would take five times as much
    _, memory = peak(jacobian(wide_inside, chunk=2), x)
    assert memory < 2**26


@pytest.mark.parametrize("chunk", [0, -1, 2.0, "all"])
@pytest.mark.parametrize("make", [jacobian, hessian])
def test_a_chunk_that_is_no_number_of_rows_is_refused(make, chunk):
    message = re.escape(f"chunk is a number of rows, from 1 on, or None, got {chunk!r}.")
    with pytest.raises(ValueError, match=message):
        make(np.sin, chunk=chunk)
