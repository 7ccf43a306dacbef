"""Modules that a plugin announces: imported when first needed, once, and all of it or nothing.

Promise: docs/how_to/publish_a_plugin.md
"""

import pytest

from .announcing_plugin import DOUBLED, ONE, OTHER, PLUGIN, START, TRIPLED

#: The names of all that is still to be imported.
ANNOUNCED = """
from dezero_core.extend import SLOTS
def announced():
    return sorted(key for key, slot in SLOTS.items() for b in slot.bindings.values() if b.load)
"""


@pytest.mark.parametrize(
    ("use", "value", "events"),
    [
        ("x.tripled().data.tolist()", [3.0, 6.0], ONE),
        ("x.tripled_of.data.tolist()", [3.0, 6.0], ONE),
        ("(-x).data.tolist()", [3.0, 6.0], ONE),
        ("(x == x).data.tolist()", [3.0, 6.0], ONE),
        ("np.negative(x).data.tolist()", [3.0, 6.0], ONE),
        ("x.__array_priority__", 200, ONE),
        ("np.linalg.inv(x).data.tolist()", [2.0, 4.0], OTHER),
        ("np.fft.fft(x).data.tolist()", [2.0, 4.0], OTHER),
        ("Variable.doubled(x).data.tolist()", [2.0, 4.0], OTHER),
        ("[hasattr(Variable, 'doubled'), hasattr(x, 'doubled_of')]", [True, True], OTHER),
        ("type(Variable.doubled_of).__name__", "property", OTHER),
        ("str(inspect.signature(Variable.doubled))", "(x, *others)", OTHER),
        ("'(x, *others)' in pydoc.render_doc(Variable.doubled)", True, OTHER),
        ("[op.name for op in dezero_core.ops()]", ["doubled", "tripled"], ONE + OTHER),
        ("[*dezero_core.plugins()[0].operations]", ["tripled", "doubled"], []),
        ("['doubled' in dir(x), 'sum' in dir(x)]", [True, False], []),
        ("[hasattr(x, 'sum'), hasattr(Variable, 'T')]", [False, False], []),
        ("failure(lambda: np.cbrt(x))['types'][0]", "MissingOperationError", []),
        ("failure(lambda: x + x)['types'][0]", "MissingOperationError", []),
        ("[x.data.tolist(), x.shape[0]]", [[1.0, 2.0], 2], []),
        ("pickle.loads(pickle.dumps(copy.deepcopy(x))).data.tolist()", [1.0, 2.0], []),
    ],
)
def test_an_announced_module_is_imported_when_one_of_its_names_is_first_needed(
    use, value, events, acme, run_python
):
    acme()
    outcome = run_python(
        f"{START}import copy, inspect, pickle, pydoc\nout['before'] = [*events]\n"
        f"out['value'] = {use}\nout['events'] = [*events]"
    )
    assert outcome.out.before == []
    assert outcome.out.value == value
    assert outcome.out.events == events
    assert outcome.states == {"acme": "loaded"}


def test_an_announced_module_is_imported_once_and_binds_all_its_names(acme, run_python):
    acme()
    outcome = run_python(
        f"{START}{ANNOUNCED}load = SLOTS['__neg__'].bindings['acme'].load\n"
        "y = x.tripled()\ny.backward()\nload()\n"
        "out['value'], out['slope'] = y.data.tolist(), x.grad.tolist()\n"
        "out['bound'] = Variable.tripled is Variable.__neg__ is vars(Variable)['tripled']\n"
        "out['later'] = announced()\n"
        "x.tripled(), -x, np.negative(x), x.tripled_of, dezero_core.ops()\n"
        "out['events'] = events"
    )
    assert (outcome.out.value, outcome.out.slope) == ([3.0, 6.0], [3.0, 3.0])
    assert outcome.out.bound
    assert outcome.out.later == ["doubled", "doubled_of", "np.fft.fft", "np.linalg.inv"]
    assert outcome.out.events == [*ONE, *OTHER]


