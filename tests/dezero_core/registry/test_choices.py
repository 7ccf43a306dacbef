"""The user chooses one of the installed plugins that provide an operation, also from outside.

Promise: docs/how_to/choose_a_provider.md
"""

import pytest

LATER = """
import numpy as np
from dezero_core import Config, Function

class {Name}(Function):
    def forward(self, x):
        return x * {factor}

    def backward(self, gy):
        return gy * {factor}

def scaled(x):
    return {Name}()(x)

SETTINGS = np.geterr()["divide"], Config.enable_backprop

def register_ops(register):
    register("scaled", scaled, {Name}, methods="scaled", numpy=np.cbrt)
"""

ANNOUNCES = """
from dezero_core import hookimpl
@hookimpl
def dezero_register_ops(register):
    register.later("{name}_later", operations="scaled", methods="scaled", numpy="cbrt nosuch")
"""

START = """
import numpy as np, dezero_core
from dezero_core import Variable
from dezero_core.extend import PREFERRED
def preferred():
    return dict(PREFERRED)
def announced(slots):
    return sorted(key for key, slot in slots.items() for b in slot.bindings.values() if b.load)
"""

VALUES = "x = Variable(np.array(1.0))\nout['values'] = [x.scaled().item(), np.cbrt(x).item()]\n"


@pytest.fixture
def install(fake_distribution, plugin_source):
    """Install two distributions that provide one operation, as kind says, and a third one."""

    def installed(kind):
        for name, factor in ("one", 2.0), ("two", 3.0):
            if kind == "announced" or (kind == "one announced" and name == "one"):
                modules = {
                    f"{name}_later.py": LATER.format(Name=name.title(), factor=factor),
                    f"{name}.py": ANNOUNCES.format(name=name),
                }
            else:
                claims = "methods='scaled', numpy=np.cbrt"
                modules = {f"{name}.py": plugin_source("scaled", factor, claims)}
            fake_distribution(f"{name}-ops", modules, {name: name})

    return installed


KINDS = ("registered", "announced", "one announced")


USES = "uses = lambda: x.scaled(), lambda: np.cbrt(x)\nx = Variable(np.array(1.0))\n"


@pytest.mark.parametrize("kind", KINDS)
def test_dezero_ops_chooses_between_installed_plugins(kind, install, run_python):
    install(kind)
    outcome = run_python(f"{START}{USES}out['errors'] = [failure(use)['message'] for use in uses]")
    assert outcome.states == {"one": "loaded", "two": "loaded"}
    for message in outcome.out.errors:
        for part in ("'one' and 'two'", "prefer(scaled='two')", "DEZERO_OPS=scaled=two."):
            assert part in message
    for choice, values in (
        ("scaled=one", [2.0, 2.0]),
        ("scaled= TWO-ops ,", [3.0, 3.0]),
        ("np.cbrt=two,scaled=one", [2.0, 3.0]),
        ("Variable.scaled=two,np.cbrt=one", [3.0, 2.0]),
    ):
        outcome = run_python(START + VALUES, DEZERO_OPS=choice)
        assert outcome.states == {"one": "loaded", "two": "loaded"}
        assert outcome.out.values == values


@pytest.mark.parametrize("kind", KINDS)
def test_prefer_and_use_ops_choose_between_installed_plugins(kind, install, run_python):
    install(kind)
    code = (
        f"{START}with dezero_core.use_ops(scaled='two'):\n    x = Variable(np.array(1.0))\n"
        "    out['inside'] = x.scaled().item()\n"
        "out['types'] = failure(lambda: x.scaled())['types']\n"
        "dezero_core.prefer(scaled='two')\n" + VALUES
    )
    outcome = run_python(code)
    assert (outcome.out.inside, outcome.out.values) == (3.0, [3.0, 3.0])
    assert "ContestedOperationError" in outcome.out.types
    assert outcome.states == {"one": "loaded", "two": "loaded"}


def test_a_module_that_prefer_imports_does_not_see_settings_of_the_calculation(install, run_python):
    install("announced")
    outcome = run_python(
        f"{START}with np.errstate(all='raise'), dezero_core.no_grad():\n"
        "    dezero_core.prefer(scaled='two')\nimport two_later\n"
        "out['settings'] = two_later.SETTINGS"
    )
    assert outcome.out.settings == ["warn", True]


