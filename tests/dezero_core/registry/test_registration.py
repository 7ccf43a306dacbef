"""register and unregister: what they bind, what they record, and that nothing remains.

Promise: docs/how_to/publish_a_plugin.md
"""

import types

import numpy as np
import pytest
from dezero_core.slots import FOUND, SLOTS

import dezero_core
from dezero_core import (
    Function,
    PluginError,
    PluginLoadError,
    PluginWarning,
    UnknownPluginError,
    Variable,
    hookimpl,
    ops,
    plugins,
    register,
    unregister,
)

own_ufunc = np.frompyfunc(lambda x: 3.0 * x, 1, 1)  # a NumPy function that no plugin knows


def sample(kit):
    return kit.elementwise((-1.0, 1.0))


BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul")
OPERATORS = (
    *(f"__{reflected}{name}__" for reflected in ("", "r") for name in BINARY),
    *("__neg__", "__pos__", "__abs__", "__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"),
    *("__getitem__", "__setitem__", "__iter__", "__contains__"),
)


class Triple(Function):
    def forward(self, x):
        return x * 3.0

    def backward(self, gy):
        return gy * 3.0


def triple(x):
    return Triple()(x)


thirds = property(lambda x: x.data / 3.0)


class Plugin:
    @hookimpl
    def dezero_register_ops(self, register):
        methods = {"thirds": thirds, "tripled": triple}
        register("triple", triple, Triple, methods=methods, numpy=own_ufunc, sample=sample)


class EverythingPlugin:
    """Binds all that a plugin may bind."""

    @hookimpl
    def dezero_register_ops(self, register):
        dunders = dict.fromkeys(OPERATORS, lambda x, *others: "bound")
        dunders["__array_priority__"] = 200
        register("every", triple, dunders=dunders, methods={"T": property(lambda x: "bound")})


class HalfwayPlugin(Plugin):
    broken = True

    @hookimpl
    def dezero_register_ops(self, register):
        super().dezero_register_ops(register)
        if self.broken:
            raise ValueError("no luck")


@pytest.fixture
def plugin(registered):
    """Register a plugin beside whatever is installed."""
    plugin = Plugin()
    registered(plugin, "by-hand")
    return plugin


def test_a_registered_plugin_object_brings_its_operation(plugin):
    x = Variable(np.array([1.0, 2.0]))
    for y in (x.tripled(), own_ufunc(x)):
        x.cleargrad()
        y.backward()
        np.testing.assert_array_equal(y.data, [3.0, 6.0])
        np.testing.assert_array_equal(x.grad, [3.0, 3.0])
    np.testing.assert_array_equal(x.thirds, [1 / 3, 2 / 3])


def test_a_registered_plugin_object_has_a_record(plugin):
    (record,) = [record for record in plugins() if record.name == "by-hand"]
    assert (record.state, record.cause) == ("loaded", None)
    assert (record.distribution, record.version) == (None, None)
    assert record.origin == __name__
    assert record.operations == ("triple",)
    assert record.milliseconds > 0.0
    assert str(record) == f"plugin 'by-hand' ({__name__})"

    (operation,) = [op for op in ops() if op.plugin == "by-hand"]
    assert operation.name == "triple"
    assert operation.function is triple
    assert operation.function_class is Triple
    assert operation.dunders == ()
    assert operation.methods == ("thirds", "tripled")
    assert operation.numpy == (own_ufunc,)
    assert operation.sample is sample


def test_operations_are_listed_in_the_order_of_names(plugin):
    names = [op.name for op in ops()]
    assert names == sorted(names)


def test_registering_a_registered_plugin_object_again_changes_nothing(plugin):
    before = dict(vars(Variable)), ops(), plugins()
    assert register(plugin).name == "by-hand"
    assert register(plugin, "another name").name == "by-hand"
    assert (dict(vars(Variable)), ops(), plugins()) == before