def test_a_subclass_reaches_an_announced_method_by_super(acme, run_python):
    acme()
    outcome = run_python(
        f"""{START}
class Mine(Variable):
    def __neg__(self):
        events.append("mine")
        return super().__neg__()
    def doubled(self):
        events.append("mine")
        return super().doubled()
x = Mine(np.array([1.0]))
out['values'] = (-x).data.tolist(), x.doubled().data.tolist()
out['calls'] = events.count("mine")
"""
    )
    assert outcome.out.values == [[3.0], [2.0]]
    assert outcome.out.calls == 2


@pytest.mark.parametrize("used", ["", "x.doubled()", "x.doubled(), -x"])
def test_unregister_restores_variable_exactly_whichever_modules_were_imported(
    used, acme, run_python
):
    acme()
    outcome = run_python(
        f"""{START}
from dezero_core.extend import PROVENANCE
from dezero_core.slots import FOUND, Slot
{ANNOUNCED}
def everything():
    attributes = {{k: v.name if type(v) is Slot else v for k, v in vars(Variable).items()}}
    return attributes, dict(FOUND), announced(), set(PROVENANCE)
dezero_core.unregister("acme")
bare = everything()
for _ in range(2):
    dezero_core.register("acme")
    {used}
    full = everything()
    dezero_core.unregister("acme")
    assert everything() == bare
    out["ops"] = len(dezero_core.ops())
    out["gone"] = [failure(lambda: x.doubled())["types"][0], failure(lambda: -x)["types"][0]]
    dezero_core.register("acme")
    {used}
    assert everything() == full
out["again"] = x.doubled().data.tolist(), (-x).data.tolist()
"""
    )
    assert outcome.out.ops == 0
    assert outcome.out.gone == ["AttributeError", "MissingOperationError"]
    assert outcome.out.again == [[2.0, 4.0], [3.0, 6.0]]
    assert outcome.operations == ["doubled", "tripled"]


def test_an_announced_module_that_is_imported_already_registers_when_it_is_needed(acme, run_python):
    acme()
    outcome = run_python(
        f"import builtins\nimport sys\nbuiltins.events = events = []\nimport acme.doubled\n"
        f"{START.replace('events = events = []', 'events')}out['before'] = [*events]\n"
        "out['value'] = x.doubled().data.tolist()\nout['events'] = [*events]"
    )
    assert outcome.out.before == ["import doubled"]
    assert outcome.out.value == [2.0, 4.0]
    assert outcome.out.events == OTHER
    assert outcome.operations == ["doubled", "tripled"]


def test_an_announced_module_that_is_itself_importing_the_core_is_awaited(
    fake_distribution, run_python
):
    """Then the plugin announces it while it is being imported."""
    plugin = PLUGIN.replace("acme.tripled", "of_acme").replace("acme.doubled", "not_needed")
    fake_distribution("acme-ops", {"acme.py": plugin, "of_acme.py": TRIPLED}, {"acme": "acme"})
    outcome = run_python(
        "import builtins\nbuiltins.events = []\nimport of_acme, numpy as np\n"
        "from dezero_core import Variable, unregister\n"
        "out['value'] = (-Variable(np.array(1.0))).data.tolist()\nunregister('acme')"
    )
    assert outcome.out.value == 3.0
    assert outcome.plugin("acme").cause == "unregistered"


def test_an_announced_module_imported_by_hand_belongs_to_its_plugin_in_messages(acme, run_python):
    acme()
    outcome = run_python(
        f"{START}from acme.doubled import doubled\n"
        "try:\n    doubled(Variable(np.ones(9)))\n"
        "except ValueError as error:\n    out['note'] = error.__notes__[0]\n"
        "out['bound'] = 'register doubled' in events"
    )
    assert "in Doubled.forward of plugin 'acme' (acme-ops 1.0)" in outcome.out.note
    assert "called at <scenario>:" in outcome.out.note
    assert not outcome.out.bound


