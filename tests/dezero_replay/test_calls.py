"""A function of nested arrays is replayed from its third call on, whatever form a call has.

Promise: docs/how_replay_works.md
"""

import copy
import gc
import pickle
import weakref
from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from dezero_replay.tape.instructions import Guard

from dezero_core import Parameter, Variable, no_grad
from dezero_replay import Compiled, ReplayError, ReplayWarning, compiled
from dezero_tools import functional
from tests.replayed import bits, same, several


def test_a_function_of_arrays_is_replayed_from_the_third_call_on():
    step = same(lambda x, y: np.exp(x) * y + x, several((3,), (3,)))
    assert step.stats["recorded"] == 2


def test_arguments_and_results_are_trees():
    Pair = namedtuple("Pair", "a b")

    def f(tree, *, scale):
        return {"sum": tree["w"][0] + tree["w"][1], "pair": Pair(tree["b"].a * scale, (None, 3))}

    calls = [
        ({"w": [np.full(2, n), np.ones(2)], "b": Pair(np.arange(3.0) + n, np.ones(1))},)
        for n in range(6)
    ]
    same(lambda tree: f(tree, scale=2.0), calls)


@dataclass(frozen=True)
class Weights:
    w: np.ndarray
    b: float


def test_dataclasses_are_trees():
    def f(weights, x):
        return Weights(weights.w * x, weights.b), weights.w.sum()

    step = compiled(f)
    for n in range(6):
        made, total = step(Weights(np.full(3, float(n)), 2.0), np.ones(3))
        assert type(made) is Weights
        assert (made.w == n).all()
        assert (made.b, total) == (2.0, 3.0 * n)
    assert step.stats["replayed"] == 3


@pytest.mark.parametrize("change", ["append", "item", "key", "field"])
def test_a_change_of_what_holds_the_arguments_is_made(change):
    def f(items, named, holder, x):
        y = x * items[0]
        if change == "append":
            items.append(y)
        elif change == "item":
            items[0] = y
        elif change == "key":
            named["y"] = y
        else:
            holder.y = y
        return y

    @dataclass
    class Holder:
        y: Any

    step = compiled(f)
    for n in range(6):
        first = np.full(2, 3.0)
        items, named, holder = [first], {"a": 1}, Holder(None)
        y = step(items, named, holder, np.full(2, float(n)))
        assert (y == 3.0 * n).all()
        changed = [items[-1], items[0], named.get("y"), holder.y]
        found = ["append", "item", "key", "field"].index(change)
        assert type(changed[found]) is np.ndarray
        assert changed[found] is y
        assert [x is y for x in changed].count(True) == 1 + (change == "item")
        assert len(items) == 1 + (change == "append")
        assert items[0] is (y if change == "item" else first)
        assert list(named) == ["a", *["y"] * (change == "key")]
    assert step.stats["replayed"] == 3


def test_keyword_arguments_are_arguments():
    step = compiled(lambda x, *, y: x - y)
    for n in range(5):
        assert (step(np.ones(2), y=np.full(2, n)) == 1.0 - n).all()
    assert step.stats["replayed"] == 2


def test_the_decorator_takes_options():
    @compiled(max_programs=2, audit=None)
    def f(x):
        """Double it."""
        return 2.0 * x

    assert f.__name__ == "f"
    assert f.__doc__ == "Double it."
    assert f.eager(1.0) == 2.0


def gradient_step(model, x, t):
    y = np.tanh(x @ model.w + model.b)
    loss = np.sum((y - t) ** 2) / len(t)
    for p in (model.w, model.b):
        p.cleargrad()
    loss.backward()
    for p in (model.w, model.b):
        p.data -= 0.1 * p.grad
    return loss


def linear_model():
    rng = np.random.default_rng(3)
    w, b = Parameter(rng.normal(size=(4, 3))), Parameter(np.zeros(3))
    return SimpleNamespace(w=w, b=b)


def test_a_training_step_writes_the_parameters_as_eager_code_does():
    same(gradient_step, several((5, 4), (5, 3), calls=30), linear_model)


