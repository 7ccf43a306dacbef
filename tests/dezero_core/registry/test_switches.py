"""The switches: they act before any code of a plugin is run.

Promise: docs/how_to/look_at_plugins.md
"""

import pytest


@pytest.fixture
def two_plugins(plugin_source, fake_distribution):
    fake_distribution(
        "acme-tools",
        {"acme_mod/__init__.py": "", "acme_mod/plugin.py": plugin_source("tripled")},
        {"acme": "acme_mod.plugin"},
    )
    fake_distribution(
        "beta-ops", {"beta_mod.py": plugin_source("doubled", 2.0)}, {"beta": "beta_mod"}
    )


IMPORT = """
import sys, dezero_core
dezero_core.plugins()
out["ran"] = sorted({"acme_mod", "beta_mod"} & set(sys.modules))
out["bound"] = [m for m in ("tripled", "doubled") if hasattr(dezero_core.Variable, m)]
"""
BOTH, NONE = (["acme_mod", "beta_mod"], ["tripled", "doubled"]), ([], [])
ONLY_ACME, ONLY_BETA = (["acme_mod"], ["tripled"]), (["beta_mod"], ["doubled"])


@pytest.mark.parametrize(
    ("switches", "expected", "cause"),
    [
        ({}, BOTH, None),
        ({"DEZERO_PLUGINS": ""}, NONE, "DEZERO_PLUGINS"),
        ({"DEZERO_PLUGINS": "acme"}, ONLY_ACME, "DEZERO_PLUGINS"),
        ({"DEZERO_PLUGINS": " beta-ops , Acme.Tools "}, BOTH, None),
        ({"DEZERO_DISABLE_PLUGINS": ""}, BOTH, None),
        ({"DEZERO_DISABLE_PLUGINS": "acme"}, ONLY_BETA, "DEZERO_DISABLE_PLUGINS"),
        ({"DEZERO_DISABLE_PLUGINS": "acme,beta_mod"}, NONE, "DEZERO_DISABLE_PLUGINS"),
        (
            {"DEZERO_PLUGINS": "acme,beta", "DEZERO_DISABLE_PLUGINS": "beta"},
            ONLY_ACME,
            "DEZERO_DISABLE_PLUGINS",
        ),
    ],
)
def test_a_switched_off_plugin_is_listed_without_running_its_code(
    switches, expected, cause, two_plugins, run_python
):
    outcome = run_python(IMPORT, **switches)
    assert (outcome.out.ran, outcome.out.bound) == expected
    for record, module in zip(outcome.plugins, ("acme_mod", "beta_mod"), strict=True):
        if module in expected[0]:
            assert (record.state, record.cause) == ("loaded", None)
        else:
            assert (record.state, record.operations) == ("disabled", [])
            assert cause in record.cause


def test_every_spelling_of_a_plugin_is_understood_by_every_switch(two_plugins, run_python):
    spellings = ["acme", "ACME", "acme-tools", "Acme_Tools", "acme_mod", "acme_mod.plugin"]
    outcome = run_python(
        f"""
import os, dezero_core
from dezero_core import load_plugins
def loaded(**arguments):
    return [record.name for record in load_plugins(**arguments) if record.state == "loaded"]
out["only"], out["disable"] = [], []
for spelling in {spellings}:
    os.environ["DEZERO_PLUGINS"] = spelling
    out["only"].append(loaded())
    os.environ["DEZERO_PLUGINS"] = ""
    out["only"] += [loaded(only=[spelling]), loaded(only=spelling)]
    del os.environ["DEZERO_PLUGINS"]
    os.environ["DEZERO_DISABLE_PLUGINS"] = spelling
    out["disable"].append(loaded())
    del os.environ["DEZERO_DISABLE_PLUGINS"]
    out["disable"] += [loaded(disable=[spelling]), loaded(disable=spelling)]
""",
        DEZERO_PLUGINS="",
    )
    assert outcome.out.only == [["acme"]] * 3 * len(spellings)
    assert outcome.out.disable == [["beta"]] * 3 * len(spellings)


def test_arguments_of_load_plugins_override_environment_variables(two_plugins, run_python):
    outcome = run_python(
        """
from dezero_core import load_plugins
def states(**arguments):
    return [record.state for record in load_plugins(**arguments)]
out["initially"] = states()
out["none disabled"] = states(disable=[])
out["only"] = states(only=["acme"], disable=())
out["both"] = states(only=["acme", "beta"], disable=["acme"])
out["all"] = states(disable=[])
out["none"] = states(only=[])
out["again"] = states()
""",
        DEZERO_DISABLE_PLUGINS="acme",
    )
    on, off = "loaded", "disabled"
    assert vars(outcome.out) == {
        "initially": [off, on],
        "none disabled": [on, on],
        "only": [on, off],
        "both": [off, on],
        "all": [on, on],
        "none": [off, off],
        "again": [off, on],
    }


