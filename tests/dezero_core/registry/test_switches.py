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
    distribution = run_python("import dezero_core", warns=1, **{switch: "acne-tools"})
    assert distribution.warnings[0].endswith("Installed: acme, beta. Did you mean 'acme-tools'?")
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


def test_all_plugins_of_one_entry_point_name_are_loaded_and_listed_by_distribution(
    namesakes, fake_distribution, plugin_source, run_python
):
    pair = {"pair.py": plugin_source("a"), "pair_more.py": plugin_source("b")}
    fake_distribution("pair-ops", pair, {"same": "pair", "more": "pair_more"})
    outcome = run_python("import dezero_core")
    assert outcome.states == {
        "one-ops": "loaded",
        "two-ops": "loaded",
        "pair-ops.same": "loaded",
        "more": "loaded",
    }
    assert outcome.operations == ["a", "b", "doubled", "tripled"]


@pytest.mark.parametrize("name", ["same", "SAME"])
@pytest.mark.parametrize(
    "use",
    [
        "dezero_core.unregister({name!r})",
        "dezero_core.register({name!r})",
        "dezero_core.prefer(tripled={name!r})",
    ],
)
@pytest.mark.parametrize("disabled", ["", "one-ops"])
def test_a_name_that_two_plugins_have_is_refused_with_their_distributions(
    disabled, use, name, namesakes, run_python
):
    """Also where one of them is not loaded: the name would mean another one tomorrow."""
    outcome = run_python(
        f"import dezero_core\nout['error'] = failure(lambda: {use.format(name=name)})\n"
        "out['by distribution'] = dezero_core.unregister('two-ops').name",
        DEZERO_DISABLE_PLUGINS=disabled,
    )
    assert "UnknownPluginError" in outcome.out.error["types"]
    assert outcome.out.error["message"] == (
        f"several plugins have the entry point {name!r}. Name one by its distribution: 'one-ops' "
        "or 'two-ops'."
    )
    assert outcome.out.error["known"] == "('one-ops', 'two-ops')"
    assert vars(outcome.out)["by distribution"] == "two-ops"


@pytest.mark.parametrize(
    ("switches", "loaded"),
    [
        ({"DEZERO_PLUGINS": "same"}, ["one-ops", "two-ops"]),
        ({"DEZERO_DISABLE_PLUGINS": "same"}, []),
        ({"DEZERO_PLUGINS": "two-ops"}, ["two-ops"]),
        ({"DEZERO_DISABLE_PLUGINS": "two-ops"}, ["one-ops"]),
        ({"DEZERO_DISABLE_PLUGINS": "two"}, ["one-ops"]),
    ],
)
def test_a_switch_means_all_plugins_of_an_entry_point_name_or_one_distribution(
    switches, loaded, namesakes, run_python
):
    outcome = run_python("import dezero_core", **switches)
    states = {"one-ops": "disabled", "two-ops": "disabled"} | dict.fromkeys(loaded, "loaded")
    assert outcome.states == states


@pytest.mark.parametrize("first", ["dezero_core", "one"])
def test_plugins_of_one_entry_point_name_are_loaded_whatever_is_imported_first(
    first, plugin_source, fake_distribution, run_python
):
    source = "import dezero_core\n" + plugin_source("doubled", 2.0)
    fake_distribution("one-ops", {"one.py": source}, {"same": "one"})
    fake_distribution("two-ops", {"two.py": plugin_source("tripled")}, {"same": "two"})
    outcome = run_python(f"import {first}, dezero_core")
    assert outcome.states == {"one-ops": "loaded", "two-ops": "loaded"}


def test_one_operation_of_two_plugins_of_one_entry_point_name_is_chosen_by_distribution(
    plugin_source, fake_distribution, run_python
):
    for name, factor in ("one", 2.0), ("two", 3.0):
        modules = {f"{name}.py": plugin_source("scaled", factor)}
        fake_distribution(f"{name}-ops", modules, {"same": name})
    use = "import numpy as np\nfrom dezero_core import Variable\nx = Variable(np.array(1.0))\n"
    error = run_python(f"{use}out.update(failure(lambda: x.scaled()))").out
    assert "plugins 'one-ops' and 'two-ops' both provide Variable.scaled" in error.message
    outcome = run_python(f"{use}out['y'] = x.scaled().item()", DEZERO_OPS="scaled=two-ops")
    assert outcome.out.y == 3.0


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
