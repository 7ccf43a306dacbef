"""An array of 10,000 elements, of which a loop writes a thousand: `out[i] = x[i] * x[i]`.

The value is the sum of the squares of all elements; its gradient is that by `x`.
"""

from __future__ import annotations

import numpy as np
import programs

LEFT_OUT = programs.LEFT_OUT
ROUNDS: dict[str, int] = {}

WRITES, FEW = 1_000, 10
SIZE = 10_000


def made(lib, writes):
    def squares(x):
        out = lib.filled(lambda x: x * x, x, writes, SIZE)
        return lib.xp.sum(out * out)

    return lib.value_and_gradients(squares, 1)


def by_hand(writes, x):
    out = np.zeros(SIZE)
    out[:writes] = x * x
    return [np.sum(out * out), 4.0 * x**3]


def data(writes):
    return [np.random.default_rng(0).normal(size=writes)]


def cases(lib):
    yield from programs.Program(made, by_hand, data, WRITES, FEW).cases(lib)
