"""Which calls of a program become machine code.

Promise: docs/how_replay_works.md
"""

import numpy as np

from dezero_replay import compiled


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
