"""``register.method``: a method of Variable that is no operation.

Promise: docs/how_to/publish_a_plugin.md
"""

import numpy as np
import pytest

import dezero_core
from dezero_core import PluginConflictError, PluginError, Variable, hookimpl, ops


class Methods:
    """A plugin that binds methods."""

    def __init__(self, **methods):
        self.methods = methods

    @hookimpl
    def dezero_register_ops(self, register):
        for name, function in self.methods.items():
            register.method(name, function)


def test_a_registered_method_is_bound_as_no_operation_until_its_plugin_is_unregistered(registered):
    before = dict(vars(Variable))
    record = registered(Methods(halves=lambda x: x.data / 2), "methods")
    assert Variable(np.array([4.0])).halves().tolist() == [2.0]
    assert record.operations == ()
    assert "halves" not in {operation.name for operation in ops()}
    dezero_core.unregister("methods")
    assert dict(vars(Variable)) == before
    with pytest.raises(AttributeError):
        _ = Variable(np.array([4.0])).halves


def test_register_method_binds_properties_and_representations_for_notebooks(registered):
    double = property(lambda x: 2 * x.data)
    registered(Methods(doubled=double, _repr_latex_=lambda x: "$x$"), "methods")
    x = Variable(np.array([4.0]))
    assert (x.doubled.tolist(), x._repr_latex_()) == ([8.0], "$x$")


@pytest.mark.parametrize("name", ["_hidden", "__add__", "__len__", "two words", "_repr__", ""])
def test_register_method_refuses_a_name_that_a_method_cannot_have(name):
    with pytest.raises(PluginError, match="is no name for a method"):
        dezero_core.register(Methods(**{name: lambda x: x}), "methods")
    assert "__add__" in vars(Variable)


def test_register_method_refuses_an_object_that_cannot_be_called():
    with pytest.raises(PluginError, match="binds 'halves' to 5, which is no method"):
        dezero_core.register(Methods(halves=5), "methods")


def test_register_method_refuses_a_name_that_is_bound_twice():
    class Twice(Methods):
        @hookimpl
        def dezero_register_ops(self, register):
            register.method("halves", lambda x: x)
            register.method("halves", lambda x: x)

    with pytest.raises(PluginError, match=r"provides Variable\.halves twice"):
        dezero_core.register(Twice(), "methods")


@pytest.mark.parametrize("name", ["backward", "data", "cleargrad", "item"])
def test_register_method_cannot_replace_a_method_of_the_core(name):
    own = vars(Variable)[name]
    with pytest.raises(PluginConflictError, match="belongs to the core"):
        dezero_core.register(Methods(**{name: lambda x: x}), "methods")
    assert vars(Variable)[name] is own
