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
