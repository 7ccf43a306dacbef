"""State that a call changes while it is recorded: as eager code leaves it, and nothing twice.

Promise: docs/how_replay_works.md
"""

import itertools
from collections import namedtuple
from contextlib import nullcontext
from contextvars import ContextVar
from queue import SimpleQueue
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function
from dezero_replay import compiled
from tests.replayed import same, several


def _side_by_side(make, replayed=False):
    """Compare a function eagerly and compiled; `make()` returns one with state of its own."""
    eager = make()
    step = compiled(make(), audit=None)
    for number, (x,) in enumerate(several(3, calls=8)):
        assert (step(x) == eager(x)).all(), f"call {number}"
    assert (step.stats["replayed"] > 0) is replayed, step.explain()


def test_a_context_variable_that_a_call_sets_stays_set():
    def make():
        count = ContextVar("count", default=1.0)

        def f(x):
            count.set(count.get() + 1.0)
            return x * count.get()

        return f

    _side_by_side(make, replayed=True)


def test_a_context_variable_that_a_call_resets_is_replayed():
    def make():
        count = ContextVar("count", default=1.0)

        def f(x):
            token = count.set(3.0)
            y = x * count.get()
            count.reset(token)
            return y * count.get()

        return f

    _side_by_side(make, replayed=True)


@pytest.mark.filterwarnings("ignore::dezero_replay.ReplayWarning")
def test_a_call_that_leaves_numpy_with_other_errors_is_eager():
    def f(x):
        y = 1.0 / x
        np.seterr(divide="raise")
        return y

    step = compiled(f, audit=None)
    with np.errstate(divide="ignore"):
        for _ in range(4):
            step(np.ones(3))
        with pytest.raises(FloatingPointError):
            step(np.zeros(3))
    assert "seterr, which a replay would not do" in step.explain()


@pytest.mark.filterwarnings("ignore::dezero_replay.ReplayWarning")
@pytest.mark.parametrize("end", ["stops", "raises", "reads what the body has changed", "goes on"])
def test_a_body_that_acts_acts_once_in_a_call_whatever_comes_after_it(end):
    seen, later = [], SimpleQueue()

    class Noted(Function):
        def forward(self, x):
            seen.append(x.tolist())
            return x * 2.0

        def backward(self, gy):
            return gy

    def f(x):
        before = len(seen)
        y = Noted()(x).data
        if end == "stops":
            later.put(y)
        if end == "raises":
            raise ValueError(end)
        return y * (len(seen) - before) if end.startswith("reads") else y

    step = compiled(f, audit=None)
    for number in range(12):
        with pytest.raises(ValueError, match=end) if end == "raises" else nullcontext():
            assert (step(np.full(3, float(number))) == 2.0 * number).all()
        assert seen == [[float(n)] * 3 for n in range(number + 1)]


def _in_a_dict():
    state = {"mean": np.zeros(3)}

    def update(x):
        state["mean"] = 0.9 * state["mean"] + x
        return state["mean"]

    return update


def _in_a_list():
    state = [np.zeros(3)]

    def update(x):
        state[0] = 0.9 * state[0] + x
        return state[0]

    return update


def _in_an_attribute():
    state = SimpleNamespace(mean=np.zeros(3))

    def update(x):
        state.mean = 0.9 * state.mean + x
        return state.mean

    return update


def _in_a_new_attribute():
    state = SimpleNamespace()

    def update(x):
        state.mean = 0.9 * getattr(state, "mean", 0.0) + x
        return state.mean

    return update


def _in_a_class():
    class State:
        mean = np.zeros(3)

    def update(x):
        State.mean = 0.9 * State.mean + x
        return State.mean

    return update


def _in_a_string():
    state = SimpleNamespace(name="a")

    def update(x):
        state.name += "a"
        return x * len(state.name)

    return update


def _in_a_tuple():
    state = SimpleNamespace(seen=())

    def update(x):
        state.seen = (*state.seen, 1)
        return x * len(state.seen)

    return update


def _in_a_global():
    globals().pop("_mean", None)

    def update(x):
        global _mean
        try:
            _mean = _mean + x
        except NameError:
            _mean = 0.0 * x
        return _mean

    return update


def _in_an_iterator():
    numbers = itertools.count(1)

    def update(x):
        return x * next(numbers)

    return update


_UPDATES = [
    *(_in_a_dict, _in_a_list, _in_an_attribute, _in_a_new_attribute),
    *(_in_a_class, _in_a_string, _in_a_tuple, _in_an_iterator),
]


@pytest.mark.filterwarnings("ignore::dezero_replay.ReplayWarning")
@pytest.mark.parametrize("make_update", _UPDATES)
def test_a_body_that_sets_something_else_in_place_runs_once_in_a_call(make_update):
    def make():
        update = make_update()

        class Centred(Function):
            def forward(self, x):
                return x - update(x)

            def backward(self, gy):
                return gy

        return lambda x: Centred()(x).data

    _side_by_side(make)


