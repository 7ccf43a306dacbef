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


def test_an_audit_tells_the_sign_of_a_zero():
    step = compiled(lambda x: x * np.zeros(2), audit=1)
    for _ in range(3):
        step(np.ones(2))
    (zeros,) = step.programs[0].usual.constants.values()
    zeros[...] = -0.0
    with pytest.raises(ReplayError, match="in place of"):
        step(np.ones(2))


def precision(x):
    return x * 2.0, np.get_printoptions()["precision"]


def shape_of_options(x):
    options = np.get_printoptions()
    return [x * 2.0] * (1 + (options["precision"] == 5))


@pytest.mark.parametrize("function", [precision, shape_of_options])
def test_an_audit_finds_another_number_or_form_that_no_array_is_made_of(function):
    step = compiled(function, audit=2)
    for _ in range(3):
        step(np.ones(2))
    with np.printoptions(precision=5), pytest.raises(ReplayError, match="in place of"):
        step(np.ones(2))
    assert repr(step(np.ones(2))) == repr(function(np.ones(2)))


def test_an_audit_finds_a_gradient_that_is_not_cleared():
    w = Parameter(np.ones(2))

    def f(x):
        if np.get_printoptions()["precision"] != 5:
            w.cleargrad()
        return x * 2.0

    step = compiled(f, audit=2)
    for _ in range(3):
        w.grad = np.ones(2)
        step(np.ones(2))
    w.grad = np.ones(2)
    with np.printoptions(precision=5), pytest.raises(ReplayError, match="grad is None"):
        step(np.ones(2))


def test_an_audit_compares_an_array_that_was_written_and_is_elsewhere_since():
    w, v = Parameter(np.zeros(2)), Parameter(np.ones(2))

    def f(x):
        w.data += x
        w.data, v.data = v.data, w.data
        return v.data * 1.0

    step = compiled(f, audit=1)
    a, b = np.zeros(2), np.ones(2)
    for n in range(8):
        a += n
        a, b = b, a
        assert (step(np.full(2, float(n))) == b).all()
        assert (w.data == a).all()
    assert step.stats["audits"] > 4
