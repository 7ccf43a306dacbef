"""`placed`: the gradient of an index, for arrays of every type.

Promise: docs/reference/core.rst
"""

import numpy as np
import pytest

from dezero_core.extend import placed

from .ducks import DUCKS, GEESE, Duck, Goose, plugin_of


@pytest.fixture(autouse=True)
def ducks(registered):
    registered(plugin_of(DUCKS, GEESE), "ducks")


INDICES = {
    "an integer": ((3,), 1),
    "a slice": ((4, 3), (slice(1, 3), 0)),
    "one twice": ((5,), [0, 0, 2]),
    "pairs": ((4, 3), ([0, 1, 0], [1, 1, 1])),
    "nothing": ((3,), np.array([], int)),
    "of no axis": ((), ()),
    "a new axis": ((4,), None),
    "a mask": ((3, 4), np.array([True, False, True])),
    "no mask at all": ((2, 2), False),
    "broadcast positions": ((3, 4), (np.array([[0], [2]]), np.array([0, 3]))),
    "of no element": ((0, 2), slice(None)),
}


@pytest.mark.parametrize("make", [np.array, Duck, Goose])
@pytest.mark.parametrize("name", INDICES)
def test_placed_is_the_gradient_of_an_index(name, make):
    shape, index = INDICES[name]
    values = np.random.default_rng(0).normal(size=np.zeros(shape)[index].shape)
    expected = np.zeros(shape)
    np.add.at(expected, index, values)
    got = placed(make(values), shape, index)
    assert type(got) is (np.ndarray if make is np.array else make)
    np.testing.assert_allclose(getattr(got, "values", got), expected, rtol=1e-15)


@pytest.mark.parametrize("dtype", ["f2", "f4", "c8", "c16"])
def test_placed_keeps_the_dtype(dtype):
    values = np.array([1.0, 2.5, 4.0]) * (1.0 + 2.0j if dtype[0] == "c" else 1.0)
    got = placed(Duck(values.astype(dtype)), (3,), [0, 2, 0])
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.values, placed(values.astype(dtype), (3,), [0, 2, 0]))


@pytest.mark.parametrize("make", [np.array, Duck])
def test_placed_repeats_values_that_are_broadcast(make):
    got = placed(make(1.5), (2, 3), (slice(None), 1), once=True)
    assert getattr(got, "values", got).tolist() == [[0.0, 1.5, 0.0]] * 2
