"""Functions, cells, globals and settings that change between two calls of what reaches them.

Promise: docs/how_replay_works.md
"""

import functools
import importlib
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from dezero_core import (
    Function,
    Parameter,
    Variable,
    hookimpl,
    no_grad,
    prefer,
    unregister,
    use_ops,
    using_config,
)
from dezero_replay import ReplayWarning, compiled
from tests.replayed import bits, follows
from tests.sourced import run

X = np.array([1.0, 2.0, 3.0])


def test_other_code_of_a_function_is_seen():
    def helper(x):
        return x * 2.0

    def another(x):
        return x * 3.0

    codes = [helper.__code__, another.__code__]
    follows(lambda x: helper(x), lambda n: setattr(helper, "__code__", codes[n % 2]), X)


def test_other_code_of_the_function_itself_is_seen():
    def step(x):
        return x * 2.0

    def another(x):
        return x * 3.0

    codes = [step.__code__, another.__code__]
    follows(step, lambda n: setattr(step, "__code__", codes[n % 2]), X)


def test_defaults_that_change_are_seen():
    def step(x, rate=1.0, *, shift=0.0):
        return x * rate + shift

    follows(step, lambda n: setattr(step, "__defaults__", (n / 7,)), X)
    follows(step, lambda n: setattr(step, "__kwdefaults__", {"shift": n / 9}), X)

    def helper(x, rates=(1.0, 2.0)):
        return x * rates[1]

    follows(lambda x: helper(x), lambda n: setattr(helper, "__defaults__", ((1.0, n / 7),)), X)


def test_a_default_that_is_mutable_is_looked_at():
    def step(x, rates=[1.0]):  # noqa: B006 (that is what is tested)
        return x * rates[0]

    follows(step, lambda n: step.__defaults__[0].__setitem__(0, n / 7), X)


def test_a_cell_that_is_bound_anew_is_seen():
    rate, helper = 1.0, np.exp

    def bind(n):
        nonlocal rate, helper
        rate, helper = n / 7, [np.exp, np.tanh][n % 2]

    follows(lambda x: helper(x) * rate, bind, X)


def test_a_cell_that_is_empty_at_first_is_seen():
    def bind(n):
        nonlocal rate
        rate = n / 7

    def step(x):
        try:
            return x * rate
        except NameError:
            return x - 1.0

    follows(step, bind, X)
    rate = 2.0
    assert bits(step(X)) == bits(X * 2.0)


def test_a_global_of_another_module_is_looked_at():
    module = ModuleType("another")
    run("rate = 1.0\ndef scaled(x): return x * rate", vars(module))
    follows(lambda x: module.scaled(x), lambda n: setattr(module, "rate", n / 7), X)
    follows(module.scaled, lambda n: setattr(module, "rate", n / 9), X)


def import_inside(x):
    import settings_of_a_test

    return x * settings_of_a_test.rate


def import_from_inside(x):
    from settings_of_a_test import rate

    return x * rate


def import_by_name(x):
    return x * importlib.import_module("settings_of_a_test").rate


def look_up(x):
    return x * sys.modules["settings_of_a_test"].rate


@pytest.mark.parametrize("function", [import_inside, import_from_inside, import_by_name, look_up])
def test_a_module_that_a_function_imports_is_looked_at(function, monkeypatch):
    module = ModuleType("settings_of_a_test")
    module.rate = 1.0
    monkeypatch.setitem(sys.modules, "settings_of_a_test", module)
    follows(function, lambda n: setattr(module, "rate", n / 7), X)


def test_a_module_of_the_same_package_that_a_function_imports_is_looked_at(monkeypatch):
    package, module = ModuleType("package_of_a_test"), ModuleType("package_of_a_test.settings")
    package.__path__, package.settings, module.rate = [], module, 1.0
    monkeypatch.setitem(sys.modules, package.__name__, package)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for line in ("from . import settings", "from .settings import rate"):
        names = {"__package__": package.__name__, "__name__": f"{package.__name__}.steps"}
        value = "rate" if line.endswith("rate") else "settings.rate"
        run(f"def step(x):\n    {line}\n    return x * {value}", names)
        follows(names["step"], lambda n: setattr(module, "rate", module.rate + n / 7), X)


def test_a_global_that_is_made_later_is_seen():
    module = ModuleType("another")
    run("def scaled(x):\n  try: return x * rate\n  except NameError: return x + 1.0", vars(module))
    follows(module.scaled, lambda n: setattr(module, "rate", n / 7), X)


