"""The user chooses one of the installed plugins that provide an operation, also from outside."""

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
from dezero_core.slots import PREFERRED
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


@pytest.mark.parametrize("kind", KINDS)
def test_dezero_ops_chooses_between_installed_plugins_in_conflict(kind, install, run_python):
    install(kind)
    outcome = run_python(START + VALUES, warns=1)
    assert outcome.states == {"one": "loaded", "two": "failed"}
    for part in ("DEZERO_OPS=scaled=two (or =one)", "prefer(scaled='two')", "use_ops"):
        assert part in outcome.warnings[0]
    assert outcome.out.values == [2.0, 2.0]
    for choice, values in ("one", [2.0, 2.0]), (" TWO-ops ", [3.0, 3.0]):
        outcome = run_python(START + VALUES, DEZERO_OPS=f"scaled={choice},")
        assert outcome.states == {"one": "loaded", "two": "loaded"}
        assert outcome.out.values == values


@pytest.mark.parametrize("kind", KINDS)
def test_choosing_a_provider_loads_the_plugin_that_a_conflict_kept_out(kind, install, run_python):
    install(kind)
    code = (
        f"{START}with dezero_core.use_ops(scaled='two'):\n    x = Variable(np.array(1.0))\n"
        "    out['inside'] = x.scaled().item()\n" + VALUES + "dezero_core.prefer(scaled='two')\n"
        "out['then'] = x.scaled().item()"
    )
    outcome = run_python(code, warns=1)
    assert (outcome.out.inside, outcome.out.values, outcome.out.then) == (3.0, [2.0, 2.0], 3.0)
    assert outcome.states == {"one": "loaded", "two": "loaded"}


def test_modules_that_prefer_imports_do_not_see_settings_of_the_calculation(install, run_python):
    """Also those of the plugin that is loaded: who binds what is not known before."""
    install("announced")
    outcome = run_python(
        f"{START}with np.errstate(all='raise'), dezero_core.no_grad():\n"
        "    dezero_core.prefer(scaled='two')\nimport one_later, two_later\n"
        "out['settings'] = one_later.SETTINGS, two_later.SETTINGS",
        warns=1,
    )
    assert outcome.out.settings == [["warn", True]] * 2


def test_modules_that_prefer_has_imported_are_not_imported_again(install, run_python):
    install("announced")
    outcome = run_python(
        f"{START}from dezero_core.slots import SLOTS\nout['before'] = announced(SLOTS)\n"
        "dezero_core.prefer(scaled='two')\nout['after'] = announced(SLOTS)\n" + VALUES,
        warns=1,
    )
    assert outcome.out.before == ["np.cbrt", "np.nosuch", "scaled"]
    assert outcome.out.after == []
    assert outcome.out.values == [3.0, 3.0]


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
imported = dezero_core.registry.providers.import_module
def import_module(name):
    if threading.current_thread() is threading.main_thread():
        go.set()
    return imported(name)
dezero_core.registry.providers.import_module = import_module
x = Variable(np.array(1.0))
thread = threading.Thread(target=lambda: out.update(value=x.scaled()))
thread.start()
begun.wait()
dezero_core.prefer(scaled="two")
thread.join()
"""


@pytest.mark.parametrize("at_import", ["dezero_core.plugins()", "Variable(np.ones(2)).other()"])
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
    fake_distribution("two-ops", {"two.py": plugin_source("scaled")}, {"two": "two"})
    assert run_python(START + MEETING, warns=1).out.value == 2.0


def test_a_failed_prefer_can_be_corrected(plugin_source, fake_distribution, run_python):
    for name in ("one", "two"):
        source = plugin_source("scaled") + "    register('more', scaled)\n"
        fake_distribution(f"{name}-ops", {f"{name}.py": source}, {name: name})
    outcome = run_python(
        f"{START}before = dezero_core.plugins()\nout['same'] = []\n"
        "for wrong in {'z': 'one'}, {'z': 'one', 'more': 'two'}:\n"
        "    failure(lambda: dezero_core.prefer(scaled='two', **wrong))\n"
        "    out['same'].append(dezero_core.plugins() == before)\n"
        "dezero_core.prefer(scaled='two', more='one')",
        warns=1,
    )
    assert outcome.out.same == [True, True]
    assert outcome.states == {"one": "loaded", "two": "loaded"}


RUNS = "import builtins\nbuiltins.runs = getattr(builtins, 'runs', 0) + 1\n"

UNLUCKY = "raise OSError('no luck')\n"

#: For the end of a plugin's hook, with what it does when it is called again.
AGAIN = """
    import builtins
    builtins.runs = getattr(builtins, "runs", 0) + 1
    if builtins.runs > 1: {}
