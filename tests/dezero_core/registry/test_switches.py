"""The switches: they act before any code of a plugin is run."""

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
from dezero_core import Variable, load_plugins, register, unregister
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
def test_an_unknown_plugin_name_in_a_switch_warns_with_a_hint(switch, two_plugins, run_python):
    outcome = run_python("import dezero_core", warns=2, **{switch: "acne,beta,zzz"})
    near, far = outcome.warnings
    assert near.startswith(f"PluginWarning: {switch} names 'acne'")
    assert near.endswith("Installed: acme, beta. Did you mean 'acme'?")
    assert far.startswith(f"PluginWarning: {switch} names 'zzz'")
    assert "Did you mean" not in far
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


def test_a_plugin_name_that_two_plugins_have_means_the_loaded_plugin(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("one-ops", {"one.py": plugin_source("doubled", 2.0)}, {"same": "one"})
    fake_distribution("two-ops", {"two.py": plugin_source("tripled")}, {"same": "two"})
    outcome = run_python(
        "import dezero_core\ndezero_core.prefer(tripled='same')\n"
        "out['unregistered'] = dezero_core.unregister('same').distribution",
        DEZERO_DISABLE_PLUGINS="one-ops",
    )
    assert outcome.out.unregistered == "two-ops"
