"""Modules that a plugin announces: imported when first needed, once, and all of it or nothing."""

import copy
import pickle

import numpy as np
import pytest

import dezero_core
from dezero_core import PluginError, Variable, hookimpl, ops, plugins, register, unregister

#: A module with one operation, which multiplies. What happens to it is noted in builtins.events.
MODULE = """
import builtins
import numpy as np
from dezero_core import Function

builtins.events.append("import {name}")

class {Name}(Function):
    def forward(self, x):
        if x.size > 8:
            raise ValueError("too large")
        return x * {factor}

    def backward(self, gy):
        return gy * {factor}

def {name}(x, *others):
    return {Name}()(x)

METHODS = {{"{name}": {name}, "{name}_of": property({name})}}

def register_ops(register):
    builtins.events.append("register {name}")
    register("{name}", {name}, {Name}, methods=METHODS, {claims})
"""


def module(name, factor=3.0, claims=""):
    return MODULE.format(name=name, Name=name.title(), factor=factor, claims=claims)


TRIPLED = module(
    "tripled",
    3.0,
    'dunders={"__neg__": tripled, "__eq__": tripled, "__array_priority__": 200}, numpy=np.negative',
)
DOUBLED = module("doubled", 2.0, "numpy=(np.fft.fft, np.linalg.inv)")

PLUGIN = """
from dezero_core import hookimpl

@hookimpl
def dezero_register_ops(register):
    register.later("acme.tripled", operations="tripled", methods="tripled tripled_of",
                   dunders="__neg__ __eq__ __array_priority__", numpy=["negative"])
    register.later("acme.doubled", operations=["doubled"], methods=["doubled", "doubled_of"],
                   numpy="fft.fft linalg.inv")
"""

START = """
import builtins, sys
builtins.events = events = []
import dezero_core, numpy as np
from dezero_core import Variable
x = Variable(np.array([1.0, 2.0]))
"""

#: The names of all that is still to be imported.
ANNOUNCED = """
from dezero_core.slots import SLOTS
def announced():
    return sorted(key for key, slot in SLOTS.items() for b in slot.bindings.values() if b.load)
"""


@pytest.fixture
def acme(fake_distribution):
    """Return a function that installs a plugin of two modules, with the sources given."""

    def install(plugin=PLUGIN, **sources):
        sources = {"plugin": plugin, "tripled": TRIPLED, "doubled": DOUBLED} | sources
        modules = {f"acme/{name}.py": text for name, text in sources.items()}
        modules["acme/__init__.py"] = ""
        return fake_distribution("acme-ops", modules, {"acme": "acme.plugin"})

    return install


ONE, OTHER = (["import tripled", "register tripled"], ["import doubled", "register doubled"])


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
def test_a_module_is_imported_when_something_in_it_is_first_needed(
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


def test_once_imported_all_of_a_module_is_there_and_nothing_is_asked_again(acme, run_python):
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


def test_a_class_that_overrides_what_is_announced_reaches_it_by_super(acme, run_python):
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
def test_unregister_restores_variable_exactly_whatever_was_imported(used, acme, run_python):
    acme()
    outcome = run_python(
        f"""{START}
from dezero_core.provenance import PROVENANCE
from dezero_core.slots import NUMPY_FUNCTIONS
{ANNOUNCED}
def everything():
    return dict(vars(Variable)), dict(NUMPY_FUNCTIONS), announced(), set(PROVENANCE)
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
    assert everything() == full or not {used == "x.doubled(), -x"}
out["again"] = x.doubled().data.tolist(), (-x).data.tolist()
"""
    )
    assert outcome.out.ops == 0
    assert outcome.out.gone == ["AttributeError", "MissingOperationError"]
    assert outcome.out.again == [[2.0, 4.0], [3.0, 6.0]]
    assert outcome.operations == ["doubled", "tripled"]


def test_a_module_that_is_imported_already_registers_at_once(acme, run_python):
    acme()
    outcome = run_python(
        "import builtins\nbuiltins.events = events = []\nimport acme.doubled, dezero_core\n"
        "dezero_core.plugins()\nout['events'] = [*events]"
    )
    assert outcome.out.events == OTHER
    assert outcome.operations == ["doubled", "tripled"]


def test_a_module_that_imports_the_core_as_the_first_is_awaited(fake_distribution, run_python):
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


def test_a_module_imported_by_hand_is_of_the_plugin_in_messages(acme, run_python):
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
        "registers the operation 'more', and this was not announced",
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
        "announces others in turn",
    ),
    "registers an observer": (
        TRIPLED + "    register.observer('seen', object)\n",
        "registers observers; do that in a hook of the plugin",
    ),
}