def test_prefer_imports_the_announced_module_of_the_chosen_plugin_alone(install, run_python):
    """So that a broken one is told there; and then it is not imported again."""
    install("announced")
    outcome = run_python(
        f"{START}import sys\nfrom dezero_core.extend import SLOTS\ndezero_core.plugins()\n"
        "out['before'] = announced(SLOTS)\n"
        "dezero_core.prefer(scaled='two')\nout['after'] = announced(SLOTS)\n"
        + VALUES
        + "out['imported'] = [name in sys.modules for name in ('one_later', 'two_later')]"
    )
    assert outcome.out.before == sorted(["np.cbrt", "np.nosuch", "scaled"] * 2)
    assert outcome.out.after == ["np.cbrt", "np.nosuch", "scaled"]
    assert outcome.out.values == [3.0, 3.0]
    assert outcome.out.imported == [False, True]


def test_prefer_of_a_function_that_this_numpy_lacks_is_refused(install, run_python):
    """It is announced, and only the import shows that it is not there."""
    install("announced")
    outcome = run_python(
        f"{START}out['error'] = failure(lambda: dezero_core.prefer(**{{'np.nosuch': 'two'}}))\n"
        "out['preferred'] = preferred()"
    )
    assert "UnknownOperationError" in outcome.out.error["types"]
    assert outcome.out.preferred == {}


IMPORTED_LATER = """
from dezero_core import hookimpl
@hookimpl
def dezero_register_ops(register):
    register.later("one_scaled", operations="scaled", methods="scaled")
    register.later("one_other", operations="other", methods="other")
"""

REGISTERS = "def register_ops(register):\n    register({0!r}, lambda x: 2.0, methods={0!r})\n"

#: The scenario: a thread imports what it uses, while the main one is about to import it, too.
MEETING = """
import builtins, faulthandler, threading
faulthandler.dump_traceback_later(30, exit=True)  # instead of a test without an end
builtins.begun, builtins.go = threading.Event(), threading.Event()
imported = dezero_core.registry.loading.import_module
def import_module(name):
    if threading.current_thread() is threading.main_thread():
        go.set()
    return imported(name)
dezero_core.registry.loading.import_module = import_module
x = Variable(np.array(1.0))
def work():
    with dezero_core.use_ops(scaled="one"):
        out.update(value=x.scaled())
thread = threading.Thread(target=work)
thread.start()
begun.wait()
dezero_core.prefer(scaled="one")
thread.join()
"""


@pytest.mark.parametrize("at_import", ["dezero_core.plugins()", "dezero_core.prefer(other='one')"])
def test_prefer_and_a_first_use_in_another_thread_do_not_deadlock(
    at_import, plugin_source, fake_distribution, run_python
):
    meets = f"import builtins\n{START}builtins.begun.set()\nbuiltins.go.wait()\n{at_import}\n"
    modules = {
        "one.py": IMPORTED_LATER,
        "one_scaled.py": meets + REGISTERS.format("scaled"),
        "one_other.py": REGISTERS.format("other"),
    }
    fake_distribution("one-ops", modules, {"one": "one"})
    two = {"two.py": IMPORTED_LATER.replace("one_", "two_")}
    two |= {f"two_{name}.py": REGISTERS.format(name) for name in ("scaled", "other")}
    fake_distribution("two-ops", two, {"two": "two"})
    assert run_python(START + MEETING).out.value == 2.0


RUNS = "import builtins\nbuiltins.runs = getattr(builtins, 'runs', 0) + 1\n"

UNLUCKY = "raise OSError('no luck')\n"


def test_prefer_runs_no_code_of_a_plugin_that_failed(fake_distribution, run_python):
    fake_distribution("bad-ops", {"bad.py": RUNS + UNLUCKY}, {"bad": "bad"})
    outcome = run_python(
        f"{START}import builtins\nout['error'] = failure(lambda: dezero_core.prefer(a='bad'))\n"
        "out['runs'] = builtins.runs",
        warns=1,
    )
    assert "is not loaded: OSError: no luck" in outcome.out.error["message"]
    assert outcome.out.runs == 1