@pytest.mark.parametrize("with_installed", [True, False])
@pytest.mark.parametrize("by", ["object", "name"])
def test_unregister_restores_the_attributes_of_variable_exactly(
    by, with_installed, registered, request
):
    if not with_installed:
        request.getfixturevalue("core_alone")
    before, operations = dict(vars(Variable)), ops()
    plugin = Plugin()
    registered(plugin, "by-hand")
    assert dict(vars(Variable)) != before
    record = unregister(plugin if by == "object" else "by-hand")
    assert (record.state, record.cause, record.operations) == ("disabled", "unregistered", ())
    assert dict(vars(Variable)) == before
    assert ops() == operations
    with pytest.raises(TypeError, match="no loaded plugin provides"):
        own_ufunc(Variable(np.array(1.0)))
    assert unregister("by-hand").state == "disabled"


def test_unregister_restores_every_operator_exactly(core_alone, registered):
    before = dict(vars(Variable))
    plugin = EverythingPlugin()
    registered(plugin)
    x = Variable(np.array(1.0))
    assert x + x == 1.0 - x == x[0] == abs(x) == (x == x) == divmod(2, x) == x.T == "bound"
    assert x.__array_priority__ == 200
    assert hash(x) == object.__hash__(x)
    unregister(plugin)
    assert dict(vars(Variable)) == before
    assert x == x
    assert x != Variable(x.data)
    assert not hasattr(x, "__array_priority__")
    for broken in (lambda: x + x, lambda: 1.0 - x, lambda: x[0], lambda: x.T):
        with pytest.raises(TypeError, match="no loaded plugin provides"):
            broken()


def test_an_unregistered_plugin_object_is_registered_again_by_its_name(plugin):
    bound = dict(vars(Variable))
    unregister("by-hand")
    record = register("by-hand")
    assert (record.state, record.cause, record.operations) == ("loaded", None, ("triple",))
    assert dict(vars(Variable)) == bound


def test_unloading_and_loading_all_installed_plugins_restores_variable_exactly():
    def operations():  # a sample is a function that each registration may make anew
        return [operation._replace(sample=None) for operation in ops()]

    before, bound = operations(), dict(vars(Variable))
    dezero_core.load_plugins(only=())
    assert ops() == ()
    assert not any(record.state == "loaded" for record in plugins())
    dezero_core.load_plugins()
    assert operations() == before  # which imports the modules that were announced
    assert dict(vars(Variable)) == bound


def test_a_module_registered_as_a_plugin_has_the_name_of_the_module(registered):
    module = types.ModuleType("notebook")
    module.dezero_register_ops = hookimpl(
        lambda register: register("triple", triple, Triple, methods="tripled")
    )
    record = registered(module)
    assert (record.name, record.origin, record.state) == ("notebook", "notebook", "loaded")
    assert float(Variable(np.array(2.0)).tripled()) == 6.0


def test_a_plugin_object_that_raises_halfway_leaves_no_traces(registered):
    before = dict(vars(Variable)), ops(), plugins()
    plugin = HalfwayPlugin()
    with pytest.raises(PluginLoadError, match=r"'halfway'.*ValueError: no luck") as caught:
        registered(plugin, "halfway")
    assert caught.value.plugin == "halfway"
    assert isinstance(caught.value.__cause__, ValueError)
    assert (dict(vars(Variable)), ops(), plugins()) == before
    plugin.broken = False
    registered(plugin, "halfway")
    assert float(Variable(np.array(2.0)).tripled()) == 6.0


def test_a_plugin_whose_hook_was_interrupted_can_be_registered(registered):
    class Interrupted(Plugin):
        stopped = False

        @hookimpl
        def dezero_register_ops(self, register):
            if not self.stopped:
                self.stopped = True
                raise KeyboardInterrupt
            super().dezero_register_ops(register)

    before = dict(vars(Variable)), ops(), plugins()
    plugin = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        register(plugin, "interrupted")
    assert (dict(vars(Variable)), ops(), plugins()) == before
    assert registered(plugin, "interrupted").state == "loaded"