def test_unloading_and_loading_plugins_by_name_restores_variable_exactly(two_plugins, run_python):
    outcome = run_python(
        """
import sys, dezero_core
from dezero_core import Variable, load_plugins, plugins, register, unregister
plugins()
bare = dict(vars(Variable))
load_plugins(only=["acme", "beta"])
full = dict(vars(Variable))
out["changed"] = full != bare
out["by name"] = []
for name in ("acme", "acme-tools", "acme_mod.plugin"):
    unregister(name)
    unregister("beta")
    out["by name"].append(dict(vars(Variable)) == bare)
    out["by name"].append(register(name).state)
    out["by name"].append(register("beta").state)
    out["by name"].append(dict(vars(Variable)) == full)
load_plugins(only=())
out["unloaded"] = dict(vars(Variable)) == bare
out["by module"] = register(sys.modules["beta_mod"]).distribution
""",
        DEZERO_PLUGINS="",
    )
    assert outcome.out.changed
    assert vars(outcome.out)["by name"] == [True, "loaded", "loaded", True] * 3
    assert outcome.out.unloaded
    assert vars(outcome.out)["by module"] == "beta-ops"


@pytest.mark.parametrize("switch", ["DEZERO_PLUGINS", "DEZERO_DISABLE_PLUGINS"])
def test_an_unknown_plugin_name_in_a_switch_warns_with_the_installed_plugins(
    switch, two_plugins, run_python
):
    outcome = run_python("import dezero_core", warns=2, **{switch: "acne,beta,zzz"})
    assert outcome.warnings == [
        f"PluginWarning: {switch} names {name!r}: no plugin is called {name!r}. "
        "Installed: acme, beta."
        for name in ("acne", "zzz")
    ]
    assert outcome.states["beta"] == ("loaded" if switch == "DEZERO_PLUGINS" else "disabled")


def test_an_unknown_plugin_name_warns_where_no_plugin_is_installed(run_python):
    outcome = run_python(
        "from dezero_core import load_plugins\nload_plugins(only=['acme'])", warns=1
    )
    assert "load_plugins() names 'acme'" in outcome.warnings[0]
    assert "Installed: none" in outcome.warnings[0]
    assert (outcome.plugins, outcome.ops) == ([], [])


def test_a_distribution_installed_meanwhile_is_found_by_the_next_load_plugins(
    plugin_source, two_plugins, fake_distribution, run_python
):
    later = fake_distribution(
        "later-ops", {"later.py": plugin_source("halved", 0.5)}, {"later": "later"}, site="later"
    )
    fake_distribution.sites.remove(later)
    outcome = run_python(
        f"import sys, dezero_core\nout['before'] = len(dezero_core.plugins())\n"
        f"sys.path.append({str(later)!r})\ndezero_core.load_plugins()"
    )
    assert outcome.out.before == 2
    assert outcome.states == {"acme": "loaded", "beta": "loaded", "later": "loaded"}
    assert outcome.operations == ["doubled", "halved", "tripled"]


def test_a_name_in_a_switch_means_an_entry_point_before_a_package(
    plugin_source, fake_distribution, run_python
):
    fake_distribution(
        "pair-ops",
        {"pair/__init__.py": "", "pair/a.py": plugin_source("a"), "pair/b.py": plugin_source("b")},
        {"first": "pair.a", "pair": "pair.b"},
    )
    outcome = run_python(
        "import dezero_core\nout['unregistered'] = dezero_core.unregister('pair').name\n"
        "out['left'] = [op.name for op in dezero_core.ops()]\n"
        "out['registered'] = dezero_core.register('pair').name"
    )
    assert vars(outcome.out) == {"unregistered": "pair", "left": ["a"], "registered": "pair"}


@pytest.fixture
def namesakes(plugin_source, fake_distribution):
    """Install two distributions whose entry points have one name."""
    fake_distribution("one-ops", {"one.py": plugin_source("doubled", 2.0)}, {"same": "one"})
    fake_distribution("two-ops", {"two.py": plugin_source("tripled")}, {"same": "two"})


REFUSED = (
    "plugin 'same' (one-ops 1.0) has the same name. Keep one of them, by distribution: "
    "DEZERO_DISABLE_PLUGINS=two-ops or DEZERO_DISABLE_PLUGINS=one-ops"
)


def of_distributions(outcome):
    return {plugin.distribution: plugin.state for plugin in outcome.plugins}


