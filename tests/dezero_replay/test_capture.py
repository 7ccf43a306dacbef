"""Objects that a function reaches: each kind is read anew or compared, and none goes stale.

Promise: docs/how_replay_works.md
"""

import array
import functools
import inspect
import operator
import os
import random
import threading
import types
import warnings
from contextvars import ContextVar
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, Parameter, Variable
from dezero_replay import ReplayWarning, compiled
from tests.replayed import bits, same, several

X = np.array([1.0, 2.0])


def assert_follows(function, change, values):
    """Replay a function between changes of what it reaches: each call has eager bits."""
    step = compiled(function)
    for value in values:
        change(value)
        for _ in range(4):
            assert bits(step(X)) == bits(function(X)), value
    assert step.stats["replayed"] > 0
    return step


def test_items_of_lists_and_dicts_that_keep_changing_become_inputs():
    rates, named = [0.5, 0.25], {"rate": 0.5}

    def change(value):
        rates[1] = named["rate"] = value

    step = assert_follows(
        lambda x: x * rates[1] + named["rate"], change, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    )
    assert step.stats["recorded"] < 14


def test_arrays_in_lists_and_dicts_are_read_anew():
    tables = [X, {"one": X * 2.0}]

    def change(value):
        tables[0] = X * value
        tables[1]["one"] = X + value

    step = assert_follows(lambda x: x * tables[0] + tables[1]["one"], change, [1.0, 2.0, 3.0])
    assert step.stats["recorded"] == 2


def test_an_array_of_which_only_the_shape_is_read_is_compared():
    holder = (np.zeros(3), np.array([1, "two", None], object))

    def change(value):
        holder[0][0], holder[1][0] = value, value

    assert_follows(lambda x: x * len(holder[0]) + holder[1][0], change, [1.0, 2.0, 1.0])


def test_contents_of_an_array_in_a_tuple_are_compared():
    holder = np.ones(2), np.ones(2, np.longdouble)

    def change(value):
        holder[0][...] = holder[1][...] = value

    assert_follows(lambda x: x * -holder[0] - holder[1], change, [1.0, 2.0, 1.0])


RATE = ContextVar("RATE")


def test_arrays_of_python_sets_and_context_variables_are_compared():
    sizes, kinds = array.array("d", [1.0]), {1.0, "a"}

    def change(value):
        sizes[0] = value
        kinds.discard(1.0)
        kinds.add(value)
        RATE.set(value)

    assert_follows(
        lambda x: x * sizes[0] + (2.0 in kinds) + RATE.get(), change, [1.0, 2.0, 3.0, 1.0]
    )


def test_the_environment_is_compared(monkeypatch):
    def f(x):
        return x * int(os.environ.get("RATE_OF_A_TEST", "1"))

    assert_follows(f, lambda value: monkeypatch.setenv("RATE_OF_A_TEST", value), ["2", "3", "2"])


def test_arguments_of_partial_functions_and_instances_of_methods_are_reached():
    class Model:
        rate = 1.0

        def step(self, x, scale):
            return x * self.rate * scale["of"]

    model, scale = Model(), {"of": 2.0}

    def change(value):
        model.rate, scale["of"] = value, value + 1.0

    assert_follows(functools.partial(model.step, scale=scale), change, [1.0, 2.0, 3.0, 1.0])
    bound = model.step
    assert_follows(lambda x: bound(x, scale), change, [1.0, 2.0])


def test_slots_and_properties_are_reached():
    class Slotted:
        __slots__ = ("rate", "unset")

        def __init__(self):
            self.rate = 1.0

        @property
        def double(self):
            return 2.0 * self.rate

    slotted = Slotted()
    assert_follows(
        lambda x: x * slotted.double, lambda value: setattr(slotted, "rate", value), [1.0, 2.0, 1.0]
    )


def test_attributes_of_foreign_objects_and_of_modules_are_reached():
    foreign = types.SimpleNamespace(rate=1.0)
    module = types.ModuleType("settings_of_a_test")
    module.rate = 1.0
    exception = ValueError()
    exception.rate = 1.0

    def change(value):
        foreign.rate = module.rate = exception.rate = value

    assert_follows(
        lambda x: x * foreign.rate + module.rate * exception.rate, change, [1, 2, 3, 4, 5, 1]
    )


def test_a_cell_that_is_empty_is_no_hindrance():
    def f(x):
        return x * 2.0 if x.shape == (2,) else later

    same(f, several((2,)))
    later = None


def test_an_instance_of_a_function_that_was_applied_is_none_of_the_state():
    class Twice(Function):
        def forward(self, x):
            return x * 2.0

        def backward(self, gy):
            return gy * 2.0

    used = Twice()
    used(Variable(X))
    step = compiled(lambda x: x * used.generation)
    for _ in range(4):
        assert (step(X) == 0.0).all()


def test_a_list_of_very_many_objects_is_compared_by_what_was_read_of_it():
    many = [object() for _ in range(100_001)]
    step = assert_follows(
        lambda x: x * len(many), lambda n: many.extend([object()] * n), [0, 1, 0, 100_000]
    )
    assert step.stats["recorded"] == 6


@pytest.mark.parametrize("make", [lambda: random.Random(3), lambda: np.random.RandomState(3)])
def test_generators_of_other_kinds_draw_anew(make):
    class Noise(Function):
        def __init__(self, source):
            self.source = source

        def forward(self, x):
            return x + self.source.random()

        def backward(self, gy):
            return gy

    one, other = make(), make()
    step = compiled(lambda x: Noise(one)(Variable(x)).data)
    for _ in range(8):
        assert bits(step(X)) == bits(Noise(other)(Variable(X)).data)
    assert step.stats["replayed"] > 0