def test_a_parameter_may_be_set_to_a_new_array():
    def step(model, x):
        loss = np.sum((x * model.w) ** 2)
        model.w.cleargrad()
        loss.backward()
        model.w.data = model.w.data - 0.1 * model.w.grad
        return loss

    same(step, several((4, 3)), linear_model)


def test_gradients_add_up_where_nobody_clears_them():
    def step(model, x):
        loss = np.sum(np.sin(x @ model.w))
        loss.backward()
        return loss

    same(step, several((5, 4)), linear_model)


def test_functional_gradients_are_compiled():
    def loss(w, x):
        return np.sum(np.tanh(w * x) ** 2)

    same(functional.grad(loss), several((3,), (3,)))
    same(functional.value_and_grad(loss), several((3,), (3,)))
    same(functional.hessian(lambda w: np.sum(np.tanh(w) ** 3)), several((3,)))
    same(functional.hvp(lambda w: np.sum(np.exp(w) ** 2)), several((3,), (3,)))
    same(lambda w, v: functional.vjp(np.tanh, w)[1](v)[0], several((3,), (3,)))
    same(lambda w, v: functional.jvp(lambda x: x * np.sin(x @ x), w)[1](v), several((3,), (3,)))


class Layer:
    def __init__(self, scale):
        self.w = Parameter(np.full(3, scale))

    @compiled
    def __call__(self, x):
        return np.sum(np.exp(x * self.w))


@dataclass
class Equal:
    w: float

    @compiled
    def times(self, x):
        return x * self.w


def test_equal_instances_have_programs_of_their_own():
    one, two = Equal(1.0), Equal(1.0)
    for _ in range(4):
        one.times(np.ones(2))
    two.w = 3.0
    assert (two.times(np.ones(2)) == 3.0).all()
    assert copy.copy(two).times(np.ones(2))[0] == 3.0
    assert pickle.loads(pickle.dumps(one)).times(np.ones(2))[0] == 1.0


def test_an_instance_with_programs_is_freed():
    model = Layer(1.0)
    for _ in range(4):
        model(np.ones(3))
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_no_array_among_the_arguments_is_held_from_call_to_call():
    f = compiled(lambda x, scale: np.sum(np.exp(Variable(x * scale["by"])) * x))
    for _ in range(18):  # recordings, replays and audits
        x, scale = np.linspace(0.0, 1.0, 5), np.full(5, 2.0)
        np.testing.assert_array_equal(f(x, {"by": scale}).data, np.sum(np.exp(x * scale) * x))
        gone = weakref.ref(x), weakref.ref(scale)
        del x, scale
        assert [each() for each in gone] == [None, None]
    assert (f.stats["recorded"], f.stats["eager"], f.stats["audits"]) == (2, 0, 2)


def test_a_result_has_the_type_of_eager_code_from_the_first_call_on():
    f = compiled(lambda x: (np.sum(x), np.sum(Variable(x)), x * 2.0, x.sum()))
    eager = [type(y) for y in f.eager(np.ones(3))]
    for _ in range(5):
        assert [type(y) for y in f(np.ones(3))] == eager


def test_a_gradient_that_arrives_at_a_result_raises_at_each_call():
    f = compiled(lambda x: np.sum(Variable(x) ** 2))
    for _ in range(5):
        y = f(np.ones(3))
        with pytest.raises(ReplayError, match="differentiate inside"):
            (y * 2.0).backward()
        with pytest.raises(ReplayError, match="differentiate inside"):
            y.backward()
        with pytest.raises(ReplayError, match="differentiate inside"):
            (y * 2.0).backward(create_graph=True)


def test_a_result_of_no_grad_is_as_it_is_in_eager_code():
    f = compiled(lambda x: np.sum(Variable(x) ** 2))
    w = Variable(np.array(3.0))
    for _ in range(5):
        with no_grad():
            y = f(np.ones(3))
        assert y.creator is None
        w.cleargrad()
        (y * w).backward()
        assert w.grad == 3.0


