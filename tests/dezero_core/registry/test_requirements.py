"""What a plugin requires of others is there before it is loaded, whatever was installed first."""

import pytest
from dezero_core.registry.requirements import Requirement

import dezero_core
from dezero_core import PluginError, PluginRequirementError, Variable, hookimpl

START = "import dezero_core\n"


def requires(*requirements):
    return f"DEZERO_REQUIRES = {requirements!r}\n"


@pytest.fixture
def install(plugin_source, fake_distribution):
    """Install a plugin with one operation of its own name, that requires others."""

    def installed(name, *requirements, version="1.0", source=""):
        text = requires(*requirements) + source + plugin_source(name)
        fake_distribution(f"{name}-ops", {f"{name}.py": text}, {name: name}, version=version)

    return installed


@pytest.mark.parametrize("names", ["abc", "cba", "bca"])
def test_a_plugin_required_by_dezero_requires_is_loaded_first(names, install, run_python):
    first, second, third = names
    install(first)
    install(second, f"{first}>=1")
    install(third, second, first)
    outcome = run_python(START + "out['order'] = [op.plugin for op in dezero_core.ops()]")
    assert set(outcome.states.values()) == {"loaded"}
    code = (
        "import sys\nclass Watch:\n    def find_spec(self, name, path, target=None):\n"
        "        order.append(name)\n\norder = []\nsys.meta_path.insert(0, Watch())\n"
        "import dezero_core\nfrom dezero_core.slots import OPERATORS\n"
        "bound = list(dezero_core.registry.loading.REGISTRY.providers)\nout['bound'] = bound"
    )
    assert run_python(code).out.bound == list(names)


UNMET = {
    "not installed": ((), "no plugin is called 'a'.", "None"),
    "too old": (("0.9",), "installed is a-ops 0.9. Install another one: pip install", "'0.9'"),
    "before the release": (
        ("0.9rc1",),
        "installed is a-ops 0.9rc1. Install another one: pip install 'a-ops>=1'.",
        "'0.9rc1'",
    ),
    "without a number": (("unknown",), "installed is a-ops unknown. Install another", "'unknown'"),
}


@pytest.mark.parametrize(("versions", "says", "found"), UNMET.values(), ids=UNMET)
def test_a_plugin_with_an_unmet_requirement_is_refused_with_the_requirement(
    versions, says, found, install, run_python
):
    for version in versions:
        install("a", version=version)
    install("b", "a>=1")
    outcome = run_python(START, warns=1)
    assert outcome.plugin("b").state == "incompatible"
    assert "it requires 'a>=1', and " in outcome.plugin("b").cause
    assert says in outcome.plugin("b").cause
    assert says.rstrip(".") in outcome.warnings[0]
    error = run_python(
        "out.update(failure(lambda: __import__('dezero_core')))", DEZERO_STRICT_PLUGINS="1"
    ).out
    assert "PluginRequirementError" in error.types
    assert "RuntimeError" in error.types
    assert (error.required, error.found, error.plugin) == ("'a>=1'", found, "'b'")


def test_a_plugin_that_requires_a_failed_or_disabled_plugin_names_the_cause(install, run_python):
    install("a", source="raise OSError('no luck')\n")
    install("b", "a")
    outcome = run_python(START, warns=2)
    assert outcome.states == {"a": "failed", "b": "incompatible"}
    assert "is not loaded: OSError: no luck" in outcome.plugin("b").cause
    outcome = run_python(START, warns=1, DEZERO_DISABLE_PLUGINS="a")
    assert outcome.states == {"a": "disabled", "b": "incompatible"}
    assert "disabled by DEZERO_DISABLE_PLUGINS" in outcome.plugin("b").cause


def test_plugins_that_require_each_other_are_refused_with_the_circle(install, run_python):
    install("a", "b")
    install("b", "c")
    install("c", "a")
    install("me", "me")
    outcome = run_python(START, warns=4)
    assert set(outcome.states.values()) == {"incompatible"}
    circle = "'a' requires 'b' requires 'c' requires 'a'; one of them must do without."
    assert circle in outcome.plugin("c").cause
    assert "'me' requires 'me'; one of them must do without." in outcome.plugin("me").cause


