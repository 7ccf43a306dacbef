"""``register.part(kind, name, value)``: parts that the core or a tool asks for.

Promise: docs/how_to/publish_a_plugin.md
"""

import numpy as np
import pytest

import dezero_core
from dezero_core import (
    Config,
    ContestedOperationError,
    PluginConflictError,
    PluginError,
    Variable,
    VariableTypeError,
    hookimpl,
    unregister,
)
from dezero_core.extend import ArrayType, parts_of

from ..engine.ducks import Duck


class Parts:
    """A plugin that registers the parts it is given."""

    def __init__(self, *parts):
        self.parts = parts

    @hookimpl
    def dezero_register_ops(self, register):
        for part in self.parts:
            register.part(*part)


def advise(name, frame):
    return "Try tea."


#: Kinds of the core -> a part, and whether it is in use just now.
OF_THE_CORE = {
    "setting": (True, lambda: hasattr(Config, "rehearsed")),
    "array": (ArrayType("rehearsed", Duck), lambda: holds(Duck([1.0]))),
    "adviser": (advise, lambda: "Try tea." in refusal()),
}


def holds(array):
    try:
        return type(Variable(array).data) is type(array)
    except VariableTypeError:
        return False


def refusal():
    with pytest.raises(VariableTypeError) as caught:
        np.mean([Variable(np.ones(2))])
    return str(caught.value)


@pytest.mark.parametrize("kind", OF_THE_CORE)
def test_a_part_of_the_core_is_in_use_while_its_plugin_is_loaded(kind, core_alone, registered):
    value, is_in_use = OF_THE_CORE[kind]
    for _ in range(2):
        assert not is_in_use()
        registered(Parts((kind, "rehearsed", value)), "one")
        assert is_in_use()
        assert parts_of(kind)["rehearsed"].value() is value
        unregister("one")
    assert not is_in_use()
    assert parts_of(kind) == {}


def test_a_plugin_of_parts_alone_has_no_operation_and_is_loaded_without_a_warning(registered):
    record = registered(Parts(("observer", "seen", object)), "one")
    assert (record.state, record.operations) == ("loaded", ())


def test_parts_of_any_kind_are_registered_by_one_hook(fake_distribution, run_python):
    source = """
from dezero_core import hookimpl
DEZERO_PLUGIN_API = (2, 0)
@hookimpl
def dezero_register_ops(register):
    register("as_it_is", lambda x: x, methods="as_it_is")
    register.part("setting", "rehearse", False)
    register.part("observer", "seen", dict)
    register.part("executor", "fast", list)
    register.part("kind_of_my_own", "thing", 5)
"""
    fake_distribution("acme-ops", {"acme.py": source}, {"acme": "acme"})
    outcome = run_python(
        "import dezero_core\nfrom dezero_core.extend import parts_of\n"
        "out['parts'] = {kind: [*parts_of(kind)] for kind in\n"
        "                ('setting', 'observer', 'executor', 'kind_of_my_own', 'array')}\n"
        "out['value'] = parts_of('kind_of_my_own')['thing'].value()\n"
        "out['setting'] = dezero_core.Config.rehearse"
    )
    assert outcome.out.parts == {
        "setting": ["rehearse"],
        "observer": ["seen"],
        "executor": ["fast"],
        "kind_of_my_own": ["thing"],
        "array": [],
    }
    assert (outcome.out.value, outcome.out.setting) == (5, False)


