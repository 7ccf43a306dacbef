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


def state():
    return SimpleNamespace(
        w=Parameter(np.ones(3)), v=Parameter(np.ones(3)), scratch=np.zeros(3), count=0
    )


def step_of(state):
    def step(x):
        state.count += 1
        x *= 2.0
        state.scratch[...] = 0.0
        state.w.data -= 0.1 * x
        state.v.data = state.w.data * 1.0
        state.w.cleargrad()
        np.sum(state.w * x).backward()
        state.v.grad = None
        return np.sum(x * state.w), state.w, 3, x + state.count

    return step


def test_an_audit_of_effects_of_every_kind_finds_them_equal():
    f = compiled(step_of(state()), audit=1)
    for _ in range(12):
        f(np.ones(3))
    assert f.stats["audits"] > 3


@pytest.mark.parametrize("number", range(8))
def test_an_audit_finds_each_value_that_is_another_one(number):
    holder = state()
    f = compiled(step_of(holder), audit=2)
    while not (f.stats["replayed"] and f.stats["audits"]):
        f(np.ones(3))
    program = f.program
    run, wanted = program.run, len(program.wanted)
    assert wanted == 8

    def wrong(*arrays):
        values = run(*arrays)
        values[number] = values[number] + 1
        return values

    (lowered,) = program._variants.values()
    lowered.run = wrong
    f.entries[0].calls[1] = f.entries[0].calls[0] + 1
    with pytest.raises(ReplayError, match="in place of"):
        f(np.ones(3))
    assert not f.programs


def test_an_audited_call_warns_once_of_an_error_of_floating_point():
    f = compiled(lambda x: np.exp(x), audit=1)
    for _ in range(5):
        with pytest.warns(RuntimeWarning, match="overflow") as caught:
            f(np.full(100, 1e3))
        assert len(caught) == 1


def test_an_audited_call_that_raises_has_the_effects_of_eager_code():
    w = Parameter(np.zeros(1))

    def step(x):
        w.data += 1.0
        return np.linalg.inv(x)

    f = compiled(step, audit=2)
    for _ in range(5):
        f(np.eye(2))
    audits = f.stats["audits"]
    with pytest.raises(np.linalg.LinAlgError):
        f(np.zeros((2, 2)))
    assert f.stats["audits"] == audits + 1
    assert w.data == 6.0


def test_a_program_that_raises_where_eager_code_does_not_is_dropped():
    f = compiled(lambda x: x * 2.0, audit=2)
    for _ in range(3):
        f(np.ones(3))

    def broken(*arrays):
        raise IndexError("of a planted fault")

    (lowered,) = f.program._variants.values()
    lowered.run = broken
    with pytest.raises(ReplayError, match="planted fault"):
        f(np.ones(3))
    assert (f(np.ones(3)) == 2.0).all()