@pytest.mark.parametrize("first", ["dezero_core", "alpha", "beta", "gamma"])
@pytest.mark.parametrize("strict", ["0", "1"])
def test_a_plugin_that_requires_a_plugin_being_imported_waits(first, strict, install, run_python):
    """What is chosen of them from outside is not known to be wrong, and so not warned of."""
    install("gamma", source=START)
    install("beta", "gamma>=1", source="import gamma\n")
    install("alpha", "beta")
    outcome = run_python(
        f"import {first}, dezero_core",
        DEZERO_STRICT_PLUGINS=strict,
        DEZERO_OPS="alpha=alpha,gamma=gamma",
    )
    assert outcome.states == {"alpha": "loaded", "beta": "loaded", "gamma": "loaded"}


def test_the_cause_of_a_pending_plugin_names_the_awaited_plugin(install, run_python):
    """So it is as long as the module is on the way in, as here by another thread."""
    install("gamma")
    install("alpha", "gamma")
    outcome = run_python(
        "import sys, types\nsys.modules['gamma'] = gamma = types.ModuleType('gamma')\n"
        "gamma.__spec__ = types.SimpleNamespace(_initializing=True)\nimport dezero_core"
    )
    assert outcome.states == {"alpha": "pending", "gamma": "pending"}
    assert outcome.plugin("gamma").cause == "it is being imported"
    assert outcome.plugin("alpha").cause == "it requires 'gamma', which is being imported"


@pytest.mark.parametrize("name", ["early", "uses"])
def test_the_loaded_of_two_plugins_of_one_name_meets_a_requirement(
    name, plugin_source, fake_distribution, install, run_python
):
    """Also where its turn is still to come."""
    fake_distribution("one-ops", {"one.py": plugin_source("doubled", 2.0)}, {"same": "one"})
    fake_distribution("two-ops", {"two.py": plugin_source("tripled")}, {"same": "two"})
    install(name, "same")
    outcome = run_python(START, DEZERO_DISABLE_PLUGINS="one-ops")
    assert outcome.plugin("two-ops").state == "loaded"
    assert outcome.plugin(name).state == "loaded"


@pytest.mark.parametrize("required", ["one", "two"])
def test_of_two_plugins_of_one_name_the_one_that_the_metadata_requires_meets_a_requirement(
    required, plugin_source, fake_distribution, run_python
):
    for name, factor in ("one", 2.0), ("two", 3.0):
        modules = {f"{name}.py": plugin_source(name, factor)}
        fake_distribution(f"{name}-ops", modules, {"same": name})
    source = requires("same") + plugin_source("uses")
    modules = {"uses.py": source}
    fake_distribution("uses-ops", modules, {"uses": "uses"}, requires=(f"{required}-ops",))
    outcome = run_python(
        f"{START}dezero_core.unregister('{required}-ops')\n"
        "out['states'] = {p.name: p.state for p in dezero_core.plugins()}"
    )
    other = {"one": "two", "two": "one"}[required]
    assert outcome.out.states == {
        "uses": "incompatible",
        f"{required}-ops": "disabled",
        f"{other}-ops": "loaded",
    }


def test_unloading_a_required_plugin_unloads_the_plugins_that_require_the_plugin(
    install, run_python
):
    install("a")
    install("b", "a")
    install("c", "b")
    install("d")
    outcome = run_python(
        START + "dezero_core.unregister('a')\n"
        "out['states'] = {p.name: p.state for p in dezero_core.plugins()}\n"
        "out['left'] = [op.name for op in dezero_core.ops()]\n"
        "dezero_core.load_plugins()"
    )
    gone = {"a": "disabled", "b": "incompatible", "c": "incompatible", "d": "loaded"}
    assert outcome.out.states == gone
    assert outcome.out.left == ["d"]
    assert set(outcome.states.values()) == {"loaded"}


class Plugin:
    """A plugin that is registered by hand."""

    def __init__(self, requires=(), operation="a"):
        self.DEZERO_REQUIRES, self.operation = requires, operation

    @hookimpl
    def dezero_register_ops(self, register):
        register(self.operation, lambda x: x)