BROKEN = {
    "raises": ("raise ImportError('no luck')", "ImportError: no luck, at "),
    "exits": ("raise SystemExit('goodbye')", "SystemExit: goodbye"),
    "is not there": (None, "acme.tripled"),
    "has no register_ops": ("", "register_ops"),
    "raises as it registers": (TRIPLED + "    1 / 0\n", "ZeroDivisionError: division by zero, at "),
    "lacks an operation": ("def register_ops(register): pass", "does not register Variable."),
    "lacks a method": (
        TRIPLED.replace('"tripled": tripled,', ""),
        "not register Variable.tripled.",
    ),
    "lacks a dunder": (TRIPLED.replace('"__eq__": tripled,', ""), "register Variable.__eq__."),
    "lacks a function of NumPy": (
        TRIPLED.replace("numpy=np.negative", ""),
        "register np.negative.",
    ),
    "has an operation more": (
        TRIPLED + "    register('more', tripled)\n",
        "registers more, and this was not announced",
    ),
    "has a method more": (
        TRIPLED.replace('"tripled": tripled,', '"tripled": tripled, "more": tripled,'),
        "registers Variable.more, and",
    ),
    "has a function of NumPy more": (
        TRIPLED.replace("numpy=np.negative", "numpy=(np.negative, np.cbrt)"),
        "registers np.cbrt, and",
    ),
    "announces others": (
        TRIPLED + "    register.later('acme.more', operations='more')\n",
        "announces 'acme.more'; announce modules by their names, in the plugin's hook",
    ),
    "registers an observer": (
        TRIPLED + "    register.part('observer', 'seen', object)\n",
        "registers the observer 'seen', <class 'object'>; do that in the plugin's hook",
    ),
}


