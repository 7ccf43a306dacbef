"""A fixture for every test of operations, wherever: nothing is left changed."""

import gc

import pytest

from dezero_core import Config, Variable, ops, plugins


def _state():
    return {
        "Config.enable_backprop": Config.enable_backprop,
        "plugins": [(record.name, record.state) for record in plugins()],
        "operations": ops(),
        "attributes of Variable": dict(vars(Variable)),
        "the garbage collector": gc.isenabled(),
    }


@pytest.fixture(autouse=True)
def nothing_leaks():
    """Fail a test that leaves a switch, a plugin or an attribute of Variable changed."""
    before = _state()
    yield
    after = _state()
    assert [name for name in before if after[name] != before[name]] == []
