"""Several plugins that provide one operation: the user says which, and nothing else is changed."""

import asyncio
import threading

import numpy as np
import pytest
from dezero_core.slots import PREFERRED, numpy_function

import dezero_core
from dezero_core import (
    Function,
    PluginConflictError,
    PluginError,
    PluginLoadError,
    UnknownOperationError,
    UnknownPluginError,
    Variable,
    hookimpl,
    ops,
    plugins,
    prefer,
    providers,
    use_ops,
)


class Announces:
    """A plugin whose operations are in the module ``MODULE``, which is imported later."""

    def __init__(self, module, **announced):
        self.module, self.announced = module, announced

    @hookimpl
    def dezero_register_ops(self, register):
        register.later(self.module, **self.announced)


def plugin(factor, operations=("scaled",), **claims):
    """Return a plugin whose operations multiply by `factor`."""

    class Scaled(Function):
        def forward(self, x):
            return x * factor

        def backward(self, gy):
            return gy * factor

    class Plugin:
        @hookimpl
        def dezero_register_ops(self, register):
            for name in operations:
                register(name, lambda x, *others: Scaled()(x), Scaled, **claims.get(name, {}))

    return Plugin()


CLAIMS = {"scaled": {"numpy": np.cbrt, "methods": "scaled", "dunders": ("__neg__", "__add__")}}


def use(x):
    """Return the results of the four ways to the operation."""
    return [y.item() for y in (np.cbrt(x), x.scaled(), -x, x + 1.0)]


@pytest.fixture(autouse=True)
def preferences_are_forgotten():
    """Put back what the user prefers."""
    preferred = PREFERRED.maps[0].copy()
    yield
    PREFERRED.maps[0] = preferred


@pytest.fixture
def two(core_alone, registered):
    """Register two plugins that provide one operation, the first of which is in use."""
    first, second = plugin(2.0, **CLAIMS), plugin(3.0, **CLAIMS)
    registered(first, "first")
    prefer(scaled="first")
    registered(second, "second")
    return first, second


@pytest.fixture
def x():
    return Variable(np.array(1.0))


def test_a_second_provider_of_an_operation_is_refused_with_both_names_and_the_remedy(
    core_alone, registered
):
    registered(plugin(2.0, **CLAIMS), "first")
    before = dict(vars(Variable)), ops(), plugins()
    with pytest.raises(PluginConflictError) as caught:
        registered(plugin(3.0, **CLAIMS), "second")
    error = caught.value
    assert (error.plugin, error.other, error.operations) == ("second", "first", ("scaled",))
    for part in ("prefer(scaled='first')", "register it again", "prefer(scaled='second')"):
        assert part in str(error)
    assert (dict(vars(Variable)), ops(), plugins()) == before


def test_the_refusal_of_a_second_provider_of_many_operations_stays_short(core_alone, registered):
    names = [f"op{number}" for number in range(40)]
    registered(plugin(2.0, names), "first")
    with pytest.raises(PluginConflictError) as caught:
        registered(plugin(3.0, names), "second")
    assert caught.value.operations == tuple(names)
    assert "'op5', …" in str(caught.value)
    assert "op6" not in str(caught.value)


def test_the_refusal_of_a_second_provider_says_how_to_prefer_a_dotted_name(core_alone, registered):
    registered(plugin(2.0, ("linalg.inv",)), "first")
    with pytest.raises(PluginConflictError) as caught:
        registered(plugin(3.0, ("linalg.inv",)), "second")
    for name in ("first", "second"):
        assert f"prefer(**{{'linalg.inv': '{name}'}})" in str(caught.value)


def test_the_refusal_of_a_second_provider_names_the_owner_of_each_operation(core_alone, registered):
    registered(plugin(2.0, ("one",)), "first")
    registered(plugin(2.0, ("two",)), "second")
    with pytest.raises(PluginConflictError, match="'one' of 'first', 'two' of 'second'") as caught:
        registered(plugin(3.0, ("one", "two", "three")), "third")
    assert caught.value.operations == ("one", "two")


def test_prefer_binds_the_preferred_provider_and_keeps_the_other_provider(two, x):
    assert use(x) == [2.0] * 4
    assert [op.plugin for op in ops()] == ["first"]
    assert [op.plugin for op in providers()["scaled"]] == ["first", "second"]
    prefer(scaled="second")
    assert use(x) == [3.0] * 4
    assert [op.plugin for op in providers()["scaled"]] == ["second", "first"]
    y = np.cbrt(x)
    y.backward()
    assert x.grad == 3.0
    prefer(scaled="first")
    assert use(x) == [2.0] * 4