def test_a_numpy_function_given_under_two_names_is_bound_and_unbound_once(core_alone):
    class AbsolutePlugin:
        @hookimpl
        def dezero_register_ops(self, register):
            register("absolute", triple, numpy=(np.abs, np.absolute))

    before = dict(FOUND), set(SLOTS)
    plugin = AbsolutePlugin()
    register(plugin)
    assert ops()[0].numpy == (np.absolute,)
    unregister(plugin)
    assert (dict(FOUND), set(SLOTS)) == before


def test_an_error_in_an_operation_of_a_plugin_names_the_plugin(registered):
    class Refuse(Function):
        def forward(self, x):
            raise ValueError("no luck")

    class RefusePlugin:
        @hookimpl
        def dezero_register_ops(self, register):
            register("refuse", lambda x: Refuse()(x), Refuse, methods="refuse")

    registered(RefusePlugin(), "by-hand")
    with pytest.raises(ValueError, match="no luck") as caught:
        Variable(np.ones(2)).refuse()
    unregister("by-hand")
    (note,) = caught.value.__notes__
    assert "Refuse.forward" in note
    assert "plugin 'by-hand'" in note
    with pytest.raises(ValueError, match="no luck") as caught:
        Refuse()(Variable(np.ones(2)))
    assert "plugin 'by-hand'" not in caught.value.__notes__[0]


@pytest.mark.parametrize("function", [register, unregister])
def test_an_unknown_plugin_name_is_a_lookup_error_that_lists_all(function, plugin):
    with pytest.raises(UnknownPluginError, match=r"'by-han'\. Installed: .*by-hand") as caught:
        function("by-han")
    assert isinstance(caught.value, LookupError)
    assert caught.value.plugin == "by-han"
    assert "by-hand" in caught.value.known


def test_unregistering_an_unregistered_object_is_a_lookup_error():
    with pytest.raises(LookupError, match="no plugin is called"):
        unregister(Plugin())


