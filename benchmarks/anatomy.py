"""Take the time of a small operation apart, in a chain of 1,000 `*` and `+`.

    python benchmarks/anatomy.py

Each line is the cost of one more part of an operation, in microseconds: the smallest time of many
runs, less the time of the line above. The arrays have one element.
"""

from __future__ import annotations

import gc
import time

import numpy as np

from dezero_core import Variable, no_grad, ops

RUNS, OPERATIONS = 100, 1000
MUL, ADD = ({op.name: op for op in ops()}[name].function_class for name in ("mul", "add"))


def chain(x, w):
    """Return the result of the chain, of Variables or of arrays."""
    y = x
    for _ in range(OPERATIONS // 2):
        y = y * w
        y = y + w
    return y


def chain_of_forwards(x, w):
    """Return the result of the chain of arrays, by a Function for each operation, not recorded."""
    y = x
    for _ in range(OPERATIONS // 2):
        y = MUL().forward(y, w)
        y = ADD().forward(y, w)
    return y


def chain_and_gradient(x, w):
    """Return the gradients by x and w, derived by hand."""
    y, kept = x, []
    for _ in range(OPERATIONS // 2):
        kept.append(y)
        y = y * w
        y = y + w
    gy, gw = np.ones_like(y), np.zeros_like(w)
    for y in reversed(kept):
        gw = gw + gy
        gw = gw + gy * y
        gy = gy * w
    return gy, gw


def under_no_grad(x, w):
    """Return the result with nothing recorded."""
    with no_grad():
        return chain(x, w)


def gradients(x, w):
    """Compute both gradients."""
    chain(x, w).backward()
    x.cleargrad()
    w.cleargrad()


def microseconds(function, *operands, collecting=False):
    """Return the smallest time of an operation, with the garbage collector on or off."""
    best = float("inf")
    gc.collect()
    if not collecting:
        gc.disable()
    try:
        for _ in range(RUNS):
            start = time.perf_counter()
            function(*operands)
            best = min(best, time.perf_counter() - start)
    finally:
        gc.enable()
    return best / OPERATIONS * 1e6


def print_parts(title, *parts):
    """Print the cost of each part, beyond the parts before it."""
    print(title)
    before = 0.0
    for what, time_ in parts:
        print(f"  {what:55}{time_ - before:6.2f}")
        before = time_
    print(f"  {'together':55}{before:6.2f}\n")


def main():
    a, b = np.full(1, 1.0001), np.full(1, 0.9999)
    x, w = Variable(a), Variable(b)
    arithmetic, recorded = microseconds(chain, a, b), microseconds(chain, x, w)
    by_hand = microseconds(chain_and_gradient, a, b)
    print_parts(
        "forward",
        ("the arithmetic", arithmetic),
        ("an instance of the Function, its forward", microseconds(chain_of_forwards, a, b)),
        ("operator, checks, a Variable", microseconds(under_no_grad, x, w)),
        ("edges, what is saved, a weak reference; the release", recorded),
        ("the garbage collector", microseconds(chain, x, w, collecting=True)),
    )
    print_parts(
        "forward and backward",
        ("the arithmetic, with what it has to keep", by_hand),
        ("forward, the rest of it", by_hand + recorded - arithmetic),
        ("backward: bodies, checks of gradients, edges, sums", microseconds(gradients, x, w)),
        ("the garbage collector", microseconds(gradients, x, w, collecting=True)),
    )


if __name__ == "__main__":
    main()
