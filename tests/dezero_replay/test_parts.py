"""Arrays that NumPy's replay puts together of parts: rolled, and padded.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from dezero_replay import compiled

X = np.random.default_rng(0).normal(size=(12, 10))


def rolled(*args):
    """The operand dies behind the roll, and what is rolled does behind the sum."""
    return lambda x: np.roll(x * 2.0, *args) + x


FUNCTIONS = {
    "by a number": rolled(3, 1),
    "back": rolled(-1, -1),
    "by nothing": rolled(0, 0),
    "round and round": rolled(25, 0),
    "along two axes": rolled((1, -2), (0, 1)),
    "along two axes by one number": rolled(3, (0, 1)),
    "along one axis twice": rolled((1, 2), (0, 0)),
    "flattened": rolled(7),
    "by a number that is known later": lambda x: np.roll(x, int(abs(x[0, 0])), 0),
    "by an array": lambda x: np.roll(x * 2.0, np.array([1, 2]), (0, 1)),
    "by name": lambda x: np.roll(x * 2.0, shift=1, axis=0) * x,
    "of a vector": lambda x: np.roll(x.ravel() * 2.0, 5) * 3.0,
    "of a transposed array": lambda x: np.roll(x.T * 2.0, 1, 0) + x.T,
    "of nothing": lambda x: np.roll(x[:0], 1, 0),
    "of integers": lambda x: np.roll((x > 0.0) * 1, 1, 0) + 1,
    "of itself": lambda x: np.roll(np.roll(x * 2.0, 1, 0), 1, 1) - x,
    "padded": lambda x: np.pad(x * 2.0, 1) * 0.5,
    "padded unevenly": lambda x: np.pad(x, ((1, 0), (2, 3))) * 0.5,
    "padded by 2.5": lambda x: np.pad(x, 1, constant_values=2.5) * 0.5,
    "padded by -0.0": lambda x: 1.0 * np.pad(x, 1, constant_values=-0.0),
    "padded by the edge": lambda x: np.pad(x, 1, "edge") * 0.5,
    "padded by nothing": lambda x: np.pad(x, 0) * 0.5,
    "padded booleans": lambda x: np.pad(x > 0.0, 2) & True,
    "a transposed array padded": lambda x: np.pad(x.T, 1) * 0.5,
    "nothing padded": lambda x: np.pad(x[:0], ((0, 0), (1, 1))),
    "padding is a result": lambda x: np.pad(x, 2),
    "what is rolled is a result": lambda x: np.roll(x, 2, 1),
}


def bits(x):
    return x.shape, x.dtype, x.strides, x.tobytes("A")


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("scale", [1, 8])
def test_what_is_rolled_or_padded_has_the_bits_and_the_layout_of_numpy(function, scale):
    x = np.tile(X, (scale, scale))
    step = compiled(function)
    first = step(x)
    before = bits(first)
    for n in range(1, 6):
        assert bits(step(x + n)) == bits(function(x + n))
    assert bits(first) == before  # a result is never written into again


def test_a_roll_in_a_loop_has_planned_memory():
    def f(x):
        for _ in range(20):
            x = np.roll(x, 1, 0) * 0.5 + np.pad(x[1:-1, 1:-1], 1)
        return x

    step = compiled(f)
    for n in range(4):
        assert bits(step(X * n)) == bits(f(X * n))
    text = step.program.source("python")
    assert "roll(" not in text
    assert "pad(" not in text
