"""The shares of instructions that are recorded, and that are machine code.

Promise: docs/performance.md
"""

import warnings
from collections import Counter

import numpy as np
import shares

from dezero_core import Function
from dezero_core.extend import operations_of
from dezero_replay import compiled


def named(*names):
    return [operation for operation in shares.operations() if operation.name in names]


def test_what_ordinary_operations_do_is_recorded_and_mostly_machine_code():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        ordinary = named(
            "getitem", "diagonal", "diff", "roll", "where", "stack", "cumsum", "repeat"
        )
        found, _ = shares.count(ordinary)
    assert len(ordinary) == 8
    assert found["opaque"] <= 0.03 * found["instructions"]
    assert found["instructions"] - found["NumPy's"] - found["alone"] > 0


def test_all_operations_with_samples_of_both_packages_are_counted():
    every = [op for plugin in ("basic", "math") for op in operations_of(plugin) if op.sample]
    assert list(shares.operations()) == every


def test_opaque_bodies_are_counted_with_the_reason():
    class Program:
        def __init__(self, function, x):
            step = compiled(function)
            for _ in range(3):
                step(x)
            self.usual = step.program.usual

    class Listed(Function):
        def forward(self, x):
            return np.array(x.tolist())

        def backward(self, gy):
            return gy

    found, reasons = Counter(), Counter()
    shares._count(Program(lambda x: Listed()(x) * 2.0 + 1.0, np.ones(3)), found, reasons)
    assert (found["instructions"], found["opaque"]) == (3, 1)
    assert [why for why in reasons if why.startswith("opaque: ")]
