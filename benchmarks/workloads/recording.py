"""The cost of a compiled function beside its arithmetic: of its recordings, and of each call.

*Recordings and plan* is the time from `compiled` to the end of the second call: two eager runs that
are recorded, and the program made of them. It is divided by the number of the program's
instructions, and so is *eager run*. The long chain has more than 100,000 instructions.

A *call* of a compiled function compares what it is called with, and what it captures, with that of
the recording. The functions here add arrays of one element, and read numbers. *Program* is the
program of the same function alone. The difference of the two is the cost of all comparisons.
"""

from __future__ import annotations

import numpy as np
from adapters import LIBRARIES

from workloads import Absent, Case
from workloads.chain import chain_of
from workloads.goldstein_price import goldstein_price
from workloads.mlp import data, loss_of

QUESTION = "it is a question to replay"
LEFT_OUT = {library: QUESTION for library in LIBRARIES if library not in ("project", "replayed")}
ROUNDS = {"project": 1}

OPERATIONS = {"chain": 1_000, "long chain": 25_100}
VALUES = {"long chain": 1}

MANY = 10
"""Arrays, and numbers, beside the first array."""


def differentiated(lib):
    """Yield the name, the function and the inputs of each gradient that is recorded."""
    one = np.full(1, 1.0001), np.full(1, 0.9999)
    for name, operations in OPERATIONS.items():
        yield name, chain_of(operations)[0], one
    yield "Goldstein-Price", goldstein_price, (np.array(1.0), np.array(1.0))
    images, labels, parameters = data(np.float64)
    yield "MLP", loss_of(lib, images, labels), parameters


def first(x, *numbers):
    return [x + x]


def total(*arrays):
    y = arrays[0]
    for x in arrays[1:]:
        y = y + x
    return [y]


class Captured:
    """An object with parameters and numbers of its own."""

    def __init__(self, lib):
        self.parameters = [lib.leaf(np.full(1, float(n))) for n in range(MANY)]
        self.numbers = [float(n) for n in range(MANY)]

    def of(self, x):
        """Return a sum that needs all of them."""
        y = x
        for parameter, number in zip(self.parameters, self.numbers, strict=True):
            y = y + parameter.data if number < MANY else y
        return [y]


def called(lib):
    """Yield the name, the function and the arguments of each call."""
    arrays = [np.full(1, float(n)) for n in range(1 + MANY)]
    numbers = [float(n) for n in range(MANY)]
    yield "1 array", first, arrays[:1]
    yield f"{1 + MANY} arrays", total, arrays
    yield f"1 array and {MANY} numbers", first, [arrays[0], *numbers]
    yield f"1 array, {MANY} parameters and {MANY} numbers captured", Captured(lib).of, arrays[:1]


def cases(lib):
    if not hasattr(lib, "recorded"):
        yield Absent("", QUESTION)
        return
    for name, f, inputs in differentiated(lib):
        gradients = lib.gradients_of(f)
        instructions = lib.instructions(lib.recorded(gradients, *inputs))
        each = {"operations": instructions, "values": VALUES.get(name, 5), "loops": 1}

        def recordings(gradients=gradients, inputs=inputs):
            lib.recorded(gradients, *inputs)

        yield Case(f"recordings and plan, {name}", recordings, **each)
        yield Case(f"eager run, {name}", lambda g=gradients, xs=inputs: g(*xs), **each)
    for name, f, arguments in called(lib):
        step = lib.recorded(f, *arguments)
        expected = f(*arguments)
        run, arrays = lib.program(step, arguments)
        yield Case(f"call, {name}", lambda s=step, a=arguments: s(*a), expected)
        yield Case(f"program, {name}", lambda r=run, a=arrays: r(*a), expected)
