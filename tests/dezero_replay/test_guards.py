"""A branch on a value is a guard: where it turns, what depends on it is run as written.

Promise: docs/how_replay_works.md
"""

from types import SimpleNamespace

import numpy as np
import pytest
from dezero_replay.tape.instructions import Guard

from dezero_core import Function, Parameter, Variable, no_grad, using_config
from dezero_core.extend import certain, possible
from dezero_ops_math import logsumexp
from dezero_replay import ReplayWarning, compiled
from tests.replayed import bits, same, several


def test_a_branch_in_a_body_runs_the_body_and_not_the_rest_eagerly():
    def f(x):
        v = Variable(x)
        y = logsumexp(v * 2.0)
        y.backward()
        return y, v.grad * 1.0

    x = np.array([0.5, 1.0])
    calls = [(x,), (x,), (x,), (x,), (np.array([-np.inf, 0.5]),), (x * -np.inf,), (x,)]
    with np.errstate(all="ignore"):
        step = same(f, calls)
    assert step.stats["recorded"] == 2
    assert sum(step.program.fallbacks.values()) >= 1


def test_a_body_whose_branch_keeps_turning_is_run_as_it_is():
    x = np.array([0.5, 1.0])
    calls = [(x,), (x,), *[(x * -np.inf,), (x,)] * 20]
    with np.errstate(all="ignore"):
        step = same(lambda x: logsumexp(Variable(x) * 2.0), calls)
    assert step.stats["recorded"] == 2
    assert list(step.program.fallbacks.values()) == [8]
    assert "LogSumExp.forward" in step.explain()


def test_branches_in_two_bodies_of_one_call_run_both_bodies():
    def f(x, y):
        return logsumexp(Variable(x) * 2.0) + logsumexp(Variable(y) * 2.0)

    x, y = np.array([0.5, 1.0]), np.array([2.0, -1.0])
    calls = [(x, y), (x, y), (x, y), (x, y), (x * -np.inf, y * np.inf), (x, y * np.inf)]
    with np.errstate(all="ignore"):
        step = same(f, calls)
    assert step.stats["recorded"] == 2
    assert sorted(step.program.fallbacks.values()) == [1, 2]


def test_a_branch_of_the_users_behind_one_in_a_body_is_seen():
    def f(x):
        y = logsumexp(Variable(x) * 2.0)
        return y * 2.0 if y.data > 0.0 else y * 3.0

    x = np.array([0.5, 1.0])
    with np.errstate(all="ignore"):
        step = same(f, [(x,), (x,), (x,), (x,), (x * -np.inf,), (x * -np.inf,), (x,)])
    assert step.stats["recorded"] == 4


def test_a_branch_that_turns_in_a_backward_leaves_the_forward_recorded():
    def slope(x):
        x = Variable(x)
        np.sum(np.logaddexp(np.zeros(2), x)).backward()
        return x.grad

    calls = [(np.array([float(n), 1.0]),) for n in (*range(-9, 0), *range(5, 20), -3, -2)]
    step = same(slope, calls)
    assert step.stats["recorded"] == 2
    (turned,) = [
        line for line in step.explain().splitlines() if "ran as it is written 8 times" in line
    ]
    assert turned.strip().startswith("LogAddExp.backward, at ")
    assert "opaqueforward" not in step.program.source()  # nobody reads it: it is not computed
    assert "opaquebackward" in step.program.source()


def test_python_numbers_are_part_of_the_key():
    same(lambda x, n: x * n, [(np.ones(3), n) for n in (2, 2, 2, 3, 2, 2.0, 2.0, 2.0, 3, 3)])
    same(lambda x, n: x * n, [(np.ones(1), z) for z in (0.0, 0.0, 0.0, -0.0, 0.0)])
    same(lambda x, n: x * n, [(np.ones(1), z) for z in (True, True, True, 1, True)])
    same(lambda x, n: x * n, [(np.ones(1), float("nan"))] * 4)


RATE = 0.5


