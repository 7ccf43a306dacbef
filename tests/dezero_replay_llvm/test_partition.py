"""Which calls of a program become machine code.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from dezero_replay import compiled
from dezero_replay_llvm import region


@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_program_longer_than_a_region_becomes_several_and_nothing_is_left_to_numpy(
    shape, monkeypatch
):
    monkeypatch.setattr(region, "_LARGEST", 7)

    def chain(x, w):
        for _ in range(10):
            x = x * w + w
        return x

    x, w = np.full(shape, 1.25), np.full(shape, 0.75)
    step = compiled(chain, strict=True, executor="llvm", wait=True)
    for _ in range(3):
        found = step(x, w)
    assert step.stats["replayed"] == 1
    assert np.array_equal(found, chain(x, w))
    lines = step.explain().splitlines()
    sizes = [int(line.split()[1]) for line in lines if line.startswith("  native: ")]
    assert sizes == [7, 7, 6]
    assert not [line for line in lines if line.startswith("  NumPy: ")]


def test_a_number_that_is_wanted_as_two_arrays_and_a_number_has_memory_for_each():
    def of(x):
        y = x * x + 1.0
        return y[...], y[...], y

    x = np.array(3.0)
    step = compiled(of, strict=True, executor="llvm", wait=True)
    for _ in range(3):
        one, other, number = step(x)
    assert step.stats["replayed"] == 1
    assert (one, other, number) == (10.0, 10.0, 10.0)
    assert [type(each) for each in (one, other, number)] == [type(each) for each in of(x)]
    one[...] = 0.0
    assert (other, number) == (10.0, 10.0)


def test_a_number_that_is_broadcast_is_read_where_it_is():
    def of(x):
        mean = np.add.reduce(x) / 4.0
        spread = np.broadcast_to(mean, (2, 4))
        return x * spread, spread

    x = np.array([1.0, 2.0, 3.0, 6.0])
    step = compiled(of, strict=True, executor="llvm", wait=True)
    for _ in range(3):
        product, spread = step(x)
    assert step.stats["replayed"] == 1
    assert "native: 4 calls" in step.explain()
    assert np.array_equal(product, [[3.0, 6.0, 9.0, 18.0]] * 2)
    assert np.array_equal(spread, np.full((2, 4), 3.0))
    assert spread.strides == (0, 0)
