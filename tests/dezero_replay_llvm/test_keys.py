"""The names under which machine code is kept."""

from types import SimpleNamespace

import numpy as np
import pytest
from dezero_replay.tape import Value
from dezero_replay_llvm.keys import described


def key(content, constants=()):
    x = Value(0, content)
    region = SimpleNamespace(inputs=[x], constants=dict.fromkeys(constants), steps=[], guards=[])
    return described(region, [x])


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