def test_an_interrupted_prefer_changes_neither_plugins_nor_preferences(install, run_python):
    install("announced")
    outcome = run_python(
        f"{START}import sys, types\nbefore = dezero_core.plugins()\n"
        "class Interrupts(types.ModuleType):\n"
        "    def __getattr__(self, name):\n        raise KeyboardInterrupt\n"
        "sys.modules['two_later'] = Interrupts('two_later')\n"
        "out['types'] = failure(lambda: dezero_core.prefer(scaled='two'))['types']\n"
        "out['same'], out['settled'] = dezero_core.plugins() == before, preferred()\n"
        "del sys.modules['two_later']\n"
    )
    assert outcome.out.types[0] == "KeyboardInterrupt"
    assert outcome.out.same
    assert outcome.out.settled == {}


@pytest.mark.parametrize(
    ("choices", "warning"),
    [
        ("scaled=nobody", "no plugin is called 'nobody'"),
        ("scaled", "'scaled', which is ignored: write operation=plugin, as exp=math."),
        ("=one", "'=one', which is ignored: write operation=plugin, as exp=math."),
        (
            "zzz=one",
            "'one' (one-ops 1.0) provides no operation 'zzz'. No loaded plugin does.",
        ),
        ("+=one", "provides no operation '+'. No loaded plugin does. See ops()."),
        ("scaled=on-opps", "no plugin is called 'on-opps'. Installed: one, two."),
        ("np.scaled=one", "plugin 'one' (one-ops 1.0) provides no operation 'np.scaled'."),
        ("scaled=two", "plugin 'two' (two-ops 1.0) provides no operation 'scaled'. 'one' does."),
    ],
)
def test_an_impossible_choice_in_dezero_ops_is_warned_of(
    choices, warning, plugin_source, fake_distribution, run_python
):
    fake_distribution("one-ops", {"one.py": plugin_source("scaled", 2.0)}, {"one": "one"})
    fake_distribution("two-ops", {"two.py": plugin_source("other")}, {"two": "two"})
    use = "x = Variable(np.array(1.0))\nout['y'] = x.scaled().item()\n"
    outcome = run_python(START + use, warns=1, DEZERO_OPS=choices)
    assert outcome.warnings[0].startswith(f"PluginWarning: DEZERO_OPS holds {choices!r}, which is")
    assert warning in outcome.warnings[0]
    assert outcome.states == {"one": "loaded", "two": "loaded"}
    assert outcome.out.y == 2.0


def test_of_two_plugins_for_one_operation_in_dezero_ops_the_last_one_counts(install, run_python):
    install("registered")
    outcome = run_python(START + VALUES, DEZERO_OPS="scaled=one,scaled=two")
    assert outcome.out.values == [3.0, 3.0]


def test_the_warning_of_dezero_ops_says_why_the_chosen_plugin_is_not_loaded(install, run_python):
    install("registered")
    outcome = run_python(START + VALUES, 1, DEZERO_OPS="scaled=two", DEZERO_DISABLE_PLUGINS="two")
    assert "disabled by DEZERO_DISABLE_PLUGINS" in outcome.warnings[0]
    assert outcome.out.values == [2.0, 2.0]


def test_a_choice_in_dezero_ops_holds_until_the_variable_is_removed(install, run_python):
    install("registered")
    outcome = run_python(
        f"{START}{VALUES}import os\ndel os.environ['DEZERO_OPS']\n"
        "dezero_core.load_plugins()\nout['error'] = failure(lambda: x.scaled())",
        DEZERO_OPS="scaled=two",
    )
    assert outcome.out.values == [3.0, 3.0]
    assert "ContestedOperationError" in outcome.out.error["types"]


def test_a_preference_for_a_plugin_that_is_unloaded_is_ignored_and_counts_again_later(
    install, run_python
):
    install("registered")
    loaded = "dezero_core.load_plugins()\nout['values'] += [x.scaled().item()]\n"
    outcome = run_python(
        f"{START}import os\nx, out['values'] = Variable(np.array(1.0)), []\n"
        f"dezero_core.prefer(scaled='two')\n{loaded}"
        f"os.environ['DEZERO_DISABLE_PLUGINS'] = 'two'\n{loaded}{loaded}"
        f"del os.environ['DEZERO_DISABLE_PLUGINS']\n{loaded}"
    )
    assert outcome.out.values == [3.0, 2.0, 2.0, 3.0]


