"""Calls that stay with NumPy, and why: the rest of the program is machine code all the same.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from .machine_code import MACHINES, differing, native

X = np.array([[0.5, -1.5, 2.0], [3.25, 0.0, 1.0]])
SMALL = np.array([[1, 2, 3], [4, 5, 6]], np.int8)


def with_part_written(x, part, value):
    y = x + 1
    y[part] = value
    return y


REFUSED = {
    "it converts float64 to int64": (
        lambda x: np.add.reduce(x, axis=0, dtype=np.int64, keepdims=False),
        X,
    ),
    "it writes float64 into int8": (lambda i: with_part_written(i, 0, i[1] * 0.5), SMALL),
    "it has values of int16": (lambda i: (i + 1).astype(np.int16), SMALL),
    "it has values of uint16": (lambda x: (x + 1).view(np.uint16), X),
    "it converts int8 to int16": (lambda i: i < i.view(np.uint8), SMALL),
    "it converts uint8 to int16": (lambda i: i.view(np.uint8) < i, SMALL),
    "it has values of float16": (lambda x: (x * 2).astype(np.float16), X),
    "it has values of complex128": (lambda x: x * 2j, X),
    "it computes with booleans": (lambda x: (x > 0) + (x > 1), X),
    "it computes with int8": (lambda i: np.abs(i), SMALL),
    "it has several results": (lambda x: np.modf(x * 3)[0], X),
    "there is no machine code for it": (lambda x: np.logaddexp.reduce(x * 2), X),
    "it compares uint8": (lambda i: i.view(np.uint8) > 3, SMALL),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_call_without_machine_code_is_numpys(reason):
    call, x = REFUSED[reason]

    def function(x):
        y = (x + x) * x
        return [call(x), y - x]

    program = native(function, x, machine=MACHINES[0])
    assert reason in [why for _, why in program.partition.reasons]
    assert program.codes
    for found, expected in zip(program.run(x), function(x), strict=True):
        for part in ("real", "imag"):
            assert not differing(getattr(found, part), getattr(expected, part))