def test_a_variable_among_the_arguments_runs_eagerly_as_part_of_its_graph():
    f = compiled(lambda x: np.sum(x**2))
    with pytest.warns(ReplayWarning, match="a graph that leads to a Variable among the arguments"):
        f(Variable(np.ones(2)))
    for n in range(5):
        x = Variable(np.array([1.0, n]))
        f(x).backward()
        assert (x.grad == 2 * x.data).all()
        y = Variable(np.array([1.0, n])) * 2.0
        f(y * 1.0).backward(retain_grad=True)
        assert (y.grad == 2 * y.data).all()
    assert f.stats["eager"] == 11


def test_a_function_that_differentiates_by_a_variable_among_the_arguments_is_replayed():
    def step(w, x):
        w.cleargrad()
        loss = np.sum((w * x) ** 2)
        loss.backward()
        w.data = w.data - 0.1 * w.grad
        return w.grad * 1.0

    f, mine, others = compiled(step), Parameter(np.ones(3)), Parameter(np.ones(3))
    for (x,) in several((3,)):
        assert bits(f(mine, x)) == bits(step(others, x))
        assert bits([mine.data, mine.grad]) == bits([others.data, others.grad])
    assert f.stats["replayed"] == 3


def test_inside_of_functional_it_runs_eagerly():
    f = compiled(lambda x: np.sum(x**2))
    x = np.array([1.0, 2.0])
    for _ in range(5):
        assert (functional.grad(f)(x) == 2 * x).all()


def test_a_compiled_function_inside_of_another_one_is_a_part_of_it():
    inner = compiled(lambda x: np.exp(x))
    same(lambda x: inner(x) * 2.0, several((3,)))


def test_numbers_of_numpy_are_arguments_by_their_type():
    calls = [(np.float64(n), np.ones(3)) for n in range(8)]
    calls += [(np.float32(n), np.ones(3)) for n in range(8)]
    step = same(lambda n, x: x * n, calls, replayed=False)
    assert all(each.stats["recorded"] for each in [step])


def test_objects_and_none_among_the_arguments_are_compared_by_identity():
    one, other = SimpleNamespace(scale=2.0), SimpleNamespace(scale=3.0)
    step = compiled(lambda holder, nothing, items, x: x * holder.scale)
    for holder in (one, one, one, other, one, other, other, other):
        assert (step(holder, None, [], np.ones(2)) == holder.scale).all()
    assert step.stats["replayed"] > 0
    assert len(step.programs) == 2


def test_a_method_of_an_instance_without_a_dict_is_refused():
    class Slotted:
        __slots__ = ()

        @compiled
        def step(self, x):
            return x

    assert type(Slotted.step) is Compiled
    with pytest.raises(TypeError, match="needs a __dict__"):
        Slotted().step(np.ones(2))


def test_recordings_of_the_latest_forms_of_arguments_are_kept():
    step = compiled(lambda x, n: x * len(n), max_programs=100, quiet=True)
    for n in range(150):
        step(np.ones(2), "a" * n)
    assert len(step.keys) == 100


def test_a_variable_of_integers_among_the_arguments_is_an_object_that_is_read():
    step = compiled(lambda labels, x: x * labels)
    labels = Variable(np.array([1, 2]))
    for n in range(6):
        labels.data = np.array([1, n])
        assert bits(step(labels, np.ones(2)).data) == bits(np.array([1.0, n]))
    assert step.stats["replayed"] > 0


def test_eager_calls_of_a_function_that_stays_eager_give_variables_without_a_graph():
    step = compiled(lambda x: np.sum(Variable(x) * x.tolist()[0]))
    with pytest.warns(ReplayWarning, match=r"takes a value out of an array by \.tolist\(\)"):
        step(np.ones(2))
    with pytest.raises(ReplayError, match="differentiate inside"):
        step(np.ones(2)).backward()


def test_the_gradient_of_a_compiled_function_is_cleared_and_kept_as_in_eager_code():
    def step(state, x):
        np.sum(x * state.w).backward()
        y = state.w.grad * 2.0
        state.w.cleargrad()
        return y

    same(step, several((3,)), lambda: SimpleNamespace(w=Parameter(np.ones(3))))


def test_a_parameter_without_data_is_no_hindrance():
    later = Parameter(None)
    same(lambda x: x * 2.0 if later.data is None else later, several((3,)))


