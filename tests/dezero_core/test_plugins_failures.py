"""One broken plugin harms nobody else: all of it or none, recorded, warned of once."""

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
    "is not Python": ("def :", ["SyntaxError: invalid syntax (bad.py, line 1)."]),
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
        ["'dezero_regsiter_ops'", "Did you mean 'dezero_register_ops'?"],
    ),
    "has a misspelt hook name in the marker": (
        HOOK.replace("@hookimpl", "@hookimpl(specname='dezero_regsiter_ops')") + "    pass",
        ["'dezero_regsiter_ops'", "Did you mean 'dezero_register_ops'?"],
    ),
    "has a hook of another time": (
        HOOK.replace("dezero_register_ops", "quux") + "    pass",
        ["'quux'", "newer dezero-core"],
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
        ["Variable.backward", "'dezero_core'"],
    ),
    "wants to overwrite __init__": (
        HOOK + "    register('bad', abs, methods='bad', dunders='__init__')",
        ["'__init__'", "no operator"],
    ),
}


@pytest.mark.parametrize(("source", "cause"), FAILURES.values(), ids=FAILURES.keys())
def test_a_broken_plugin_is_recorded_and_warned_of_once_and_the_others_work(
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
    assert warning.startswith("PluginWarning: ")
    assert "'bad'" in warning
    assert "bad-ops 0.3" in warning
    assert record.cause in warning
    assert outcome.plugin("good").state == "loaded"
    assert outcome.operations == ["tripled"]
    assert vars(outcome.out) == {"y": 6.0, "slope": 3.0, "bound": False}


@pytest.mark.parametrize("reference", ["bad-ops.plugin", "bad:nothing", "bad.nothing"])
def test_an_entry_point_that_leads_nowhere_is_a_failure_of_its_own(
    reference, plugin_source, fake_distribution, run_python
):
    """The first is no object reference at all: a distribution name where a module belongs."""
    fake_distribution("bad-ops", {"bad.py": plugin_source("bad")}, {"bad": reference})
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    outcome = run_python(USE, warns=1)
    assert outcome.states == {"bad": "failed", "good": "loaded"}
    assert reference.rpartition(":")[2] in outcome.plugin("bad").cause
    assert vars(outcome.out) == {"y": 6.0, "slope": 3.0, "bound": False}


@pytest.mark.parametrize(
    "damage", [{"omit": ("METADATA",)}, {"direct_url": "{not JSON"}, {"version": ""}]
)
def test_damaged_metadata_of_one_distribution_harm_no_other(
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
        ("(2, 0)", "Upgrade dezero-core"),
        ("(1, 2)", "Upgrade dezero-core"),
        ("(0, 9)", "Upgrade the plugin"),
    ],
)
def test_a_plugin_for_another_api_is_not_loaded_and_says_the_upgrade_it_needs(
    needed, upgrade, plugin_source, fake_distribution, run_python
):
    source = f"DEZERO_PLUGIN_API = {needed}\n" + plugin_source("bad")
    fake_distribution("bad-ops", {"bad.py": source}, {"bad": "bad"})
    fake_distribution(
        "good-ops",
        {"good.py": "DEZERO_PLUGIN_API = (1, 0)\n" + plugin_source("tripled")},
        {"good": "good"},
    )
    outcome = run_python(USE, warns=1)
    assert outcome.states == {"bad": "incompatible", "good": "loaded"}
    assert "plugin 'bad' (bad-ops 1.0)" in outcome.warnings[0]
    assert upgrade in outcome.warnings[0]
    assert upgrade in outcome.plugin("bad").cause
    assert "offers 1.1" in outcome.plugin("bad").cause
    assert needed[1:-1].replace(", ", ".") in outcome.plugin("bad").cause
    assert vars(outcome.out) == {"y": 6.0, "slope": 3.0, "bound": False}


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("raise ImportError('no luck')", "ImportError: no luck"),
        (FAILURES["has a misspelt hook"][0], "dezero_regsiter_ops"),
        ("DEZERO_PLUGIN_API = (2, 0)\n" + HOOK + "    pass", "Upgrade dezero-core"),
    ],
    ids=["import", "hook", "API"],
)
def test_strict_plugins_raise_with_the_facts_as_attributes(
    source, cause, fake_distribution, run_python
):
    fake_distribution("bad-ops", {"bad.py": source}, {"bad": "bad"}, version="0.3")
    outcome = run_python(
        "out.update(failure(lambda: __import__('dezero_core')))", DEZERO_STRICT_PLUGINS="1"
    )
    error = outcome.out
    assert {"PluginLoadError", "RuntimeError"} <= set(error.types)
    assert cause in error.message
    assert "plugin 'bad' (bad-ops 0.3)" in error.message
    assert (error.plugin, error.distribution, error.version) == ("'bad'", "'bad-ops'", "'0.3'")


def test_strict_plugins_set_to_0_is_not_strict(fake_distribution, run_python):
    fake_distribution("bad-ops", {"bad.py": "raise ImportError"}, {"bad": "bad"})
    for value in ("0", ""):
        outcome = run_python("import dezero_core", warns=1, DEZERO_STRICT_PLUGINS=value)
        assert outcome.states == {"bad": "failed"}


def test_a_repaired_plugin_is_loaded_by_the_next_load_plugins(
    plugin_source, fake_distribution, run_python
):
    """What failed is tried again, and what was loaded is left alone."""
    source = "import os\nif 'REPAIRED' not in os.environ: raise ImportError('no luck')\n"
    fake_distribution("bad-ops", {"bad.py": source + plugin_source("bad")}, {"bad": "bad"})
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    outcome = run_python(
        "import os, dezero_core\nfrom dezero_core import Variable\n"
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


def test_what_a_strict_failure_left_waiting_is_not_loaded_by_the_next_load_plugins(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("bad-ops", {"bad.py": "raise OSError('no luck')"}, {"bad": "bad"})
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    outcome = run_python(
        "import os, dezero_core\nos.environ['DEZERO_STRICT_PLUGINS'] = '1'\n"
        "failure(lambda: dezero_core.load_plugins(only=('bad', 'good')))\n"
        "dezero_core.load_plugins(only=())",
        DEZERO_PLUGINS="",
    )
    assert outcome.states == {"bad": "disabled", "good": "disabled"}


def test_a_plugin_with_the_name_of_the_core_is_refused(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("bad-ops", {"bad.py": plugin_source("bad")}, {"dezero_core": "bad"})
    outcome = run_python("import sys, dezero_core\nout['run'] = 'bad' in sys.modules", warns=1)
    assert outcome.states == {"dezero_core": "failed"}
    assert "its name is that of the core. Give it another." in outcome.warnings[0]
    assert not outcome.out.run
