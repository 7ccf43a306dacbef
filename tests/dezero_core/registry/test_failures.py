"""One broken plugin harms nobody else: all of it or none, recorded, warned of once.

Promise: docs/how_to/look_at_plugins.md
"""

import pytest

HOOK = "from dezero_core import hookimpl\n@hookimpl\ndef dezero_register_ops(register):\n"

USE = """
import numpy as np
from dezero_core import Variable
x = Variable(np.array(2.0))
y = x.tripled()
y.backward()
out.update(y=float(y), slope=float(x.grad), bound=hasattr(Variable, "bad"))
"""

FAILURES = {
    "raises on import": ("raise ImportError('no luck')", ["ImportError", "no luck"]),
    "exits on import": ("raise SystemExit('goodbye')", ["SystemExit", "goodbye"]),
    "is not Python": ("\ndef :", ["SyntaxError: invalid syntax, at /", "/bad.py:2."]),
    "raises a SyntaxError itself": ("raise SyntaxError('odd')", ["SyntaxError: odd, at ", "y:1."]),
    "imports what is not there": ("import surely_not_there", ["surely_not_there"]),
    "raises what has facts of its own": (
        "import configparser\nconfigparser.ConfigParser().get('a', 'b')",  # error.message
        ["NoSectionError: No section: 'a', at "],
    ),
    "raises what cannot be written": (
        "class Mute(Exception):\n    def __str__(self):\n        raise ValueError\nraise Mute",
        ["Mute: (its message cannot be read), at "],
    ),
    "raises in its hook": (HOOK + "    raise KeyError('lost')", ["KeyError", "lost"]),
    "raises halfway through registering": (
        HOOK + "    register('bad', abs, methods='bad')\n    1 / 0",
        ["ZeroDivisionError"],
    ),
    "has a misspelt hook": (
        HOOK.replace("register_ops", "regsiter_ops") + "    register('bad', abs, methods='bad')",
        ["unknown hook 'dezero_regsiter_ops'", "The hook is dezero_register_ops(register)"],
    ),
    "has a misspelt hook name in the marker": (
        HOOK.replace("@hookimpl", "@hookimpl(specname='dezero_regsiter_ops')") + "    pass",
        ["unknown hook 'dezero_regsiter_ops'", "The hook is dezero_register_ops(register)"],
    ),
    "has a hook of another time": (
        HOOK.replace("dezero_register_ops", "quux") + "    pass",
        ["unknown hook 'quux'", "The hook is dezero_register_ops(register)"],
    ),
    "has a hook for arrays": (
        HOOK.replace("register_ops", "register_arrays") + "    pass",
        ["unknown hook 'dezero_register_arrays'", "by register.part(kind, name, value)"],
    ),
    "has a hook for settings beside the hook": (
        HOOK + "    register('bad', abs, methods='bad')\n"
        "@hookimpl\ndef dezero_register_settings(register):\n    register('bad', True)",
        ["unknown hook 'dezero_register_settings'", "by register.part(kind, name, value)"],
    ),
    "has a hook for observers": (
        HOOK.replace("register_ops", "register_observers") + "    register('bad', object)",
        ["unknown hook 'dezero_register_observers'", "by register.part(kind, name, value)"],
    ),
    "has a hook for executors": (
        HOOK.replace("register_ops", "register_executors") + "    register('bad', object)",
        ["unknown hook 'dezero_register_executors'", "by register.part(kind, name, value)"],
    ),
    "has an unknown hook argument": (
        HOOK.replace("(register)", "(registrar)") + "    registrar('bad', abs, methods='bad')",
        ["dezero_register_ops", "registrar"],
    ),
    "has no hook at all": (
        "def dezero_register_ops(register): pass",
        ["dezero_register_ops(register)", "@hookimpl"],
    ),
    "states its API in a way nobody can read": (
        "DEZERO_PLUGIN_API = '1'\n" + HOOK + "    pass",
        ["DEZERO_PLUGIN_API"],
    ),
    "wants to overwrite backward": (
        HOOK + "    register('bad', abs, methods=('bad', 'backward'))",
        ["Variable.backward", "which belongs to the core"],
    ),
    "wants to overwrite __init__": (
        HOOK + "    register('bad', abs, methods='bad', dunders='__init__')",
        ["'__init__'", "no operator"],
    ),
}