def test_a_global_that_hides_a_builtin_is_seen():
    module = ModuleType("another")
    run("def scaled(x): return x * max(2.0, 3.0)", vars(module))

    def change(n):
        module.max = [min, max][n % 2]
        if n == 4:
            del module.max
            module.max = sum
            module.max = lambda *numbers: 7.0

    follows(module.scaled, lambda n: change(n + 1), X)


def test_a_variable_of_an_outer_function_that_is_empty_at_first_is_filled():
    def make():
        def step(x):
            nonlocal scale
            scale = 3.0
            return x * scale

        if False:
            scale = 0.0

        def empty():
            nonlocal scale
            del scale

        return step, lambda: scale, empty

    step, read, empty = make()
    f = compiled(step, audit=None)
    for _ in range(6):
        assert bits(f(X)) == bits(X * 3.0)
        assert read() == 3.0
        empty()
    assert f.stats["replayed"] == 4


def test_code_without_a_source_is_eager_and_says_so():
    names = {"rate": 2.0}
    exec("def scaled(x): return x * rate", names)
    step = compiled(names["scaled"])
    with pytest.warns(ReplayWarning, match="calls scaled, and scaled has no source"):
        step(X)
    for n in range(4):
        names["rate"] = n / 7
        assert bits(step(X)) == bits(X * (n / 7))


def test_what_a_partial_holds_is_looked_at():
    def scaled(x, rates, *, shift):
        return x * rates[0] + shift["by"]

    rates, shift = [1.0], {"by": 0.0}
    step = functools.partial(scaled, rates=rates, shift=shift)

    def change(n):
        rates[0], shift["by"] = n / 7, n / 9

    follows(lambda x: step(x), change, X)
    follows(step, lambda n: change(n + 5), X)


def test_a_function_in_a_dict_is_the_one_that_is_there():
    table = {"f": lambda x: x * 2.0}
    follows(lambda x: table["f"](x), lambda n: table.update(f=lambda x, n=n: x * (n + 2.0)), X)


def test_a_cache_of_results_is_the_cache_of_eager_code():
    settings = SimpleNamespace(rate=1.0)

    @functools.lru_cache
    def rate():
        return settings.rate

    def change(n):
        settings.rate = n / 7
        rate.cache_clear()

    follows(lambda x: x * rate(), change, X)


def test_a_nested_compiled_function_is_looked_into():
    settings = SimpleNamespace(rate=1.0)
    inner = compiled(lambda x: x * settings.rate)
    follows(lambda x: inner(x) + 1.0, lambda n: setattr(settings, "rate", n / 7), X)


def test_a_decorated_function_is_looked_into():
    settings = SimpleNamespace(rate=1.0)

    def twice(function):
        @functools.wraps(function)
        def wrapper(x):
            return function(function(x))

        return wrapper

    @twice
    def step(x):
        return x * settings.rate

    follows(step, lambda n: setattr(settings, "rate", n / 7), X)
    follows(lambda x: step(x), lambda n: setattr(settings, "rate", n / 9), X)


def test_an_operation_with_a_setting_is_looked_into():
    class Scale(Function):
        factor = 2.0

        def forward(self, x):
            return x * self.factor

        def backward(self, gy):
            return gy * self.factor

    def step(x):
        v = Variable(x)
        y = np.sum(Scale()(v))
        y.backward()
        return y.data, v.grad

    follows(step, lambda n: setattr(Scale, "factor", n / 7), X)


def test_settings_that_change_in_between_are_seen():
    w = Parameter(np.ones(3))

    def step(x):
        y = np.sum(w * x)
        return y.data, np.full(1, y.creator is None)

    step_compiled = compiled(step, audit=None)
    for n in range(24):
        for context in (no_grad(), using_config("warn_of_independence", n % 3 == 0)):
            with context:
                assert bits(step_compiled(X)) == bits(step(X))
        assert bits(step_compiled(X)) == bits(step(X))
    assert step_compiled.stats["replayed"] > 40


