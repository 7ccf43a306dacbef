"""Functions that go wrong if a certain guard is left out: one for each guard.

A scenario takes `make`, which compiles a function or leaves it as it is, and yields results.
"""

import sys

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


def more_by_name(make):
    step = make(lambda x, k=1.0: x * k)
    yield thrice(step, X)
    yield called(step, X, k=2.0)


def other_state_of_errors(make):
    def f(x):
        with np.errstate(divide="raise"):
            return 1.0 / x

    step = make(f)
    with np.errstate(divide="raise"):
        yield thrice(step, X)
    with np.errstate(divide="ignore"):
        yield called(step, X * 0.0)


def gradient_that_is_there(make):
    w = Parameter(np.ones(3))
    yield from changing(
        lambda x: x * (1.0 if w.grad is None else 2.0), lambda: setattr(w, "grad", np.ones(3)), X
    )(make)


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


def arguments_where_there_were_none(make):
    step = make(lambda *args: X * 2.0 + len(args))
    yield thrice(step)
    yield called(step, 1.0)


def other_order_by_name(make):
    def f(**named):
        a, b = named.values()
        return a - b

    step = make(f)
    yield thrice(step, a=X, b=X * 2.0)
    yield called(step, b=X * 2.0, a=X)


def one_variable_now(make):
    def f(v, w):
        v.data = v.data + 1.0
        return w.data * 2.0

    step = make(f)
    for _ in range(3):
        yield called(step, Variable(X), Variable(X))
    v = Variable(X)
    yield called(step, v, v)


OF_ENTRY = {
    "_source_of 1": no_graph,
    "_source_of 2": other_plugins,
    "_source_of 3": other_state_of_errors,
    "_source_of 4": arguments_where_there_were_none,
    "_source_of 5": more_by_name,
    "_source_of 6": other_order_by_name,
    "_source_of 7": gradient_that_is_there,
    "_overlaps 1": no_longer_one_array,
    "_overlaps 2": one_variable_now,
    "_overlaps 3": read_only,
    "_overlaps 4": one_array_now,
    "_overlaps 5": shared_memory,
}


#: A part of the first guard -> the scenario.
OF_THE_STATE = {
    "current_mode() is not RECORDING": seen_by_an_observer,
    "now.records": with_graph,
    "in_use() is not nothing": other_choice,
    "profiler() is not None": seen_by_a_profiler,
}
