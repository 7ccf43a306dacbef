"""Announcements: those that are refused, and several of one thing.

Promise: docs/how_to/publish_a_plugin.md
"""

import sys

import numpy as np
import pytest

from dezero_core import (
    ContestedOperationError,
    PluginError,
    PluginLoadError,
    Variable,
    hookimpl,
    ops,
    prefer,
    register,
    unregister,
)
from dezero_core.extend import PREFERRED, SLOTS

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
            register.later(**{"module": "surely_not_there"} | names)


def first(x, *others):
    return "first"


#: An announcement, the registration in place of it, and a use of both.
CLAIMS = {
    "method": ({"methods": "m"}, {"methods": "m"}, lambda x: x.m(), "Variable.m"),
    "NumPy function": (
        {"numpy": "linalg.inv"},
        {"numpy": np.linalg.inv},
        lambda x: np.linalg.inv(x),
        "np.linalg.inv",
    ),
}

LATER = """
import numpy as np
def register_ops(register):
    register("{name}", lambda x: "{name}", methods="m", numpy=np.linalg.inv)
"""


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Write two modules that register what their plugins announce, for one test."""
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("one", "two"):
        (tmp_path / f"{name}_announced.py").write_text(LATER.format(name=name), encoding="utf-8")
    yield
    for name in ("one", "two"):
        sys.modules.pop(f"{name}_announced", None)


def announcing(name):
    module = f"{name}_announced"
    claims = {"operations": name, "methods": "m", "numpy": "linalg.inv"}
    return Announces({"module": module} | claims)


@pytest.mark.parametrize(("use", "written"), [each[2:] for each in CLAIMS.values()], ids=CLAIMS)
def test_two_announcements_of_one_name_are_contested_when_it_is_used(
    use, written, modules, core_alone, registered
):
    for name in ("one", "two"):
        registered(announcing(name), name)
    x = Variable(np.array(1.0))
    assert not {"one_announced", "two_announced"} & set(sys.modules)
    with pytest.raises(ContestedOperationError, match="'one' and 'two' both provide") as caught:
        use(x)
    assert caught.value.operation == written
    prefer(**{written: "two"})
    assert use(x) == "two"


@pytest.mark.parametrize(("use", "written"), [each[2:] for each in CLAIMS.values()], ids=CLAIMS)
def test_a_choice_of_an_announced_name_imports_no_module_of_the_other_plugin(
    use, written, modules, core_alone, registered
):
    for name in ("one", "two"):
        registered(announcing(name), name)
    prefer(**{written: "two"})
    assert use(Variable(np.array(1.0))) == "two"
    assert "two_announced" in sys.modules
    assert "one_announced" not in sys.modules


@pytest.mark.parametrize("announced_first", [True, False])
@pytest.mark.parametrize(("claim", "use"), [each[1:3] for each in CLAIMS.values()], ids=CLAIMS)
def test_an_announced_and_a_registered_operation_contest_one_claim(
    claim, use, announced_first, modules, core_alone, registered
):
    plugins = {
        "one": announcing("one"),
        "three": Announces(registered=[{"name": "c", "function": first} | claim]),
    }
    names = list(plugins) if announced_first else list(plugins)[::-1]
    for name in names:
        registered(plugins[name], name)
    x = Variable(np.array(1.0))
    for _ in range(2):
        with pytest.raises(ContestedOperationError) as caught:
            use(x)
        assert caught.value.plugins == tuple(names)
    prefer(c="three")
    assert use(x) == "first"


def test_two_announcements_of_one_operator_are_contested_without_an_import(core_alone, registered):
    """As no module can be imported here, it must be known before that which is in use."""
    for plugin in ("one", "two"):
        claims = {"operations": "add", "dunders": "__add__ __radd__"}
        registered(Announces(claims), plugin)
    bindings = SLOTS["__add__"].bindings
    assert list(bindings) == ["one", "two"]
    assert all(bound.load is not None for bound in bindings.values())


def test_a_choice_from_outside_of_an_announced_operator_imports_nothing(core_alone, registered):
    one, two = (
        Announces({"operations": f"{name} add", "dunders": "__add__ __radd__"}) for name in "ab"
    )
    registered(one, "one")
    PREFERRED.maps[0]["add"] = "one"
    registered(two, "two")
    assert dict(PREFERRED) == {"add": "one"}


@pytest.mark.parametrize("order", [("one", "three"), ("three", "one")])
def test_an_announced_alternative_is_imported_only_if_it_is_chosen(
    order, modules, core_alone, registered
):
    """So it takes nothing away, be it slow or broken."""
    plugins = {
        "one": announcing("one"),
        "three": Announces({"operations": "c", "methods": "m", "alternative": True}),
    }
    for name in order:
        registered(plugins[name], name)
    x = Variable(np.array(1.0))
    assert x.m() == "one"
    with pytest.raises(PluginLoadError, match="surely_not_there"):
        prefer(c="three")
    assert x.m() == "one"
    unregister("one")
    with pytest.raises(PluginLoadError, match="surely_not_there"):
        x.m()


def test_what_is_announced_as_an_alternative_is_registered_as_one(modules, core_alone, registered):
    plugin = announcing("one")
    plugin.announced[0]["alternative"] = True
    registered(plugin, "one")
    x = Variable(np.array(1.0))
    with pytest.raises(ContestedOperationError, match=r"Variable\.m as an alternative, and is not"):
        x.m()
    assert [operation.alternative for operation in ops()] == [True]
    prefer(one="one")
    assert (x.m(), np.linalg.inv(x)) == ("one", "one")


@pytest.mark.parametrize("number_of_others", [0, 1])
def test_an_announced_module_may_say_itself_that_it_is_an_alternative(
    number_of_others, tmp_path, monkeypatch, core_alone, registered
):
    monkeypatch.syspath_prepend(tmp_path)
    code = "def register_ops(register):\n"
    code += "    register('a', lambda x: 'a', methods='m', dunders='__neg__', alternative=True)\n"
    (tmp_path / "shy_announced.py").write_text(code, encoding="utf-8")
    claims = {"operations": "a", "methods": "m", "dunders": "__neg__"}
    registered(Announces({"module": "shy_announced"} | claims), "shy")
    x = Variable(np.array(1.0))
    if number_of_others:
        other = {"name": "c", "function": first, "methods": "m", "dunders": "__neg__"}
        registered(Announces(registered=[other]), "other")
        assert (x.m(), -x) == ("first", "first")
    else:
        for use in (lambda: x.m(), lambda: -x):
            with pytest.raises(ContestedOperationError, match="as an alternative"):
                use()
    sys.modules.pop("shy_announced")


@pytest.mark.parametrize(
    ("announced", "message"),
    [
        ([{"operations": "a"}, {"operations": "a"}], "operation 'a' twice"),
        (
            [{"operations": "a", "methods": "m"}, {"operations": "b", "methods": "m"}],
            "m twice",
        ),
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

    with pytest.raises(PluginError, match="announce modules by their names"):
        register(Hasty())


#: The name of a ufunc that np.frompyfunc makes.
LAMBDA = "<lambda> (vectorized)"

OWN = """
from acme_functions import own
def register_ops(register):
    register("own", lambda x: "of {name}", numpy=own)
