"""embed_id: its rows and gradients, and numbers of rows that are none."""

import numpy as np
import pytest
from dezero_nn.functions import embed_id
from dezero_tools.testing import check_gradient

from dezero_core import Variable

W = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize(
    "x",
    [
        [0, 3],
        np.array([[1, 1], [2, 0]], np.uint8),
        np.array([3, 1], ">i4"),  # as files have them
        np.array([3, 1], ">u8"),
        Variable(np.array(2)),
    ],
)
def test_embed_id_picks_rows_and_adds_up_their_gradients(x):
    w = Variable(W.copy())
    y = embed_id(x, w)
    y.backward()
    ids = np.asarray(x.data if isinstance(x, Variable) else x)
    np.testing.assert_array_equal(y.data, W[ids])
    np.testing.assert_array_equal(w.grad[:, 0], np.bincount(ids.ravel(), minlength=4))
    check_gradient(lambda w: embed_id(x, w), W)


def test_embed_id_copies_the_numbers_of_rows():
    x, w = np.array([0, 1]), Variable(W.copy())
    y = embed_id(x, w)
    x[:] = 3
    y.backward()
    np.testing.assert_array_equal(w.grad[:, 0], [1.0, 1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        ([0, 4], IndexError, "ids must be from 0 to 3, and one is 4"),
        ([[0], [-1]], IndexError, "ids must be from 0 to 3, and one is -1"),
        (np.int8(-128), IndexError, "one is -128"),
        (np.array([-1], ">i4"), IndexError, "one is -1"),
        ([0.0, 1.0], TypeError, "must be of integers, the numbers of rows, and is of float64"),
        ([True, False], TypeError, "is of bool"),
    ],
)
def test_embed_id_refuses_what_is_no_number_of_a_row(x, error, message):
    w = Variable(W.copy())
    with pytest.raises(error, match=message) as caught:
        embed_id(x, w)
    assert "EmbedId.forward" in caught.value.__notes__[0]
    assert w.grad is None


def test_embed_id_refuses_a_number_for_a_matrix():
    with pytest.raises(ValueError, match="W must have rows"):
        embed_id([0], Variable(np.array(1.0)))


@pytest.mark.parametrize("dtype", [">i4", "<i8", ">u2", "u1"])
def test_ids_may_be_in_any_order_of_bytes(dtype):
    table = np.arange(8.0).reshape(4, 2)
    np.testing.assert_array_equal(embed_id(np.array([0, 3, 1], dtype), table), table[[0, 3, 1]])


def test_the_gradient_of_a_row_is_the_exact_sum_of_a_million_gradients():
    w = Variable(np.zeros((2, 1), np.float32))
    y = embed_id(np.zeros(10**6, int), w)
    y.grad = np.full(y.shape, 0.1, np.float32)
    y.backward()
    np.testing.assert_allclose(w.grad, [[1e5], [0.0]], rtol=1e-6)