@pytest.mark.parametrize("name", ["two", "two-ops"])
def test_a_choice_from_outside_of_an_uninstalled_plugin_warns_once_and_is_ignored(
    name, fake_distribution, plugin_source, run_python
):
    fake_distribution("one-ops", {"one.py": plugin_source("scaled", 2.0)}, {"one": "one"})
    outcome = run_python(
        f"{START}out['y'] = Variable(np.array(1.0)).scaled().item()",
        warns=1,
        DEZERO_OPS=f"scaled={name}",
    )
    assert outcome.out.y == 2.0
    ignored = f"DEZERO_OPS holds 'scaled={name}', which is ignored: no plugin is called {name!r}."
    assert ignored in outcome.warnings[0]


@pytest.mark.parametrize("first", ["dezero_core", "two"])
def test_a_choice_of_a_plugin_that_is_imported_first_is_judged_when_it_is_loaded(
    first, fake_distribution, plugin_source, run_python
):
    source = "import dezero_core\n" + plugin_source("scaled")
    fake_distribution("two-ops", {"two.py": source}, {"two": "two"})
    outcome = run_python(
        f"import {first}\n{START}out['y'] = Variable(np.array(1.0)).scaled().item()",
        warns=1,
        DEZERO_OPS="scaled=two,zzz=two",
    )
    assert outcome.out.y == 3.0
    assert "DEZERO_OPS holds 'zzz=two', which is ignored: plugin 'two'" in outcome.warnings[0]


@pytest.mark.parametrize("from_outside", ["", "scaled=one", "scaled=two"])
def test_the_users_preference_outlasts_every_change_of_dezero_ops(
    from_outside, install, run_python
):
    install("registered")
    outcome = run_python(
        f"{START}import os\nx, out['values'] = Variable(np.array(1.0)), []\n"
        "dezero_core.prefer(scaled='two')\n"
        "for choices in os.environ['DEZERO_OPS'], 'scaled=one', 'scaled=two', '':\n"
        "    os.environ['DEZERO_OPS'] = choices\n    dezero_core.load_plugins()\n"
        "    out['values'].append(x.scaled().item())",
        DEZERO_OPS=from_outside,
    )
    assert outcome.out.values == [3.0] * 4


def test_an_impossible_choice_in_dezero_ops_leaves_prefer_to_say_another(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("one-ops", {"one.py": plugin_source("scaled", 2.0)}, {"one": "one"})
    fake_distribution("two-ops", {"two.py": plugin_source("other")}, {"two": "two"})
    outcome = run_python(
        f"{START}x = Variable(np.array(1.0))\nout['values'] = [x.scaled().item()]\n"
        "dezero_core.prefer(scaled='one')\ndezero_core.load_plugins()\n"
        "out['values'].append(x.scaled().item())",
        warns=2,  # the variable is read twice
        DEZERO_OPS="scaled=two",
    )
    assert outcome.out.values == [2.0, 2.0]
    assert "which is ignored" in outcome.warnings[0]


def test_a_choice_of_a_plugin_that_is_being_imported_counts_when_it_is_loaded(install, run_python):
    """Until then nobody knows what it provides, and nobody is warned."""
    install("registered")
    outcome = run_python(
        "import sys, types\nsys.modules['two'] = waits = types.ModuleType('two')\n"
        "waits.__spec__ = types.SimpleNamespace(_initializing=True)\n"
        f"{START}x = Variable(np.array(1.0))\n"
        "out['states'] = [record.state for record in dezero_core.plugins()]\n"
        "out['values'] = [x.scaled().item()]\ndel sys.modules['two']\n"
        "out['values'].append(Variable(x.data).scaled().item())",
        DEZERO_OPS="scaled=two",
    )
    assert outcome.out.states == ["loaded", "pending"]
    assert outcome.out.values == [2.0, 3.0]
