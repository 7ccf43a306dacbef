"""Random programs with loops have eager code's bits, with gradients and with writes.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_replay.passes import buffers, loops
from dezero_tools.functional import value_and_grad

from dezero_core import using_config
from dezero_replay import compiled

from ..replayed import bits
from .random_loops import Program


def is_right(seed, writes):
    """Run a random program eagerly and compiled; return whether a loop was found in it."""
    program = Program(seed, writes)
    function = program.function()
    if not writes:
        function = value_and_grad(function, (0, 1, 2))
    step = compiled(function, audit=None)
    with np.errstate(all="ignore"), using_config("warn_of_independence", False):
        for number in (0, 1, 2):
            arrays = program.arrays(number)
            expected = function(*[x.copy() for x in arrays])
            got = step(*[x.copy() for x in arrays])
            assert bits(got) == bits(expected), program.text
    assert step.stats["replayed"], f"{step.explain()}\n{program.text}"
    return " in range(" in str(step.program)


@pytest.fixture(autouse=True)
def loops_in_short_programs(monkeypatch, part):
    monkeypatch.setattr(loops, "_SHORT", 0)
    monkeypatch.setattr(loops, "LEAST_SAVED", 6)
    if part % 2:
        monkeypatch.setattr(buffers, "LEAST", 1)


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("part", range(5))
def test_random_programs_with_loops_have_the_bits_of_eager_code(part, writes):
    found = [is_right(seed, writes) for seed in range(4 * part, 4 * part + 4)]
    assert any(found)


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("part", range(1, 26))
def test_a_thousand_more_of_each_kind_have_them(part, writes):
    found = [is_right(seed, writes) for seed in range(40 * part, 40 * part + 40)]
    assert sum(found) > 20
