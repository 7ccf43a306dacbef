"""Failures of plugins that are raised: DEZERO_STRICT_PLUGINS, and warnings that are errors.

Promise: docs/how_to/look_at_plugins.md
"""

import pytest

HOOK = "from dezero_core import hookimpl\n@hookimpl\ndef dezero_register_ops(register):\n"

FIRST = """
import dezero_core, numpy as np
def first():
    return dezero_core.Variable(np.array(1.0))
"""


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("raise ImportError('no luck')", "ImportError: no luck"),
        (HOOK.replace("register_ops", "regsiter_ops") + "    pass", "dezero_regsiter_ops"),
        ("DEZERO_PLUGIN_API = (3, 0)\n" + HOOK + "    pass", "Upgrade dezero-core"),
    ],
    ids=["import", "hook", "API"],
)
def test_dezero_strict_plugins_raises_with_the_facts_as_attributes(
    source, cause, fake_distribution, run_python
):
    fake_distribution("bad-ops", {"bad.py": source}, {"bad": "bad"}, version="0.3")
    error = run_python(f"{FIRST}out.update(failure(first))", DEZERO_STRICT_PLUGINS="1").out
    assert {"PluginLoadError", "RuntimeError"} <= set(error.types)
    assert cause in error.message
    assert "plugin 'bad' (bad-ops 0.3)" in error.message
    assert (error.plugin, error.distribution) == ("'bad'", "'bad-ops'")


def test_dezero_strict_plugins_set_to_0_warns_instead_of_raising(fake_distribution, run_python):
    fake_distribution("bad-ops", {"bad.py": "raise ImportError"}, {"bad": "bad"})
    for value in ("0", ""):
        outcome = run_python("import dezero_core", warns=1, DEZERO_STRICT_PLUGINS=value)
        assert outcome.states == {"bad": "failed"}


@pytest.mark.parametrize(
    "use",
    [
        "first()",
        "dezero_core.plugins()",
        "dezero_core.ops()",
        "dezero_core.Config.rehearse",
        "dezero_core.unregister('good')",
        "np.cbrt(object.__new__(dezero_core.Variable))",
    ],
)
def test_the_first_use_of_any_kind_raises_and_the_next_one_works_with_what_is_sound(
    use, plugin_source, fake_distribution, run_python
):
    """Also with the plugins whose turn comes after the broken one."""
    fake_distribution("a-ops", {"a.py": plugin_source("doubled", 2.0)}, {"a": "a"})
    fake_distribution("bad-ops", {"bad.py": "raise OSError('no luck')"}, {"bad": "bad"})
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    outcome = run_python(
        f"{FIRST}out['types'] = failure(lambda: {use})['types']\n"
        "x = first()\nout['y'] = x.tripled().item(), x.doubled().item()\n"
        "out['broken'] = [p.cause for p in dezero_core.plugins() if p.is_broken]",
        DEZERO_STRICT_PLUGINS="1",
    )
    assert "PluginLoadError" in outcome.out.types
    assert outcome.out.y == [3.0, 2.0]
    assert outcome.states == {"a": "loaded", "bad": "failed", "good": "loaded"}
    assert "OSError: no luck" in outcome.out.broken[0]


def test_a_plugin_left_waiting_by_a_strict_failure_is_not_loaded_by_load_plugins(
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


def test_a_strict_failure_carries_the_other_warnings_as_notes(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("bad-ops", {"bad.py": "raise ValueError('no luck')"}, {"bad": "bad"})
    outcome = run_python(
        f"{FIRST}try:\n    first()\n"
        "except RuntimeError as error:\n    out['notes'] = getattr(error, '__notes__', [])\n"
        "import os; os.environ.pop('DEZERO_STRICT_PLUGINS')",
        DEZERO_STRICT_PLUGINS="1",
        DEZERO_DISABLE_PLUGINS="typo",
    )
    assert any("'typo'" in note for note in outcome.out.notes)


def test_a_warning_that_is_an_error_is_raised_after_all_plugins_are_loaded(
    plugin_source, fake_distribution, run_python
):
    for name in ("bad", "worse"):
        fake_distribution(f"{name}-ops", {f"{name}.py": "raise OSError('no luck')"}, {name: name})
    counted = "import builtins\nbuiltins.imports = getattr(builtins, 'imports', 0) + 1\n"
    good = {"good.py": counted + plugin_source("tripled")}
    fake_distribution("good-ops", good, {"good": "good"})
    outcome = run_python(
        f"{FIRST}import builtins, warnings\nwarnings.simplefilter('error')\n"
        "for _ in range(2):\n"
        "    try:\n        first()\n"
        "    except RuntimeWarning as error:\n"
        "        out['error'], out['notes'] = str(error), error.__notes__\n"
        "warnings.simplefilter('ignore')\n"
        "out['y'] = float(dezero_core.Variable(np.array(2.0)).tripled())\n"
        "out['imports'] = builtins.imports",
        DEZERO_DISABLE_PLUGINS="nobody",
    )
    texts = [outcome.out.error, *outcome.out.notes]
    for text, name in zip(
        texts, ("'nobody'", "plugin 'bad' (bad", "plugin 'worse' (w"), strict=True
    ):
        assert name in text
    assert "no luck; `dezero doctor` says more" in outcome.out.notes[1]
    assert outcome.states == {"bad": "failed", "good": "loaded", "worse": "failed"}
    assert (outcome.out.y, outcome.out.imports) == (6.0, 1)
