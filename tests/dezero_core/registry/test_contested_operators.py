"""Operators that several plugins provide: one stays in use if there is a reason, with a warning."""

import numpy as np
import pytest

import dezero_core
from dezero_core import ContestedOperationError, PluginWarning, Variable, hookimpl, prefer, use_ops


class Adds:
    """A plugin that binds what it is given to one function, which tells whose it is."""

    def __init__(self, text, requires=(), name="add", **claims):
        self.text, self.DEZERO_REQUIRES, self.name = text, requires, name
        self.claims = claims or {"dunders": ("__add__", "__radd__"), "numpy": np.add}

    @hookimpl
    def dezero_register_ops(self, register):
        register(self.name, lambda *operands: self.text, **self.claims)
        register(f"{self.text}_own", lambda x: f"{self.text}'s", methods=f"{self.text}_own")


@pytest.fixture
def x():
    return Variable(np.array([1.0, 2.0]))


USES = {
    "x + x": lambda x: x + x,
    "1.0 + x": lambda x: 1.0 + x,
    "array + x": lambda x: x.data + x,
    "np.add": lambda x: np.add(x, x),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_an_operator_of_two_strangers_raises_after_one_warning(use, core_alone, registered, x):
    registered(Adds("one"), "one")
    with pytest.warns(PluginWarning) as caught:
        registered(Adds("two"), "two")
    (warning,) = caught
    assert str(warning.message) == (
        "plugins 'one' and 'two' both provide +; using them raises. Choose: "
        "dezero_core.prefer(add='two'), or DEZERO_OPS=add=two."
    )
    with pytest.raises(ContestedOperationError, match="'one' and 'two' both provide"):
        use(x)
    assert (x.one_own(), x.two_own()) == ("one's", "two's")
    prefer(add="one")
    assert use(x) == "one"
    with use_ops(add="two"):
        assert use(x) == "two"


@pytest.mark.parametrize("order", [("base", "derived"), ("derived", "base")])
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_the_operator_of_the_plugin_that_the_other_one_requires_stays_in_use(
    use, order, core_alone, registered, x
):
    """In whichever order they provide it."""
    base, derived = Adds("base"), Adds("derived", ["base"])
    registered(base, "base")
    stays = r"both provide \+; 'base' stays in use\. Choose: "
    with pytest.warns(PluginWarning, match=stays):
        registered(derived, "derived")
    if order[0] == "derived":
        dezero_core.unregister("base")
        derived.DEZERO_REQUIRES = ()
        dezero_core.register(derived)
        base.DEZERO_REQUIRES, order = ["derived"], ("derived", "base")
        stays = stays.replace("base", "derived")
        with pytest.warns(PluginWarning, match=stays):
            dezero_core.register(base)
        assert use(x) == "derived"
        return
    assert use(x) == "base"
    with use_ops(add="derived"):
        assert use(x) == "derived"
    assert use(x) == "base"


def test_of_two_plugins_that_require_each_other_no_operator_stays_in_use(
    fake_distribution, run_python
):
    for name, other in ("one", "two"), ("two", "one"):
        modules = {f"{name}.py": adds(name)}
        fake_distribution(f"{name}-ops", modules, {name: name}, requires=(f"{other}-ops",))
    outcome = run_python(f"{START}out['error'] = failure(lambda: x + x)", warns=1)
    assert "using them raises" in outcome.warnings[0]
    assert outcome.out.error["types"][0] == "ContestedOperationError"


def test_the_operator_that_all_other_plugins_require_stays_in_use(core_alone, registered, x):
    registered(Adds("base"), "base")
    with pytest.warns(PluginWarning):
        registered(Adds("one", ["base"]), "one")
    with pytest.warns(PluginWarning, match="'base', 'one' and 'two' all provide .*'base' stays"):
        registered(Adds("two", ["base"]), "two")
    assert x + x == "base"
    with pytest.warns(PluginWarning, match="'base', 'one', 'two' and 'stranger' all .* raises"):
        registered(Adds("stranger"), "stranger")
    with pytest.raises(ContestedOperationError):
        x + x


def test_operators_that_are_chosen_or_alternatives_are_not_warned_of(core_alone, registered, x):
    registered(Adds("one"), "one")
    prefer(add="one")
    registered(Adds("two"), "two")
    registered(Adds("three", dunders="__add__", alternative=True), "three")
    assert x + x == "one"


def test_a_contested_operator_is_warned_of_again_only_when_it_is_contested_anew(
    core_alone, registered
):
    registered(Adds("one"), "one")
    second, unrelated = Adds("two"), Adds("unrelated", methods="m")
    for _ in range(2):
        with pytest.warns(PluginWarning, match="'one' and 'two'"):
            dezero_core.register(second, "two")
        dezero_core.register(unrelated, "unrelated")
        dezero_core.unregister("unrelated")
        dezero_core.unregister("two")


def test_an_operator_with_one_plugin_on_each_side_is_not_contested(core_alone, registered, x):
    registered(Adds("left", dunders="__sub__"), "left")
    registered(Adds("right", name="rsub", dunders="__rsub__"), "right")
    assert (x - 1.0, 1.0 - x) == ("left", "right")
    assert dezero_core.registry.loading.REGISTRY.contests() == []


@pytest.mark.parametrize("name", ["sum_to", "astype", "real", "conjugate"])
def test_what_the_engine_calls_stays_with_the_plugin_that_others_require(
    name, core_alone, registered, x
):
    registered(Adds("base", name=name, methods=name), "base")
    with pytest.warns(PluginWarning, match=f"both provide Variable.{name}; 'base' stays in use"):
        registered(Adds("derived", ["base"], name=name, methods=name), "derived")
    assert getattr(x, name)() == "base"


def test_the_priority_that_arrays_look_at_stays_with_the_operators(core_alone, registered, x):
    claims = {"dunders": {"__add__": lambda x, y: "sum", "__array_priority__": 200}}
    registered(Adds("base", **claims), "base")
    claims["dunders"]["__array_priority__"] = 5
    with pytest.warns(PluginWarning):
        registered(Adds("derived", ["base"], **claims), "derived")
    assert x.__array_priority__ == 200


def test_operands_that_a_contested_operator_does_not_know_are_asked_themselves(
    core_alone, registered, x
):
    class Answers:
        def __radd__(self, other):
            return "the other operand"

    registered(Adds("one"), "one")
    with pytest.warns(PluginWarning):
        registered(Adds("two"), "two")
    assert x + Answers() == "the other operand"
    with pytest.raises(TypeError, match="unsupported operand"):
        x + "text"


@pytest.mark.parametrize(
    ("special", "use", "symbol"),
    [
        ("__iter__", list, "iteration"),
        ("__contains__", lambda x: 1.0 in x, "in"),
        ("__getitem__", lambda x: x[0], "indexing"),
        ("__eq__", lambda x: x == x, "=="),
        ("__neg__", lambda x: -x, "unary -"),
    ],
)
def test_a_contested_special_method_names_both_plugins_however_python_calls_it(
    special, use, symbol, core_alone, registered, x
):
    registered(Adds("one", dunders=special), "one")
    with pytest.warns(PluginWarning):
        registered(Adds("two", dunders=special), "two")
    with pytest.raises(ContestedOperationError) as caught:
        use(x)
    assert f"'one' and 'two' both provide {symbol!r} for a Variable" in str(caught.value)


def test_an_alternative_alone_does_not_change_how_variables_are_compared(core_alone, registered, x):
    special = ("__eq__", "__ne__", "__add__")
    registered(Adds("one", dunders=special, alternative=True), "one")
    assert x == x
    assert x != Variable(x.data)
    with pytest.raises(ContestedOperationError, match=r"'\+' for a Variable as an alternative"):
        x + x
    with use_ops(add="one"):
        assert (x == x) == "one"


ADDS = """
import numpy as np
from dezero_core import Function, hookimpl

class Add(Function):
    def forward(self, a, b):
        return np.add(a, b) + {more}

    def backward(self, gy):
        return gy, gy

def add(a, b):
    return Add()(a, b)

@hookimpl
def dezero_register_ops(register):
    register("add", add, Add, dunders=("__add__", "__radd__"), numpy=np.add)
    register("{name}_own", lambda x: "{name}", methods="{name}_own")
"""

START = """
import numpy as np, dezero_core
from dezero_core import Variable
x, array = Variable(np.array([1.0])), np.array([1.0])
"""

SUMS = "[float(y.data[0]) for y in (x + x, 1.0 + x, array + x, np.add(x, x))]"


def adds(name, more=100.0, before=""):
    return before + ADDS.format(name=name, more=more)


@pytest.fixture
def beside_basic(fake_distribution):
    """Return a function that installs operators, and a stranger's beside them."""

    def install(stranger, before="", requires=()):
        basic = {"my_basic.py": adds("basic", 0.0)}
        fake_distribution("dezero-ops-basic", basic, {"basic": "my_basic"})
        modules = {f"{stranger}.py": adds(stranger, before=before)}
        fake_distribution(f"{stranger}-ops", modules, {stranger: stranger}, requires=requires)

    return install


@pytest.mark.parametrize("stranger", ["a_fast", "zzz"])
def test_operators_of_the_advised_distribution_stay_whatever_a_stranger_is_called(
    stranger, beside_basic, run_python
):
    beside_basic(stranger)
    code = f"{START}out['y'] = {SUMS}\nout['own'] = x.{stranger}_own()"
    outcome = run_python(code, warns=1)
    assert set(outcome.states.values()) == {"loaded"}
    assert outcome.out.y == [2.0] * 4
    assert outcome.out.own == stranger
    for part in ("'basic'", repr(stranger), "both provide +; 'basic' stays in use. Choose: "):
        assert part in outcome.warnings[0]
    for choice in f"add={stranger}", f"Variable.__add__={stranger}":
        outcome = run_python(code, warns=None, DEZERO_OPS=choice)
        chosen = [102.0] * 4 if choice.startswith("add") else [102.0, 2.0, 2.0, 2.0]
        assert outcome.out.y == chosen
        assert len(outcome.warnings) == (0 if choice.startswith("add") else 1)


@pytest.mark.parametrize("first", ["dezero_core", "zzz", "my_basic"])
def test_contested_operators_are_warned_of_whatever_is_imported_first(
    first, beside_basic, run_python
):
    beside_basic("zzz", before="import dezero_core\n")
    outcome = run_python(f"import {first}\n{START}out['y'] = {SUMS}", warns=1)
    assert "both provide +; 'basic' stays in use" in outcome.warnings[0]
    assert outcome.out.y == [2.0] * 4


def test_operators_of_a_distribution_that_another_one_requires_stay_in_use(
    fake_distribution, run_python
):
    fake_distribution("zulu-ops", {"zulu.py": adds("zulu", 0.0)}, {"zulu": "zulu"})
    alpha = {"alpha.py": adds("alpha")}
    fake_distribution("alpha-ops", alpha, {"alpha": "alpha"}, requires=("zulu-ops>=1",))
    outcome = run_python(f"{START}out['y'] = {SUMS}", warns=1)
    assert "'zulu' stays in use" in outcome.warnings[0]
    assert outcome.out.y == [2.0] * 4
