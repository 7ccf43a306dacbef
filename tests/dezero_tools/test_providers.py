"""The operations of all plugins, also of those that are not in use.

Promise: docs/how_to/choose_a_provider.md
"""

import numpy as np
from dezero_tools.providers import answers, is_in_use, providers

from dezero_core import Variable, hookimpl, ops, prefer, use_ops


class Plugin:
    """Provides an operation that others provide, too, and one of its own."""

    def __init__(self, text, **claims):
        self.text, self.claims = text, claims

    @hookimpl
    def dezero_register_ops(self, register):
        register("shared", lambda *operands: self.text, **self.claims)
        register(f"{self.text}_own", lambda x: x, methods=f"{self.text}_own")


def plugins_of(name):
    return [operation.plugin for operation in providers()[name]]


def test_operations_are_listed_with_all_their_providers_and_the_one_in_use_first(
    core_alone, registered
):
    for name in ("one", "two"):
        registered(Plugin(name, numpy=np.cbrt), name)
    assert plugins_of("shared") == ["one", "two"]
    in_use = {op.name: is_in_use(op) for of in providers().values() for op in of}
    assert in_use == {"one_own": True, "shared": False, "two_own": True}
    with use_ops(shared="two"):
        assert plugins_of("shared") == ["two", "one"]
    prefer(**{"np.cbrt": "two"})
    assert plugins_of("shared") == ["two", "one"]
    assert [operation.plugin for operation in ops()] == ["one", "one", "two"]
    assert np.cbrt(Variable(np.array(1.0))) == "two"


def test_the_names_of_an_operation_are_answered_by_different_plugins(core_alone, registered):
    registered(Plugin("one", numpy=np.cbrt, methods="m"), "one")
    registered(Plugin("two", numpy=np.cbrt), "two")
    (first, second) = providers()["shared"]
    assert answers(first) == {"Variable.m": "one", "np.cbrt": None}
    assert answers(second) == {"np.cbrt": None}
    prefer(shared="two")
    (second, first) = providers()["shared"]
    assert (first.plugin, second.plugin) == ("one", "two")
    assert answers(first) == {"Variable.m": "one", "np.cbrt": "two"}
    assert is_in_use(first)


def test_an_operation_without_a_name_of_numpy_or_variable_is_in_use_where_it_is_chosen(
    core_alone, registered
):
    for name in ("one", "two"):
        registered(Plugin(name), name)
    assert [is_in_use(operation) for operation in providers()["shared"]] == [False, False]
    with use_ops(shared="two"):
        (second, first) = providers()["shared"]
        assert (second.plugin, is_in_use(second), is_in_use(first)) == ("two", True, False)
