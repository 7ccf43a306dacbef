"""Operators that several plugins provide: those of the distribution that the core advises stay.

Promise: docs/how_to/choose_a_provider.md
"""

import numpy as np
import pytest

from dezero_core import ContestedOperationError, Variable, hookimpl, prefer, use_ops


class Adds:
    """A plugin that binds what it is given to one function, which tells whose it is."""

    def __init__(self, text, name="add", **claims):
        self.text, self.name = text, name
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
def test_an_operator_of_two_strangers_raises_where_it_is_used(use, core_alone, registered, x):
    registered(Adds("one"), "one")
    registered(Adds("two"), "two")
    with pytest.raises(ContestedOperationError) as caught:
        use(x)
    assert "plugins 'one' and 'two' both provide" in str(caught.value)
    assert str(caught.value).endswith(
        "none is chosen. Choose: dezero_core.prefer(add='one') or dezero_core.prefer(add='two'); "
        "for a block, dezero_core.use_ops(add='two'); outside of the program, DEZERO_OPS=add=two."
    )
    assert (caught.value.operation, caught.value.plugins) == ("add", ("one", "two"))
    assert (x.one_own(), x.two_own()) == ("one's", "two's")
    prefer(add="one")
    assert use(x) == "one"
    with use_ops(add="two"):
        assert use(x) == "two"


def test_operators_that_are_chosen_or_alternatives_are_not_contested(core_alone, registered, x):
    registered(Adds("one"), "one")
    prefer(add="one")
    registered(Adds("two"), "two")
    registered(Adds("three", dunders="__add__", alternative=True), "three")
    assert x + x == "one"


def test_an_operator_with_one_plugin_on_each_side_is_not_contested(core_alone, registered, x):
    registered(Adds("left", dunders="__sub__"), "left")
    registered(Adds("right", name="rsub", dunders="__rsub__"), "right")
    assert (x - 1.0, 1.0 - x) == ("left", "right")


def test_operands_that_a_contested_operator_does_not_know_are_asked_themselves(
    core_alone, registered, x
):
    class Answers:
        def __radd__(self, other):
            return "the other operand"

    registered(Adds("one"), "one")
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
        ("__setitem__", lambda x: x.__setitem__(0, 1.0), "x[i] = v"),
        ("__eq__", lambda x: x == x, "=="),
        ("__neg__", lambda x: -x, "unary -"),
    ],
)
def test_a_contested_special_method_names_both_plugins_however_python_calls_it(
    special, use, symbol, core_alone, registered, x
):
    registered(Adds("one", dunders=special), "one")
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

    def install(stranger, before="", more=""):
        basic = {"my_basic.py": adds("basic", 0.0) + more.format(name="basic", priority=200)}
        fake_distribution("dezero-ops-basic", basic, {"basic": "my_basic"})
        text = adds(stranger, before=before) + more.format(name=stranger, priority=5)
        fake_distribution(f"{stranger}-ops", {f"{stranger}.py": text}, {stranger: stranger})

    return install


@pytest.mark.parametrize("stranger", ["a_fast", "zzz"])
def test_operators_of_the_advised_distribution_stay_whatever_a_stranger_is_called(
    stranger, beside_basic, run_python
):
    beside_basic(stranger)
    code = f"{START}out['y'] = {SUMS}\nout['own'] = x.{stranger}_own()"
    outcome = run_python(code)
    assert set(outcome.states.values()) == {"loaded"}
    assert outcome.out.y == [2.0] * 4
    assert outcome.out.own == stranger
    for choice in f"add={stranger}", f"Variable.__add__={stranger}":
        outcome = run_python(code, DEZERO_OPS=choice)
        chosen = [102.0] * 4 if choice.startswith("add") else [102.0, 2.0, 2.0, 2.0]
        assert outcome.out.y == chosen


def test_without_the_advised_distribution_the_operators_of_two_others_are_contested(
    beside_basic, fake_distribution, run_python
):
    beside_basic("zzz")
    fake_distribution("other-ops", {"other.py": adds("other")}, {"other": "other"})
    code = f"{START}out['y'] = {SUMS}\ndezero_core.unregister('basic')\n"
    outcome = run_python(f"{code}out['error'] = failure(lambda: x + x)")
    assert outcome.out.y == [2.0] * 4
    assert outcome.out.error["plugins"] == "('other', 'zzz')"


@pytest.mark.parametrize("first", ["dezero_core", "zzz", "my_basic"])
def test_contested_operators_stay_with_the_advised_distribution_whatever_is_imported_first(
    first, beside_basic, run_python
):
    beside_basic("zzz", before="import dezero_core\n")
    assert run_python(f"import {first}\n{START}out['y'] = {SUMS}").out.y == [2.0] * 4


CALLED = """
    names = "sum_to", "astype", "real", "conjugate"
    methods = {{each: lambda *args: "{name}" for each in names}}
    register("{name}_called", lambda x: x, methods=methods, numpy=(np.real, np.conjugate),
             dunders={{"__array_priority__": {priority}}})
"""


@pytest.mark.parametrize("stranger", ["a_fast", "zzz"])
def test_what_the_engine_calls_stays_with_the_operators(stranger, beside_basic, run_python):
    """With the priority that arrays of other libraries look at."""
    beside_basic(stranger, more=CALLED)
    names = "sum_to", "astype", "real", "conjugate"
    outcome = run_python(
        f"{START}out['of'] = [getattr(x, name)() for name in {names}]\n"
        "out['priority'] = x.__array_priority__\nout['numpy'] = type(np.real(x)).__name__"
    )
    assert outcome.out.of == ["basic"] * 4
    assert outcome.out.priority == 200
    assert outcome.out.numpy == "Variable"
