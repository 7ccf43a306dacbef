"""Functions that go wrong if a certain guard is left out: one for each guard.

A scenario takes `make`, which compiles a function or leaves it as it is, and yields results.
"""

import sys
from dataclasses import make_dataclass
from types import ModuleType, SimpleNamespace

import numpy as np

from dezero_core import (
    Function,
    Parameter,
    Variable,
    hookimpl,
    no_grad,
    prefer,
    register,
    unregister,
    use_ops,
)
from dezero_core.extend import PREFERRED
from dezero_tools import observe
from tests.replayed import bits

X = np.array([1.0, 2.0, 3.0])


def called(function, *args, **kwargs):
    try:
        return bits(function(*args, **kwargs))
    except Exception as error:
        return type(error)


def thrice(step, *args, **kwargs):
    return [called(step, *args, **kwargs) for _ in range(3)]


def changing(function, change, *args):
    """Return a scenario: a function is called before and after a change of its state."""

    def scenario(make):
        step = make(function)
        yield thrice(step, *args)
        change()
        yield called(step, *args)

    return scenario


def no_graph(make):
    step = make(lambda x: np.sum(Variable(x) ** 2).creator is None)
    yield thrice(step, X)
    with no_grad():
        yield called(step, X)


def with_graph(make):
    step = make(lambda x: np.sum(Variable(x) ** 2).creator is None)
    with no_grad():
        yield thrice(step, X)
    yield called(step, X)


def plugin(name, factor):
    class Scaled(Function):
        def forward(self, x):
            return x * factor

    class made:
        @staticmethod
        @hookimpl
        def dezero_register_ops(register):
            register(name, lambda x: Scaled()(x), Scaled, methods=(name,))

    return made


def other_plugins(make):
    two = plugin("scaled_here", 2.0)
    register(two, name="two")
    try:
        step = make(lambda x: Variable(x).scaled_here().data)
        yield thrice(step, X)
    finally:
        unregister(two)
    yield called(step, X)


def other_choice(make):
    two, five = plugin("scaled_here", 2.0), plugin("scaled_here", 5.0)
    register(two, name="two")
    register(five, name="five")
    preferred = dict(PREFERRED.maps[0])
    try:
        prefer(scaled_here="two")
        step = make(lambda x: Variable(x).scaled_here().data)
        yield thrice(step, X)
        with use_ops(scaled_here="five"):
            yield called(step, X)
    finally:
        PREFERRED.maps[0] = preferred
        unregister(five)
        unregister(two)


def seen_by_an_observer(make):
    step = make(lambda x: np.exp(Variable(x)).data)
    yield thrice(step, X)
    with observe("time") as times:
        yield called(step, X)
    yield [row.operation for row in times.rows()]


def seen_by_a_profiler(make):
    step, seen = make(lambda x: np.exp(x) + np.linalg.det(np.eye(2))), []
    yield thrice(step, X)
    sys.setprofile(lambda frame, event, argument: seen.append(frame.f_code.co_name))
    try:
        yield called(step, X)
    finally:
        sys.setprofile(None)
    yield "<lambda>" in seen


def hidden_builtin(make):
    module = ModuleType("another")
    exec("def f(x): return x * max(2.0, 3.0)", vars(module))
    step = make(module.f)
    yield thrice(step, X)
    module.max = min
    yield called(step, X)


def number_of_another_type(make):
    step, x = make(lambda x, n: x * (n - 1)), np.array(1.0)
    for n in range(8):
        yield called(step, x, n + 0.5)
    yield called(step, x, 2**53 + 1)  # which no float is


def more_by_name(make):
    step = make(lambda x, k=1.0: x * k)
    yield thrice(step, X)
    yield called(step, X, k=2.0)


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
    one, two = SimpleNamespace(rate=1.0), SimpleNamespace(rate=2.0)
    step = make(lambda x, c: x * c.rate)
    yield thrice(step, X, one)
    yield called(step, X, two)


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


def content(make):
    own = type("Own", (), {"signs": np.ones(3)})
    yield from changing(lambda x: x * -own.signs, lambda: own.signs.fill(5.0), X)(make)


def other_state_of_errors(make):
    def f(x):
        with np.errstate(divide="raise"):
            return 1.0 / x

    step = make(f)
    with np.errstate(divide="raise"):
        yield thrice(step, X)
    with np.errstate(divide="ignore"):
        yield called(step, X * 0.0)


def other_function_of_a_method(make):
    own = type("Own", (), {"twice": classmethod(lambda cls, x: x * 2.0)})

    def change():
        own.twice = classmethod(lambda cls, x: x * 3.0)

    yield from changing(lambda x: own.twice(x), change, X)(make)


def other_found_object(make):
    holder = SimpleNamespace(call=np.exp)
    change = lambda: setattr(holder, "call", np.tanh)  # noqa: E731
    yield from changing(lambda x: holder.call(x), change, X)(make)


