"""Several plugins that provide one thing: the use of it raises, and nothing else is lost.

Promise: docs/how_to/choose_a_provider.md
"""

import gc
import weakref

import numpy as np
import pytest

import dezero_core
from dezero_core import (
    ContestedOperationError,
    MissingOperationError,
    Variable,
    hookimpl,
    ops,
    prefer,
    use_ops,
)
from dezero_core.extend import SLOTS, contesting


def answering(text):
    """Return a function of any operands that tells who was asked."""
    return lambda *operands: text


class Plugin:
    """Makes the registrations it is given, each a mapping of arguments."""

    def __init__(self, *registrations):
        self.registrations = registrations

    @hookimpl
    def dezero_register_ops(self, register):
        for arguments in self.registrations:
            register(**arguments)


def claiming(text, name=None, **claim):
    """Return a plugin with the operation `claim`, and one of its own that nobody contests."""
    own = {"name": f"{text}_own", "function": answering(f"{text}'s"), "methods": f"{text}_own"}
    return Plugin({"name": name or text, "function": answering(text)} | claim, own)


def contested():
    """Return name -> its plugins, of names that several provide, and no alternatives."""
    plugins = {slot.name: contesting(slot.bindings) for slot in SLOTS.values()}
    return {name: of for name, of in plugins.items() if len(of) > 1}


@pytest.fixture
def x():
    return Variable(np.array(1.0))


USES = {
    "method": ({"methods": "m"}, "Variable.m", lambda x: x.m()),
    "NumPy function": ({"numpy": np.cbrt}, "np.cbrt", np.cbrt),
    "NumPy function in a module": (
        {"numpy": np.linalg.inv},
        "np.linalg.inv",
        lambda x: np.linalg.inv(x),
    ),
}


@pytest.mark.parametrize("name", [None, "shared"])
@pytest.mark.parametrize(("claim", "written", "use"), USES.values(), ids=USES)
def test_the_use_of_a_contested_thing_names_both_plugins_and_the_ways_to_choose(
    claim, written, use, name, core_alone, registered, x
):
    registered(claiming("one", name, **claim), "one")
    assert use(x) == "one"
    registered(claiming("two", name, **claim), "two")
    with pytest.raises(ContestedOperationError) as caught:
        use(x)
    error = caught.value
    assert isinstance(error, TypeError)
    assert isinstance(error, AttributeError)
    thing = name or written
    assert (error.operation, error.plugins) == (thing, ("one", "two"))
    assert f"plugins 'one' and 'two' both provide {written}, and none is chosen. " in str(error)
    first, choice = (
        f"{name}={plugin!r}" if name else f"**{{'{written}': {plugin!r}}}"
        for plugin in ("one", "two")
    )
    both = f"Choose: dezero_core.prefer({first}) or dezero_core.prefer({choice}); for a block"
    for part in (both, f"use_ops({choice})", f"DEZERO_OPS={thing}=two."):
        assert part in str(error)
    assert (x.one_own(), x.two_own()) == ("one's", "two's")
    prefer(**{thing: "two"})
    assert use(x) == "two"
    prefer(**{thing: "one"})
    assert use(x) == "one"
    with use_ops(**{thing: "two"}):
        assert use(x) == "two"
    assert use(x) == "one"


@pytest.mark.parametrize(("claim", "written", "use"), USES.values(), ids=USES)
def test_the_last_plugin_that_provides_a_contested_thing_is_bound_directly(
    claim, written, use, core_alone, registered, x
):
    plugins = [claiming(name, **claim) for name in ("one", "two")]
    for plugin, name in zip(plugins, ("one", "two"), strict=True):
        registered(plugin, name)
    dezero_core.unregister("one")
    assert use(x) == "two"
    dezero_core.register(plugins[0])
    dezero_core.unregister("two")
    assert use(x) == "one"
    assert {slot.name: tuple(slot.bindings) for slot in SLOTS.values()}[written] == ("one",)


def test_a_contested_property_raises_an_attribute_error(core_alone, registered, x):
    for name in ("one", "two"):
        registered(claiming(name, methods={"T": property(answering(name))}), name)
    with pytest.raises(AttributeError, match=r"'one' and 'two' both provide Variable\.T, and"):
        _ = x.T
    assert not hasattr(x, "T")
    assert "T" in dir(x)
    prefer(**{"Variable.T": "two"})
    assert x.T == "two"


def test_three_plugins_that_provide_one_thing_are_all_named(core_alone, registered, x):
    for name in ("one", "two", "three"):
        registered(claiming(name, "shared", numpy=np.cbrt), name)
    with pytest.raises(ContestedOperationError, match="plugins 'one', 'two' and 'three' all pro"):
        np.cbrt(x)
    prefer(shared="two")
    assert np.cbrt(x) == "two"
    dezero_core.unregister("two")
    with pytest.raises(ContestedOperationError, match="plugins 'one' and 'three' both provide"):
        np.cbrt(x)