@pytest.mark.parametrize("use", ["x.tripled()", "-x", "np.negative(x)"])
@pytest.mark.parametrize(("source", "cause"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_module_says_so_where_it_is_used_and_nothing_is_half_bound(
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


def test_what_an_older_numpy_has_not_got_need_not_be_registered(acme, run_python):
    newer = PLUGIN.replace('"fft.fft', '"of_the_future linalg.of_the_future fft.fft')
    newer = newer.replace("linalg.inv", "linalg.inv of_the_future")
    acme(newer)
    assert run_python(f"{START}out['value'] = x.doubled().data.tolist()").out.value == [2.0, 4.0]


def test_a_module_may_use_others_as_it_is_imported(acme, run_python):
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


def test_a_module_is_imported_apart_from_the_settings_of_a_calculation(acme, run_python):
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


def test_threads_that_need_modules_at_the_same_time_import_each_once(acme, run_python):
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


def test_a_plugin_that_is_unloaded_while_its_module_is_imported_stays_unloaded(acme, run_python):
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


class Announces:
    """A plugin object that announces, beside what it registers."""

    def __init__(self, *announced, registered=()):
        self.announced, self.registered = announced, registered

    @hookimpl
    def dezero_register_ops(self, register):
        for name in self.registered:
            register(**name)
        for names in self.announced:
            register.later("surely_not_there", **names)


def first(x, *others):
    return "first"


CLAIMS = {
    "operator": ({"dunders": "__add__"}, "Variable.__add__"),
    "method": ({"methods": "m"}, "Variable.m"),
    "NumPy function": ({"numpy": "linalg.inv"}, "np.linalg.inv"),
    "operation": ({"operations": "a"}, "operation 'a'"),
}
SAME = {
    "operator": {"dunders": "__add__"},
    "method": {"methods": "m"},
    "NumPy function": {"numpy": np.linalg.inv},
    "operation": {"name": "a"},
}


@pytest.mark.parametrize(("claim", "what"), CLAIMS.values(), ids=CLAIMS.keys())
def test_conflicts_are_decided_by_what_is_announced(claim, what, core_alone, registered):
    one, two = Announces({"operations": "a"} | claim), Announces({"operations": "b"} | claim)
    registered(one, "one")
    before = dict(vars(Variable)), plugins()
    with pytest.raises(PluginError, match="which 'one' provides already") as caught:
        register(two, "two")
    assert (caught.value.what, caught.value.plugin, caught.value.other) == (what, "two", "one")
    assert (dict(vars(Variable)), plugins()) == before


@pytest.mark.parametrize("announced_first", [True, False])
@pytest.mark.parametrize("kind", CLAIMS)
def test_what_is_announced_and_what_is_registered_are_in_conflict(
    kind, announced_first, core_alone, registered
):
    announces = Announces({"operations": "b"} | CLAIMS[kind][0])
    registers = Announces(registered=[{"name": "c", "function": first} | SAME[kind]])
    one, two = (announces, registers) if announced_first else (registers, announces)
    registered(one, "one")
    with pytest.raises(PluginError) as caught:
        register(two, "two")
    assert (caught.value.what, caught.value.other) == (CLAIMS[kind][1], "one")


@pytest.mark.parametrize(
    ("announced", "message"),
    [
        ([{"operations": "a"}, {"operations": "a"}], "operation 'a' twice"),
        ([{"operations": "a", "methods": "m"}, {"operations": "b", "methods": "m"}], "'m' twice"),
        ([{"operations": "a", "dunders": "__add__"}] * 2, "twice"),
        (
            [{"operations": "a", "numpy": "sin"}, {"operations": "b", "numpy": "sin"}],
            "np.sin twice",
        ),
        ([{"operations": "a", "dunders": "__init__"}], "'__init__', which is no operator"),
        ([{"operations": "a", "methods": "_private"}], "'_private', which is no name"),
        ([{"operations": "a", "methods": "backward"}], "Variable.backward"),
        ([{"operations": "a", "numpy": "shape"}], "np.shape"),
        ([{"operations": [5]}], "announces 5, which is no name"),
        ([{"operations": "", "methods": "m"}], "'surely_not_there' without an operation"),
    ],
)
def test_an_announcement_that_cannot_be_kept_is_refused(announced, message, core_alone):
    bound = dict(vars(Variable))
    with pytest.raises(PluginError, match=message):
        register(Announces(*announced), "bad")
    assert dict(vars(Variable)) == bound
    assert ops() == ()


def test_a_module_is_announced_by_its_name(core_alone):
    class Hasty:
        @hookimpl
        def dezero_register_ops(self, register):
            register.later(np, operations="a")

    with pytest.raises(PluginError, match="give the name of a module"):
        register(Hasty())


OWN = """
from acme_functions import own
def register_ops(register):
    register("own", lambda x: "of {name}", numpy=own)
"""


def test_a_function_that_is_not_numpys_is_found_by_its_name_too(fake_distribution, run_python):
    """Who has registered it is not known before it is imported, and then it is a conflict."""
    functions = "import numpy as np\nown = np.frompyfunc(lambda x: x, 1, 1)\n"
    plugin = "from dezero_core import hookimpl\n@hookimpl\ndef dezero_register_ops(register):\n    "
    announces = (
        f'{plugin}register.later("acme_own", operations="own", numpy="<lambda> (vectorized)")'
    )
    announces = announces.replace('"<lambda> (vectorized)"', '["<lambda> (vectorized)"]')
    fake_distribution(
        "acme-ops",
        {
            "acme_functions.py": functions,
            "acme_own.py": OWN.format(name="acme"),
            "acme.py": announces,
            "zulu.py": OWN.format(name="zulu").replace('"own"', '"other"')
            + plugin
            + "register_ops(register)",
        },
        {"acme": "acme", "zulu": "zulu"},
    )
    use = "from acme_functions import own\n"
    outcome = run_python(f"{START}{use}out['value'] = own(x)", DEZERO_PLUGINS="acme")
    assert outcome.out.value == "of acme"
    outcome = run_python(
        f"{START}{use}out['value'] = own(x)\nfrom dezero_core.slots import SLOTS\n"
        "out['error'] = failure(SLOTS['np.<lambda> (vectorized)'].binding)\n"
        "dezero_core.unregister('zulu')\nout['then'] = own(x)"
    )
    assert outcome.out.value == "of zulu"
    assert "which 'zulu' provides already" in outcome.out.error["message"]
    assert outcome.out.then == "of acme"


def test_a_variable_has_no_method_that_would_slow_down_its_attributes():
    """With one of these, CPython could not specialise the reads of ``x.data``."""
    for cls in Variable.__mro__[:-1]:
        assert not {"__getattr__", "__getattribute__"} & vars(cls).keys()


def test_what_awaits_the_import_of_a_plugin_is_gone_afterwards(acme, run_python):
    acme(plugin="import dezero_core\n" + PLUGIN)
    outcome = run_python(
        "import builtins\nbuiltins.events = []\n"
        "import sys, types\nsys.modules['acme'] = waits = types.ModuleType('acme')\n"
        "waits.__spec__ = types.SimpleNamespace(_initializing=True)\n"
        "import dezero_core\nfrom dezero_core import Variable\nx = object.__new__(Variable)\n"
        "out['state'] = dezero_core.plugins()[0].state\n"
        "out['waiting'] = '__getattr__' in vars(Variable)\n"
        "out['unknown'] = failure(lambda: x.nonsense)['message']\n"
        "del sys.modules['acme']\n"
        "out['found'] = hasattr(x, 'doubled')\n"
        "out['after'] = '__getattr__' in vars(Variable)"
    )
    assert (outcome.out.state, outcome.out.waiting) == ("pending", True)
    assert outcome.out.unknown == "'Variable' object has no attribute 'nonsense'"
    assert (outcome.out.found, outcome.out.after) == (True, False)


def test_what_awaits_a_plugin_is_gone_also_where_that_is_switched_off(acme, run_python):
    acme()
    outcome = run_python(
        "import sys, types\nsys.modules['acme'] = waits = types.ModuleType('acme')\n"
        "waits.__spec__ = types.SimpleNamespace(_initializing=True)\n"
        "import dezero_core\nfrom dezero_core import Variable\n"
        "out['waiting'] = '__getattr__' in vars(Variable)\n"
        "dezero_core.unregister('acme')\nVariable(None)\n"
        "out['after'] = '__getattr__' in vars(Variable)"
    )
    assert (outcome.out.waiting, outcome.out.after) == (True, False)


def test_a_variable_can_be_copied_and_has_a_state_of_its_own():
    x = Variable(np.ones(2), "x")
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert other.name == "x"
        np.testing.assert_array_equal(other.data, [1.0, 1.0])


@pytest.mark.parametrize("name", ["shape", "ndim", "size", "dtype"])
@pytest.mark.parametrize(("data", "what"), [(None, "None"), ([1.0], "a list")])
def test_without_an_array_there_is_no_shape(name, data, what):
    x = Variable(None)
    x.data = data
    with pytest.raises(AttributeError, match=f"no '{name}': .data of this Variable is {what}"):
        getattr(x, name)


def test_dir_lists_what_is_bound_and_not_what_only_has_a_message(core_alone, registered):
    x = Variable(np.ones(2))
    assert {"data", "backward", "__add__"} <= set(dir(x))
    assert not {"sum", "T"} & set(dir(x))
    registered(Announces({"operations": "sum", "methods": "sum"}), "one")
    assert "sum" in dir(x)
    assert "T" not in dir(x)
    unregister("one")
    assert "sum" not in dir(x)


def test_the_names_that_only_tests_need_are_there_when_they_are_asked_for(run_python):
    outcome = run_python(
        "import sys, dezero_core\nout['before'] = 'dezero_core.registry.sampling' in sys.modules\n"
        "out['listed'] = {'Call', 'Draw', 'Sample', 'elementwise'} <= set(dir(dezero_core))\n"
        "from dezero_core import *\nout['made'] = repr(elementwise((0.0, 1.0)).calls[0])\n"
        "out['nonsense'] = failure(lambda: dezero_core.nonsense)['message']"
    )
    assert (outcome.out.before, outcome.out.listed) == (False, True)
    assert outcome.out.made == "Call(Draw((2, 3), (0.0, 1.0)))"
    assert outcome.out.nonsense == "module 'dezero_core' has no attribute 'nonsense'"
    assert dezero_core.elementwise is dezero_core.registry.sampling.elementwise


def test_an_operation_is_equal_to_one_of_the_same_facts_and_another_sample(registered):
    registered(Announces(registered=[{"name": "a", "function": first}]), "one")
    (operation,) = (operation for operation in ops() if operation.plugin == "one")
    other = operation._replace(sample=dezero_core.Sample(()))
    assert operation == other
    assert not operation != other  # noqa: SIM202 - which is another method
    assert hash(operation) == hash(other)
    assert operation != other._replace(name="b")
    assert operation != tuple(operation)