@pytest.mark.parametrize(("source", "cause"), FAILURES.values(), ids=FAILURES.keys())
def test_a_broken_plugin_is_recorded_and_warned_of_once_beside_working_plugins(
    source, cause, plugin_source, fake_distribution, run_python
):
    fake_distribution("bad-ops", {"bad.py": source}, {"bad": "bad"}, version="0.3")
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    outcome = run_python(USE, warns=1)
    record = outcome.plugin("bad")
    assert (record.state, record.operations) == ("failed", [])
    for part in cause:
        assert part in record.cause
    (warning,) = outcome.warnings
    assert "\n" not in warning
    assert warning.startswith("PluginWarning: plugin 'bad' (bad-ops 0.3) is not loaded: ")
    assert warning.endswith("; `dezero doctor` says more")
    said = warning.partition("is not loaded: ")[2].removesuffix("; `dezero doctor` says more")
    assert len(said) <= 200
    assert record.cause.startswith(said.partition(" […] ")[0])
    assert outcome.plugin("good").state == "loaded"
    assert outcome.operations == ["tripled"]
    assert vars(outcome.out) == {"y": 6.0, "slope": 3.0, "bound": False}


@pytest.mark.parametrize("reference", ["bad-ops.plugin", "bad:nothing", "bad.nothing"])
def test_an_entry_point_that_leads_nowhere_is_recorded_as_a_failure(
    reference, plugin_source, fake_distribution, run_python
):
    """The first is no object reference at all: a distribution name where a module belongs."""
    fake_distribution("bad-ops", {"bad.py": plugin_source("bad")}, {"bad": reference})
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    outcome = run_python(USE, warns=1)
    assert outcome.states == {"bad": "failed", "good": "loaded"}
    assert reference.rpartition(":")[2] in outcome.plugin("bad").cause
    assert vars(outcome.out) == {"y": 6.0, "slope": 3.0, "bound": False}


def test_each_of_nine_broken_plugins_is_warned_of_in_one_short_line(
    plugin_source, fake_distribution, run_python
):
    """The rest is in `dezero doctor`: where it was raised, and all that was said."""
    says = "no luck\\n" + 50 * "and more "
    for number in range(9):
        source = f"\n\nraise ImportError({says!r})".replace("\\\\", "\\")
        fake_distribution(f"x{number}-ops", {f"x{number}.py": source}, {f"x{number}": f"x{number}"})
    outcome = run_python("import dezero_core\ndezero_core.plugins()", warns=9)
    assert outcome.warnings == [
        f"PluginWarning: plugin 'x{number}' (x{number}-ops 1.0) is not loaded: ImportError: no "
        "luck; `dezero doctor` says more"
        for number in range(9)
    ]
    for record in outcome.plugins:
        assert record.cause.endswith(f"{record.name}.py:3.")
        assert "and more" in record.cause


def test_a_plugin_whose_hook_registers_nothing_is_loaded_with_a_warning(
    fake_distribution, run_python
):
    fake_distribution("idle-ops", {"idle.py": HOOK + "    pass"}, {"idle": "idle"})
    observes = HOOK + "    register.part('observer', 'o', object)"
    fake_distribution("seeing-ops", {"seeing.py": observes}, {"seeing": "seeing"})
    binds = HOOK + "    register.method('m', lambda x: x)"
    fake_distribution("binds-ops", {"binds.py": binds}, {"binds": "binds"})
    outcome = run_python("import dezero_core", warns=1)
    assert set(outcome.states.values()) == {"loaded"}
    assert outcome.warnings == [
        "PluginWarning: plugin 'idle' (idle-ops 1.0) is loaded, and its hook registers nothing"
    ]