"""


@pytest.mark.parametrize("registered_first", [True, False])
def test_an_announced_ufunc_of_another_library_is_found_by_its_name(
    registered_first, fake_distribution, run_python
):
    """Who has registered it is not known before it is imported, and then it is contested."""
    functions = "import numpy as np\nown = np.frompyfunc(lambda x: x, 1, 1)\n"
    plugin = "from dezero_core import hookimpl\n@hookimpl\ndef dezero_register_ops(register):\n    "
    announces = f'{plugin}register.later("acme_own", operations="own", numpy=[{LAMBDA!r}])'
    other = "alpha" if registered_first else "zulu"
    fake_distribution(
        "acme-ops",
        {
            "acme_functions.py": functions,
            "acme_own.py": OWN.format(name="acme"),
            "acme.py": announces,
            f"{other}.py": OWN.format(name=other).replace('"own"', '"other"')
            + plugin
            + "register_ops(register)",
        },
        {"acme": "acme", other: other},
    )
    use = "from acme_functions import own\n"
    outcome = run_python(f"{START}{use}out['value'] = own(x)", DEZERO_PLUGINS="acme")
    assert outcome.out.value == "of acme"
    outcome = run_python(
        f"{START}{use}out['error'] = failure(lambda: own(x))\n"
        f"dezero_core.unregister({other!r})\nout['then'] = own(x)\n"
        f"dezero_core.register({other!r})\ndezero_core.unregister('acme')\n"
        "out['other'] = own(x)"
    )
    assert "ContestedOperationError" in outcome.out.error["types"]
    assert outcome.out.error["plugins"] == repr((other, "acme"))
    assert (outcome.out.then, outcome.out.other) == ("of acme", f"of {other}")


def test_dir_of_a_variable_lists_announced_methods_and_no_missing_methods(core_alone, registered):
    x = Variable(np.ones(2))
    assert {"data", "backward", "__add__"} <= set(dir(x))
    assert not {"sum", "T"} & set(dir(x))
    registered(Announces({"operations": "sum", "methods": "sum"}), "one")
    assert "sum" in dir(x)
    assert "T" not in dir(x)
    unregister("one")
    assert "sum" not in dir(x)