def other_members(make):
    names = {"a"}
    yield from changing(lambda x: x * len(names), lambda: names.add("b"), X)(make)


def more_in_a_class(make):
    base = type("Base", (), {"times": lambda self, x: x * 2.0})
    derived = type("Derived", (base,), {})
    model = derived()
    change = lambda: setattr(derived, "times", lambda self, x: x * 3.0)  # noqa: E731
    yield from changing(lambda x: model.times(x), change, X)(make)


def other_bases(make):
    one, two = (type("One", (), {"times": lambda self, x, n=n: x * n}) for n in (2.0, 3.0))
    model = type("Derived", (one,), {})()
    change = lambda: setattr(type(model), "__bases__", (two,))  # noqa: E731
    yield from changing(lambda x: model.times(x), change, X)(make)


def other_class(make):
    one, two = (type("One", (), {"times": lambda self, x, n=n: x * n}) for n in (2.0, 3.0))
    model = one()
    change = lambda: setattr(model, "__class__", two)  # noqa: E731
    yield from changing(lambda x: model.times(x), change, X)(make)


def more_in_an_instance(make):
    settings = SimpleNamespace()
    change = lambda: setattr(settings, "scale", 5.0)  # noqa: E731
    yield from changing(lambda x: x * getattr(settings, "scale", 1.0), change, X)(make)


def other_class_with_slots(make):
    one, two = (
        type("One", (), {"__slots__": ("a",), "times": lambda self, x, n=n: x * n})
        for n in (2.0, 3.0)
    )
    model = one()
    change = lambda: setattr(model, "__class__", two)  # noqa: E731
    yield from changing(lambda x: model.times(x), change, X)(make)


def slot_that_is_filled(make):
    model = type("Slots", (), {"__slots__": ("scale",)})()
    change = lambda: setattr(model, "scale", 5.0)  # noqa: E731
    yield from changing(lambda x: x * getattr(model, "scale", 1.0), change, X)(make)


def gradient_that_is_there(make):
    w = Parameter(np.ones(3))
    change = lambda: setattr(w, "grad", np.ones(3))  # noqa: E731
    yield from changing(lambda x: x * (1.0 if w.grad is None else 2.0), change, X)(make)


def _writes(x, y):
    x += 1.0
    return y * 2.0


def no_longer_one_array(make):
    step = make(_writes)
    for x in (X.copy() for _ in range(3)):
        yield called(step, x, x)
    yield called(step, X.copy(), X.copy())


def read_only(make):
    def f(x, y):
        y += 1.0
        x += 1.0
        return x * 2.0

    step = make(f)
    for _ in range(3):
        yield called(step, X.copy(), X.copy())
    x, y = X.copy(), X.copy()
    x.flags.writeable = False
    yield called(step, x, y), bits(y)


def one_array_now(make):
    step = make(_writes)
    for _ in range(3):
        yield called(step, X.copy(), X.copy())
    x = X.copy()
    yield called(step, x, x)


def shared_memory(make):
    step = make(_writes)
    for _ in range(3):
        yield called(step, np.arange(4.0)[:3], np.arange(4.0)[1:])
    x = np.arange(4.0)
    yield called(step, x[:3], x[1:])


#: Method of Entry, and the number of the guard in it -> the scenario.
OF_ENTRY = {
    "_source_of 1": no_graph,
    "_source_of 2": other_plugins,
    "_source_of 3": other_state_of_errors,
    "_source_of 4": hidden_builtin,
    "_tree 1": number_of_another_type,
    "_tree 2": more_by_name,
    "_tree 3": more_in_a_dict,
    "_tree 4": other_order,
    "_tree 5": list_for_tuple,
    "_tree 6": longer,
    "_tree 7": other_dataclass,
    "_same 1": other_number,
    "_same 2": other_object,
    "_array 1": scalar_of_another_type,
    "_array 2": other_shape,
    "_array 3": other_dtype,
    "_array 4": other_layout,
    "_check 1": captured_number_of_another_type,
    "_check 2": content,
    "_check 3": other_function_of_a_method,
    "_check 4": other_found_object,
    "_check_inside 1": other_members,
    "_check_inside 2": more_in_a_class,
    "_check_inside 3": other_bases,
    "_check_inside 4": other_class,
    "_check_inside 5": more_in_an_instance,
    "_check_inside 6": other_class_with_slots,
    "_check_inside 7": slot_that_is_filled,
    "_variable 1": gradient_that_is_there,
    "_overlaps 1": no_longer_one_array,
    "_overlaps 2": read_only,
    "_overlaps 3": one_array_now,
    "_overlaps 4": shared_memory,
}

#: A part of the first guard -> the scenario.
OF_THE_STATE = {
    "current_mode() is not RECORDING": seen_by_an_observer,
    "now.records": with_graph,
    "in_use() is not nothing": other_choice,
    "profiler() is not None": seen_by_a_profiler,
}