def test_a_choice_of_operations_in_between_is_seen(registered):
    class Doubled(Function):
        def forward(self, x):
            return np.tanh(x) * 2.0

        def backward(self, gy):
            return gy * 2.0

    class doubling:
        @staticmethod
        @hookimpl
        def dezero_register_ops(register):
            register("tanh", lambda x: Doubled()(x), Doubled, numpy=np.tanh)

    step = compiled(lambda x: np.tanh(Variable(x)).data, audit=None)
    for _ in range(4):
        assert bits(step(X)) == bits(np.tanh(X))
    registered(doubling, "doubling")
    for chosen in ("doubling", "math", "doubling"):
        with use_ops(tanh=chosen):
            for _ in range(4):
                assert bits(step(X)) == bits(np.tanh(X) * (1.0 + (chosen == "doubling")))
    for chosen in ("doubling", "math", "doubling"):
        prefer(tanh=chosen)
        for _ in range(4):
            assert bits(step(X)) == bits(np.tanh(X) * (1.0 + (chosen == "doubling")))
    prefer(tanh="math")
    unregister(doubling)
    for _ in range(4):
        assert bits(step(X)) == bits(np.tanh(X))


class Scaled:
    def __init__(self, rate):
        self.rate = rate

    def times(self, x):
        return x * self.rate


_ONE, _TWO = Scaled(2.0), Scaled(3.0)
_TABLE = np.exp, np.tanh
_BOUND = _ONE.times, _TWO.times


class Described:
    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner):
        return self.function


@pytest.mark.parametrize(
    "pair",
    [
        _TABLE,
        _BOUND,
        tuple(map(staticmethod, _TABLE)),
        tuple(map(staticmethod, _BOUND)),
        tuple(map(Described, _TABLE)),
        (staticmethod(lambda x: x * 2.0), staticmethod(lambda x: x * 3.0)),
    ],
)
@pytest.mark.parametrize("of", ["class", "instance", "new instance", "subclass", "super"])
def test_a_function_that_a_class_holds_is_looked_at(pair, of):
    class Holder:
        function = pair[0]

    class Derived(Holder):
        def of_super(self, x):
            return super().function(x)

    holder, derived = Holder(), Derived()
    call = {
        "class": lambda x: Holder.function(x),
        "instance": lambda x: holder.function(x),
        "new instance": lambda x: Holder().function(x),
        "subclass": lambda x: derived.function(x),
        "super": lambda x: derived.of_super(x),
    }[of]
    follows(call, lambda n: setattr(Holder, "function", pair[n % 2]), X)


@pytest.mark.parametrize("pair", [_TABLE, _BOUND])
def test_a_function_in_a_slot_is_looked_at(pair):
    class Slotted:
        __slots__ = ("function",)

    slotted = Slotted()
    slotted.function = pair[0]
    follows(lambda x: slotted.function(x), lambda n: setattr(slotted, "function", pair[n % 2]), X)


@pytest.mark.parametrize("wrap", [lambda f: f, staticmethod])
def test_the_instance_of_a_bound_method_that_a_class_holds_is_looked_at(wrap):
    model = Scaled(1.0)
    holder = type("Holder", (), {"function": wrap(model.times)})
    instance = holder()
    follows(lambda x: instance.function(x), lambda n: setattr(model, "rate", n / 7), X)
    follows(lambda x: holder.function(x), lambda n: setattr(model, "rate", n / 9), X)


def test_what_super_finds_is_looked_at():
    class Base:
        rate = 1.0

        @property
        def shift(self):
            return self.of_instance

    class Between(Base):
        pass

    class Derived(Between):
        rate = 100.0
        shift = 100.0

        def step(self, x):
            return x * super().rate + super().shift

    model = Derived()
    model.of_instance = 1.0
    follows(model.step, lambda n: setattr(Base, "rate", n / 7), X)
    follows(model.step, lambda n: setattr(model, "of_instance", n / 7), X)
    follows(model.step, lambda n: setattr(Between, "rate", n / 9), X)


@pytest.mark.parametrize("function", [np.exp, staticmethod(np.exp), staticmethod(_ONE.times)])
def test_an_attribute_of_an_instance_that_hides_a_function_of_its_class_is_seen(function):
    holder = type("Holder", (), {"function": function})()
    follows(
        lambda x: holder.function(x),
        lambda n: setattr(holder, "function", [np.tanh, np.sin][n % 2]),
        X,
    )


def test_a_method_in_c_that_is_hidden_later_is_seen():
    class Rates(list):
        pass

    def step(x):
        rates = Rates()
        rates.append(2.0)
        return x * len(rates)

    follows(
        step,
        lambda n: setattr(Rates, "append", lambda self, x, n=n: list.extend(self, [x] * (n + 1))),
        X,
    )
