"""Gradients of ``x[i]``: sums to the accuracy of their dtype, however many values are added.

Promise: docs/reference/operators.rst
"""

import numpy as np
import pytest

from dezero_core import Variable, grad

RNG = np.random.default_rng(0)
MANY = 200_000
OTHERS = RNG.integers(0, 3_000_000, 2000)
SPARSE = np.concatenate([np.zeros(MANY, int), OTHERS, [-1, 2_999_999, -3_000_000]])


def gradient(shape, dtype, index, values):
    x = Variable(np.zeros(shape, dtype))
    return grad(x[index], x, grad_outputs=values)


def exact(shape, index, values):
    """Return the sums in long double precision, without any code of this project."""
    sums = np.zeros(shape, np.clongdouble if values.dtype.kind == "c" else np.longdouble)
    np.add.at(sums, index, values.astype(sums.dtype))
    return sums


INDICES = {
    "one element": ((3,), np.zeros(MANY, int)),
    "few elements": ((5,), RNG.integers(-5, 5, MANY)),
    "few of many elements": ((3_000_000,), SPARSE),
    "rows": ((3, 40), RNG.integers(-3, 3, MANY // 40)),
    "few of many rows": ((100_000, 4), np.r_[np.zeros(5000, int), 1:5000:7, -100_000]),
    "rows of a table of matrices": ((2, 3, 4), RNG.integers(0, 2, (MANY // 20, 2))),
    "columns": ((20, 3), (slice(None), RNG.integers(0, 3, MANY // 20))),
    "few of many columns": ((20, 50_000), (Ellipsis, np.arange(5000) // 4999)),
    "pairs": ((7, 3), (RNG.integers(0, 7, MANY), RNG.integers(-3, 3, MANY))),
    "few of many pairs": ((2000, 1000), (np.arange(MANY) // 3000, np.zeros(MANY, int))),
    "a mask and positions": ((40, 3), (np.arange(40) % 8 > 0, np.zeros((9000, 1), int))),
    "bytes": ((300, 2), np.full(MANY // 2, 255, np.uint8)),
}


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f4", "F", "f8"])
@pytest.mark.parametrize("case", INDICES)
def test_sums_of_many_values_have_the_accuracy_of_their_dtype(case, dtype):
    shape, index = INDICES[case]
    picked = np.zeros(shape, bool)[index].shape
    values = np.full(picked, 1e-3 if dtype == "f2" else 0.1, dtype)
    found = gradient(shape, dtype, index, values)
    wanted = exact(shape, index, values)
    assert (found.shape, found.dtype) == (shape, np.dtype(dtype))
    tolerance = {"f2": 1e-3, "f8": 1e-11}.get(dtype, 1e-5)
    np.testing.assert_allclose(found, wanted.astype(found.dtype), rtol=tolerance)


def test_a_float32_sum_of_more_than_two_to_the_24_ones_goes_on_growing():
    count = 2**24 + 1000
    (found,) = gradient((1,), "f4", np.zeros(count, np.intp), np.ones(count, np.float32))
    assert found == count


def test_a_float16_sum_of_more_than_two_to_the_11_ones_goes_on_growing():
    (found,) = gradient((1,), "f2", np.zeros(5000, np.intp), np.ones(5000, np.float16))
    assert found == 5000


@pytest.mark.parametrize("case", ["few elements", "rows", "pairs"])
def test_float64_gradients_have_the_bits_of_additions_in_order(case):
    shape, index = INDICES[case]
    values = RNG.normal(size=np.zeros(shape, bool)[index].shape)
    wanted = np.zeros(shape)
    np.add.at(wanted, index, values)
    assert gradient(shape, "f8", index, values).tobytes() == wanted.tobytes()


def test_few_picks_of_many_elements_are_added_to_a_table_of_their_own_dtype():
    index, values = RNG.integers(-40_000, 40_000, 4000), RNG.normal(size=4000).astype("f")
    wanted = np.zeros(40_000, np.float32)
    np.add.at(wanted, index, values)
    assert gradient((40_000,), "f", index, values).tobytes() == wanted.tobytes()


def test_second_derivatives_through_many_picks_are_exact_as_well():
    x = Variable(np.ones(2, np.float32))
    y = x[np.zeros(MANY, int)]
    first = grad(y * y * np.float32(0.05), x, create_graph=True)
    np.testing.assert_allclose(first.data, [0.1 * MANY, 0.0], rtol=1e-6)
    np.testing.assert_allclose(grad(first, x), [0.1 * MANY, 0.0], rtol=1e-6)