@pytest.mark.parametrize(
    "damage", [{"omit": ("METADATA",)}, {"direct_url": "{not JSON"}, {"version": ""}]
)
def test_damaged_metadata_of_a_distribution_harm_no_other_plugin(
    damage, plugin_source, fake_distribution, run_python
):
    """The damaged one may load or not; the core is imported and the other one works."""
    doubled = plugin_source("doubled", 2.0)
    fake_distribution("bad-ops", {"bad.py": doubled}, {"bad": "bad"}, **damage)
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    outcome = run_python(USE, warns=None)
    assert outcome.plugin("good").state == "loaded"
    assert vars(outcome.out) == {"y": 6.0, "slope": 3.0, "bound": False}
    assert len(outcome.warnings) <= 1


@pytest.mark.parametrize(
    ("needed", "upgrade"),
    [
        ("(3, 0)", "Upgrade dezero-core"),
        ("(2, 1)", "Upgrade dezero-core"),
        ("(1, 7)", "Upgrade the plugin"),
    ],
)
def test_a_plugin_for_another_api_is_refused_with_the_needed_upgrade(
    needed, upgrade, plugin_source, fake_distribution, run_python
):
    source = f"DEZERO_PLUGIN_API = {needed}\n" + plugin_source("bad")
    fake_distribution("bad-ops", {"bad.py": source}, {"bad": "bad"})
    fake_distribution(
        "good-ops",
        {"good.py": "DEZERO_PLUGIN_API = (2, 0)\n" + plugin_source("tripled")},
        {"good": "good"},
    )
    outcome = run_python(USE, warns=1)
    assert outcome.states == {"bad": "incompatible", "good": "loaded"}
    assert "plugin 'bad' (bad-ops 1.0)" in outcome.warnings[0]
    assert upgrade in outcome.warnings[0]
    assert upgrade in outcome.plugin("bad").cause
    assert "offers 2.0" in outcome.plugin("bad").cause
    assert needed[1:-1].replace(", ", ".") in outcome.plugin("bad").cause
    assert vars(outcome.out) == {"y": 6.0, "slope": 3.0, "bound": False}


def test_a_repaired_plugin_is_loaded_by_the_next_load_plugins(
    plugin_source, fake_distribution, run_python
):
    """What failed is tried again, and what was loaded is left alone."""
    source = "import os\nif 'REPAIRED' not in os.environ: raise ImportError('no luck')\n"
    fake_distribution("bad-ops", {"bad.py": source + plugin_source("bad")}, {"bad": "bad"})
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    outcome = run_python(
        "import os, dezero_core\nfrom dezero_core import Variable\ndezero_core.plugins()\n"
        "bound = Variable.tripled\nos.environ['REPAIRED'] = '1'\n"
        "records = dezero_core.load_plugins()\n"
        "out.update(states={r.name: r.state for r in records}, causes=[r.cause for r in records],"
        " same=Variable.tripled is bound, bad=hasattr(Variable, 'bad'))",
        warns=1,
    )
    assert outcome.out.states == {"bad": "loaded", "good": "loaded"}
    assert outcome.out.causes == [None, None]
    assert outcome.out.same
    assert outcome.out.bad


