"""Many uses of one input, and many inputs: how the time of a node grows with their number.

Half of the n nodes multiply by a constant, the others add up. In the *fan-out*, one x is
multiplied n/2 times, and the products are added one after another. The *wide* graph has n/2
different inputs, and adds their products in pairs, and the sums in pairs again, so that thousands
of functions wait at the same generation. An engine that sorts the waiting functions is slow here.
"""

from __future__ import annotations

import numpy as np

from workloads import Absent, Case

NODES = {"1k": 1_000, "10k": 10_000, "100k": 100_000}
VALUES = {"1k": 5, "10k": 3, "100k": 2}
BRIEF = {"NODES": {"1k": 1_000, "10k": 10_000}}

LEFT_OUT = {"jax": "takes too long to compile as many operations"}
ROUNDS = {"project": 3, "floor": 3, "torch": 3}
ROUNDS |= dict.fromkeys(("replayed", "native", "autograd", "mygrad", "dezero_book"), 1)

# The time of the first two grows with the square of the number of nodes.
SORTS = "sorts all waiting functions at each step, which takes minutes"
TUPLES = "adds up a gradient of all inputs for each of them, which takes minutes"
RECORDS = "is recorded for a minute"
TOO_SLOW = {
    ("adapters.replayed", "fan-out, 100k nodes"): RECORDS,
    ("adapters.replayed", "wide, 100k nodes"): RECORDS,
    ("adapters.native", "fan-out, 100k nodes"): RECORDS,
    ("adapters.native", "wide, 100k nodes"): RECORDS,
    ("adapters.dezero_book", "fan-out, 100k nodes"): SORTS,
    ("adapters.dezero_book", "wide, 100k nodes"): SORTS,
    ("adapters.autograd", "wide, 10k nodes"): TUPLES,
    ("adapters.autograd", "wide, 100k nodes"): TUPLES,
}


def constants(nodes):
    return [0.5 + (i % 7) / 8.0 for i in range(nodes // 2)]


def fan_out(nodes):
    """Return the function, and its gradient derived by hand."""
    factors = constants(nodes)

    def f(x):
        y = x * factors[0]
        for factor in factors[1:]:
            y = y + x * factor
        return y

    def by_hand(x):
        y, gy = f(x), np.ones_like(x)
        gx = np.zeros_like(x)
        for factor in reversed(factors):
            gx += gy * factor
        return y, [gx]

    return f, by_hand, [np.array(1.5)]


def wide(nodes):
    """Return the function, and its gradient derived by hand."""
    factors = constants(nodes)

    def f(*xs):
        level = [x * factor for x, factor in zip(xs, factors, strict=True)]
        while len(level) > 1:
            pairs = [a + b for a, b in zip(level[::2], level[1::2], strict=False)]
            level = pairs + level[2 * len(pairs) :]
        return level[0]

    def by_hand(*xs):
        gy = np.ones_like(xs[0])
        return f(*xs), [gy * factor for factor in factors]

    return f, by_hand, [np.array(1.0 + 1e-3 * i) for i in range(nodes // 2)]


def cases(lib):
    for graph, kind in (("fan-out", fan_out), ("wide", wide)):
        for size, nodes in NODES.items():
            name = f"{graph}, {size} nodes"
            if (lib.__name__, name) in TOO_SLOW:
                yield Absent(name, TOO_SLOW[lib.__name__, name])
                continue
            f, by_hand, inputs = kind(nodes)
            _, gradients = by_hand(*inputs)
            step = lib.gradient(f, *inputs, by_hand=by_hand)
            loops = 1 if size == "100k" else None
            yield Case(name, step, gradients, nodes, VALUES[size], loops)
