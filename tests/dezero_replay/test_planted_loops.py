"""Errors that are planted in the pass of loops are found by audits.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_replay.passes import hoisting, loop_bodies
from dezero_replay.passes import runs as finding
from dezero_replay.passes.rounds import Linear
from dezero_replay.tape.instructions import Guard
from dezero_tools.functional import value_and_grad

from dezero_replay import ReplayError, compiled

from ..replayed import bits
from .test_loops import X, loops_of


def near(run):
    """Let what is of two rounds before be of the round before."""
    usual = run._rounds_behind

    def planted(self, moves):
        behind = usual(self, moves)
        return np.where(behind == 2, 1, behind)

    return run, "_rounds_behind", planted


def fixed(body):
    """Let each carried value be that of the first round."""

    def planted(self, x, column, behind):
        return self._common(*self._operands_of(x, column, range(1)))

    return body, "_before", planted


def long(body):
    """Let a loop have one round more."""
    usual = body.loop

    def planted(self):
        made = usual(self)
        for n in made.call.collected:
            number, *shape = made.outputs[n].shape
            made.outputs[n].shape = (number + 1, *shape)
        return made.changed(made.call.changed(rounds=made.call.rounds + 1), made.args, {})

    return body, "loop", planted


def skipping(body):
    """Let numbers grow by twice as much."""
    usual = body._of_number

    def planted(self, x):
        found = usual(self, x)
        if type(found) is Linear:
            return Linear(found.start, tuple((each, 2 * step) for each, step in found.steps))
        return found

    return body, "_of_number", planted


def backward(body):
    """Let lists be read from the other end."""
    usual = body._take

    def planted(self, source, start, step, like, *where):
        last = start + step * (self.rounds.number - 1)
        return usual(self, source, last, -step, like, *where)

    return body, "_take", planted


PLANTED = {
    "a wrong distance": lambda: near(finding._Run),
    "a carried value taken as the same": lambda: fixed(loop_bodies.Body),
    "one round too many": lambda: long(loop_bodies.Body),
    "a wrong step": lambda: skipping(loop_bodies.Body),
    "a list from the other end": lambda: backward(loop_bodies.Body),
}


def function(x):
    before = total = x[0]
    for n in range(40):
        before, total = total, np.sin(before) + np.tanh(total) * x[n] + x[n] ** 2
    return np.sum(total)


slope = value_and_grad(function)


def finds(planted, **options):
    """Compile a function with a planted error; the first audit has to find it."""
    # The way back of a wrong distance has no operands: no program can be written.
    of = function if planted == "a wrong distance" else slope
    step = compiled(of, audit=1, quiet=True, **options)
    for _ in range(2):
        step(X)
    with pytest.raises(ReplayError, match="came to another result than eager code"):
        step(X)
    assert not step.programs
    assert bits(step(X)) == bits(of(X))


def finds_nothing(**options):
    """Compile the function as it is; no audit may find anything. Return it."""
    step = compiled(slope, audit=1, **options)
    for n in range(6):
        assert bits(step(X + n)) == bits(slope(X + n))
    assert step.stats["audits"]
    return step


def test_an_audit_finds_nothing_wrong_where_nothing_is():
    assert len(loops_of(finds_nothing())) >= 2


@pytest.mark.parametrize("planted", PLANTED)
def test_an_audit_finds_an_error_that_is_planted_in_the_pass(planted, monkeypatch):
    monkeypatch.setattr(*PLANTED[planted]())
    finds(planted)


def test_a_program_that_cannot_be_written_leaves_the_result_to_eager_code(monkeypatch):
    monkeypatch.setattr(hoisting, "_is_pure", lambda each: type(each) is not Guard)
    step = compiled(slope, audit=1, quiet=True)
    for n in range(4):  # what depends on the counter is before the loop
        assert bits(step(X + n)) == bits(slope(X + n))
    assert "cannot run: KeyError" in step.explain()
    assert not step.programs