def test_a_plugin_with_the_name_of_the_core_is_refused(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("bad-ops", {"bad.py": plugin_source("bad")}, {"dezero_core": "bad"})
    outcome = run_python(
        "import sys, dezero_core\ndezero_core.plugins()\nout['run'] = 'bad' in sys.modules", warns=1
    )
    assert outcome.states == {"dezero_core": "failed"}
    assert "its name is that of the core. Give it another; `dez" in outcome.warnings[0]
    assert not outcome.out.run


def test_a_plugin_module_under_two_names_is_loaded_once(
    plugin_source, fake_distribution, run_python
):
    fake_distribution(
        "twice-ops", {"twice.py": plugin_source("a")}, {"one": "twice", "two": "twice"}
    )
    outcome = run_python("import dezero_core", warns=1)
    assert outcome.states == {"one": "loaded", "two": "failed"}
    assert "is loaded already, as plugin 'one'" in outcome.warnings[0]


def test_an_entry_point_without_a_name_is_refused(plugin_source, fake_distribution, run_python):
    fake_distribution("nameless-ops", {"nameless.py": plugin_source("a")}, {"": "nameless"})
    outcome = run_python("import dezero_core", warns=1)
    assert outcome.states == {"": "failed"}
    assert "it has no name" in outcome.warnings[0]


def test_an_error_derived_from_a_plugin_error_is_recorded_by_its_message(
    plugin_source, fake_distribution, run_python
):
    """Its own takes what it likes, and cannot be made anew."""
    for base in ("PluginConflictError", "PluginApiError"):
        code = (
            f"from dezero_core.errors import {base}\n"
            f"class Own({base}):\n"
            "    def __init__(self, name): super().__init__(f'{name} is taken')\n"
            "raise Own('exp')\n"
        )
        fake_distribution(f"{base}-ops", {f"{base.lower()}.py": code}, {base: base.lower()})
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    outcome = run_python("import dezero_core", warns=2)
    assert outcome.states == {
        "PluginConflictError": "failed",
        "PluginApiError": "incompatible",
        "good": "loaded",
    }
    assert all("exp is taken" in warning for warning in outcome.warnings)


#: Raised as a plugin likes: none of them derives from Exception.
BASE_EXCEPTIONS = {
    "panic": "type('PanicException', (BaseException,), {})('no luck')",
    "skipped": "type('Skipped', (BaseException,), {})('no luck')",
    "exits": "SystemExit('no luck')",
    "generator": "GeneratorExit('no luck')",
    "cancelled": "__import__('asyncio').CancelledError('no luck')",
    "group": "BaseExceptionGroup('no luck', [SystemExit()])",
}
LATER = HOOK + "    register('{0}_here', abs, methods='{0}_here')\n    register.later('{0}_late', "
LATER += "operations='{0}', methods='{0}')\n"


def test_any_base_exception_of_a_plugin_is_survived_and_the_plugin_is_named(
    plugin_source, fake_distribution, run_python
):
    """At import, and in a hook."""
    for name, error in BASE_EXCEPTIONS.items():
        fake_distribution(f"{name}-ops", {f"{name}.py": f"raise {error}"}, {name: name})
        hooked = {f"{name}_hook.py": f"{HOOK}    raise {error}"}
        fake_distribution(f"{name}-hook", hooked, {f"{name}_hook": f"{name}_hook"})
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    outcome = run_python(USE, warns=2 * len(BASE_EXCEPTIONS))
    assert vars(outcome.out) == {"y": 6.0, "slope": 3.0, "bound": False}
    assert outcome.states.pop("good") == "loaded"
    for name, state in outcome.states.items():
        if name != "good":
            assert state == "failed"
            assert "no luck" in outcome.plugin(name).cause
            (warning,) = [w for w in outcome.warnings if f"plugin {name!r} (" in w]
            assert ": no luck" in warning
            assert warning.endswith("; `dezero doctor` says more")


def test_any_base_exception_of_an_announced_module_harms_only_that_module(
    plugin_source, fake_distribution, run_python
):
    """Also one that is missing; it is named once, and asking for its operation says why."""
    for name, error in BASE_EXCEPTIONS.items():
        modules = {f"{name}.py": LATER.format(name), f"{name}_late.py": f"raise {error}"}
        fake_distribution(f"{name}-ops", modules, {name: name})
    fake_distribution("lost-ops", {"lost.py": LATER.format("lost")}, {"lost": "lost"})
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    names = [*BASE_EXCEPTIONS, "lost"]
    outcome = run_python(
        f"{USE}import dezero_core\n"
        f"out['asked'] = {{name: failure(lambda: getattr(x, name)) for name in {names}}}\n"
        "dezero_core.load_plugins(only='good')\ndezero_core.load_plugins()\n"
        "out['listed'] = [sorted(op.name for op in dezero_core.ops()) for _ in range(2)]",
        warns=len(names),
    )
    listed = sorted(["tripled", *(f"{name}_here" for name in names)])
    assert outcome.out.listed == [listed] * 2
    for name in names:
        asked, record = outcome.out.asked[name], outcome.plugin(name)
        assert "PluginLoadError" in asked["types"]
        assert asked["message"] == f"plugin {name!r} ({name}-ops 1.0): {record.cause}"
        assert record.state == "loaded"
        assert f"its module '{name}_late' cannot be loaded: " in record.cause
        assert ("no luck" in record.cause) == (name != "lost")
        (warning,) = [w for w in outcome.warnings if f"plugin {name!r} (" in w]
        assert warning.endswith(f"{record.cause} Its other operations can be used.")


def test_ctrl_c_in_a_plugin_ends_the_first_use_and_the_next_use_succeeds(
    plugin_source, fake_distribution, run_python
):
    stopped = "import os\nif os.environ.pop('STOPPED', ''): raise KeyboardInterrupt\n"
    fake_distribution("bad-ops", {"bad.py": stopped + plugin_source("doubled")}, {"bad": "bad"})
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    first = "import dezero_core\nout['first'] = failure(lambda: dezero_core.Variable(None))\n"
    outcome = run_python(first + USE, STOPPED="1")
    assert outcome.out.first["types"][0] == "KeyboardInterrupt"
    assert outcome.out.y == 6.0
    assert outcome.states == {"bad": "loaded", "good": "loaded"}


def test_ctrl_c_in_a_finder_or_an_announced_module_reaches_the_user(fake_distribution, run_python):
    late = "import os\nif os.environ.pop('LATE', ''): raise KeyboardInterrupt\n"
    late += "def register_ops(register): register('acme', abs, methods='acme')\n"
    modules = {"acme.py": LATER.format("acme"), "acme_late.py": late}
    fake_distribution("acme-ops", modules, {"acme": "acme"})
    outcome = run_python(
        "ERRORS = iter([KeyboardInterrupt, RuntimeError, KeyboardInterrupt])\n"
        + FINDERS.format(error="next(ERRORS)")
        + "import dezero_core\n"
        "out['first'] = failure(lambda: dezero_core.Variable(None))['types'][0]\n"
        "dezero_core.Variable(None)\n"
        "out['again'] = failure(dezero_core.load_plugins)['types'][0]\n"
        f"{WITHOUT_FINDERS}dezero_core.load_plugins()\n"
        "out['second'] = failure(dezero_core.ops)['types'][0]\n",
        LATE="1",
        warns=1,
    )
    assert set(vars(outcome.out).values()) == {"KeyboardInterrupt"}
    assert outcome.plugin("acme").cause is None
    assert {"acme", "acme_here"} <= set(outcome.operations)


STOPPED_AT = """
import sys
import numpy as np
from dezero_core import Variable, hookimpl, plugins, register, unregister
from dezero_core import slots
from dezero_core.extend import PACKAGES, PLUGINS, PROVENANCE, SETTINGS
from dezero_core.registry import loading, plugins as plugins_module

FILES = {module.__file__ for module in (loading, plugins_module, slots)}

class plugin:
    @staticmethod
    @hookimpl
    def dezero_register_ops(register):
        register("tripled", lambda x: x, methods="tripled", numpy=np.cbrt)
        register("doubled", lambda x: x, methods="doubled", dunders="__neg__")
        register.later("nowhere", operations="late", methods="late", numpy="sinh")
        register.part("observer", "seen", object)
        register.part("setting", "rehearse", True)

def state():
    bindings = {key: slot.bindings for key, slot in slots.SLOTS.items()}
    records = [each.record for each in PLUGINS if each.record.state == "loaded"]
    places = dict(vars(Variable)), slots.FOUND, bindings, PROVENANCE, PACKAGES, SETTINGS, records
    return repr(places)

def stopped_at(number):
    \"\"\"Register the plugin, with Ctrl-C where Python looks for signals: around calls.\"\"\"
    def profile(frame, event, arg):
        nonlocal number
        number -= frame.f_code.co_filename in FILES and event != "c_call"
        if number == 0:
            sys.setprofile(None)
            raise KeyboardInterrupt
    sys.setprofile(profile)
    try:
        register(plugin)
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return False

plugins()  # there is none
before, number, wrong = state(), 1, []
while stopped_at(number):
    if any(each.record.state == "loaded" for each in PLUGINS):  # it is registered as a whole
        unregister(plugin)
    PLUGINS.clear()
    if state() != before:
        wrong.append(number)
        break
    number += 1
unregister(plugin)
out.update(number=number, wrong=wrong, after=state() == before)
"""


def test_ctrl_c_at_any_point_of_a_registration_undoes_the_registration(run_python):
    outcome = run_python(STOPPED_AT)
    assert outcome.out.wrong == []
    assert outcome.out.after
    assert outcome.out.number > 100


FINDERS = """
import sys

class Broken:
    def find_spec(self, *args):
        return None
    def find_distributions(self, context=None):
        yield from ()
        raise {error}

class Lists(Broken):
    def find_distributions(self, context=None):
        import importlib_metadata
        class Distribution(importlib_metadata.Distribution):
            def __init__(self, name):
                self.text = name
            def read_text(self, filename):
                if self.text == "damaged":
                    raise RuntimeError
                return {{
                    "METADATA": f"Name: {{self.text}}-ops\\nVersion: 3.0\\n",
                    "entry_points.txt": f"[dezero]\\n{{self.text}} = {{self.text}}\\n",
                }}.get(filename)
            def locate_file(self, path):
                return path
        return [Distribution("damaged"), Distribution("good"), Distribution("other")]

sys.meta_path[:0] = [Broken()]
sys.meta_path.append(Lists())
"""


WITHOUT_FINDERS = "sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, Broken)]\n"


@pytest.mark.parametrize("error", ["RuntimeError('no luck')", "SystemExit('no luck')"])
def test_a_finder_that_raises_is_told_and_the_core_works_and_takes_plugins_by_hand(
    error, plugin_source, fake_distribution, run_python
):
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    code = (
        f"import dezero_core\ndezero_core.plugins()\n{WITHOUT_FINDERS}"
        "out['by hand'] = dezero_core.register(__import__('good')).state\n"
    )
    outcome = run_python(FINDERS.format(error=error) + code + USE, 1, DEZERO_STRICT_PLUGINS="1")
    (warning,) = outcome.warnings
    assert warning.startswith("PluginWarning: not all installed plugins are found: ")
    assert "no luck" in warning
    assert warning.endswith("register() loads one.")
    assert (vars(outcome.out)["by hand"], outcome.out.y) == ("loaded", 6.0)


def test_plugins_of_another_finder_are_found(plugin_source, fake_distribution, run_python):
    other = {"other.py": plugin_source("doubled", 2.0)}
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")} | other, {"good": "good"})
    finders = FINDERS.format(error="OSError").replace('Distribution("damaged"), ', "")
    outcome = run_python(f"{finders}del sys.meta_path[0]\n{USE}")
    assert outcome.states == {"good": "loaded", "other": "loaded"}
    assert outcome.plugin("other").version == "3.0"