def test_the_second_plugin_of_an_entry_point_name_is_refused_with_both_distributions(
    namesakes, run_python
):
    use = "import dezero_core, numpy as np\nx = dezero_core.Variable(np.array(1.0))\n"
    outcome = run_python(f"{use}out['y'] = x.doubled().item()", warns=1)
    assert outcome.out.y == 2.0
    assert of_distributions(outcome) == {"one-ops": "loaded", "two-ops": "failed"}
    assert outcome.operations == ["doubled"]
    assert outcome.warnings == [
        f"PluginWarning: plugin 'same' (two-ops 1.0) is not loaded: {REFUSED}; `dezero doctor` "
        "says more"
    ]
    assert outcome.plugin("two-ops").cause == f"{REFUSED}."


def test_a_refused_namesake_is_an_error_with_facts_where_plugins_are_strict(namesakes, run_python):
    error = run_python(
        "import dezero_core\nout.update(failure(dezero_core.plugins))", DEZERO_STRICT_PLUGINS="1"
    ).out
    assert "PluginConflictError" in error.types
    assert REFUSED in error.message
    facts = (error.what, error.plugin, error.distribution, error.other)
    assert facts == ("\"plugin name 'same'\"", "'same'", "'two-ops'", "'one-ops'")


@pytest.mark.parametrize(
    ("switches", "loaded"),
    [
        ({"DEZERO_PLUGINS": "two-ops"}, ["two-ops"]),
        ({"DEZERO_PLUGINS": "one"}, ["one-ops"]),
        ({"DEZERO_DISABLE_PLUGINS": "one-ops"}, ["two-ops"]),
        ({"DEZERO_DISABLE_PLUGINS": "two"}, ["one-ops"]),
        ({"DEZERO_DISABLE_PLUGINS": "same"}, []),
    ],
)
def test_a_switch_keeps_one_of_two_plugins_of_one_name_by_its_distribution_or_module(
    switches, loaded, namesakes, run_python
):
    outcome = run_python("import dezero_core", **switches)
    states = {"one-ops": "disabled", "two-ops": "disabled"} | dict.fromkeys(loaded, "loaded")
    assert of_distributions(outcome) == states


def test_a_name_that_two_plugins_have_means_the_loaded_one(namesakes, run_python):
    outcome = run_python(
        "import dezero_core, numpy as np\nx = dezero_core.Variable(np.array(1.0))\n"
        "dezero_core.prefer(tripled='same')\nout['y'] = x.tripled().item()\n"
        "dezero_core.prefer(tripled=None)\n"
        "out['gone'] = dezero_core.unregister('same').distribution\n"
        "out['other'] = dezero_core.register('one-ops').state\n"
        "out['z'] = x.doubled().item()",
        DEZERO_DISABLE_PLUGINS="one-ops",
    )
    assert vars(outcome.out) == {"y": 3.0, "gone": "two-ops", "other": "loaded", "z": 2.0}


def test_a_refused_namesake_is_loaded_when_the_other_one_is_gone(namesakes, run_python):
    outcome = run_python(
        "import dezero_core\nout['refused'] = failure(lambda: dezero_core.register('two-ops'))\n"
        "dezero_core.unregister('one-ops')\nout['then'] = dezero_core.register('two-ops').state",
        warns=1,
    )
    assert "PluginConflictError" in outcome.out.refused["types"]
    assert REFUSED in outcome.out.refused["message"]
    assert outcome.out.then == "loaded"
    assert outcome.operations == ["tripled"]


@pytest.mark.parametrize("first", ["dezero_core", "one", "two"])
def test_one_of_two_plugins_of_one_name_is_loaded_whatever_is_imported_first(
    first, plugin_source, fake_distribution, run_python
):
    uses = "import dezero_core, numpy as np\ndezero_core.Variable(np.array(1.0))\n"
    for name, factor in ("one", 2.0), ("two", 3.0):
        modules = {f"{name}.py": uses + plugin_source(f"by_{name}", factor)}
        fake_distribution(f"{name}-ops", modules, {"same": name})
    outcome = run_python(f"import {first}, dezero_core", warns=1)
    assert sorted(of_distributions(outcome).values()) == ["failed", "loaded"]
    assert len(outcome.operations) == 1


def test_a_plugin_named_by_hand_as_an_installed_one_is_loaded_is_refused_with_the_switch(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("acme-ops", {"acme.py": plugin_source("tripled")}, {"acme": "acme"})
    other = plugin_source("doubled", 2.0)
    outcome = run_python(
        f"import types, dezero_core\nother = types.ModuleType('other')\n"
        f"exec({other!r}, vars(other))\ndezero_core.register(other, name='acme')\n"
        "dezero_core.load_plugins(only='acme-ops')\n",
        warns=1,
        DEZERO_PLUGINS="",
    )
    assert "has the same name. Keep one of them" in outcome.warnings[0]
    cause = next(plugin.cause for plugin in outcome.plugins if plugin.distribution)
    assert cause.endswith("by distribution: DEZERO_DISABLE_PLUGINS=acme-ops.")