def test_a_use_ops_block_uses_another_provider_until_its_end(two, x):
    with use_ops(scaled="second"):
        assert use(x) == [3.0] * 4
        assert [op.plugin for op in ops()] == ["second"]
        with use_ops(scaled="first"):
            assert use(x) == [2.0] * 4
        assert use(x) == [3.0] * 4
    assert use(x) == [2.0] * 4


def test_a_use_ops_block_does_not_change_the_preferred_provider(two, x):
    prefer(scaled="second")
    with use_ops(scaled="first"):
        assert use(x) == [2.0] * 4
    assert use(x) == [3.0] * 4


def test_a_use_ops_block_settles_no_conflict_with_plugins_that_come_later(core_alone, registered):
    registered(plugin(2.0), "first")
    with use_ops(scaled="first"), pytest.raises(PluginConflictError):
        registered(plugin(3.0), "second")
    with pytest.raises(PluginConflictError):
        registered(plugin(3.0), "second")


def test_a_use_ops_block_is_refused_if_its_plugin_was_unloaded_meanwhile(two, x):
    block = use_ops(scaled="second")
    decorated = block(use)
    assert decorated(x) == [3.0] * 4
    dezero_core.unregister("second")
    with pytest.raises(PluginError, match="is not loaded: unregistered"), block:
        raise AssertionError("it was entered")
    with pytest.raises(PluginError, match="is not loaded: unregistered"):
        decorated(x)
    assert use(x) == [2.0] * 4
    dezero_core.register("second")
    with block:
        assert use(x) == [3.0] * 4


def test_a_function_decorated_with_use_ops_uses_another_provider(two, x):
    @use_ops(scaled="second")
    def calculate():
        return use(x)

    assert (calculate(), use(x)) == ([3.0] * 4, [2.0] * 4)


def test_a_use_ops_block_holds_for_its_own_thread_and_task_alone(two, x):
    seen = []
    with use_ops(scaled="second"):
        thread = threading.Thread(target=lambda: seen.append(use(x)))
        thread.start()
        thread.join()
    assert seen == [[2.0] * 4]

    async def task(plugin):
        with use_ops(scaled=plugin):
            await asyncio.sleep(0)
            return use(x)

    async def both():
        return await asyncio.gather(task("first"), task("second"))

    assert asyncio.run(both()) == [[2.0] * 4, [3.0] * 4]


def test_keywords_of_a_numpy_function_are_those_of_the_provider_in_use(core_alone, registered, x):
    def one(x):
        return x

    def two(x, where=True):
        return where

    class Of:
        def __init__(self, function):
            self.function = function

        @hookimpl
        def dezero_register_ops(self, register):
            register("a", self.function, numpy=np.cbrt)

    registered(Of(one), "one")
    prefer(a="one")
    registered(Of(two), "two")
    with pytest.raises(TypeError, match="takes no where="):
        np.cbrt(x, where=3)
    with use_ops(a="two"):
        assert np.cbrt(x, where=3) == 3


def test_prefer_and_use_ops_choose_between_properties_and_values_of_two_providers(
    core_alone, registered, x
):
    for name, value in ("one", 100), ("two", 200):
        got = property(lambda self, name=name: name)
        claims = {"methods": {"whose": got}, "dunders": {"__array_priority__": value}}
        registered(plugin(2.0, a={}, scaled=claims), name)
        prefer(scaled="one")
    assert (x.whose, x.__array_priority__) == ("one", 100)
    with use_ops(scaled="two"):
        assert (x.whose, x.__array_priority__) == ("two", 200)


def test_a_preferred_value_of_an_attribute_may_be_false(core_alone, registered, x):
    for name, value in ("one", 5), ("two", 0):
        registered(plugin(2.0, scaled={"dunders": {"__array_priority__": value}}), name)
        prefer(scaled=name)
    assert x.__array_priority__ == 0


def test_names_that_the_preferred_of_three_providers_lacks_stay_with_the_first(
    core_alone, registered, x
):
    registered(plugin(2.0, **CLAIMS), "first")
    prefer(scaled="first")
    registered(plugin(3.0, **CLAIMS), "second")
    registered(plugin(4.0, scaled={"numpy": np.cbrt}), "third")
    prefer(scaled="third")
    assert use(x) == [4.0, 2.0, 2.0, 2.0]


