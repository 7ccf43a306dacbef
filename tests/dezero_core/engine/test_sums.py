"""What was broadcast is summed back to the accuracy of its dtype, however many are added.

The truth is a sum in extended precision, or the number of equal addends times one of them.

Promise: docs/engine.md
"""

import numpy as np
import pytest
from dezero_core.sums import sum_to

from dezero_core import Variable

#: Relative errors. Of a float16, the last step alone has 5e-4.
BOUNDS = {
    np.float16: 6e-4,
    np.float32: 2.5e-6,
    np.float64: 5e-15,
    np.longdouble: 5e-15,
    np.complex64: 2.5e-6,
    np.complex128: 5e-15,
}

SHAPES = [
    ((1_000_003, 2), (2,)),
    ((1000, 1000, 2), (2,)),
    ((2, 1_000_000), (2, 1)),
    ((10, 100_003, 3), (10, 1, 3)),
    ((3000, 7, 500), (3000, 1, 1)),
    ((1000, 3, 1000), (3, 1)),
    ((700, 700), ()),
    ((513, 5000), (5000,)),
    ((1, 600, 2), (2,)),
    ((2000, 0), (1, 0)),
    ((2000, 1), (1,)),
]

LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "reversed": lambda x: x[(slice(None, None, -1),) * x.ndim],
    "strided": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "broadcast": lambda x: np.broadcast_to(x.reshape(-1)[:1], x.shape),
}


def error(got, true):
    return np.max(np.abs(got / true - 1), initial=0.0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("shape", "to"), SHAPES, ids=str)
def test_a_float32_sum_of_many_is_right_to_its_last_digits_in_every_layout(shape, to, layout):
    x = LAYOUTS[layout](np.full(shape, 0.1, np.float32))
    total = sum_to(x, to)
    assert total.shape == to
    assert total.dtype == np.float32
    size = np.prod(to, dtype=int)
    bound = 4e-6 if size > 1024 else 2.5e-6  # of wide rows, blocks are larger
    assert error(total, float(np.float32(0.1)) * (x.size // max(size, 1))) < bound


@pytest.mark.parametrize("dtype", BOUNDS, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize(("shape", "to"), [((200_003, 2), (2,)), ((3, 50_000, 2), (3, 1, 2))])
def test_random_sums_of_every_dtype_agree_with_extended_precision(dtype, shape, to):
    rng = np.random.default_rng(0)
    x = rng.random(shape).astype(dtype)
    if np.iscomplexobj(x):
        x = x + dtype(1j) * x[::-1]
    if dtype is np.float16:
        x = x / dtype(8)  # a float16 ends at 65504
    wide = np.clongdouble if np.iscomplexobj(x) else np.longdouble
    total = sum_to(x, to)
    assert total.dtype == dtype
    axis = tuple(i for i, n in enumerate(shape) if i < len(shape) - len(to) or n not in to)
    true = x.astype(wide).sum(axis=axis, keepdims=True).reshape(to)
    assert error(total, true) < BOUNDS[dtype]


@pytest.mark.parametrize("rows", [384, 512, 513, 640, 1025, 4096, 4097, 65_537])
@pytest.mark.parametrize("columns", [1, 3, 1000, 1025])
def test_sum_to_neither_leaves_out_a_row_nor_counts_a_row_twice(rows, columns):
    x = np.arange(float(rows))[:, None] + np.zeros(columns)
    np.testing.assert_array_equal(sum_to(x, (1, columns))[0], rows * (rows - 1) / 2)


def test_sum_to_counts_ones_beyond_the_last_integer_of_float32():
    x = np.broadcast_to(np.ones((1, 2), np.float32), (2**24 + 2**10, 2))
    np.testing.assert_array_equal(sum_to(x, (2,)), 2**24 + 2**10)


@pytest.mark.parametrize("dtype", [">f4", "<f4", ">f2", ">c8"])
def test_sum_to_does_not_depend_on_the_byte_order(dtype):
    x = np.full((2**20, 2), 0.1, dtype) / np.array(8.0 if dtype == ">f2" else 1.0, dtype)
    x = x.astype(dtype)
    total = sum_to(x, (2,))
    assert total.dtype == np.dtype(dtype)
    true = complex(x[0, 0]) * 2**20
    assert error(total, true) < BOUNDS[np.dtype(dtype).newbyteorder("=").type]


def test_sum_to_adds_a_few_float16_numbers_in_float32_like_numpys_mean():
    x = np.full((300, 2), 0.1, np.float16)
    np.testing.assert_array_equal(sum_to(x, (2,)), np.float16(300 * float(np.float16(0.1))))


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.bool_, object])
def test_sum_to_adds_integers_and_booleans_like_numpy(dtype):
    x = np.ones((1000, 2), dtype)
    total = sum_to(x, (2,))
    np.testing.assert_array_equal(total, x.sum(axis=0))
    assert total.dtype == x.sum(axis=0).dtype


def test_sum_to_leaves_infinities_and_nan_in_their_columns():
    x = np.ones((1000, 3), np.float32)
    x[700, 0], x[3, 1] = np.inf, np.nan
    np.testing.assert_array_equal(sum_to(x, (3,)), np.array([np.inf, np.nan, 1000.0]))


def test_the_gradient_of_a_bias_is_right_to_six_digits_and_still_float32(book):
    b = Variable(np.zeros(2, np.float32))
    y = book.Add()(b, np.zeros((1_000_000, 2), np.float32))
    y.grad = np.full((1_000_000, 2), 0.1, np.float32)
    y.backward()
    assert b.grad.dtype == np.float32
    assert error(b.grad, 1e6 * float(np.float32(0.1))) < 2.5e-6
