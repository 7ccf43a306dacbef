"""Functions that go wrong if a certain look is left out: one for each kind of look.

A scenario takes `make`, which compiles a function or leaves it as it is, and yields results.
"""

import math
from abc import ABCMeta
from dataclasses import make_dataclass
from types import ModuleType, SimpleNamespace

import numpy as np

from dezero_core import (
    Parameter,
)
from tests.replayed import bits
from tests.sourced import run

from .guards import X, called, changing, thrice


def hidden_builtin(make):
    module = ModuleType("another")
    run("def f(x): return x * max(2.0, 3.0)", vars(module))
    step = make(module.f)
    yield thrice(step, X)
    module.max = min
    yield called(step, X)


def number_of_another_type(make):
    step, x = make(lambda x, n: x * (n - 1)), np.array(1.0)
    for n in range(8):
        yield called(step, x, n + 0.5)
    yield called(step, x, 2**53 + 1)  # which no float is


def more_in_a_dict(make):
    step = make(lambda d: sum(d.values()))
    yield thrice(step, {"a": X})
    yield called(step, {"a": X, "b": X})


def other_order(make):
    def f(d):
        a, b = d.values()
        return a - b

    step = make(f)
    yield thrice(step, {"a": X, "b": X * 2.0})
    yield called(step, {"b": X * 2.0, "a": X})


def list_for_tuple(make):
    step = make(lambda pair: (pair[0] * 2.0, isinstance(pair, tuple)))
    yield thrice(step, (X, X))
    yield called(step, [X, X])


def longer(make):
    step = make(lambda x, more: (x * 2.0, len(more)))
    yield thrice(step, X, [])
    yield called(step, X, [X])


def other_dataclass(make):
    one, two = (make_dataclass(name, ["w"]) for name in ("One", "Two"))
    step = make(lambda d: (d.w * 2.0, isinstance(d, one)))
    yield thrice(step, one(X))
    yield called(step, two(X))


def other_number(make):
    step = make(lambda x, n: x * n)
    yield thrice(step, X, 2.0)
    yield called(step, X, 3.0)


def other_object(make):
    step = make(lambda x, function: function(x))
    yield thrice(step, X, np.exp)
    yield called(step, X, np.tanh)


def scalar_of_another_type(make):
    w = Parameter(np.ones(()))
    step = make(lambda x: (w.data * x, w.data.dtype.itemsize))
    for data in (np.float64(1.0), np.float32(1.0)):
        w.data = data
        yield thrice(step, X)


def other_shape(make):
    step = make(lambda x: x * len(x))
    yield thrice(step, np.ones(3))
    yield called(step, np.ones(4))


def other_dtype(make):
    step = make(lambda x: (x * 2.0, x.dtype.kind))
    yield thrice(step, np.ones(3))
    yield called(step, np.ones(3, np.int64))


def other_layout(make):
    step, x = make(lambda x: np.exp(x) > 1.0), np.arange(72.0).reshape(8, 9)
    yield thrice(step, x)
    yield step(np.asfortranarray(x)).strides


def captured_number_of_another_type(make):
    settings = SimpleNamespace(n=0.0)
    step, x = make(lambda x: x * (settings.n - 1)), np.array(1.0)
    for n in (*np.arange(0.5, 8.0).tolist(), 2**53 + 1):
        settings.n = n
        yield called(step, x)


def other_function_of_a_method(make):
    own = type("Own", (), {"twice": classmethod(lambda cls, x: x * 2.0)})

    def change():
        own.twice = classmethod(lambda cls, x: x * 3.0)

    yield from changing(lambda x: own.twice(x), change, X)(make)


def other_found_object(make):
    holder = SimpleNamespace(call=np.exp)
    yield from changing(lambda x: holder.call(x), lambda: setattr(holder, "call", np.tanh), X)(make)


def other_members(make):
    names = {"a"}
    yield from changing(lambda x: x * ("b" in names), lambda: names.add("b"), X)(make)


def more_in_a_class(make):
    base = type("Base", (), {"times": lambda self, x: x * 2.0})
    derived = type("Derived", (base,), {})
    model = derived()
    yield from changing(
        lambda x: model.times(x), lambda: setattr(derived, "times", lambda self, x: x * 3.0), X
    )(make)


def other_bases(make):
    one, two = (type("One", (), {"times": lambda self, x, n=n: x * n}) for n in (2.0, 3.0))
    model = type("Derived", (one,), {})()
    yield from changing(
        lambda x: model.times(x), lambda: setattr(type(model), "__bases__", (two,)), X
    )(make)


def other_class(make):
    one, two = (type("One", (), {"times": lambda self, x, n=n: x * n}) for n in (2.0, 3.0))
    model = one()
    yield from changing(lambda x: model.times(x), lambda: setattr(model, "__class__", two), X)(make)


def more_in_an_instance(make):
    settings = SimpleNamespace()
    yield from changing(
        lambda x: x * getattr(settings, "scale", 1.0), lambda: setattr(settings, "scale", 5.0), X
    )(make)


def other_class_with_slots(make):
    one, two = (
        type("One", (), {"__slots__": ("a",), "times": lambda self, x, n=n: x * n})
        for n in (2.0, 3.0)
    )
    model = one()
    yield from changing(lambda x: model.times(x), lambda: setattr(model, "__class__", two), X)(make)


def slot_that_is_filled(make):
    model = type("Slots", (), {"__slots__": ("scale",)})()
    yield from changing(
        lambda x: x * getattr(model, "scale", 1.0), lambda: setattr(model, "scale", 5.0), X
    )(make)


def _keeps(x, a, b):
    a["k"] = x * 2.0
    return b["k"] * 1.0


