"""Plugins bring observers by the hook, and take them away.

Promise: docs/how_to/publish_a_plugin.md
"""

import pytest

import dezero_core
from dezero_core import (
    ContestedOperationError,
    PluginError,
    hookimpl,
)
from dezero_tools import UnknownObserverError, observe

from .functions import Seen, Square


class Plugin:
    """Registers what it is given: an observer of its own, or something else."""

    def __init__(self, *observers):
        self.observers = observers

    @hookimpl
    def dezero_register_ops(self, register):
        for name, made_by in self.observers:
            register.part("observer", name, made_by)


def test_a_plugin_brings_an_observer_until_the_plugin_is_unregistered(registered, x):
    plugin = Plugin(("seen", Seen))
    record = registered(plugin, "watching")
    assert (record.state, record.operations) == ("loaded", ())
    with observe("seen", "time") as (seen, _):
        Square()(x)
    assert len(seen.calls) == 1
    with observe("seen") as again:
        pass
    assert again is not seen
    with pytest.raises(UnknownObserverError, match=r"seen, time, trace\. Did you mean 'seen'"):
        observe("sen")
    dezero_core.unregister(plugin)
    with pytest.raises(UnknownObserverError):
        observe("seen")


@pytest.mark.parametrize(
    ("observers", "says"),
    [
        ([("a", Seen), ("a", Seen)], r"registers the observer 'a', .*; that is done already\."),
        ([("", Seen)], r"registers the observer '', .*; its name must be a word\."),
        ([(3, Seen)], r"registers the observer 3, .*; its name must be a word\."),
    ],
)
def test_an_observer_that_cannot_be_registered_refuses_its_plugin(observers, says):
    with pytest.raises(PluginError, match=f"plugin 'second' {says}"):
        dezero_core.register(Plugin(("fine", Seen), *observers), "second")
    with pytest.raises(UnknownObserverError):
        observe("fine")


def test_an_observer_of_two_plugins_is_chosen_or_raises_and_all_others_work(registered, x):
    registered(Plugin(("nan", Seen), ("fine", Seen)), "watching")
    for names in (("nan",), ("time", "nan")):
        with pytest.raises(ContestedOperationError) as caught:
            observe(*names)
        assert "plugins 'tools' and 'watching' both provide observer.nan, and" in str(caught.value)
        assert "prefer(**{'observer.nan': 'watching'})" in str(caught.value)
    with observe("fine", "time") as (fine, _):
        Square()(x)
    assert len(fine.calls) == 1
    dezero_core.prefer(**{"observer.nan": "watching"})
    with observe("nan") as seen:
        Square()(x)
    assert type(seen) is Seen
    with dezero_core.use_ops(**{"observer.nan": "tools"}):
        block = observe("nan")
    with block as seen:
        assert type(seen) is not Seen


@pytest.mark.parametrize(("made_by", "got"), [(dict, r"\{\}"), (3, "3")])
def test_an_observer_of_a_plugin_must_be_made_by_what_is_registered(registered, made_by, got):
    registered(Plugin(("odd", made_by)), "watching")
    says = f"the observer 'odd' must be an Observer, got {got}. Plugin 'watching' must register"
    with pytest.raises(TypeError, match=says):
        observe("odd")


def test_an_installed_plugin_brings_an_observer(fake_distribution, run_python):
    source = (
        "from dezero_core import hookimpl\nfrom dezero_tools import Observer\n"
        "class Count(Observer):\n    calls = 0\n"
        "    def after(self, call):\n        self.calls += 1\n"
        "@hookimpl\ndef dezero_register_ops(register):\n"
        "    register.part('observer', 'count', Count)\n"
    )
    fake_distribution("count-ops", {"count_ops.py": source}, {"count": "count_ops"})
    outcome = run_python(
        "import numpy as np\nfrom dezero_core import Function, Variable\n"
        "from dezero_tools import observe\n"
        "class One(Function):\n    def forward(self, x):\n        return x\n"
        "with observe('count') as count:\n    One()(Variable(np.ones(2)))\nout['n'] = count.calls"
    )
    assert outcome.out.n == 1


def test_unregistering_the_tools_removes_their_observers(run_python):
    outcome = run_python(
        "from dezero_tools import observe\nout['named'] = failure(lambda: observe('nan'))\n"
        "out['none'] = failure(observe)",
        DEZERO_PLUGINS="",
    )
    for error in vars(outcome.out).values():
        assert "The observers are none, since the plugin 'tools' is not loaded" in error["message"]
