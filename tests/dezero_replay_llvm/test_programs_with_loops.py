"""Programs with loops that NumPy's replay is tested with, in machine code.

Promise: docs/how_replay_works.md
"""

from functools import partial

import numpy as np
import pytest

from dezero_replay import compiled

from ..dezero_replay.test_bodies_of_loops import of_two_beginnings
from ..dezero_replay.test_loops import loops_of, raises_in_round_317
from ..dezero_replay.test_numbers_that_decide import ARRAYS, X, sums_in
from ..dezero_replay.test_planted_loops import PLANTED, finds, finds_nothing
from .test_rounds import rounds_of

NATIVE = {"executor": "llvm", "wait": True}
agree = partial(np.testing.assert_allclose, rtol=1e-12, atol=0.0)


@pytest.mark.parametrize("make", ARRAYS)
def test_an_array_with_an_element_for_each_round_is_written_in_a_loop(make):
    f = sums_in(ARRAYS[make])
    step = compiled(f, audit=None, **NATIVE)
    for n in (20, 20, 25, 25, 30, 30, 25, 30):
        agree(step(X, n), f(X, n))
    assert len(step.programs) == 2
    assert "argument 1 decides: recorded for 25, 30" in step.explain()


def test_two_names_of_one_result_may_begin_with_two_arrays():
    step = compiled(of_two_beginnings, audit=None, **NATIVE)
    for n in range(4):
        x = np.random.default_rng(n).random((40, 70))
        agree(step(x, x[1], x[2]), of_two_beginnings(x, x[1], x[2]))
    assert rounds_of(step) == [15]


def test_what_raises_in_round_317_raises_in_the_replay():
    step = raises_in_round_317(agree, **NATIVE)
    assert [loop.rounds for loop in loops_of(step)] == [400]


def test_an_audit_finds_nothing_wrong_where_nothing_is():
    assert len(rounds_of(finds_nothing(**NATIVE))) >= 2


# The others give lists or rounds that are not there: LLVM compiles no such program.
@pytest.mark.parametrize(
    "planted", ["a carried value taken as the same", "a list from the other end"]
)
def test_an_audit_finds_an_error_that_is_planted_in_the_pass_of_loops(planted, monkeypatch):
    monkeypatch.setattr(*PLANTED[planted]())
    finds(planted, **NATIVE)