def no_longer_one_object(make):
    step = make(_keeps)
    for one in ({"k": X.copy()} for _ in range(3)):
        yield called(step, X, one, one)
    one, two = {"k": X * 5.0}, {"k": X * 7.0}
    yield called(step, X, one, two), bits(one), bits(two)


def one_object_now(make):
    step = make(lambda x, a, b: x * 2.0 if a is b else x * 3.0)
    yield thrice(step, X, [X], [X])
    one = [X]
    yield called(step, X, one, one)


def flag(make):
    settings = SimpleNamespace(flag=True)
    yield from changing(
        lambda x: x * 2.0 if settings.flag else x * 3.0, lambda: setattr(settings, "flag", False), X
    )(make)


def other_sign(make):
    settings = SimpleNamespace(zero=0.0)
    yield from changing(
        lambda x: x * math.copysign(2.0, settings.zero), lambda: setattr(settings, "zero", -0.0), X
    )(make)


def other_type(make):
    key, rates = SimpleNamespace(of=1), {1: 2.0}
    yield from changing(
        lambda x: x * rates[key.of] * isinstance(key.of, bool), lambda: setattr(key, "of", True), X
    )(make)


def text(make):
    settings = SimpleNamespace(text="a")
    yield from changing(
        lambda x: x * (2.0 if settings.text == "a" else 3.0),
        lambda: setattr(settings, "text", "b"),
        X,
    )(make)


def attribute_that_hides_one_of_the_class(make):
    own = type("Own", (), {"act": np.tanh})()
    yield from changing(lambda x: own.act(x), lambda: setattr(own, "act", np.exp), X)(make)


def registered_with_an_abstract_class(make):
    kind, one = ABCMeta("Kind", (), {}), type("One", (), {})()
    yield from changing(
        lambda x: x * (2.0 if isinstance(one, kind) else 3.0), lambda: kind.register(type(one)), X
    )(make)


def other_names(make):
    settings = SimpleNamespace(a=1.0)
    yield from changing(
        lambda x: x * ("b" in dir(settings)), lambda: setattr(settings, "b", 1.0), X
    )(make)


def other_texts_in_an_array(make):
    kinds = np.array(["a", "b"])
    yield from changing(
        lambda x: x * (2.0 if np.any(kinds == "a") else 3.0), lambda: kinds.__setitem__(0, "b"), X
    )(make)


def longer_list(make):
    rates = [2.0]
    yield from changing(lambda x: x * len(rates), lambda: rates.append(3.0), X)(make)


def list_that_is_filled(make):
    rates = []
    yield from changing(lambda x: x * (2.0 if rates else 3.0), lambda: rates.append(1.0), X)(make)


def list_that_is_emptied(make):
    rates = [1.0]
    yield from changing(lambda x: x * (2.0 if rates else 3.0), rates.clear, X)(make)


def other_base_for_super(make):
    base = type("Base", (), {"times": lambda self, x: x * 2.0})

    class Derived(base):
        def times(self, x):
            return super().times(x)

    model = Derived()
    yield from changing(
        lambda x: model.times(x), lambda: setattr(base, "times", lambda self, x: x * 3.0), X
    )(make)


class Descriptor:
    def __init__(self, n):
        self.n = n

    def __get__(self, instance, owner):
        return self.n


def other_descriptor(make):
    own = type("Own", (), {"n": Descriptor(2.0)})
    yield from changing(lambda x: x * own().n, lambda: setattr(own, "n", Descriptor(3.0)), X)(make)


def other_bytes(make):
    sizes = bytearray([2, 3])
    yield from changing(lambda x: x * sizes[0], lambda: sizes.__setitem__(0, 5), X)(make)


def item_that_is_there_now(make):
    rates = {}
    yield from changing(lambda x: x * rates.get("rate", 1.0), lambda: rates.update(rate=5.0), X)(
        make
    )


def shorter_list(make):
    items = [1.0, 2.0]

    def f(x):
        try:
            items[1] = 3.0
        except IndexError:
            return x * 5.0
        return x * 2.0

    yield from changing(f, items.pop, X)(make)


#: Method, and the number of the guard that it writes -> the scenario.
OF_GUARDS = {
    "form 1": number_of_another_type,
    "form 2": other_shape,
    "form 3": other_dtype,
    "form 4": other_layout,
    "_is 1": other_found_object,
    "_is_at 1": no_longer_one_object,
    "_is_not_at 1": one_object_now,
    "_type 1": list_for_tuple,
    "_value 1": flag,
    "_value 2": text,
    "_mro 1": other_bases,
    "_lacks 1": more_in_a_class,
    "_returns 1": registered_with_an_abstract_class,
    "_names 1": other_names,
    "_content 1": other_texts_in_an_array,
    "_length 1": longer_list,
    "_longer 1": shorter_list,
    "_empty 1": list_that_is_filled,
    "_not_empty 1": list_that_is_emptied,
    "_keys 1": other_members,
    "_bytes 1": other_bytes,
    "_missing 1": item_that_is_there_now,
    "_missing 2": more_in_an_instance,
    "_missing 3": slot_that_is_filled,
}


#: More of what the looks are for -> the look that is left out.
MORE = {
    more_in_a_dict: "_keys",
    other_order: "_keys",
    other_sign: "_value",
    other_type: "_value",
    longer: "_length",
    other_dataclass: "_type",
    other_number: "_value",
    other_object: "_is",
    scalar_of_another_type: "form",
    captured_number_of_another_type: "form",
    other_function_of_a_method: "_is",
    attribute_that_hides_one_of_the_class: "_is",
    other_base_for_super: "_is",
    other_descriptor: "_is",
    hidden_builtin: "_missing",
    other_class: "_type",
    other_class_with_slots: "_type",
}
