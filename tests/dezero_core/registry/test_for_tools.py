"""The core tells tools about plugins: their operations, their observers, and themselves."""

import numpy as np
import pytest
from dezero_core.registry.manager import operations_of, parts_of, seen

import dezero_core
from dezero_core import ContestedOperationError, PluginError, Sample, Variable, hookimpl, ops

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

    @hookimpl
    def dezero_register_observers(self, register):
        for name, made_by in self.observers:
            register(name, made_by)


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
        "import sys, dezero_core\nfrom dezero_core.registry.manager import operations_of\n"
        "from dezero_core.registry.loading import REGISTRY\n"
        "out['here'] = [op.name for op in REGISTRY.operations_of('one', 'one_here')]\n"
        "out['before'] = 'one_late' in sys.modules\n"
        "out['names'] = [op.name for op in operations_of('one')]\n"
        "out['imported'] = ['one_late' in sys.modules, 'two_late' in sys.modules]\n"
        "out['again'] = [op.name for op in REGISTRY.operations_of('one', 'one_here')]"
    )
    assert outcome.out.again == ["one_here"]
    assert (outcome.out.here, outcome.out.before) == (["one_here"], False)
    assert outcome.out.names == ["one_here", "one_late"]
    assert outcome.out.imported == [True, False]


def test_seen_lists_every_plugin_with_its_module(registered):
    plugin = Plugin(name="a", function=abs)
    registered(plugin, "by-hand")
    assert plugin in [each.module for each in seen()]
    assert [op.name for op in operations_of("by-hand")] == ["a"]


def test_factories_of_observers_are_listed_while_their_plugin_is_loaded(
    registered,
):
    plugin = Plugin(("listening", dict))
    registered(plugin, "one")
    assert parts_of("observe")["listening"] is dict
    dezero_core.unregister(plugin)
    assert "listening" not in parts_of("observe")


def test_two_plugins_contest_an_observer_of_one_name(core_alone, registered):
    registered(Plugin(("listening", dict), ("alone", set)), "one")
    registered(Plugin(("listening", list)), "two")
    made_by = parts_of("observe")
    assert made_by["alone"] is set
    with pytest.raises(
        ContestedOperationError, match=r"both provide observe\.listening, "
    ) as caught:
        made_by["listening"]()
    assert caught.value.plugins == ("one", "two")
    assert "prefer(**{'observe.listening': 'two'})" in str(caught.value)
    dezero_core.prefer(**{"observe.listening": "two"})
    assert parts_of("observe")["listening"] is list
    with dezero_core.use_ops(**{"observe.listening": "one"}):
        assert parts_of("observe")["listening"] is dict


@pytest.mark.parametrize(
    ("observers", "says"),
    [
        ([(5, dict)], "registers 5 as the name of an observer"),
        ([("", dict)], "registers '' as the name of an observer"),
        ([("a", 5)], "registers the observer 'a' with 5"),
        ([("a", dict), ("a", dict)], "registers the observer 'a' twice"),
    ],
)
def test_an_observer_without_a_name_or_a_factory_is_refused(observers, says):
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


@pytest.mark.parametrize(
    ("facts", "order"),
    [
        ({"differentiable": False}, 0),
        ({}, 2),
        ({"sample": Sample((), order=1)}, 1),
    ],
)
def test_an_operation_has_the_order_of_its_highest_derivative(facts, order, core_alone, registered):
    registered(Plugin(name="a", function=abs, **facts), "one")
    assert [op.order for op in ops()] == [order]