def test_a_global_number_is_looked_at_in_each_call(monkeypatch):
    step = compiled(lambda x: x * RATE)
    for rate in (0.5, 0.25, 0.5, 0.125, 8.0, 9.0, 10.0):
        monkeypatch.setitem(globals(), "RATE", rate)
        for _ in range(3):
            assert (step(np.ones(2)) == rate).all()


def test_a_number_that_keeps_changing_becomes_an_input():
    settings = SimpleNamespace(rate=0.0)
    step = compiled(lambda x: x * settings.rate)
    x = np.array([1.0, 2.0], np.float32)
    for n in range(50):
        settings.rate = n / 7
        y = step(x)
        assert y.dtype == np.float32
        assert (y == x * (n / 7)).all()
        assert type(settings.rate) is float
    assert step.stats["recorded"] < 10
    assert step.stats["replayed"] > 30


def test_attributes_of_a_number_that_is_an_input_are_no_constants():
    settings = SimpleNamespace(rate=0.0, count=1)
    step = compiled(
        lambda x: x * settings.rate.real + settings.count.numerator * (settings.rate > 1.5).real
    )
    for n in range(40):
        settings.rate, settings.count = n // 4 * 0.5, n // 4
        assert (step(np.ones(2)) == settings.rate + settings.count * (settings.rate > 1.5)).all()
    assert step.stats["replayed"] > 10


def test_captured_arrays_are_read_anew():
    weights = np.ones(3)
    holder = SimpleNamespace(weights=weights)
    step = compiled(lambda x: x * holder.weights)
    for n in range(6):
        weights[1] = n
        assert (step(np.ones(3)) == weights).all()
    for n in range(6):
        holder.weights = np.full(3, n)
        assert (step(np.ones(3)) == n).all()


def test_what_is_made_of_a_captured_array_is_not_stale():
    signs = np.ones(3)
    step = compiled(lambda x: x * -signs)
    for n in range(20):
        signs[0] = n // 3
        assert (step(np.ones(3)) == -signs).all()


def test_a_large_captured_array_of_which_something_is_made_is_read_anew():
    signs = np.ones(10_000)
    step = compiled(lambda x: x * -signs + signs[0])
    for n in range(6):
        signs[0] = n
        assert (step(np.ones(10_000)) == signs[0] - signs).all()
    assert step.stats["replayed"] == 3


def test_a_large_array_of_a_class_of_which_something_is_made_is_read_anew():
    signs = np.ones(10_000)

    class Data:
        of_class = signs

    step = compiled(lambda x: x * -Data.of_class)
    for n in range(8):
        signs[0] = n
        assert (step(np.ones(10_000)) == -signs).all()
    Data.of_class = signs * 3.0
    for n in range(4):
        Data.of_class[1] = n
        assert (step(np.ones(10_000)) == -Data.of_class).all()
    assert step.stats["recorded"] == 2


def test_arguments_that_were_one_array_and_are_two_now_are_two():
    a, b, w = np.ones(3), np.full(3, 5.0), Parameter(np.ones(3))
    captured = [np.ones(3)]
    for f, once, now in (
        (lambda x, y: x * y, (a, a), (a, b)),
        (lambda x, y: x * y + x, (a, a), (b, a)),
        (lambda x, y: x * captured[0] + y, (captured[0], a), (b, a)),
        (lambda x, y: x * w.data + y, (w.data, a), (b, a)),
    ):
        step = compiled(f, audit=None)
        for _ in range(4):
            assert (step(*once) == f(*once)).all()
        for args in (now, once, now, once[::-1], now[::-1]):
            assert (step(*args) == f(*args)).all()


def test_settings_of_config_are_part_of_the_key():
    f = compiled(lambda x: np.sum(Variable(x) ** 2).creator is None)
    for _ in range(4):
        assert not f(np.ones(2))
        with no_grad():
            assert f(np.ones(2))
    g = compiled(lambda x: np.exp(Variable(x)))
    for _ in range(4):
        with using_config("warn_of_independence", False):
            g(np.ones(2))


