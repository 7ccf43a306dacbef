"""What is found among the installed distributions, in which order, and its record.

Promise: docs/how_to/look_at_plugins.md
"""

from dezero_core import PluginRecord


def test_the_record_of_a_plugin_has_distribution_version_origin_and_time(
    plugin_source, fake_distribution, run_python
):
    slow = "import time\ntime.sleep(0.02)\n" + plugin_source("tripled")
    fake_distribution("Acme.Ops", {"acme.py": slow}, {"acme": "acme"}, version="2.1rc1")
    fake_distribution("beta-ops", {"beta.py": plugin_source("doubled", 2.0)}, {"beta": "beta"})
    fake_distribution("gamma-ops", {"gamma.py": "1 / 0"}, {"gamma": "gamma"})
    fake_distribution("delta-ops", {"delta.py": "1 / 0"}, {"delta": "delta"})
    outcome = run_python("import dezero_core", warns=1, DEZERO_DISABLE_PLUGINS="delta")
    acme, beta, delta, gamma = outcome.plugins
    assert (acme.name, acme.distribution, acme.version) == ("acme", "Acme.Ops", "2.1rc1")
    assert (acme.state, acme.cause, acme.operations) == ("loaded", None, ["tripled"])
    assert acme.origin == "acme"
    assert acme.milliseconds >= 19.0
    assert (beta.version, beta.state) == ("1.0", "loaded")
    assert (gamma.state, gamma.origin) == ("failed", "gamma")
    assert gamma.cause.startswith("ZeroDivisionError: division by zero, at ")
    assert gamma.cause.endswith("gamma.py:1.")
    assert (delta.state, delta.origin) == ("disabled", "delta")
    assert delta.milliseconds == 0.0
    assert [(op.name, op.plugin, op.methods) for op in outcome.ops] == [
        ("doubled", "beta", ["doubled"]),
        ("tripled", "acme", ["tripled"]),
    ]


def test_the_order_of_plugins_does_not_depend_on_installation_or_hashes(
    plugin_source, fake_distribution, run_python
):
    """Nor on what they require, which each imports by itself."""
    requires = {"a": "c-ops", "b": "d-ops", "c": "e-ops", "d": "b-ops", "e": "numpy"}
    for name in "cadeb":
        fake_distribution(
            f"{name}-ops",
            {f"{name}_mod.py": plugin_source(f"op_{name}")},
            {name: f"{name}_mod"},
            requires=(requires[name],),
            site=f"site of {name}",
        )
    orders = []
    for seed in ("1", "2"):
        outcome = run_python("import dezero_core", PYTHONHASHSEED=seed)
        orders.append([record.name for record in outcome.plugins])
        fake_distribution.sites.reverse()
    assert orders == [list("abcde")] * 2


def test_plugins_are_in_the_order_of_their_names(plugin_source, fake_distribution, run_python):
    """Of their own names, not those of distributions or modules."""
    for number, name in enumerate(("gamma", "alpha", "beta")):
        fake_distribution(
            f"dist-{number}", {f"mod_{number}.py": plugin_source(name)}, {name: f"mod_{number}"}
        )
    outcome = run_python("import dezero_core")
    assert [record.name for record in outcome.plugins] == ["alpha", "beta", "gamma"]


def test_two_entry_points_of_one_distribution_are_two_plugins(
    plugin_source, fake_distribution, run_python
):
    fake_distribution(
        "pair-ops",
        {"pair.py": plugin_source("tripled"), "other.py": "raise ImportError('no luck')"},
        {"pair": "pair", "other": "other [extra]"},
    )
    outcome = run_python("import dezero_core", warns=1)
    assert outcome.states == {"pair": "loaded", "other": "failed"}


def test_300_unrelated_distributions_do_not_change_which_plugins_are_found(
    plugin_source, fake_distribution, run_python
):
    """Not one of their modules is imported, however odd their metadata are."""
    for number in range(295):
        name = f"unrelated_{number}"
        fake_distribution(
            name,
            {f"{name}.py": "raise SystemExit('imported')"},
            {"dezero": name, f"{name}-run": f"{name}:main"},
            group=("console_scripts", "dezero.more", "pytest11", "dezeros", "Dezero")[number % 5],
        )
    fake_distribution("odd_1", {}, {"x": "not an object reference!"}, group="console_scripts")
    fake_distribution("odd_2", {}, {"x": "odd"}, group="other", omit=("METADATA",))
    fake_distribution("odd_3", {}, direct_url="{not JSON")
    fake_distribution("odd_4", {}, omit=("METADATA", "RECORD", "INSTALLER"))
    fake_distribution("odd_5", {"odd_5-1.0.dist-info/entry_points.txt": "no section\n[empty]\n"})
    fake_distribution("acme-ops", {"acme.py": plugin_source("tripled")}, {"acme": "acme"})
    outcome = run_python(
        "import sys, dezero_core\ndezero_core.plugins()\n"
        "out['imported'] = [m for m in sys.modules if m.startswith(('unrelated', 'odd'))]"
    )
    assert outcome.out.imported == []
    assert outcome.states == {"acme": "loaded"}
    assert outcome.operations == ["tripled"]


def test_one_distribution_found_twice_on_the_path_is_one_plugin(
    plugin_source, fake_distribution, run_python
):
    """As when a folder stands on PYTHONPATH and is installed as well: the first counts."""
    for site, version in (("first", "2.0"), ("second", "1.0")):
        fake_distribution(
            "acme-ops",
            {"acme.py": plugin_source("tripled")},
            {"acme": "acme"},
            site=site,
            version=version,
        )
    outcome = run_python("import dezero_core")
    assert outcome.plugin("acme").version == "2.0"
    assert outcome.operations == ["tripled"]


def test_a_core_without_plugins_lists_none_and_imports_only_its_requirements(run_python):
    outcome = run_python(
        "import sys\nbefore = set(sys.modules)\nimport dezero_core\n"
        "out['new'] = sorted({m.partition('.')[0] for m in set(sys.modules) - before}"
        " - sys.stdlib_module_names)\n",
        fresh=True,
    )
    assert (outcome.plugins, outcome.ops) == ([], [])
    assert {"dezero_core", "numpy", "pluggy"} <= set(outcome.out.new)
    assert not any(name.startswith("dezero_ops") for name in outcome.out.new)


def test_the_repr_of_a_record_counts_operations_and_does_not_list_their_names():
    record = PluginRecord("acme", "acme-ops", "1.0", "file:///acme", "loaded", None, ("a", "b"))
    assert repr(record) == "PluginRecord('acme' 1.0, loaded, 2 operations)"
    one = record._replace(version=None, operations=("a",))
    assert repr(one) == "PluginRecord('acme', loaded, 1 operation)"
    failed = record._replace(state="failed", cause="ImportError: no luck", operations=())
    assert repr(failed) == "PluginRecord('acme' 1.0, failed, 0 operations)"
