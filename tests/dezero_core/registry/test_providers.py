"""Several plugins that provide one operation: the user says which, and nothing else is changed.

Promise: docs/how_to/choose_a_provider.md
"""

import asyncio
import threading

import numpy as np
import pytest
from dezero_core.slots import numpy_function

import dezero_core
from dezero_core import (
    ContestedOperationError,
    Function,
    PluginError,
    PluginLoadError,
    UnknownOperationError,
    UnknownPluginError,
    Variable,
    hookimpl,
    ops,
    plugins,
    prefer,
    use_ops,
)
from dezero_core.extend import PREFERRED, find, operations_of


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


def providers():
    """Return the plugins that have each operation, the one in use first."""
    in_use = {op.name: op.plugin for op in ops()}
    names = [record.name for record in plugins() if record.state == "loaded"]
    found = {}
    for name in names:
        for operation in operations_of(find(name)):
            found.setdefault(operation.name, []).append(name)
    return {name: sorted(of, key=lambda p: p != in_use[name]) for name, of in found.items()}


def use(x):
    """Return the results of the four ways to the operation."""
    return [y.item() for y in (np.cbrt(x), x.scaled(), -x, x + 1.0)]


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


def test_the_choice_of_a_dotted_name_is_written_as_python_takes_it(core_alone, registered, x):
    for name in ("first", "second"):
        registered(plugin(2.0, ("linalg.inv",), **{"linalg.inv": {"numpy": np.linalg.inv}}), name)
    with pytest.raises(ContestedOperationError) as caught:
        np.linalg.inv(x)
    assert "prefer(**{'linalg.inv': 'second'})" in str(caught.value)
    prefer(**{"linalg.inv": "second"})
    assert np.linalg.inv(x).item() == 2.0


def test_prefer_binds_the_preferred_provider_and_keeps_the_other_provider(two, x):
    assert use(x) == [2.0] * 4
    assert [op.plugin for op in ops()] == ["first"]
    assert providers()["scaled"] == ["first", "second"]
    prefer(scaled="second")
    assert use(x) == [3.0] * 4
    assert providers()["scaled"] == ["second", "first"]
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


def test_prefer_with_none_takes_a_choice_back(two, x):
    prefer(scaled="first")
    prefer(scaled=None)
    with pytest.raises(ContestedOperationError):
        x.scaled()
    prefer(scaled=None)


def test_a_use_ops_block_does_not_change_the_preferred_provider(two, x):
    prefer(scaled="second")
    with use_ops(scaled="first"):
        assert use(x) == [2.0] * 4
    assert use(x) == [3.0] * 4


def test_a_use_ops_block_is_refused_if_its_plugin_was_unloaded_meanwhile(two, x):
    block = use_ops(scaled="second")
    decorated = block(use)
    assert decorated(x) == [3.0] * 4
    dezero_core.unregister("second")  # no block holds now: nobody is told
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
    registered(Of(two), "two")
    prefer(a="one")
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


def test_names_that_the_preferred_of_three_providers_lacks_stay_contested(
    core_alone, registered, x
):
    registered(plugin(2.0, **CLAIMS), "first")
    prefer(scaled="first")
    registered(plugin(3.0, **CLAIMS), "second")
    registered(plugin(4.0, scaled={"numpy": np.cbrt}), "third")
    prefer(scaled="third")
    assert np.cbrt(x).item() == 4.0
    for use in (lambda: x.scaled(), lambda: -x, lambda: x + 1.0):
        with pytest.raises(ContestedOperationError, match="'first' and 'second' both provide"):
            use()
    with use_ops(**{"Variable.scaled": "first"}):
        assert (x.scaled().item(), np.cbrt(x).item()) == (2.0, 4.0)


def test_a_function_looked_up_before_its_providers_were_unloaded_is_called(two, x):
    """As by a thread that uses it while another one unloads them."""
    found = numpy_function(np.cbrt)
    PREFERRED.maps[0] = {}
    for each in two[::-1]:
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
    PREFERRED.maps[0] = {}
    dezero_core.unregister(second)
    assert use(x) == [2.0] * 4
    assert type(vars(Variable)["scaled"]).__name__ == "function"
    dezero_core.register("second")
    dezero_core.unregister(first)
    assert use(x) == [3.0] * 4
    assert type(vars(Variable)["scaled"]).__name__ == "function"


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
        (
            {"scaled": "secnd"},
            UnknownPluginError,
            "is called 'secnd'. Installed: .*second",
        ),
        ({"scalde": "second"}, UnknownOperationError, "provides no operation 'scalde'"),
        ({"zzz": "second"}, UnknownOperationError, "see ops()"),
        ({"other": "second"}, UnknownOperationError, "'third' does"),
        ({"scaled": "third"}, UnknownOperationError, "'first' and 'second' do. See"),
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