"""


def test_prefer_runs_no_code_of_a_plugin_that_failed_without_a_conflict(
    fake_distribution, run_python
):
    fake_distribution("bad-ops", {"bad.py": RUNS + UNLUCKY}, {"bad": "bad"})
    outcome = run_python(
        f"{START}import builtins\nout['error'] = failure(lambda: dezero_core.prefer(a='bad'))\n"
        "out['runs'] = builtins.runs",
        warns=1,
    )
    assert "is not loaded: OSError: no luck" in outcome.out.error["message"]
    assert outcome.out.runs == 1


def test_prefer_names_the_last_failure_of_a_plugin_and_not_an_earlier_conflict(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("one-ops", {"one.py": plugin_source("scaled")}, {"one": "one"})
    two = plugin_source("scaled") + AGAIN.format(UNLUCKY)
    fake_distribution("two-ops", {"two.py": two}, {"two": "two"})
    outcome = run_python(
        f"{START}import builtins\nfailure(lambda: dezero_core.register('two'))\n"
        "out['error'] = failure(lambda: dezero_core.prefer(scaled='two'))\n"
        "out['runs'] = builtins.runs",
        warns=1,
    )
    assert "no luck" in outcome.out.error["message"]
    assert outcome.out.runs == 2


def test_an_interrupted_prefer_changes_neither_plugins_nor_preferences(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("one-ops", {"one.py": plugin_source("scaled")}, {"one": "one"})
    two = plugin_source("scaled") + AGAIN.format("raise KeyboardInterrupt")
    fake_distribution("two-ops", {"two.py": two}, {"two": "two"})
    outcome = run_python(
        f"{START}before = dezero_core.plugins()\n"
        "out['types'] = failure(lambda: dezero_core.prefer(scaled='two'))['types']\n"
        "out['same'], out['settled'] = dezero_core.plugins() == before, preferred()",
        warns=1,
    )
    assert outcome.out.types[0] == "KeyboardInterrupt"
    assert outcome.out.same
    assert outcome.out.settled == {}


def test_prefer_that_settles_half_of_a_conflict_names_the_other_operations(
    plugin_source, fake_distribution, run_python
):
    for name in ("one", "two"):
        source = plugin_source("scaled") + "    register('more', scaled)\n"
        fake_distribution(f"{name}-ops", {f"{name}.py": source}, {name: name})
    outcome = run_python(
        f"{START}out['error'] = failure(lambda: dezero_core.prefer(scaled='two'))\n"
        "dezero_core.prefer(scaled='two', more='one')",
        warns=1,
    )
    assert outcome.out.error["operations"] == "('more',)"
    assert outcome.states == {"one": "loaded", "two": "loaded"}
    choice = "lambda: dezero_core.prefer(scaled='two', more='one', z='one')"
    outcome = run_python(f"{START}out['error'] = failure({choice})", warns=1)
    assert "UnknownOperationError" in outcome.out.error["types"]
    assert outcome.states == {"one": "loaded", "two": "failed"}
    assert "DEZERO_OPS" in outcome.plugin("two").cause
    again = "\ndezero_core.prefer(scaled='two', more='one')"
    outcome = run_python(f"{START}failure({choice}){again}", warns=1)
    assert outcome.states == {"one": "loaded", "two": "loaded"}


@pytest.mark.parametrize(
    ("choices", "warning"),
    [
        ("scaled=nobody", "no plugin is called 'nobody'"),
        ("scaled", "'scaled'; write operation=plugin"),
        ("scaled=one,scaled=one-ops", "two plugins for 'scaled'; 'one-ops' is the one that counts"),
        ("=one", "'=one'; write operation=plugin"),
        ("zzz=one", "'zzz' of plugin 'one', which does not provide it here: it has no such"),
        ("scalde=one", "it has no such operation. Did you mean 'scaled'?"),
    ],
)
def test_an_impossible_choice_in_dezero_ops_is_warned_of(
    choices, warning, plugin_source, fake_distribution, run_python
):
    fake_distribution("one-ops", {"one.py": plugin_source("scaled", 2.0)}, {"one": "one"})
    outcome = run_python(START, warns=1, DEZERO_OPS=choices)
    assert warning in outcome.warnings[0]
    assert outcome.states == {"one": "loaded"}


def test_the_warning_of_dezero_ops_says_why_the_chosen_plugin_is_not_loaded(install, run_python):
    install("registered")
    outcome = run_python(START + VALUES, 1, DEZERO_OPS="scaled=two", DEZERO_DISABLE_PLUGINS="two")
    assert "disabled by DEZERO_DISABLE_PLUGINS" in outcome.warnings[0]
    assert outcome.out.values == [2.0, 2.0]


def test_a_misspelt_operation_in_dezero_ops_is_warned_of_with_the_operation_in_conflict(
    install, run_python
):
    install("registered")
    outcome = run_python(START, warns=2, DEZERO_OPS="scalde=two")
    says = "it is not loaded, for a conflict over scaled. Did you mean 'scaled'?"
    assert says in outcome.warnings[1]


def test_a_choice_in_dezero_ops_holds_until_the_variable_is_removed(install, run_python):
    install("registered")
    outcome = run_python(
        f"{START}{VALUES}import os\ndel os.environ['DEZERO_OPS']\n"
        "dezero_core.load_plugins()\nout['then'] = x.scaled().item()\n"
        "dezero_core.unregister('two')\n"
        "out['error'] = failure(lambda: dezero_core.register('two'))",
        DEZERO_OPS="scaled=two",
    )
    assert (outcome.out.values, outcome.out.then) == ([3.0, 3.0], 2.0)
    assert "PluginConflictError" in outcome.out.error["types"]


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
        warns=0 if from_outside else 1,
        DEZERO_OPS=from_outside,
    )
    assert outcome.out.values == [3.0] * 4


def test_an_impossible_choice_in_dezero_ops_sets_no_preference(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("one-ops", {"one.py": plugin_source("scaled", 2.0)}, {"one": "one"})
    fake_distribution("two-ops", {"two.py": plugin_source("other")}, {"two": "two"})
    outcome = run_python(
        f"{START}out['settled'] = [preferred()]\n"
        "dezero_core.prefer(scaled='one')\ndezero_core.load_plugins()\n"
        "out['settled'].append(preferred())",
        warns=2,
        DEZERO_OPS="scaled=two",
    )
    assert outcome.out.settled == [{}, {"scaled": "one"}]