def test_results_of_no_form_are_what_eager_code_gives():
    step = same(lambda x: (x * 2.0, None, [], {}, (), "text", 3, {"a": (x,)}), several((2,)))
    assert step.stats["recorded"] == 2


def test_data_that_are_a_number_of_numpy_are_read_anew():
    mean = Variable(np.array(0.0))

    def step(x):
        mean.data = mean.data * 0.5 + x.mean()
        return x - mean.data

    f = compiled(step)
    mean.data, expected = np.float64(0.0), 0.0
    for n in range(8):
        expected = expected * 0.5 + n
        assert (f(np.full(3, float(n))) == n - expected).all()
        assert type(mean.data) is np.float64
    assert f.stats["replayed"] > 0


def test_parts_of_one_array_that_do_not_overlap_are_written_into():
    def f(x, y):
        x += y
        return x * 2.0

    step, whole = compiled(f), np.arange(10.0)
    for _ in range(6):
        before = whole.copy()
        assert (step(whole[:5], whole[5:]) == 2.0 * (before[:5] + before[5:])).all()
        assert (whole[:5] == before[:5] + before[5:]).all()
    assert step.stats["replayed"] > 0


def test_programs_that_are_replaced_again_and_again_end_with_a_warning():
    step = compiled(lambda x: x * 2.0, max_programs=1)

    def call_with_many_shapes():
        for n in range(1, 12):
            for _ in range(2):
                assert step(np.ones(n)).shape == (n,)

    with pytest.warns(ReplayWarning, match="again and again: argument 0 changes in each call"):
        call_with_many_shapes()


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        (lambda n: ((np.ones(n), 2.0), {}), "argument 0 changes in each call"),
        (lambda n: ((np.ones(n), {"w": np.ones(n)}), {}), r"arguments 0 and 1\['w'\] change in"),
        (
            lambda n: ((np.ones(n), np.ones(n)), {"z": np.ones(n)}),
            "arguments 0, 1 and z change in each call",
        ),
    ],
)
def test_the_arguments_that_change_are_named(calls, said):
    def f(x, y, z=0.0):
        return x * 2.0, y["w"] if isinstance(y, dict) else y

    step = compiled(f, max_programs=2)

    def call_with_many_shapes():
        for n in range(1, 40):
            args, kwargs = calls(n)
            step(*args, **kwargs)

    with pytest.warns(ReplayWarning, match=f"again and again: {said}"):
        call_with_many_shapes()


def test_an_array_in_a_function_that_is_kept_is_an_array():
    kept = []

    def f(x):
        y = x * 2.0
        kept.append(lambda: y)
        return y

    with pytest.warns(ReplayWarning):
        compiled(f)(np.ones(3))
    assert type(kept[0]()) is np.ndarray


class Odd:
    """NumPy leaves it alone, except in place, where it raises an error."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return ("odd", other.sum())


class First:
    """Has its way with each array."""

    __array_priority__ = 1e6

    def __radd__(self, other):
        return ("odd", other.sum())


class Own:
    """Is asked by each ufunc."""

    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        return ("own", ufunc.__name__, sorted(kwargs))


@pytest.mark.parametrize("kind", [Odd, First, Own])
def test_an_object_that_adds_itself_to_arrays_does_so(kind):
    other = kind()

    def beside(x):
        return x + other

    def in_place(x):
        y = z = x * 1.0
        y += other
        return y, z

    for f in (beside, in_place):
        step = compiled(f, quiet=True)
        for (x,) in several((3,)):
            results = []
            for call in (f, step):
                try:
                    results.append(bits(call(x)))
                except TypeError as error:
                    results.append(str(error))
            assert results[0] == results[1]


def test_a_gradient_is_not_looked_at_in_each_replay():
    step = same(functional.value_and_grad(lambda x, y: x * x * y - 3.0 * x), several((), ()))
    assert not any(type(each) is Guard for each in step.program.usual.instructions)
    assert "logical_or" not in str(step.program)


def test_independence_is_warned_of_in_a_recording_too():
    step = compiled(functional.grad(lambda x, y: np.sum(x * x), argnums=(0, 1)))
    with pytest.warns(UserWarning, match="does not depend on argument 1"):
        step(np.ones(3), np.ones(3))
