from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Parameter
from dezero_replay import ReplayError, compiled


def test_calls_four_sixteen_and_so_on_are_audited():
    f = compiled(lambda x: x * 2.0)
    for _ in range(70):
        f(np.ones(3))
    assert f.stats["audits"] == 3


def test_an_audit_finds_what_no_guard_can_see():
    class Hidden:
        pass

    hidden = {id(Hidden): 1.0}
    w = Parameter(np.ones(2))

    def step(x):
        scale = (lambda: hidden)().__getitem__(id(Hidden))
        w.data = w.data + 1.0
        return x * np.array([scale, scale])

    f = compiled(step, audit=1)
    for _ in range(3):
        f(np.ones(2))
    with_other = f.entries[0].program.usual
    number = next(iter(with_other.constants))
    with_other.constants[number][...] = 5.0
    before = w.data[0]
    with pytest.raises(ReplayError, match="in place of") as caught:
        f(np.ones(2))
    assert w.data[0] == before + 1.0
    assert f.program is None
    assert caught.value.function is step
    assert (f(np.ones(2)) == 1.0).all()


def test_a_program_is_audited_in_a_call_that_it_was_recorded_for():
    state = SimpleNamespace(k=2.0)

    def f(x):
        if x.sum() > 0:
            return x * state.k
        return x - state.k

    step = compiled(f)
    up, down = np.ones(3), -np.ones(3)
    for x in (up, up, down, down, up, down):  # the last is no call of the way that is due
        assert (step(x) == f(x)).all()
    state.k = 3.0
    for x in (up, down) * 4:
        assert (step(x) == f(x)).all()
    assert (step(np.ones((2, 2))) == 3.0).all()


def test_two_functions_of_one_key_are_audited_one_by_one():
    step = compiled(lambda x: np.exp(x) if x.sum() > 0 else x * 3.0, audit=2)
    for n in range(40):
        x = np.full(3, 1.0 if n % 3 else -1.0)
        assert (step(x) == (np.exp(x) if n % 3 else x * 3.0)).all()
    assert step.stats["audits"] > 10
    assert sum(entry.audits for entry in step.entries) == step.stats["audits"]


def test_an_audit_that_is_due_is_left_out_while_the_environment_says_so(monkeypatch):
    step = compiled(lambda x: x * 2.0)
    for _ in range(3):
        step(np.ones(3))
    monkeypatch.setenv("DEZERO_REPLAY", "0")
    for _ in range(3):
        assert (step(np.ones(3)) == 2.0).all()
    assert step.stats["eager"] == 3
    assert step.stats["replayed"] == 1
    monkeypatch.delenv("DEZERO_REPLAY")
    step(np.ones(3))
    assert step.stats["audits"] == 1
