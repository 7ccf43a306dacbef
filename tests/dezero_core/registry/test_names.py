"""Names that a plugin cannot take: of the core, of another plugin, or twice.

Promise: docs/how_to/publish_a_plugin.md
"""

import numpy as np
import pytest

import dezero_core
from dezero_core import Function, PluginConflictError, PluginError, Variable, hookimpl

own_ufunc = np.frompyfunc(lambda x: 3.0 * x, 1, 1)  # a NumPy function that no plugin knows


def first(x, *others):
    return "first"


def second(x, *others):
    return "second"


class Plugin:
    """Makes the registrations it is given."""

    def __init__(self, *registrations):
        self.registrations = registrations

    @hookimpl
    def dezero_register_ops(self, register):
        for arguments in self.registrations:
            register(**arguments)


@pytest.fixture
def add_plugin(core_alone, registered):
    """Register a plugin that makes the given registrations, beside no other."""

    def register(name, *registrations):
        plugin = Plugin(*registrations)
        registered(plugin, name)
        return plugin

    return register


CORE_ATTRIBUTES = (
    *("data", "name", "grad", "creator", "generation", "set_creator", "cleargrad"),
    *("backward", "unchain", "unchain_backward", "shape", "ndim", "size", "dtype", "item"),
)


@pytest.mark.parametrize("attribute", CORE_ATTRIBUTES)
def test_a_plugin_cannot_overwrite_an_attribute_of_variable(attribute, add_plugin):
    bound = dict(vars(Variable))
    with pytest.raises(PluginConflictError, match="belongs to the core") as caught:
        add_plugin("bad", {"name": "a", "function": first, "methods": ("a", attribute)})
    assert (caught.value.plugin, caught.value.other) == ("bad", "dezero_core")
    assert caught.value.what == f"Variable.{attribute}"
    assert dict(vars(Variable)) == bound
    assert dezero_core.ops() == ()


NO_OPERATORS = (
    *("__init__", "__new__", "__getattr__", "__getstate__", "__class__", "__slots__", "__hash__"),
    *("__array__", "__array_ufunc__", "__array_function__", "__len__", "__float__", "__repr__"),
    *("__iadd__", "__addd__", "_edge", "data"),
)


@pytest.mark.parametrize("attribute", NO_OPERATORS)
def test_a_plugin_cannot_bind_a_special_name_that_is_no_operator(attribute, add_plugin):
    bound = dict(vars(Variable))
    claims = [{"dunders": ("__add__", attribute)}]
    claims += [{"methods": ("a", attribute)}] if attribute.startswith("_") else []
    for claim in claims:
        with pytest.raises(PluginError, match=f"'bad'.*'?{attribute}'?") as caught:
            add_plugin("bad", {"name": "a", "function": first} | claim)
        assert caught.value.plugin == "bad"
        assert dict(vars(Variable)) == bound
        assert dezero_core.ops() == ()


def test_a_plugin_cannot_replace_a_numpy_function_that_the_core_answers(add_plugin):
    with pytest.raises(PluginConflictError, match=r"np\.shape.*belongs to the core") as caught:
        add_plugin("bad", {"name": "a", "function": first, "numpy": (own_ufunc, np.shape)})
    assert caught.value.other == "dezero_core"
    x = Variable(np.ones((2, 3)))
    assert np.shape(x) == (2, 3)
    with pytest.raises(TypeError, match=r"no loaded plugin provides .*x\.data gives the values"):
        own_ufunc(x)