def test_another_layer_in_the_place_of_one_is_seen():
    model = SimpleNamespace(
        layers=[SimpleNamespace(w=Parameter(np.full(2, n))) for n in (2.0, 3.0)]
    )

    def f(x):
        for layer in model.layers:
            x = x * layer.w
        return x.data

    step = compiled(f)
    for _ in range(4):
        assert (step(np.ones(2)) == 6.0).all()
    model.layers[1] = SimpleNamespace(w=Parameter(np.full(2, 5.0)))
    for _ in range(4):
        assert (step(np.ones(2)) == 10.0).all()
    model.layers.append(SimpleNamespace(w=Parameter(np.full(2, 7.0))))
    for _ in range(4):
        assert (step(np.ones(2)) == 70.0).all()
    model.layers[0].w.data = np.full(2, 1.0)
    assert (step(np.ones(2)) == 35.0).all()
    model.layers[0].w = Parameter(np.full(2, 2.0))
    assert (step(np.ones(2)) == 70.0).all()


def test_another_function_in_the_place_of_one_is_seen():
    model = SimpleNamespace(activation=np.tanh)
    step = compiled(lambda x: model.activation(Variable(x)).data)
    for _ in range(4):
        assert (step(np.ones(2)) == np.tanh(np.ones(2))).all()
    model.activation = np.exp
    assert (step(np.ones(2)) == np.exp(np.ones(2))).all()


def test_masks_comparisons_and_where_are_recorded():
    def f(x):
        v = Variable(x)
        kept = np.where(x > 0, v, 0.1 * v) * (v.data > -1)
        return np.sum(kept).data, x[x > 0].sum(), np.maximum(v, 0.0).data

    same(f, several((4,), calls=40), replayed=False)


def test_the_size_of_what_a_mask_picks_is_not_a_constant():
    calls = [(np.array(x),) for x in ([1.0, -1, 2], [1.0, 2, 3], [-1.0, -1, 2], [1.0, 1, -2]) * 4]
    same(lambda x: x[x > 0].sum() / x[x > 0].size, calls, replayed=False)


def test_a_gradient_that_is_there_before_the_call_is_added_to():
    w = Parameter(np.ones(3))

    def step(x):
        np.sum(x * w).backward()

    f = compiled(step)
    for _ in range(5):
        w.cleargrad()
        f(np.ones(3))
    for n in range(2, 8):
        f(np.ones(3))
        assert (w.grad == n).all()


def test_whether_there_is_a_gradient_may_decide():
    w = Parameter(np.ones(3))
    step = compiled(lambda x: x * (1.0 if w.grad is None else 2.0))
    for gradient in (None, np.ones(3), None, np.ones(3)):
        w.grad = gradient
        for _ in range(4):
            assert (step(np.ones(3)) == (1.0 if gradient is None else 2.0)).all()


def test_the_shape_of_a_parameter_of_which_no_value_is_read_is_looked_at():
    w = Parameter(np.ones(3))
    step = compiled(lambda x: x / w.shape[0])
    for size in (3, 4, 3):
        w.data = np.ones(size)
        for _ in range(4):
            assert (step(np.ones(2)) == 1.0 / size).all()


def test_gradients_of_two_parameters_are_two_arrays():
    a, b = Parameter(np.ones(3)), Parameter(np.ones(3))

    def step(x):
        a.cleargrad()
        b.cleargrad()
        np.sum((a + b) * x).backward()

    f = compiled(step)
    for _ in range(5):
        f(np.ones(3))
        a.grad *= 2.0
        assert (a.grad == 2.0).all()
        assert (b.grad == 1.0).all()


def test_an_error_of_the_users_leaves_everything_as_it_was():
    w = Parameter(np.ones(3))

    def step(x):
        if x.sum() < 0:
            raise ValueError("negative")
        w.data += x
        return w.data * 1.0

    f = compiled(step)
    for _ in range(4):
        f(np.ones(3))
    with pytest.raises(ValueError, match="negative"):
        f(-np.ones(3))
    assert (w.data == 5.0).all()
    assert type(w.data) is np.ndarray
    assert (f(np.ones(3)) == 6.0).all()