def test_a_global_generator_of_another_kind_draws_anew():
    before = np.random.get_bit_generator()
    np.random.set_bit_generator(np.random.PCG64(3))
    try:
        step = compiled(lambda x: x + np.random.random())
        others = np.random.RandomState(np.random.PCG64(3))
        for _ in range(8):
            assert bits(step(X)) == bits(X + others.random())
        assert step.stats["replayed"] > 0
        same(lambda x: np.exp(Variable(x)), several((2,)))
    finally:
        np.random.set_bit_generator(before)


def test_effects_on_data_and_gradients_of_every_kind_are_made():
    def step(state, x):
        state.kept.data, state.other.data = state.other.data, state.kept.data
        state.empty.data = x * 2.0
        state.constant.data = np.zeros(2)
        state.gone.grad = None
        state.other.grad = x
        return x * state.kept

    def make():
        state = SimpleNamespace(
            **{name: Parameter(X * n) for n, name in enumerate(("kept", "other", "gone"))},
            empty=Parameter(None),
            constant=Parameter(X),
        )
        state.gone.grad = X
        return state

    same(step, several((2,), calls=9), make, replayed=False)


def test_a_graph_that_is_left_in_a_parameter_keeps_it_eager():
    w = Parameter(np.ones(2))

    def f(x):
        loss = np.sum((x * w) ** 2)
        w.cleargrad()
        loss.backward(create_graph=True)
        return w.grad.data * 1.0

    step = compiled(f)
    with pytest.warns(ReplayWarning, match="grad of w|graph"):
        assert (step(X) == 2.0 * X**2).all()
    assert type(w.grad) is Variable
    assert type(w.grad.data) is np.ndarray
    again = compiled(lambda x: x * w)
    with pytest.warns(ReplayWarning, match="has a graph from before the call"):
        again(X)


def test_results_that_are_variables_of_the_function_are_these():
    w, empty = Parameter(np.ones(2)), Variable(None)
    step = compiled(lambda x: (w, empty, x * w))
    for _ in range(6):
        same_w, same_empty, y = step(X)
        assert same_w is w
        assert same_empty is empty
        assert bits(y.data) == bits(X)


def test_a_result_with_a_gradient_keeps_it_eager():
    def f(x):
        v = Variable(x)
        np.sum(v**2).backward()
        return v

    step = compiled(f)
    with pytest.warns(ReplayWarning, match=r"has a \.grad"):
        assert (step(X).grad == 2.0 * X).all()


def test_a_call_that_takes_something_away_is_eager_and_those_that_do_not_are_replayed():
    state = SimpleNamespace(a=1.0)

    def f(x):
        if hasattr(state, "a"):
            del state.a
            return x * 2.0
        return x * 3.0

    step = compiled(f, audit=None)
    with pytest.warns(ReplayWarning, match="deletes the attribute a of state, which a replay"):
        assert (step(X) == X * 2.0).all()
    for call in range(12):
        if call % 4 == 3:
            state.a = 1.0
        assert (step(X) == X * (2.0 if call % 4 == 3 else 3.0)).all(), call
        assert not hasattr(state, "a")
    assert step.stats["replayed"] > 4


def test_a_text_that_each_call_replaces_is_another_one_in_each_call():
    state = SimpleNamespace(b="text")

    def f(x):
        state.b = state.b + "!"
        return x * len(state.b)

    step, x = compiled(f), np.ones(100_000)

    def until_it_warns():
        with warnings.catch_warnings():
            warnings.simplefilter("error", ReplayWarning)
            for call in range(1, 5_000):
                assert step(x)[0] == 4 + call
                assert state.b == "text" + "!" * call

    with pytest.raises(ReplayWarning, match=r"again and again: state\.b changes in each call"):
        until_it_warns()


def test_a_number_that_each_call_changes_may_be_converted():
    state = SimpleNamespace(count=0)

    def f(x):
        state.count += 1
        return x * float(state.count)

    step = compiled(f)
    for n in range(1, 10):
        assert bits(step(X)) == bits(X * float(n))
        assert type(state.count) is int
        assert state.count == n
    assert step.stats["replayed"] > 0


def test_a_number_that_each_call_changes_and_that_decides_is_the_one_of_the_call():
    state = SimpleNamespace(count=0)

    def f(x):
        state.count += 1
        return x * 2.0 if state.count % 4 == 0 else x

    step = compiled(f, audit=None)
    for n in range(1, 30):
        assert bits(step(X)) == bits(X * 2.0 if n % 4 == 0 else X)
        assert state.count == n
    assert step.stats["replayed"] > 10


def test_a_number_of_a_thread_that_keeps_changing_becomes_an_input():
    local = threading.local()
    step = assert_follows(
        lambda x: x * local.rate,
        lambda value: setattr(local, "rate", value),
        [0.1, 0.2, 0.3, 0.4, 0.5],
    )
    assert step.stats["recorded"] < 10


class Plain:
    pass


def test_a_parameter_that_no_name_mentions_is_read_at_its_place():
    holder = Plain()
    holder.pair = Plain()
    get = operator.attrgetter("pair.w")

    def change(value):
        holder.pair.w = Parameter(X * value)

    assert_follows(lambda x: x * get(holder), change, [1.0, 2.0, 3.0])


def test_a_parameter_that_only_python_itself_names_is_read_at_its_place():
    holder = Plain()
    holder.pair = Plain()

    def change(value):
        holder.pair.w = Parameter(X * value)

    def f(x):
        (found,) = (v for _, v in inspect.getmembers(holder.pair) if isinstance(v, Parameter))
        return x * found

    assert_follows(f, change, [1.0, 2.0, 3.0])