def test_a_plugin_registered_by_hand_meets_requirements_of_any_version(core_alone, registered):
    registered(Plugin(), "one")
    registered(Plugin(["one>=3"], "b"), "two")
    assert [op.name for op in dezero_core.ops()] == ["a", "b"]
    dezero_core.unregister("one")
    assert dezero_core.ops() == ()
    with pytest.raises(PluginRequirementError, match=r"one' .* is not loaded: unregistered"):
        dezero_core.register("two")


def defined(broken=False):
    """Return a plugin of a class that is defined anew, as in a cell of a notebook."""

    class Base:
        __qualname__ = "Base"

        @hookimpl
        def dezero_register_ops(self, register):
            register("base", lambda x: x)
            if broken:
                raise ValueError("no luck")

    return Base()


def test_a_plugin_that_requires_a_plugin_defined_anew_stays_loaded(core_alone, registered):
    """Also where the first to be loaded again is one that requires the others."""
    names = ["cell", "on-cell", "on-both"]  # that no other test has registered
    registered(both := Plugin(operation="c"), "on-both")
    dezero_core.unregister(both)
    dezero_core.register(defined(), "cell")
    registered(Plugin(["cell"], "b"), "on-cell")
    both.DEZERO_REQUIRES = ["on-cell", "cell"]
    dezero_core.register(both)
    with pytest.raises(PluginError, match="no luck"):
        dezero_core.register(defined(broken=True), "cell")
    states = [states_of(names)]
    registered(defined(), "cell")
    states.append(states_of(names))
    assert states == [["loaded"] * 3] * 2


def states_of(names):
    states = {record.name: record.state for record in dezero_core.plugins()}
    return [states[name] for name in names]


@pytest.mark.parametrize(
    ("requires", "says"),
    [
        ("basic", "must be a tuple"),
        ((3,), "3 is no requirement"),
        (("basic 1",), "'basic 1' is no requirement"),
        (("basic>=1.x",), "is no requirement"),
        (("basic>=",), "is no requirement"),
        ((">=1",), "is no requirement"),
        (("basic>=1,",), "is no requirement"),
        (("basic~=1.0",), "is no requirement; write a name and comparisons, as 'basic>=1,<2'"),
    ],
)
def test_a_requirement_that_nobody_can_read_is_refused(requires, says, core_alone):
    before = dict(vars(Variable))
    with pytest.raises(PluginError, match="DEZERO_REQUIRES") as caught:
        dezero_core.register(Plugin(requires), "one")
    assert says in str(caught.value)
    assert (dict(vars(Variable)), dezero_core.ops()) == (before, ())


# Release numbers alone count: a pre-release or post-release is as the release itself.
ADMITTED = {
    "a>=1": ("1 1.0 1.0.0 1.1 10 2.dev1 1.0rc1 1.0.post1", "0.9 0.9.post1 0 none"),
    "a>1": ("1.1 2 1.0.1", "1 1.0 0.9 1.0.post1"),
    "a==1.2": ("1.2 1.2.0 v1.2 1.2rc1", "1.2.1 1.3 1 none"),
    "a!=1.2": ("1.2.1 1 none", "1.2 1.2.0.0"),
    "a<=1.9": ("1.9 1.8.99 1.9.0b2", "1.10 2"),
    "a>=2": ("2 v2.0 2.0.post1 10", "1.9 1.10 0"),
    "a>=1, <2": ("1 1.99", "0.5 2 2.0.1 2.0rc1"),
    " a_b.c-d < 2 ": ("1", "2"),
    "a": ("0 1.0rc1 none", ""),
}


@pytest.mark.parametrize("text", ADMITTED)
def test_versions_in_requirements_are_compared_number_by_number(text):
    requirement = Requirement.read(text)
    admitted, refused = (versions.split() for versions in ADMITTED[text])
    assert [v for v in admitted if not requirement.admits(v)] == []
    assert [v for v in refused if requirement.admits(v)] == []
    assert requirement.name == ("a_b.c-d" if "b" in text else "a")
