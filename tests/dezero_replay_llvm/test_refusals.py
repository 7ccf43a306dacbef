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


ASSEMBLED = {
    "padded with numbers for each axis": lambda x: np.pad(x * 2, 1, constant_values=(1.0, 2.0)),
    "padded as a mirror": lambda x: np.pad(x * 2, 1, mode="reflect"),
    "flattened": lambda x: np.concatenate([x * 2, x + 1], axis=None),
    "beside a constant": lambda x: np.concatenate([x * 2, np.ones((1, 3))]),
    "beside a list": lambda x: np.concatenate([x * 2, [[1.0, 2.0, 3.0]]]),
    "beside no rows": lambda x: np.concatenate([x * 2, x[:0], x + 1]),
    "rows of one array": lambda x: np.concatenate(x * 2),
    "stacked rows of one array": lambda x: np.stack(x * 2, axis=1),
    "rolled by several": lambda x: np.roll(x * 2, (1, 2)),
    "in a given dtype": lambda x: np.concatenate([x * 2, x], dtype=np.float32, casting="same_kind"),
}


@pytest.mark.parametrize("how", ASSEMBLED)
def test_arrays_that_are_put_together_in_unusual_ways_are_those_of_numpy(how):
    call = ASSEMBLED[how]

    def function(x):
        return [call((x + x) * x), x * 3 - x]

    program = native(function, X, machine=MACHINES[0])
    for found, expected in zip(program.run(X), function(X), strict=True):
        assert not differing(found, expected)


REFUSED = {
    "it converts float64 to int32": (lambda x: (x * 2).astype(np.int32), X),
    "it converts float64 to int8": (lambda i: with_part_written(i, 0, i[1] * 0.5), SMALL),
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
    "it is a product of a number": (lambda x: np.dot(x * 2, np.sum(x)), X),
    "it writes what has more axes": (lambda x: with_part_written(x, 0, (x * 2)[:1]), X),
    "it is of elements where a mask is true": (
        lambda x: with_part_written(x, x > 0.5, 3.0),
        X,
    ),
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
