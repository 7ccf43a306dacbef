"""A chain of a million operations, ``y = y * w`` and ``y = y + w`` in turn, on single numbers.

Neither the backward pass nor the release of the graph may exceed the limit of recursion. The time
of an operation includes its release, which is also measured alone. Each process runs the chain
once; before that, it compares a shorter chain with the gradient derived by hand.
"""

from __future__ import annotations

import time

import numpy as np

from workloads import Absent, Case, Check, Noted
from workloads.chain import chain_of

LEFT_OUT = {
    "jax": "takes too long to compile as many operations",
    **dict.fromkeys(("replayed", "native"), "keeps no graph that could be released"),
}
ROUNDS = {"project": 3, "floor": 3, "torch": 3, "autograd": 1, "mygrad": 1, "dezero_book": 1}

OPERATIONS, CHECKED = 1_000_000, 10_000
BRIEF = {"OPERATIONS": 200_000}

RELEASES = {
    "adapters.floor": "there is no graph",
    "adapters.autograd": "the graph is gone when grad returns",
    "adapters.mygrad": "backward() releases the graph",
}


def cases(lib):
    x, w = np.array(1.0001), np.array(0.9999)
    short, _, short_by_hand = chain_of(CHECKED)
    _, gradients = short_by_hand(x, w)
    yield Check("10,000 operations", lib.gradient(short, x, w, by_hand=short_by_hand), gradients)

    chain, _, by_hand = chain_of(OPERATIONS)
    once = {"operations": OPERATIONS, "values": 1, "loops": 1}
    if lib.__name__ in RELEASES:
        yield Case("forward and backward", lib.gradient(chain, x, w, by_hand=by_hand), **once)
        yield Absent("release", RELEASES[lib.__name__])
        return

    leaves, releases = (lib.leaf(x), lib.leaf(w)), []

    def step():
        y = chain(*leaves)
        lib.backward(y)
        start = time.perf_counter()
        del y
        releases.append(time.perf_counter() - start)

    yield Case("forward and backward", step, **once)
    yield Noted("release", releases, OPERATIONS)
