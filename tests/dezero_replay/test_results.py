"""Arrays that a call returns or writes: whose memory they have, and what the next call does.

Promise: docs/how_replay_works.md
"""

import copy
from collections import namedtuple
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, Parameter, Variable, grad, no_grad
from dezero_replay import compiled
from tests.replayed import bits, same, several

X = np.array([1.0, 2.0, 3.0])


Pair = namedtuple("Pair", "a b")


def state(**more):
    return SimpleNamespace(w=Parameter(np.ones(3)), v=Parameter(np.zeros(3)), n=1, **more)


def test_two_results_that_are_equal_are_two_arrays():
    step = compiled(lambda x: (x * 2.0, x * 2.0))
    for _ in range(8):
        a, b = step(X)
        a[0] = 99.0
        assert b[0] == 2.0


def test_a_result_that_is_returned_twice_is_one_array():
    def f(x):
        y = x * 2.0
        return y, y

    step = compiled(f)
    for _ in range(8):
        a, b = step(X)
        a[0] = 99.0
        assert b[0] == 99.0


def test_a_copy_of_an_argument_is_no_argument():
    step = compiled(lambda x: (x.copy(), x * 2.0))
    for _ in range(8):
        x = X.copy()
        step(x)[0][...] = 99.0
        assert bits(x) == bits(X)


@pytest.mark.parametrize(
    "make", [lambda: np.zeros(3), lambda: np.arange(3.0), lambda: np.eye(3)[0], lambda: X + 0.0]
)
def test_a_result_that_is_constant_is_a_new_array_each_time(make):
    step = compiled(lambda x: (x * 2.0, make()))
    for _ in range(8):
        made = step(X)[1]
        assert bits(made) == bits(make())
        made += 1.0


def test_a_parameter_that_is_set_to_a_constant_is_written_by_others():
    w = Parameter(np.ones(3))

    def f(x):
        w.data = np.zeros(3)
        w.grad = np.ones(3)
        return x * 2.0

    step = compiled(f)
    for _ in range(8):
        step(X)
        assert bits(w.data) == bits(np.zeros(3))
        assert bits(w.grad) == bits(np.ones(3))
        w.data += 1.0
        w.grad += 1.0


def test_a_copy_of_a_parameter_keeps_what_it_was():
    def f(s, x):
        s.v.data = s.w.data.copy()
        s.w.data += x
        return x * 1.0

    same(f, several((3,)), state)


def test_the_data_of_before_is_kept_beside_the_new():
    def f(s, x):
        s.v.data = s.w.data
        s.w.data = s.w.data - x
        return s.v.data * 1.0

    same(f, several((3,), calls=9), state)


def test_two_variables_change_places():
    def f(s, x):
        s.w.data += x
        s.w.data, s.v.data = s.v.data, s.w.data
        return s.w.data * 1.0

    same(f, several((3,), calls=9), state)
    same(f, several((3,), calls=9), state, audit=2)


def test_two_variables_that_come_to_hold_one_array_share_it():
    def f(s, x):
        s.w.data = s.v.data = x * 2.0
        return x * 1.0

    mine, others = state(), state()
    step = compiled(lambda x: f(others, x))
    for n in range(8):
        f(mine, X * n)
        step(X * n)
        for s in (mine, others):
            s.w.data += 1.0
        assert bits(others.v.data) == bits(mine.v.data)


def test_two_parameters_over_one_array_are_written_as_one():
    shared = np.ones(3)
    p, q = Parameter(shared), Parameter(shared)

    def f(x):
        p.data += x
        return q.data * 1.0

    step = compiled(f)
    for n in range(1, 8):
        assert (step(np.ones(3)) == n + 1).all()
    q.data = np.zeros(3)
    assert (step(np.ones(3)) == 0.0).all()
    assert (p.data == 9.0).all()


def test_a_gradient_is_no_argument_and_no_result_of_another_call():
    w = Parameter(np.ones(3))

    def f(x):
        w.cleargrad()
        np.sum(w * x).backward()
        return x * 2.0

    step, kept = compiled(f), []
    for n in range(8):
        x = np.full(3, float(n))
        step(x)
        x[...] = 99.0
        kept.append(w.grad)
        assert (w.grad == n).all()
    assert [int(each[0]) for each in kept] == list(range(8))


def test_a_gradient_that_is_returned_is_that_of_the_variable():
    def f(s, x):
        s.w.cleargrad()
        np.sum(s.w * x).backward()
        return s.w.grad

    mine = state()
    step = compiled(lambda x: f(mine, x))
    for n in range(8):
        y = step(X * n)
        assert y is mine.w.grad


def test_results_do_not_change_as_later_calls_run():
    def f(x):
        y = np.tanh(x)
        return y, y.reshape(8, 8).T, y[::2], np.broadcast_to(y, (2, 64)), y.sum()

    step = compiled(f)
    calls = several((64,), calls=12)
    kept = [step(*each) for each in calls]
    assert bits(kept) == bits([f(*each) for each in calls])


def test_a_result_that_shares_memory_with_an_argument_does_so_on_replay():
    step = compiled(lambda x: (x[:2], x.reshape(3, 1), x * 2.0))
    for _ in range(8):
        x = X.copy()
        first, column, _ = step(x)
        x[0] = 99.0
        assert first[0] == 99.0
        assert column[0, 0] == 99.0


def test_a_derivative_of_a_derivative_in_a_step_is_replayed():
    def f(s, x):
        v = Variable(x)
        loss = np.sum(np.tanh(s.w * v) ** 2)
        slope = grad(loss, v, create_graph=True)
        total = loss + np.sum(slope**2)
        s.w.cleargrad()
        total.backward()
        s.w.data -= 0.01 * s.w.grad
        return total.data

    same(f, several((3,), calls=12), state)