def test_none_is_refused_as_a_plugin_though_a_plugin_was_never_imported(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("one-ops", {"one.py": plugin_source("tripled")}, {"one": "one"})
    outcome = run_python(
        "import dezero_core\nfrom dezero_core import register, unregister, use_ops\n"
        "uses = lambda: register(None), lambda: unregister(None), lambda: use_ops(tripled=None)\n"
        "out['types'] = [failure(use)['types'] for use in uses]",
        DEZERO_PLUGINS="",
    )
    assert [("PluginError" in types) for types in outcome.out.types] == [True] * 3
    assert outcome.states == {"one": "disabled"}


@pytest.mark.parametrize("name", ["my ops", "my,ops", "my=ops", "my\tops"])
def test_a_plugin_whose_name_a_switch_would_take_apart_is_refused(name, core_alone):
    with pytest.raises(PluginError, match=r"its name has a space, a comma or '='.*DEZERO_OPS"):
        register(Plugin(), name)
    assert name not in {plugin.name for plugin in plugins()}


def test_the_package_of_an_unloaded_plugin_counts_as_user_code(
    plugin_source, fake_distribution, run_python
):
    """Its lines are then the user's own in messages."""
    fake_distribution("one-ops", {"one.py": plugin_source("tripled")}, {"one": "one"})
    outcome = run_python(
        "import dezero_core\nfrom dezero_core.extend import PACKAGES\ndezero_core.plugins()\n"
        "out['packages'] = [[*PACKAGES.values()]]\ndezero_core.unregister('one')\n"
        "out['packages'].append([*PACKAGES.values()])"
    )
    assert outcome.out.packages == [["dezero_core", "one"], ["dezero_core"]]


NOTEBOOK_CELL = """
import numpy as np
import dezero_core
from dezero_core import Variable

class MyOperations:
    @dezero_core.hookimpl
    def dezero_register_ops(self, register):
        register("answer", lambda x: {answer}, methods=({methods}))

dezero_core.register({plugin})
"""


@pytest.mark.parametrize("plugin", ["MyOperations()", "my_operations := MyOperations()"])
def test_a_notebook_cell_that_registers_a_plugin_may_be_run_again(plugin, run_python):
    """What it defines anew takes the place of the former, or leaves it if it cannot be loaded."""
    cell = NOTEBOOK_CELL.format(answer=1, methods="'answer',", plugin=plugin)
    again = NOTEBOOK_CELL.format(answer=2, methods="'answer', 'reply'", plugin=plugin)
    broken = NOTEBOOK_CELL.format(answer=3, methods="'answer', 'backward'", plugin=plugin)
    outcome = run_python(
        f"{cell}{again}"
        "x = Variable(np.array(1.0))\n"
        "out['answers'] = x.answer(), x.reply()\n"
        f"try:\n    exec({broken!r})\n"
        "except dezero_core.PluginError as error:\n    out['error'] = str(error)\n"
        "out['after'] = x.answer(), x.reply()\n"
    )
    assert outcome.out.answers == [2, 2]
    assert "Variable.backward" in outcome.out.error
    assert outcome.out.after == [2, 2]
    assert [(p.name, p.state) for p in outcome.plugins] == [("MyOperations", "loaded")]


@pytest.mark.parametrize(
    ("registration", "complaint"),
    [
        ("register(abs, abs)", "as the name of an operation"),
        (
            "register('triple', Triple)",
            "with a Function class; write a function that applies it, such as l",
        ),
    ],
)
def test_a_registration_with_an_argument_of_a_wrong_type_is_refused(registration, complaint):
    class Hasty:
        @hookimpl
        def dezero_register_ops(self, register):
            exec(registration)

    with pytest.raises(PluginError, match=complaint):
        register(Hasty())


def test_a_hook_without_its_parameter_is_warned_of(registered):
    class Silent:
        @hookimpl
        def dezero_register_ops(self):
            pass

    with pytest.warns(PluginWarning, match="'Silent' .* is loaded, and its hook registers nothing"):
        registered(Silent())


@pytest.mark.parametrize(("gone", "left"), [("second", "first"), ("first", "second")])
def test_errors_of_a_class_that_two_plugins_register_name_the_loaded_plugin(gone, left, registered):
    class Refuse(Function):
        def forward(self, x):
            raise ValueError("no luck")

    def plugin(name):
        class RefusePlugin:
            @hookimpl
            def dezero_register_ops(self, register):
                register(name, lambda x: Refuse()(x), Refuse)

        registered(RefusePlugin(), name)

    def note():
        with pytest.raises(ValueError, match="no luck") as caught:
            Refuse()(Variable(np.ones(2)))
        return caught.value.__notes__[0]

    plugin("first")
    plugin("second")
    unregister(gone)
    assert f"plugin {left!r}" in note()
    unregister(left)
    assert "plugin" not in note().partition(", given")[0].replace(__name__, "")


def test_a_refused_registration_that_a_plugin_survives_is_not_bound(registered):
    class Persistent:
        @hookimpl
        def dezero_register_ops(self, register):
            register("one", triple, methods="one")
            with pytest.raises(PluginError, match=r"Variable\.one twice"):
                register("two", triple, methods=("half", "one"))

    registered(Persistent(), "persistent")
    assert not hasattr(Variable, "half")
    assert [op.name for op in ops() if op.plugin == "persistent"] == ["one"]


def test_two_plugin_classes_made_by_one_factory_are_two_plugins(registered):
    def plugin(name):
        class Made:
            @hookimpl
            def dezero_register_ops(self, register):
                register(name, triple, methods=name)

        return Made()

    registered(plugin("one"), "made")
    with pytest.raises(PluginError, match="has the same name"):
        register(plugin("two"), "made")
    assert hasattr(Variable, "one")