REFUSED = {
    "a kind that is no text": ((5, "a", dict), "registers the 5 'a', .*; its kind must be a word"),
    "a kind without a letter": (("", "a", dict), "its kind must be a word"),
    "a kind of two words": (("two words", "a", dict), "its kind must be a word"),
    "a kind with a dot": (("a.b", "c", dict), "its kind must be a word"),
    "the kind of NumPy's functions": (("np", "exp", dict), "its kind must be a word"),
    "a name that is no text": (("observer", None, dict), "its name must be a word"),
    "no name": (("observer", "", dict), "its name must be a word"),
    "a name that cannot be printed": (("observer", "\x1b[31m", dict), "its name must be a word"),
    "a setting that is no bool": (("setting", "a", 1), "its default must be True or False"),
    "a type of arrays that is none": (("array", "a", Duck), "it must be an ArrayType"),
    "a type of another name": (
        ("array", "a", ArrayType("b", Duck)),
        "the name of the ArrayType must be 'a', too",
    ),
    "an adviser that is no function": (("adviser", "a", "tea"), "it must be a function"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_part_that_breaks_a_rule_is_refused_and_nothing_of_its_plugin_remains(what, registered):
    part, rule = REFUSED[what]
    with pytest.raises(
        PluginError, match=f"plugin 'bad' registers the .*{rule.partition('; ')[2]}"
    ):
        registered(Parts(("setting", "sound", True), part), "bad")
    with pytest.raises(PluginError, match=rule) as caught:
        registered(Parts(part), "bad")
    assert str(caught.value).isprintable()
    assert caught.value.plugin == "bad"
    assert not hasattr(Config, "sound")


@pytest.mark.parametrize("kind", ["setting", "array", "adviser", "observer", "executor"])
def test_a_part_that_is_registered_twice_is_refused(kind, registered):
    value = OF_THE_CORE.get(kind, (dict, None))[0]
    with pytest.raises(PluginError, match=f"the {kind} 'rehearsed', .*; that is done already"):
        registered(Parts(*[(kind, "rehearsed", value)] * 2), "bad")


@pytest.mark.parametrize("kind", OF_THE_CORE)
def test_a_part_of_the_core_that_another_plugin_has_is_a_conflict_with_the_facts(
    kind, core_alone, registered
):
    value, is_in_use = OF_THE_CORE[kind]
    registered(Parts((kind, "rehearsed", value)), "first")
    other = ArrayType("rehearsed", type("Other", (Duck,), {})) if kind == "array" else value
    with pytest.raises(PluginConflictError, match="plugin 'first' has registered") as caught:
        registered(Parts((kind, "rehearsed", other), ("setting", "more", True)), "second")
    error = caught.value
    facts = (error.what, error.plugin, error.other)
    assert facts == (f"{kind}.rehearsed", "second", "first")
    assert is_in_use()
    assert not hasattr(Config, "more")


@pytest.mark.parametrize("setting", ["enable_backprop", "warn_of_independence"])
def test_a_setting_of_the_core_cannot_be_taken(setting, registered):
    with pytest.raises(PluginConflictError, match="belongs to the core") as caught:
        registered(Parts(("setting", setting, False)), "bad")
    assert (caught.value.what, caught.value.other) == (f"setting.{setting}", "dezero_core")
    assert getattr(Config, setting) is True


@pytest.mark.parametrize("kind", ["observer", "executor", "kind_of_my_own"])
def test_a_part_of_a_tool_that_two_plugins_have_is_contested_when_it_is_asked_for(
    kind, core_alone, registered
):
    registered(Parts((kind, "seen", dict), (kind, "alone", set)), "one")
    registered(Parts((kind, "seen", list)), "two")
    assert parts_of(kind)["alone"].value() is set
    with pytest.raises(ContestedOperationError) as caught:
        parts_of(kind)["seen"].value()
    assert str(caught.value) == (
        f"plugins 'one' and 'two' both provide {kind}.seen, and none is chosen. Choose: "
        f"dezero_core.prefer(**{{'{kind}.seen': 'one'}}) or "
        f"dezero_core.prefer(**{{'{kind}.seen': 'two'}}); for a block, "
        f"dezero_core.use_ops(**{{'{kind}.seen': 'two'}}); outside of the program, "
        f"DEZERO_OPS={kind}.seen=two."
    )
    with dezero_core.use_ops(**{f"{kind}.seen": "two"}):
        assert parts_of(kind)["seen"].value() is list
    unregister("one")
    assert parts_of(kind)["seen"].value() is list


def test_a_choice_from_outside_holds_for_a_part(fake_distribution, run_python):
    hook = "from dezero_core import hookimpl\n@hookimpl\ndef dezero_register_ops(register):\n"
    for name in ("one", "two"):
        source = f"{hook}    register.part('observer', 'seen', {name!r})\n"
        fake_distribution(f"{name}-ops", {f"{name}.py": source}, {name: name})
    outcome = run_python(
        "from dezero_core.extend import parts_of\nout['of'] = parts_of('observer')['seen'].value()",
        DEZERO_OPS="observer.seen=two",
    )
    assert outcome.out.of == "two"


def test_a_part_of_a_plugin_whose_hook_raises_later_is_not_in_use(core_alone, registered):
    class Broken(Parts):
        @hookimpl
        def dezero_register_ops(self, register):
            for kind, (value, _) in OF_THE_CORE.items():
                register.part(kind, "rehearsed", value)
            raise ValueError("no luck")

    with pytest.raises(PluginError, match="no luck"):
        registered(Broken(), "bad")
    assert [is_in_use() for _, is_in_use in OF_THE_CORE.values()] == [False] * 3