def test_errstate_of_the_users_own_code_holds_whatever_held_around_the_recording():
    def f(x):
        with np.errstate(over="ignore", invalid="ignore"):
            return np.exp(x) - np.inf * x

    step = compiled(f)
    x = np.array([1e3, 0.0])
    with np.errstate(all="ignore"):
        for _ in range(4):
            step(x)
    with np.errstate(all="raise"):
        for _ in range(4):
            step(x)
    assert len(step.programs) == 2
    assert step.stats["replayed"] == 2


def test_a_number_that_does_not_fit_raises_as_in_eager_code():
    step, x = compiled(lambda x, n: x * n, audit=None), np.ones(3, np.int8)
    for n in (1, 2, 3, 4, 5, 6, 100, 127, -128):
        assert bits(step(x, n)) == bits(x * n)
    assert step.stats["replayed"] == 7
    for n in (300, -129):
        with pytest.raises(OverflowError, match="out of bounds for int8"):
            step(x, n)
    assert bits(step(x, 7)) == bits(x * 7)


@pytest.mark.parametrize("size", [2, 100])
def test_a_guard_that_all_is_finite_sees_nan_and_infinity(size):
    def f(x):
        return x if not np.isfinite(x).all() else x * 2.0

    step = compiled(f, audit=None)
    for value in (1.0, 1.0, 1.0, np.nan, 1.0, np.inf, -np.inf, 1e300, 2.0):
        x = np.linspace(1.0, 2.0, size)
        x[-1] = value
        assert bits(step(x)) == bits(f(x))
    assert step.stats["replayed"] > 2


def test_a_constant_and_the_vector_of_a_guard_have_names_of_their_own():
    def make():
        w, counts = Parameter(np.full(4096, 0.1)), SimpleNamespace(t=0)

        def f(x):
            counts.t += 1
            loss = np.sum(np.maximum(x * w, 0.0) ** 2)
            w.cleargrad()
            loss.backward()
            m = w.grad / (1.0 - 0.9**counts.t)
            return m * 0.003, np.sqrt(np.abs(m)) + 1e-8, m * (1 - 0.9) + (1 - 0.999) * m**2

        return f

    eager, step = make(), compiled(make(), audit=None)
    for (x,) in several((4096,), calls=8):
        assert bits(step(x)) == bits(eager(x))
    assert step.stats["replayed"] > 3


class Halved(Function):
    """Takes a short way, where it is certain to be one."""

    def forward(self, x):
        if certain((x > 0.0).all()):
            return x * 0.5
        return np.where(x > 0.0, x * 0.5, x) if possible((x > 0.0).any()) else x * 1.0

    def backward(self, gy):
        return gy


def test_certain_and_possible_are_answered_by_the_array_and_guarded():
    x = np.array([1.0, 2.0, -3.0])
    step = same(lambda x: Halved()(Variable(x)), [(x,), (x,), (x,), (x,), (abs(x),), (-abs(x),)])
    guards = [each for each in step.program.usual.instructions if type(each) is Guard]
    assert [(each.call, each.expected) for each in guards] == [(bool, False), (bool, True)]
    assert list(step.program.fallbacks.values()) == [2]


def test_clear_forgets_programs_numbers_and_why_it_stays_eager():
    settings = SimpleNamespace(leave=False)
    step = compiled(lambda x: x.tolist() if settings.leave else x * 2.0)
    for _ in range(3):
        step(np.ones(3))
    step.clear()
    assert step.programs == step.keys == ()
    assert not any(step.stats.values())
    settings.leave = True
    with pytest.warns(ReplayWarning, match="tolist"):
        step(np.ones(3))
    assert len(step.reasons) == 1
    settings.leave = False
    step.clear()
    assert step.reasons == {}
    for _ in range(3):
        assert (step(np.ones(3)) == 2.0).all()
    assert step.stats["replayed"] == 1