@pytest.mark.filterwarnings("ignore::dezero_replay.ReplayWarning")
def test_a_body_that_makes_a_global_runs_once_in_the_first_call():
    update = _in_a_global()

    class Centred(Function):
        def forward(self, x):
            return x - update(x)

        def backward(self, gy):
            return gy

    step = compiled(lambda x: Centred()(x).data, audit=None)
    for number in range(6):
        assert (step(np.ones(3)) == 1.0 - number).all()


def _steps():
    rate = 1.0
    for number in itertools.count():
        yield rate if number < 4 else 5.0


@pytest.mark.filterwarnings("ignore::dezero_replay.ReplayWarning")
@pytest.mark.parametrize(
    "make_iterator",
    [_steps, lambda: itertools.chain([1.0] * 4, [5.0] * 9), lambda: iter([1.0] * 4 + [5.0] * 9)],
)
def test_a_captured_iterator_moves_in_each_call(make_iterator):
    def make():
        numbers = make_iterator()
        return lambda x: x * next(numbers)

    _side_by_side(make)


@pytest.mark.filterwarnings("ignore::dezero_replay.ReplayWarning")
@pytest.mark.parametrize("value", [np.ones(3), 0.0, 1])
def test_a_context_variable_is_compared_by_type_and_content(value):
    rate = ContextVar("rate", default=value)
    step = compiled(lambda x: x * rate.get(), audit=None)
    for other in (value, value, value, -value, value + 0.0, value + 0j, True):
        rate.set(other)
        got, expected = step(np.zeros(3, int)), step.eager(np.zeros(3, int))
        assert (got.dtype, got.tobytes()) == (expected.dtype, expected.tobytes())
    if isinstance(value, np.ndarray):
        rate.set(value)
        for number in range(6):
            value[...] = number // 3
            assert (step(np.ones(3)) == value).all()


def _takes_an_item(state, x):
    return x + state.queue.pop()


def _sets_none_for_a_tuple(state, x):
    y = x if state.pair is None else x * state.pair[0]
    state.pair = None
    return y


def _sets_a_longer_tuple(state, x):
    y = x * state.pair[0] * len(state.pair)
    state.pair = (*state.pair, 1.0)
    return y


def _state():
    return SimpleNamespace(
        queue=[np.full(3, number + 1.0) for number in range(9)],
        pair=(np.full(3, 2.0), 3.0),
    )


@pytest.mark.parametrize("function", [_takes_an_item, _sets_none_for_a_tuple, _sets_a_longer_tuple])
def test_a_captured_array_may_be_gone_at_the_end(function):
    same(function, several(3), _state, replayed=False)


@pytest.mark.filterwarnings("ignore::dezero_replay.ReplayWarning")
@pytest.mark.parametrize("scale", [2.0, np.full(3, 2.0)])
def test_a_captured_attribute_may_be_deleted(scale):
    state = SimpleNamespace(scale=scale)

    def f(x):
        y = x * state.scale
        del state.scale
        return y

    step = compiled(f, audit=None)
    for number in range(8):
        state.scale = scale * number
        assert (step(np.ones(3)) == scale * number).all()
        assert vars(state) == {}


@pytest.mark.filterwarnings("ignore::dezero_replay.ReplayWarning")
def test_a_number_that_is_an_input_may_be_deleted():
    state = SimpleNamespace(scale=0.0)

    def f(x):
        y = x * state.scale
        if y[0] > 9.0:
            del state.scale
        return y

    step = compiled(f, audit=None)
    for number in range(14):
        state.scale = float(number)
        assert (step(np.ones(3)) == float(number)).all()
        assert hasattr(state, "scale") is (number < 10)
    assert step.stats["replayed"] > 0


@pytest.mark.filterwarnings("ignore::dezero_replay.ReplayWarning")
def test_a_class_that_keeps_an_array_of_a_recording_has_the_array_itself():
    class Kept:
        last = None

    def f(x):
        Kept.last = x * 2.0
        return x + 1.0

    step = compiled(f, audit=None)
    for x in np.arange(8.0):
        step(np.full(3, x))
        assert type(Kept.last) is np.ndarray
        assert (Kept.last == 2.0 * x).all()


class Data(namedtuple("Data", ["x", "rate"])):
    pass


def test_attributes_of_a_named_tuple_are_there_while_recording():
    data = Data(np.ones(3), 2.0)
    data.scale = np.full(3, 3.0)
    step = compiled(lambda x: x * data.x * data.rate * data.scale, audit=None)
    for number in range(12):
        data.x[...] = number // 4
        data.scale[...] = number // 6 + 1.0
        assert (step(np.ones(3)) == (number // 4) * 2.0 * (number // 6 + 1.0)).all()
    assert step.stats["replayed"] > 0


def test_the_array_of_a_mean_may_be_given_by_name():
    same(lambda x: np.mean(a=x) + np.mean(a=x, axis=0) + np.sum(a=x), several((4, 3)))