def test_operations_of_different_names_contest_a_numpy_function(core_alone, registered, x):
    """As a fast_exp for np.exp, beside the exp of another plugin."""
    registered(claiming("exp", numpy=np.exp, methods="m"), "one")
    registered(claiming("fast_exp", numpy=np.exp), "two")
    with pytest.raises(ContestedOperationError, match=r"both provide np\.exp") as caught:
        np.exp(x)
    assert caught.value.operation == "np.exp"
    assert x.m() == "exp"
    prefer(fast_exp="two")
    assert np.exp(x) == "fast_exp"
    prefer(**{"np.exp": "one"})  # the name says more than the operation
    assert np.exp(x) == "exp"
    with use_ops(fast_exp="two"):
        assert np.exp(x) == "fast_exp"


def test_a_choice_of_one_name_leaves_the_other_names_contested(core_alone, registered, x):
    for name in ("one", "two"):
        registered(claiming(name, "shared", numpy=np.cbrt, methods="m"), name)
    prefer(**{"Variable.m": "two"})
    assert x.m() == "two"
    with pytest.raises(ContestedOperationError, match=r"prefer\(shared='two'\)"):
        np.cbrt(x)
    prefer(shared="one")
    assert (x.m(), np.cbrt(x)) == ("two", "one")


def test_an_alternative_alone_is_not_in_use_until_it_is_chosen(core_alone, registered, x):
    registered(claiming("one", alternative=True, numpy=np.cbrt, methods="m"), "one")
    for use in (np.cbrt, lambda x: x.m()):
        with pytest.raises(ContestedOperationError) as caught:
            use(x)
        assert "as an alternative, and is not chosen. Choose: dezero_core.prefer(one='one')" in str(
            caught.value
        )
        assert caught.value.plugins == ("one",)
    assert contested() == {}
    assert x.one_own() == "one's"
    prefer(one="one")
    assert (np.cbrt(x), x.m()) == ("one", "one")


def test_several_alternatives_are_all_named(core_alone, registered, x):
    for name in ("one", "two"):
        registered(claiming(name, "shared", alternative=True, numpy=np.cbrt), name)
    with pytest.raises(ContestedOperationError, match=r"'one' and 'two' both provide np\.cbrt"):
        np.cbrt(x)
    with use_ops(shared="one"):
        assert np.cbrt(x) == "one"


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_an_alternative_never_contests_what_another_plugin_provides(
    order, core_alone, registered, x
):
    plugins = {
        "one": claiming("one", "shared", numpy=np.cbrt, methods="m", dunders="__add__"),
        "two": claiming("two", "shared", alternative=True, numpy=np.cbrt, dunders="__add__"),
    }
    for name in order:
        registered(plugins[name], name)
    assert (np.cbrt(x), x + x, x.m()) == ("one",) * 3
    assert contested() == {}
    with use_ops(shared="two"):
        assert (np.cbrt(x), x + x, x.m()) == ("two", "two", "one")
    dezero_core.unregister("one")
    with pytest.raises(ContestedOperationError, match="as an alternative"):
        np.cbrt(x)


def test_a_method_that_is_no_operation_may_be_an_alternative(core_alone, registered, x):
    class Shows:
        def __init__(self, text, **options):
            self.text, self.options = text, options

        @hookimpl
        def dezero_register_ops(self, register):
            register.method("_repr_html_", lambda variable: self.text, **self.options)

    registered(Shows("one"), "one")
    registered(Shows("two", alternative=True), "two")
    assert x._repr_html_() == "one"
    registered(Shows("three"), "three")
    with pytest.raises(ContestedOperationError, match=r"'one' and 'three' both provide Variable"):
        x._repr_html_()
    prefer(**{"Variable._repr_html_": "two"})
    assert x._repr_html_() == "two"


def test_contested_operations_are_listed_once_by_the_plugin_in_use_or_the_first(
    core_alone, registered
):
    for name in ("one", "two"):
        registered(claiming(name, "shared", numpy=np.cbrt), name)
    assert contested() == {"np.cbrt": ["one", "two"]}
    assert [(op.name, op.plugin) for op in ops()] == [
        ("one_own", "one"),
        ("shared", "one"),
        ("two_own", "two"),
    ]
    with use_ops(shared="two"):
        assert [op.plugin for op in ops() if op.name == "shared"] == ["two"]
    prefer(shared="two")
    assert [op.plugin for op in ops() if op.name == "shared"] == ["two"]


def test_the_error_of_a_contested_operator_keeps_no_variable_alive(core_alone, registered):
    registered(claiming("one", dunders="__add__"), "one")
    registered(claiming("two", dunders="__add__"), "two")
    x = Variable(np.ones(3))
    reference = weakref.ref(x)
    gc.disable()
    try:
        bound = x.__add__
        del bound, x
        assert reference() is None
    finally:
        gc.enable()


def test_a_contested_function_of_another_library_is_chosen_by_its_name(core_alone, registered, x):
    own = np.frompyfunc(abs, 1, 1)
    for name in ("one", "two"):
        registered(claiming(name, numpy=own), name)
    with pytest.raises(ContestedOperationError) as caught:
        own(x)
    prefer(**{caught.value.operation: "two"})
    assert own(x) == "two"
    other = np.frompyfunc(abs, 1, 1)
    with pytest.raises(MissingOperationError):
        other(x)
