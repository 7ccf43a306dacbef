"""The page on functions that stay eager: calls that are eager without a warning.

Promise: docs/how_to/why_a_function_stays_eager.md
"""

import cProfile
import warnings

import numpy as np
import pytest

from dezero_core import Variable, no_grad, use_ops
from dezero_replay import ReplayWarning, compiled
from dezero_tools import checked, functional, observe


@pytest.fixture
def step():
    """Return a function that has a program."""
    f = compiled(lambda x: np.exp(x) * 2.0)
    for _ in range(3):
        f(np.ones(3))
    return f


def test_calls_that_somebody_wants_to_see_are_eager_without_a_warning(step):
    x = np.ones(3)
    step(Variable(x) * 1.0)
    functional.grad(lambda x: np.sum(step(x)))(x)
    compiled(lambda x: step(x) * 2.0)(x)
    with observe("time"):
        step(x)
    with checked():
        step(x)
    with cProfile.Profile():
        step(x)
    with use_ops(exp="math"):
        step(x)
    assert step.stats["eager"] == 6
    assert step.stats["replayed"] == 1
    step(x)
    step(x)
    assert (step.stats["replayed"], step.stats["audits"]) == (2, 1)


def test_the_environment_switches_all_replay_off(monkeypatch):
    monkeypatch.setenv("DEZERO_REPLAY", "0")
    f = compiled(lambda x: x * 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReplayWarning)
        for n in range(12):
            f(np.arange(3.0) + n)
    assert f.stats["eager"] == 12


def test_a_call_under_no_grad_has_a_program_of_its_own(step):
    with no_grad():
        for _ in range(3):
            step(np.ones(3))
    assert len(step.programs) == 2
    assert step.stats["eager"] == 0