def test_a_failed_prefer_or_use_ops_chooses_nothing(core_alone, registered, x):
    for name in ("first", "second"):
        registered(plugin(2.0, scaled={"methods": "scaled"}), name)
    for choose in (prefer, use_ops):
        with pytest.raises(UnknownOperationError):
            choose(scaled="first", zzz="first")
    with pytest.raises(ContestedOperationError):
        x.scaled()


def test_preferring_an_operation_does_not_prefer_a_method_of_the_name_of_the_operation(
    core_alone, registered, x
):
    registered(plugin(2.0, ("n", "m"), m={"methods": "n"}), "one")
    registered(plugin(3.0, ("n",), n={"methods": "n"}), "two")
    prefer(n="one")
    with pytest.raises(ContestedOperationError, match=r"both provide Variable\.n"):
        x.n()
    prefer(m="one")
    assert x.n().item() == 2.0


def test_prefer_of_a_name_without_its_owner_is_refused_and_leads_to_ops(core_alone, registered):
    claims = {"scaled": {"methods": {"T": property(abs)}, "numpy": np.linalg.inv}}
    claims["plus"] = {"dunders": ("__add__", "__radd__")}
    registered(plugin(2.0, ("scaled", "plus"), **claims), "first")
    for wanted in (
        "T",
        "linalg.inv",
        "np.linalg.inw",
        "+",
    ):
        with pytest.raises(UnknownOperationError) as caught:
            prefer(**{wanted: "first"})
        assert str(caught.value).endswith(
            f"provides no operation {wanted!r}. No loaded plugin does. See ops()."
        )


def test_load_plugins_does_not_change_the_preferred_provider(two, x):
    prefer(scaled="second")
    dezero_core.load_plugins(only=())
    assert use(x) == [3.0] * 4


def test_prefer_of_a_plugin_that_is_unloaded_meanwhile_is_refused(
    core_alone, registered, tmp_path, monkeypatch
):
    """By its own module here, as by another thread."""
    monkeypatch.syspath_prepend(tmp_path)
    code = "import dezero_core\ndezero_core.unregister('second')\n"
    code += "def register_ops(register): register('scaled', abs)\n"
    (tmp_path / "acme_leaving.py").write_text(code, encoding="utf-8")
    registered(Announces("acme_leaving", operations="scaled"), "second")
    with pytest.raises(PluginError, match=r"'second' .* is not loaded: unregistered"):
        prefer(scaled="second")
    assert PREFERRED.maps[0] == {}


def test_prefer_of_an_announced_module_that_cannot_be_imported_is_refused(
    core_alone, registered, x
):
    registered(plugin(2.0, **CLAIMS), "first")
    registered(Announces("surely_not_there", operations="scaled", numpy="cbrt"), "second")
    with pytest.raises(PluginLoadError, match="surely_not_there"):
        prefer(scaled="second")
    with pytest.raises(PluginLoadError, match="surely_not_there"):
        np.cbrt(x)
    prefer(scaled="first")
    assert use(x) == [2.0] * 4


@pytest.mark.parametrize("broken", ["one", "two"])
def test_a_choice_from_outside_imports_no_announced_module_of_another_plugin(
    broken, fake_distribution, run_python
):
    """Only the module says that its np.cbrt belongs to the operation that is chosen."""
    hook = "from dezero_core import hookimpl\n@hookimpl\ndef dezero_register_ops(register):\n"
    works = "def register_ops(register): register('a', lambda x: 'works', numpy=np.cbrt)\n"
    for name in ("one", "two"):
        later = "raise OSError('no luck')" if name == broken else f"import numpy as np\n{works}"
        announces = f"{hook}    register.later('{name}_later', operations='a', numpy='cbrt')\n"
        modules = {f"{name}.py": announces, f"{name}_later.py": later}
        fake_distribution(f"{name}-ops", modules, {name: name})
    other = {"one": "two", "two": "one"}[broken]
    outcome = run_python(
        "import numpy as np\nfrom dezero_core import Variable\n"
        "out['y'] = np.cbrt(Variable(np.array(1.0)))",
        warns=1,  # of the broken module, as all operations are listed
        DEZERO_OPS=f"a={other}",
    )
    assert outcome.out.y == "works"