def test_a_part_without_gradient_in_a_step_is_replayed():
    def f(s, x):
        with no_grad():
            scale = np.sum(s.w * x)
        loss = np.sum((s.w * x) ** 2) * scale.data
        s.w.cleargrad()
        loss.backward()
        s.w.data -= 0.001 * s.w.grad
        return loss.data

    same(f, several((3,), calls=12), state)


def test_a_graph_that_is_freed_in_a_step_is_replayed():
    def f(s, x):
        loss = np.sum((s.w * x) ** 2)
        s.w.cleargrad()
        loss.backward(free_graph=True)
        s.w.data -= 0.1 * s.w.grad
        return loss

    same(f, several((3,), calls=12), state)


def test_an_error_while_recording_leaves_no_recording_array_behind():
    s = state(kept=None)

    def f(x):
        s.kept = s.w * x
        s.n += 1
        s.w.data += x
        raise KeyError("as in the middle of a step")

    step = compiled(f)
    for n in range(3):
        with pytest.raises(KeyError):
            step(X)
        assert type(s.kept.data) is np.ndarray
        assert type(s.w.data) is np.ndarray
        assert s.n == n + 2
    assert bits(s.w.data) == bits(1.0 + 3 * X)


def test_what_is_read_only_cannot_be_written_on_replay():
    def f(x):
        x += 1.0
        return x * 2.0

    step = compiled(f)
    for _ in range(5):
        step(X.copy())
    x = X.copy()
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        step(x)
    assert bits(x) == bits(X)


def test_a_result_of_a_body_that_keeps_its_arrays_is_fresh():
    class Keeping(Function):
        def forward(self, x):
            self.kept = np.zeros(x.shape)
            self.kept[...] = x * 2.0
            return self.kept

        def backward(self, gy):
            return gy * self.kept

    def f(x):
        v = Variable(x)
        y = Keeping()(v)
        np.sum(y * 1.0).backward()
        return y.data, v.grad

    step, kept = compiled(f), []
    calls = several((70,), calls=8)
    for (x,) in calls:
        kept.append(step(x))
    assert bits(kept) == bits([f(x) for (x,) in calls])


@pytest.mark.parametrize("kind", ["F", "K", "C"])
def test_layouts_of_results_are_those_of_eager_code(kind):
    def f(x):
        y = x * 2.0
        return y, y.T + 1.0, np.exp(y), y.copy(kind), np.sum(y, axis=0, keepdims=True)

    step = compiled(f)
    for x in (np.arange(12.0).reshape(3, 4), np.asfortranarray(np.arange(12.0).reshape(3, 4))):
        for given in (x, x[::-1], x[:, ::2]):
            for _ in range(4):
                assert [y.strides for y in step(given)] == [y.strides for y in f(given)]
                assert bits(step(given)) == bits(f(given))


def test_a_deep_copy_of_a_result_array_is_one():
    step = compiled(lambda x: {"a": [x * 2.0]})
    for _ in range(5):
        y = step(X)
        assert bits(copy.deepcopy(y)) == bits(y)


def test_a_model_among_the_arguments_is_updated():
    def f(model, x):
        loss = np.sum((x * model.w) ** 2)
        model.w.cleargrad()
        loss.backward()
        model.w.data -= 0.1 * model.w.grad
        return loss.data

    mine, others = state(), state()
    step = compiled(f)
    for n in range(8):
        assert bits(step(others, X * n)) == bits(f(mine, X * n))
        assert bits(others.w.data) == bits(mine.w.data)
    third = state()
    assert bits(step(third, X)) == bits(f(state(), X))


def test_a_loop_that_ends_by_the_values_ends_where_eager_code_does():
    def newton(x):
        n = 0
        while np.max(np.abs(x * x - 2.0)) > 1e-12 and n < 50:
            x, n = x - (x * x - 2.0) / (2.0 * x), n + 1
        return x, n

    rng = np.random.default_rng(0)
    step = compiled(newton)
    for _ in range(60):
        x = rng.uniform(1.0, 3.0, 2)
        assert bits(step(x)) == bits(newton(x))
    assert step.stats["replayed"] > 30


@pytest.mark.parametrize(
    "keep",
    [
        lambda holder, y: holder.items.append(y),
        lambda holder, y: holder.named.update(y=y),
        lambda holder, y: setattr(holder, "y", y),
        lambda holder, y: holder.members.add(Variable(y)),
        lambda holder, y: holder.items.append((y, (1, y))),
        lambda holder, y: setattr(holder, "y", Pair(y, [y])),
    ],
    ids=["list", "dict", "attribute", "set", "tuple", "named tuple"],
)
def test_what_is_kept_elsewhere_is_kept_at_each_call(keep):
    def new():
        return SimpleNamespace(items=[], named={}, y=None, members=set())

    mine, others = new(), new()

    def f(holder, x):
        y = x * 2.0
        keep(holder, y)
        return y + 1.0

    step = compiled(lambda x: f(others, x), quiet=True)
    found = [bits(step(X * n)) for n in range(8)]
    assert found == [bits(f(mine, X * n)) for n in range(8)]
    assert step.stats["replayed"] == (0 if others.members else 5)
    assert bits(others.items) == bits(mine.items)
    assert bits(others.named) == bits(mine.named)
    assert bits(others.y) == bits(mine.y)
    assert len(others.members) == len(mine.members)