@pytest.mark.parametrize("use", ["x.tripled()", "-x", "np.negative(x)"])
@pytest.mark.parametrize(("source", "cause"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_announced_module_is_an_error_at_its_use_and_binds_nothing(
    source, cause, use, acme, run_python
):
    """The core and the rest of the plugin work; repaired, it is imported by the next use."""
    site = acme(**({} if source is None else {"tripled": source}))
    if source is None:
        (site / "acme" / "tripled.py").unlink()
    outcome = run_python(
        f"""{START}
before = dict(vars(Variable))
out['first'] = failure(lambda: {use})
out['again'] = failure(lambda: {use})['message'] == out['first']['message']
out['half'] = [name for name, value in vars(Variable).items() if value is not before.get(name)]
out['doubled'] = x.doubled().data.tolist()
out['ops'] = [op.name for op in dezero_core.ops()]
(out['cause'],) = [plugin.cause for plugin in dezero_core.plugins()]
sys.modules.pop("acme.tripled", None)
with open({str(site / "acme" / "tripled.py")!r}, "w") as file:
    file.write({TRIPLED + "# repaired, and of another size than before"!r})
import importlib
importlib.invalidate_caches()
out['repaired'] = (-x).data.tolist(), x.tripled().data.tolist()
"""
    )
    error = outcome.out.first
    assert "PluginLoadError" in error["types"]
    assert error["message"].startswith("plugin 'acme' (acme-ops 1.0): its module 'acme.tripled' ")
    assert cause in error["message"]
    assert (error["plugin"], error["distribution"]) == ("'acme'", "'acme-ops'")
    assert error["module"] == "'acme.tripled'"
    assert outcome.out.again
    assert [name for name in outcome.out.half if "doubled" not in name] == []
    assert outcome.out.doubled == [2.0, 4.0]
    assert outcome.out.ops == ["doubled"]
    assert f"plugin 'acme' (acme-ops 1.0): {outcome.out.cause}" == error["message"]
    assert outcome.out.repaired == [[3.0, 6.0], [3.0, 6.0]]
    assert (outcome.plugin("acme").state, outcome.plugin("acme").cause) == ("loaded", None)


def test_an_announced_function_that_an_older_numpy_lacks_need_not_be_registered(acme, run_python):
    newer = PLUGIN.replace('"fft.fft', '"of_the_future linalg.of_the_future fft.fft')
    newer = newer.replace("linalg.inv", "linalg.inv of_the_future")
    acme(newer)
    assert run_python(f"{START}out['value'] = x.doubled().data.tolist()").out.value == [2.0, 4.0]


def test_an_announced_module_may_use_another_announced_module_during_its_import(acme, run_python):
    """They are imported meanwhile; itself it cannot use."""
    uses = "from dezero_core import Variable\nTWO = Variable(np.array(1.0)).doubled()\n"
    acme(tripled=TRIPLED.replace("class", uses + "class"))
    outcome = run_python(f"{START}out['value'] = (-x).data.tolist()\nout['events'] = events[:]")
    assert outcome.out.value == [3.0, 6.0]
    assert outcome.out.events == ["import tripled", *OTHER, "register tripled"]

    acme(tripled=TRIPLED.replace("class", uses.replace("doubled", "tripled_of") + "class"))
    outcome = run_python(
        f"{START}out['error'] = failure(lambda: -x)\ndezero_core.unregister('acme')"
    )
    assert "register_ops" in outcome.out.error["message"]


def test_an_announced_module_is_imported_without_the_settings_of_the_calculation(acme, run_python):
    settings = (
        "import dezero_core\nSTATE = np.geterr()['divide'], dezero_core.Config.enable_backprop\n"
    )
    acme(tripled=TRIPLED + settings)
    outcome = run_python(
        f"{START}with np.errstate(all='raise'), dezero_core.no_grad():\n    y = -x\n"
        "import acme.tripled\nout['state'] = acme.tripled.STATE\nout['creator'] = y.creator is None"
    )
    assert outcome.out.state == ["warn", True]
    assert outcome.out.creator


def test_threads_that_need_announced_modules_at_once_import_each_module_once(acme, run_python):
    """Also where one unloads the plugin and loads it again meanwhile."""
    slow = "import time\ntime.sleep(0.05)\n"
    acme(tripled=slow + TRIPLED, doubled=slow + DOUBLED)
    outcome = run_python(
        f"""{START}
import threading
ready, found, sys_switch = threading.Barrier(12), [], sys.setswitchinterval(1e-5)
def work(use):
    ready.wait()
    try:
        found.append(use().data.tolist())
    except BaseException as error:
        found.append(repr(error))
uses = [lambda: -x, lambda: x.doubled(), lambda: np.negative(x), lambda: np.linalg.inv(x),
        lambda: x.tripled_of, lambda: Variable.doubled(x)] * 2
threads = [threading.Thread(target=work, args=(use,)) for use in uses]
for thread in threads: thread.start()
for thread in threads: thread.join()
out['found'] = sorted(found)
out['events'] = sorted(events)
"""
    )
    assert outcome.out.found == [[2.0, 4.0]] * 6 + [[3.0, 6.0]] * 6
    assert outcome.out.events == sorted(ONE + OTHER)


def test_a_plugin_that_is_unloaded_while_its_announced_module_is_imported_stays_unloaded(
    acme, run_python
):
    acme(tripled="import dezero_core\ndezero_core.unregister('acme')\n" + TRIPLED)
    outcome = run_python(
        f"{START}bare = dict(vars(Variable))\nout['operator'] = failure(lambda: -x)['types'][0]\n"
        "del sys.modules['acme.tripled']\ndezero_core.register('acme')\n"
        "out['method'] = failure(lambda: x.tripled())['types'][0]\n"
        "out['bound'] = 'tripled' in vars(Variable)"
    )
    assert (outcome.out.operator, outcome.out.method) == (
        "MissingOperationError",
        "MissingAttributeError",
    )
    assert not outcome.out.bound
    assert outcome.operations == []


def test_an_announced_module_that_needs_the_next_one_loads_that_once(acme, run_python):
    ask = "from dezero_core.extend import find, operations_of\n"
    acme(
        tripled=f"import dezero_core\ndezero_core.prefer(doubled='acme')\n{TRIPLED}",
        doubled=DOUBLED,
    )
    outcome = run_python(
        f"{START}{ask}out['names'] = [op.name for op in operations_of(find('acme'))]\n"
        "out['events'] = sorted(events)"
    )
    assert outcome.out.events == sorted(ONE + OTHER)
    assert outcome.out.names == ["doubled", "tripled"]
