"""Announcements: those that are refused, and conflicts between them before anything is imported."""

import numpy as np
import pytest

from dezero_core import PluginError, Variable, hookimpl, ops, plugins, register, unregister

from .announcing_plugin import START


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
def test_two_announcements_of_one_name_are_in_conflict_before_any_import(
    claim, what, core_alone, registered
):
    one, two = Announces({"operations": "a"} | claim), Announces({"operations": "b"} | claim)
    registered(one, "one")
    before = dict(vars(Variable)), plugins()
    with pytest.raises(PluginError, match="which 'one' provides already") as caught:
        register(two, "two")
    assert (caught.value.what, caught.value.plugin, caught.value.other) == (what, "two", "one")
    assert (dict(vars(Variable)), plugins()) == before


@pytest.mark.parametrize("announced_first", [True, False])
@pytest.mark.parametrize("kind", CLAIMS)
def test_an_announced_and_a_registered_operation_with_one_claim_are_in_conflict(
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
def test_a_contradictory_or_forbidden_announcement_is_refused(announced, message, core_alone):
    bound = dict(vars(Variable))
    with pytest.raises(PluginError, match=message):
        register(Announces(*announced), "bad")
    assert dict(vars(Variable)) == bound
    assert ops() == ()


def test_an_announcement_of_a_module_object_instead_of_a_name_is_refused(core_alone):
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


def test_an_announced_ufunc_of_another_library_is_found_by_its_name(fake_distribution, run_python):
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


def test_dir_of_a_variable_lists_announced_methods_and_no_missing_methods(core_alone, registered):
    x = Variable(np.ones(2))
    assert {"data", "backward", "__add__"} <= set(dir(x))
    assert not {"sum", "T"} & set(dir(x))
    registered(Announces({"operations": "sum", "methods": "sum"}), "one")
    assert "sum" in dir(x)
    assert "T" not in dir(x)
    unregister("one")
    assert "sum" not in dir(x)