def test_a_function_looked_up_before_its_providers_were_unloaded_is_called(two, x):
    """As by a thread that uses it while another one unloads them."""
    found = numpy_function(np.cbrt)
    for each in two:
        dezero_core.unregister(each)
    assert numpy_function(np.cbrt) is None
    assert found(x).item() == 2.0


def test_names_that_only_one_of_two_providers_binds_stay_with_that_provider(
    core_alone, registered, x
):
    registered(plugin(2.0, **CLAIMS), "first")
    prefer(scaled="first")
    registered(plugin(3.0, scaled={"numpy": np.cbrt}), "second")
    prefer(scaled="second")
    assert use(x) == [3.0, 2.0, 2.0, 2.0]


def test_unloading_one_of_two_providers_leaves_the_other_provider_bound_directly(two, x):
    first, second = two
    dezero_core.unregister(second)
    assert use(x) == [2.0] * 4
    assert type(vars(Variable)["scaled"]).__name__ == "function"
    dezero_core.register("second")
    dezero_core.unregister(first)
    assert use(x) == [3.0] * 4


def test_unloading_the_preferred_provider_falls_back_until_the_provider_is_loaded_again(two, x):
    _, second = two
    prefer(scaled="second")
    dezero_core.unregister(second)
    assert use(x) == [2.0] * 4
    dezero_core.register("second")
    assert use(x) == [3.0] * 4


@pytest.mark.parametrize("choose", [prefer, use_ops], ids=["prefer", "use_ops"])
@pytest.mark.parametrize(
    ("wanted", "kind", "says"),
    [
        ({"scaled": "secnd"}, UnknownPluginError, "Did you mean 'second'"),
        ({"scalde": "second"}, UnknownOperationError, "Did you mean 'scaled'"),
        ({"zzz": "second"}, UnknownOperationError, "see ops()"),
        ({"other": "second"}, UnknownOperationError, "'third' does"),
        ({"scaled": "gone"}, PluginError, "is not loaded: unregistered"),
        ({"scaled": "second", "zzz": "first"}, UnknownOperationError, "zzz"),
    ],
)
def test_an_impossible_prefer_or_use_ops_is_refused_and_changes_nothing(
    choose, wanted, kind, says, two, registered, x
):
    registered(plugin(4.0, ("other",)), "third")
    registered(gone := plugin(5.0, ("unused",)), "gone")
    dezero_core.unregister(gone)
    before = dict(vars(Variable)), providers(), plugins()
    with pytest.raises(kind, match=f"(?i){says}") as caught:
        choose(**wanted)
    assert isinstance(caught.value, PluginError)
    assert (dict(vars(Variable)), providers(), plugins()) == before
    assert use(x) == [2.0] * 4


def test_a_failed_prefer_or_use_ops_settles_no_conflict(core_alone, registered):
    registered(plugin(2.0), "first")
    for choose in (prefer, use_ops):
        with pytest.raises(UnknownOperationError):
            choose(scaled="first", zzz="first")
    with pytest.raises(PluginConflictError):
        registered(plugin(3.0), "second")


def test_preferring_an_operation_does_not_prefer_a_method_of_the_name_of_the_operation(
    core_alone, registered
):
    registered(plugin(2.0, ("n", "m"), m={"methods": "n"}), "one")
    prefer(n="one")
    with pytest.raises(PluginConflictError, match=r"Variable\.n"):
        registered(plugin(3.0, ("n",), n={"methods": "n"}), "two")


def test_load_plugins_does_not_change_the_preferred_provider(two, x):
    prefer(scaled="second")
    dezero_core.load_plugins(only=())
    assert use(x) == [3.0] * 4


def test_a_conflict_of_operations_with_different_names_cannot_be_settled_by_prefer(
    core_alone, registered
):
    """Which of them would ``other`` be, where both bind np.cbrt?"""
    registered(plugin(2.0, ("scaled", "other"), other={"numpy": np.cbrt}), "first")
    prefer(scaled="first")
    with pytest.raises(PluginConflictError, match=r"np\.cbrt.*Keep one of them.*one name\."):
        registered(plugin(3.0, scaled={"numpy": np.cbrt}), "second")


def test_a_second_provider_whose_announced_module_cannot_be_imported_is_refused(
    core_alone, registered
):
    registered(plugin(2.0, **CLAIMS), "first")
    prefer(scaled="first")
    before = dict(vars(Variable)), ops()
    with pytest.raises(PluginLoadError, match="surely_not_there"):
        registered(Announces("surely_not_there", operations="scaled"), "second")
    assert (dict(vars(Variable)), ops()) == before
