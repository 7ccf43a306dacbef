"""The names under which machine code is kept.

Promise: docs/how_replay_works.md
"""

from types import SimpleNamespace

import numpy as np
import pytest
from dezero_replay.tape.instructions import Value
from dezero_replay_llvm.kernel import region_key

from dezero_replay import compiled


def key(content, constants=()):
    x = Value(0, content)
    region = SimpleNamespace(inputs=[x], constants=dict.fromkeys(constants), steps=[], guards=[])
    return region_key(region, [x])


def test_a_number_and_a_constant_of_machine_code_have_different_keys():
    assert key(np.float64(1.0)) != key(np.float64(1.0), constants=[0])


@pytest.mark.parametrize(
    "other",
    [
        np.zeros(3, np.float32),
        np.zeros(4),
        np.zeros(6)[::2],
        np.zeros((3, 1)),
        np.float64(0.0),
        0.0,
    ],
)
def test_inputs_of_another_form_have_another_key_of_machine_code(other):
    assert key(np.zeros(3)) == key(np.ones(3))
    assert key(np.zeros(3)) != key(other)


def key_of(function, *arrays):
    """Return the key of a function that is one region."""
    step = compiled(function, executor="llvm", wait=True, audit=None)
    for _ in range(3):
        step(*arrays)
    (code,) = next(iter(step.program._variants.values())).codes
    return code.key


def guarded(x):
    """Ask for a sign, by which nothing is decided but the guard."""
    bool(np.sum(x) > 0.0)
    return x * 2.0 + 1.0


def test_code_that_expects_another_answer_of_a_guard_has_another_key():
    assert key_of(guarded, np.ones(3)) == key_of(guarded, np.full(3, 2.0))
    assert key_of(guarded, np.ones(3)) != key_of(guarded, -np.ones(3))


def test_code_that_computes_something_else_has_another_key():
    x = np.ones((3, 3))
    keys = [
        key_of(lambda x: np.sum(x * 2.0, axis=0), x),
        key_of(lambda x: np.sum(x * 2.0, axis=1), x),
        key_of(lambda x: np.max(x * 2.0, axis=0), x),
        key_of(lambda x: np.sum(x * 3.0, axis=0), x),
        key_of(lambda x: np.sum(x + 2.0, axis=0), x),
        key_of(lambda x: np.sum(x.T * 2.0, axis=0), x),
        key_of(lambda x: np.sum(x * 2.0, axis=0, initial=1.0), x),
    ]
    assert len(set(keys)) == len(keys)