@pytest.mark.parametrize(
    ("registrations", "message"),
    [
        ([{"name": "a"}, {"name": "a"}], "operation 'a' twice"),
        ([{"name": "a", "methods": "m"}, {"name": "b", "methods": "m"}], r"Variable\.m twice"),
        ([{"name": "a", "numpy": np.cbrt}, {"name": "b", "numpy": np.cbrt}], "cbrt"),
        ([{"name": "a", "function": 3}], "which is no function"),
        ([{"name": "a", "function_class": int}], "which is no Function class"),
        ([{"name": "a", "function_class": Function()}], "which is no Function class"),
        ([{"name": "a", "methods": "not a name"}], "'not a name', which is no name"),
        ([{"name": "a", "numpy": "cbrt"}], "cbrt"),
        ([{"name": "a", "numpy": max}], r"function max>, which is no function of NumPy: neither"),
        ([{"name": "a", "numpy": [np.cbrt, np.asarray]}], "asarray>, which is no function of Nu"),
        ([{"name": "a", "numpy": np.float64}], "float64'>, which is no function of NumPy"),
        ([{"name": "a", "numpy": np.vectorize(abs)}], "which is no function of NumPy"),
        ([{"name": "a" * 201}], r"'aaa.* as the name of an operation"),
        ([{"name": "a", "methods": {"m": 5}}], "binds 'm' to 5, which is no method"),
    ],
)
def test_a_registration_that_contradicts_itself_is_refused(registrations, message, add_plugin):
    bound = dict(vars(Variable))
    with pytest.raises(PluginError, match=message) as caught:
        add_plugin("bad", *({"function": first} | each for each in registrations))
    assert caught.value.plugin == "bad"
    assert dict(vars(Variable)) == bound
    assert dezero_core.ops() == ()


def test_a_second_plugin_object_under_a_taken_name_is_refused(add_plugin):
    add_plugin("one", {"name": "a", "function": first})
    with pytest.raises(PluginError, match=r"'one'.*register\(plugin, name="):
        add_plugin("one", {"name": "b", "function": second})
    assert [op.name for op in dezero_core.ops()] == ["a"]


def test_a_refused_plugin_does_not_change_the_loaded_plugin_of_its_name(add_plugin):
    one = add_plugin("one", {"name": "a", "function": first, "methods": "m"})
    with pytest.raises(PluginConflictError):
        add_plugin("one", {"name": "b", "function": second})
    assert Variable(np.array(1.0)).m() == "first"
    assert [op.name for op in dezero_core.ops()] == ["a"]
    assert dezero_core.unregister(one).state == "disabled"
    assert dezero_core.register(one, "one").state == "loaded"


@pytest.mark.parametrize("hashed", [True, False])
def test_a_plugin_object_that_defines_eq_is_itself_alone(hashed, core_alone, registered):
    class Equal(Plugin):
        def __eq__(self, other):
            return True

        __hash__ = object.__hash__ if hashed else None

    one, two = Equal({"name": "a", "function": first}), Equal({"name": "b", "function": second})
    registered(one, "one")
    registered(two, "two")
    assert [op.name for op in dezero_core.ops()] == ["a", "b"]
    assert dezero_core.unregister(two).name == "two"
    assert [op.name for op in dezero_core.ops()] == ["a"]


def test_a_plugin_object_cannot_take_the_name_of_the_core(add_plugin):
    with pytest.raises(PluginError, match=r"its name is that of the core\. Give it another"):
        add_plugin("dezero_core", {"name": "a", "function": first})
    assert dezero_core.ops() == ()


def test_of_two_entry_points_to_one_module_only_the_first_is_loaded(
    plugin_source, fake_distribution, run_python
):
    """As when a distribution was renamed, and both names are installed."""
    fake_distribution("new-ops", {"ops.py": plugin_source("tripled")}, {"new": "ops"})
    fake_distribution("old-ops", {}, {"old": "ops"})
    outcome = run_python(
        "import dezero_core\nfrom dezero_core import Variable\n"
        "out['states'] = {p.name: p.state for p in dezero_core.plugins()}\n"
        "dezero_core.unregister('new')\n"
        "out['bound'] = hasattr(Variable, 'tripled')",
        warns=1,
    )
    assert outcome.out.states == {"new": "loaded", "old": "failed"}
    assert "'new'" in outcome.plugin("old").cause
    assert not outcome.out.bound


def test_a_plugin_object_named_like_an_installed_plugin_is_refused_with_the_remedy(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("acme-ops", {"acme.py": plugin_source("tripled")}, {"acme": "acme"})
    other = plugin_source("doubled", 2.0)
    outcome = run_python(
        f"import types, dezero_core\nother = types.ModuleType('other')\n"
        f"exec({other!r}, vars(other))\n"
        "out['error'] = failure(lambda: dezero_core.register(other, name='acme'))"
    )
    assert "PluginError" in outcome.out.error["types"]
    message = outcome.out.error["message"]
    assert "'acme'" in message
    assert "acme-ops" in message
    assert "None" not in message
    assert outcome.operations == ["tripled"]
