"""Gradients that are sums over a million rows, in float32: right to six digits, as PyTorch's are.

Each truth is the number of rows times one of the equal gradients that are added.
"""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import linear

ROWS = 1_000_000
TENTH = np.float32(0.1)

ONES = np.broadcast_to(np.float32(1.0), (ROWS, 2))
TWO = np.zeros(2, np.float32)
ROW = np.zeros((1, 2), np.float32)

OPERATIONS = {
    "broadcast_to": (ROW, lambda x: np.broadcast_to(x, (ROWS, 2))),
    "tile": (ROW, lambda x: np.tile(x, (ROWS, 1))),
    "repeat": (ROW, lambda x: np.repeat(x, ROWS, axis=0)),
    "repeat by counts": (np.zeros((2, 2), np.float32), lambda x: repeated(x)),
    "meshgrid": (TWO, lambda x: np.meshgrid(x, np.zeros(ROWS, np.float32))[0]),
    "linear": (TWO, lambda x: linear(ONES[:, :1], np.zeros((1, 2), np.float32), x)),
    "einsum": (TWO, lambda x: np.einsum("i,ni->ni", x, ONES)),
    "vecdot": (TWO, lambda x: np.vecdot(ONES, x)),
    "+": (TWO, lambda x: x + np.zeros((ROWS, 2), np.float32)),
}


def repeated(x):
    return np.repeat(x, [ROWS, 0], axis=0)


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_element_repeated_a_million_times_gets_the_sum_of_all_gradients(name):
    data, f = OPERATIONS[name]
    x = Variable(data.copy())
    y = f(x)
    y.grad = np.full(y.shape, TENTH)
    y.backward()
    assert x.grad.dtype == np.float32
    np.testing.assert_allclose(x.grad.reshape(-1)[:2], ROWS * float(TENTH), rtol=2.5e-6)


@pytest.mark.parametrize("axis", [0, 1])
def test_the_first_element_of_a_million_in_cumsum_gets_the_sum_of_all_gradients(axis):
    x = Variable(np.zeros((ROWS, 2) if axis == 0 else (2, ROWS), np.float32))
    y = np.cumsum(x, axis=axis)
    y.grad = np.full(y.shape, TENTH)
    y.backward()
    assert x.grad.dtype == np.float32
    np.testing.assert_allclose(x.grad[0, 0], ROWS * float(TENTH), rtol=1e-6)


def test_a_gradient_summed_over_a_million_rows_is_right_under_create_graph():
    b = Variable(np.zeros(2, np.float32))
    y = np.sum(TENTH * (b + np.zeros((ROWS, 2), np.float32)))
    gradient = grad(y, b, create_graph=True)
    np.testing.assert_allclose(gradient.data, ROWS * float(TENTH), rtol=2.5e-6)
