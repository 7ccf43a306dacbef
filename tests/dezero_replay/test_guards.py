from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Parameter, Variable, no_grad, using_config
from dezero_replay import ReplayWarning, compiled
from tests.replayed import bits, same, several


def test_each_shape_and_dtype_has_a_program():
    calls = [*several((3,)), *several((2, 3)), *several((3,), dtype=np.float32), *several((3,))]
    step = same(lambda x: np.exp(x) / x.size, calls)
    assert len(step.programs) == 3


def test_a_branch_of_the_users_has_a_program_for_each_way():
    calls = several((3,), calls=30)
    step = same(lambda x: np.exp(x) if x.sum() > 0 else x * 3.0, calls)
    assert len(step.programs) == 2


def test_a_branch_in_a_body_runs_the_body_and_not_the_rest_eagerly():
    x = np.array([0.5, 1.0])
    calls = [(x,), (x,), (x,), (np.array([-200.0, 900.0]),), (x,), (x * np.inf,), (x,)]
    with np.errstate(all="ignore"):
        step = same(lambda x: np.logaddexp(Variable(x), 0.0), calls)
    assert step.stats["recorded"] == 2


def test_python_numbers_are_part_of_the_key():
    same(lambda x, n: x * n, [(np.ones(3), n) for n in (2, 2, 2, 3, 2, 2.0, 2.0, 2.0, 3, 3)])
    same(lambda x, n: x * n, [(np.ones(1), z) for z in (0.0, 0.0, 0.0, -0.0, 0.0)])
    same(lambda x, n: x * n, [(np.ones(1), z) for z in (True, True, True, 1, True)])
    same(lambda x, n: x * n, [(np.ones(1), float("nan"))] * 4)


def test_a_number_that_the_function_reads_is_looked_at_in_each_call():
    settings = SimpleNamespace(power=2, nested={"items": [1, 2]})

    def f(x):
        return x**settings.power + settings.nested["items"][1]

    step = compiled(f)
    x = np.array([1.5, 2.0])
    for power, item in ((2, 2), (2, 2), (2, 2), (3, 2), (2, 2), (2, 5), (3, 5), (2, 2)):
        settings.power, settings.nested["items"][1] = power, item
        for _ in range(4):
            assert (step(x) == x**power + item).all()


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


def test_an_argument_that_keeps_changing_becomes_an_input():
    step = same(lambda x, rate: x * rate, [(np.ones(3), n / 7) for n in range(60)])
    assert step.stats["recorded"] < 12


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


def test_a_large_array_in_a_tuple_of_which_something_is_made_keeps_it_eager():
    signs = np.ones(10_000)
    several = (signs,)
    step = compiled(lambda x: x * -several[0])

    def call_several_times():
        for n in range(4):
            signs[0] = n
            assert (step(np.ones(10_000)) == -signs).all()

    with pytest.warns(ReplayWarning, match="make it an argument, or a Variable"):
        call_several_times()


def test_two_arguments_that_are_one_array_have_a_program_of_their_own():
    def f(x, y):
        x += 1.0
        return y * 2.0

    step = compiled(f)
    for n in range(4):
        x, y = np.full(3, float(n)), np.full(3, 5.0)
        assert (step(x, y) == 10.0).all()
    for n in range(4):
        x = np.full(3, float(n))
        assert (step(x, x) == 2 * n + 2).all()
        assert (x == n + 1).all()

    def call_several_times():
        for n in range(4):
            x = np.full(3, float(n))
            assert (step(x[:2], x[1:]) == [2 * n + 2, 2 * n]).all()

    with pytest.warns(ReplayWarning, match="two arrays share memory"):
        call_several_times()


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


def test_a_number_that_does_not_fit_raises_as_in_eager_code():
    step, x = compiled(lambda x, n: x * n, audit=None), np.ones(3, np.int8)
    for n in (1, 2, 3, 4, 5, 6, 100, 127, -128):
        assert bits(step(x, n)) == bits(x * n)
    assert step.stats["replayed"] == 5
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
