"""A chain of 1,000 operations, ``y = y * w`` and ``y = y + w`` in turn.

With small arrays the workload measures the cost of an operation beside its arithmetic; with large
arrays, the cost of memory. Both x and w need gradients. The time includes the release of the graph,
since a loop releases a graph before it makes the next one.
"""

from __future__ import annotations

import numpy as np

from workloads import Absent, Case

LEFT_OUT: dict[str, str] = {}
ROUNDS: dict[str, int] = {}

ALWAYS_OFF = "records only inside grad: there is nothing to switch off"
NO_GRAPH = "a result has no graph: it cannot be differentiated afterwards"

OPERATIONS = 1000
SIZES = {"0-d": (), "1": (1,), "1k": (1_000,), "10k": (10_000,), "100k": (100_000,)}


def chain_of(operations):
    """Return the function, the same by hand, and its gradient by hand."""

    def chain(x, w):
        y = x
        for _ in range(operations // 2):
            y = y * w
            y = y + w
        return y

    def recorded(x, w):
        """Return the value, and the arrays that the gradient needs."""
        y, kept = x, []
        for _ in range(operations // 2):
            kept.append(y)
            y = y * w
            y = y + w
        return y, kept

    def by_hand(x, w):
        value, kept = recorded(x, w)
        gy, gw = np.ones_like(value), np.zeros_like(value)
        while kept:
            gw += gy
            gw += gy * kept.pop()
            gy *= w
        return value, [gy, gw]

    return chain, recorded, by_hand


def cases(lib):
    chain, recorded, by_hand = chain_of(OPERATIONS)
    if not hasattr(lib, "forward_no_grad"):
        yield Absent("forward under no_grad", ALWAYS_OFF)
    if not hasattr(lib, "forward"):
        yield Absent("forward", NO_GRAPH)
    for size, shape in SIZES.items():
        x, w = np.full(shape, 1.0001), np.full(shape, 0.9999)
        value, gradients = by_hand(x, w)
        values = 5 if x.size < 100_000 else 3
        step = lib.gradient(chain, x, w, by_hand=by_hand)
        yield Case(f"forward and backward, {size}", step, gradients, OPERATIONS, values)
        if hasattr(lib, "forward"):
            step = lib.forward(chain, x, w, by_hand=recorded)
            yield Case(f"forward, {size}", step, [value], OPERATIONS, values)
        if hasattr(lib, "forward_no_grad"):
            step = lib.forward_no_grad(chain, x, w)
            yield Case(f"forward under no_grad, {size}", step, [value], OPERATIONS, values)
