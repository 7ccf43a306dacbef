"""The core tells tools about plugins: their operations, their observers, and themselves.

Promise: docs/architecture.md
"""

import numpy as np
import pytest

import dezero_core
from dezero_core import ContestedOperationError, PluginError, Variable, hookimpl
from dezero_core.extend import PLUGINS, find, operations_of, parts_of

ANNOUNCES = """
from dezero_core import hookimpl

@hookimpl
def dezero_register_ops(register):
    register("{name}_here", abs)
    register.later("{name}_late", operations="{name}_late", methods="{name}_late")
"""
LATE = "def register_ops(register):\n    register('{0}_late', abs, methods='{0}_late')\n"


class Plugin:
    """Registers what it is given."""

    def __init__(self, *observers, **operation):
        self.observers, self.operation = observers, operation

    @hookimpl
    def dezero_register_ops(self, register):
        if self.operation:
            register(**self.operation)
        for name, made_by in self.observers:
            register.part("observer", name, made_by)


def test_listing_operations_of_a_plugin_imports_only_the_modules_of_that_plugin(
    fake_distribution, run_python
):
    for name in ("one", "two"):
        modules = {
            f"{name}.py": ANNOUNCES.format(name=name),
            f"{name}_late.py": LATE.format(name),
        }
        fake_distribution(f"{name}-ops", modules, {name: name})
    outcome = run_python(
        "import sys, dezero_core\nfrom dezero_core.extend import find, operations_of\n"
        "dezero_core.plugins()\n"
        "out['before'] = ['one_late' in sys.modules, 'two_late' in sys.modules]\n"
        "out['names'] = [op.name for op in operations_of(find('one'))]\n"
        "out['imported'] = ['one_late' in sys.modules, 'two_late' in sys.modules]\n"
    )
    assert outcome.out.before == [False, False]
    assert outcome.out.names == ["one_here", "one_late"]
    assert outcome.out.imported == [True, False]


def test_the_plugins_that_were_seen_are_listed_with_their_modules(registered):
    plugin = Plugin(name="a", function=abs)
    registered(plugin, "by-hand")
    assert plugin in [each.module for each in PLUGINS]
    assert [op.name for op in operations_of(find("by-hand"))] == ["a"]


def test_factories_of_observers_are_listed_while_their_plugin_is_loaded(
    registered,
):
    plugin = Plugin(("listening", dict))
    registered(plugin, "one")
    assert parts_of("observer")["listening"].value() is dict
    dezero_core.unregister(plugin)
    assert "listening" not in parts_of("observer")


def test_two_plugins_contest_an_observer_of_one_name(core_alone, registered):
    registered(Plugin(("listening", dict), ("alone", set)), "one")
    registered(Plugin(("listening", list)), "two")
    made_by = parts_of("observer")
    assert made_by["alone"].value() is set
    with pytest.raises(
        ContestedOperationError, match=r"both provide observer\.listening, "
    ) as caught:
        made_by["listening"].value()
    assert caught.value.plugins == ("one", "two")
    assert "prefer(**{'observer.listening': 'two'})" in str(caught.value)
    dezero_core.prefer(**{"observer.listening": "two"})
    assert parts_of("observer")["listening"].value() is list
    with dezero_core.use_ops(**{"observer.listening": "one"}):
        assert parts_of("observer")["listening"].value() is dict


@pytest.mark.parametrize(
    ("observers", "says"),
    [
        ([(5, dict)], "registers the observer 5, .*; its name must be a word"),
        ([("", dict)], "registers the observer '', .*; its name must be a word"),
        ([("a", dict), ("a", dict)], "registers the observer 'a', .*; that is done already"),
    ],
)
def test_an_observer_without_a_name_or_of_one_name_twice_is_refused(observers, says):
    with pytest.raises(PluginError, match=says):
        dezero_core.register(Plugin(*observers), "one")


def test_a_preferred_operation_chooses_no_plain_method(core_alone, registered):
    class Shows(Plugin):
        @hookimpl
        def dezero_register_ops(self, register):
            register("a", abs)
            register.method("_repr_html_", lambda variable: f"html by {self.operation['name']}")

    for name in ("one", "two"):
        registered(Shows(name=name), name)
    dezero_core.prefer(a="one")
    x = Variable(np.ones(1))
    with pytest.raises(ContestedOperationError, match=r"both provide Variable\._repr_html_"):
        x._repr_html_()
    dezero_core.prefer(**{"Variable._repr_html_": "two"})
    assert x._repr_html_() == "html by two"
