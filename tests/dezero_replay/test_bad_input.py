"""A function that cannot be compiled is refused at once or stays eager, with the reason.

Promise: docs/how_replay_works.md
"""

import copy
import hashlib
import pickle
import signal
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, Parameter, Variable, hookimpl, register, unregister
from dezero_replay import ReplayError, ReplayWarning, compiled
from dezero_tools import checked, observe
from tests.replayed import same, several


def test_generators_and_coroutines_are_refused():
    def generator(x):
        yield x

    async def coroutine(x):
        return x

    async def both(x):
        yield x

    for f in (generator, coroutine, both):
        with pytest.raises(TypeError, match="compiled"):
            compiled(f)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"max_programs": 0}, "max_programs"),
        ({"max_bytes": -1}, "max_bytes"),
        ({"audit": "always"}, "audit"),
        ({"audit": 0}, "audit"),
        ({"executor": "nobody"}, "nobody"),
        ({"threads": 0}, "threads"),
    ],
)
def test_wrong_options_are_refused_at_once(options, named):
    with pytest.raises((TypeError, ValueError, LookupError), match=named):
        compiled(lambda x: x, **options)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="takes a function"):
        compiled(np.ones(3))


def test_a_function_of_numbers_alone_is_replayed():
    seen = []

    def f(n):
        seen.append(n)
        return n + 1

    step = compiled(f)
    assert [step(n) for n in range(6)] == [1, 2, 3, 4, 5, 6]
    assert seen == [0, 1, 2, 3, 4, 5]
    assert step.stats["replayed"] > 0


def test_a_function_without_arrays_and_numbers_is_replayed():
    step = compiled(lambda name: name.upper())
    assert [step(name) for name in "aabbaabb"] == [*"AABBAABB"]
    assert step.stats["replayed"] > 0


def test_a_function_that_stays_eager_is_not_warned_of_where_that_is_not_wanted():
    step = compiled(lambda x: x.tolist(), quiet=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [step(np.full(1, n)) for n in range(4)] == [[0], [1], [2], [3]]
    assert step.stats["eager"] == 4


def test_a_result_that_is_no_tree_keeps_it_eager():
    step = compiled(lambda x: SimpleNamespace(y=x * 2.0))
    with pytest.warns(ReplayWarning, match="SimpleNamespace"):
        results = [step(np.full(2, float(n))).y for n in range(4)]
    assert [(type(y), y[0]) for y in results] == [(np.ndarray, 2.0 * n) for n in range(4)]


def test_a_function_that_calls_itself_is_recorded_as_a_whole():
    @compiled
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    for _ in range(5):
        assert (power(np.array([2.0, 3.0]), 4) == [16.0, 81.0]).all()
    assert power.stats["replayed"] == 2


NO_NUMBERS = {
    "objects": np.array([1, "a"], object),
    "strings": np.array(["a", "b"]),
    "dates": np.array(["2001-01-01", "2002-02-02"], "M8[D]"),
    "masked": np.ma.masked_array([1.0, 2.0], [False, True]),
    "structured": np.array([(1, 2.0), (2, 3.0)], [("a", int), ("b", float)]),
}


@pytest.mark.parametrize("x", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_arrays_that_are_not_of_numbers_have_the_results_of_eager_code(x):
    step, other = compiled(lambda x: x[:1].copy(), quiet=True), x.copy()
    other[0] = x[1]
    for given in [x] * 4 + [other] * 4 + [x[1:]] * 4 + [x] * 2:
        got = step(given)
        assert type(got) is type(x)
        assert repr(got) == repr(given[:1])
        got[0] = other[1]  # it is the caller's
    assert repr(x[:1]) != repr(other[:1])


@pytest.mark.parametrize("x", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_a_view_of_an_array_that_is_no_numbers_is_a_view(x):
    step, first, x = compiled(lambda x: x[:1], quiet=True), x.copy(), x.copy()
    for _ in range(6):
        step(x)[0] = x[1]
        assert repr(x[:1]) == repr(x[1:])
        x[...] = first


def test_arrays_of_objects_and_masked_ones_run_eagerly():
    for x in (NO_NUMBERS["objects"], NO_NUMBERS["masked"]):
        step = compiled(lambda x: x[:1])
        with pytest.warns(ReplayWarning) as caught:
            step(x)
        assert len(caught) == 1
        for _ in range(4):
            step(x)
        assert step.stats["eager"] == 5


def test_an_out_argument_is_written_into():
    def f(x, *, out):
        return np.exp(x, out=out)

    step = compiled(f)
    for n in range(5):
        x, out = np.full(3, float(n)), np.zeros(3)
        step(x, out=out)
        assert (out == np.exp(x)).all()


def test_a_plugin_that_is_unloaded_is_not_replayed():
    class Twice(Function):
        def forward(self, x):
            return x * 2.0

    def twice(x):
        return Twice()(x)

    class plugin:
        @staticmethod
        @hookimpl
        def dezero_register_ops(register):
            register("twice", twice, methods="twice")

    register(plugin)
    step = compiled(lambda x: Variable(x).twice())
    for _ in range(4):
        assert (step(np.ones(2)).data == 2.0).all()
    unregister(plugin)
    with pytest.raises(AttributeError, match="twice"):
        step(np.ones(2))
    register(plugin)
    assert (step(np.ones(2)).data == 2.0).all()
    unregister(plugin)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="it needs a timer of the system")
def test_an_interrupt_in_the_middle_leaves_no_effect():
    w = Parameter(np.ones(100_000))

    def step(x):
        w.data *= 2.0
        y = x * w
        for _ in range(50):
            y = np.sin(y)
        w.data += 1.0
        return y

    def interrupt(*_):
        raise KeyboardInterrupt

    f, x = compiled(step), np.ones(100_000)
    for _ in range(4):
        f(x)
    before = w.data.copy()
    usual = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(KeyboardInterrupt):
            f(x)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)
    assert (w.data == before).all()
    f(x)
    assert (w.data == 2.0 * before + 1.0).all()


def test_it_cannot_be_pickled_or_copied():
    step = compiled(np.exp)
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="eager"):
            attempt(step)


def test_under_observers_and_checked_calls_are_eager():
    step = compiled(lambda x: np.exp(Variable(x)).data)
    for _ in range(4):
        step(np.ones(3))
    with observe("time") as times:
        step(np.ones(3))
    assert [row.operation for row in times.rows()] == ["Exp"]
    with checked():
        step(np.ones(3))
    assert step.stats["eager"] == 2


def test_the_environment_switches_it_off(monkeypatch):
    step = compiled(lambda x: x * 2.0)
    monkeypatch.setenv("DEZERO_REPLAY", "0")
    for _ in range(4):
        assert (step(np.ones(2)) == 2.0).all()
    assert step.stats["eager"] == 4


def test_strict_raises_what_would_be_a_warning():
    step = compiled(lambda x: x.tolist(), strict=True)
    with pytest.raises(ReplayError, match=r"\.tolist\(\)"):
        step(np.ones(3))


def test_an_error_of_a_function_holds_the_arrays_that_eager_code_has():
    def f(x):
        y = x * 2.0
        if y[0] > 1.0:
            raise ValueError("no luck with", y)
        return y

    step = compiled(f)
    with pytest.raises(ValueError, match="no luck with") as caught:
        step(np.ones(3))
    assert type(caught.value.args[1]) is np.ndarray
    for _ in range(4):
        assert (step(np.zeros(3)) == 0.0).all()
    assert step.stats["replayed"] > 0
    with pytest.raises(ValueError, match="no luck with") as caught:
        step(np.ones(3))
    assert type(caught.value.args[1]) is np.ndarray


def test_a_profiler_sees_eager_code():
    import cProfile

    step = compiled(lambda x: np.exp(Variable(x)).data)
    for _ in range(4):
        step(np.ones(3))
    with cProfile.Profile():
        step(np.ones(3))
    assert step.stats["eager"] == 1


def test_it_is_explained_in_words():
    settings = SimpleNamespace(scale=2.0, w=Parameter(np.ones(3)))

    def f(x):
        return x * settings.w * settings.scale

    step = compiled(f)
    for _ in range(5):
        step(np.ones(3))
    text = step.explain()
    assert "settings.scale is 2.0" in text
    assert "settings.w.data" in text
    assert "argument 0: float64[3]" in text
    assert "def program(" in str(step.program)
    same(f, several((3,)))


def compares(x):
    return x * 2.0 if type(x) is np.ndarray else x * 3.0


def compares_later(x):
    kind = type(x)
    return x * 2.0 if kind == np.ndarray else x * 3.0


def compares_in_an_inner_function(x):
    def inner():
        return {np.ndarray: 2.0}.get(type(x), 3.0)

    return x * inner()


@pytest.mark.parametrize("f", [compares, compares_later, compares_in_an_inner_function])
def test_a_function_that_compares_types_of_arrays_is_replayed(f):
    step = same(f, several((2,)), quiet=True)
    assert (step(np.ones(2)) == 2.0).all()
    for n in range(4):
        assert step(np.float64(n)) == 3.0 * n


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * len(memoryview(x)),
        lambda x: x * np.frombuffer(x, np.uint8).sum(),
        lambda x: x * hashlib.sha256(x).digest()[0],
    ],
    ids=["memoryview", "frombuffer", "hashlib"],
)
def test_a_function_that_asks_for_the_memory_of_arrays_stays_eager(function):
    step, x = compiled(function), np.arange(4)
    with pytest.warns(ReplayWarning, match="calls .*, which a replay would not do"):
        assert (step(x) == function(x)).all()
    assert (step(x) == function(x)).all()


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_bytes_of_an_array_are_those_of_its_memory(kind):
    step, x = compiled(lambda x: x * len(kind(x))), np.arange(4)
    with pytest.warns(ReplayWarning, match=rf"calls {kind.__name__}\(\), whose result is"):
        assert (step(x) == x * 32).all()
    assert (step(x) == x * 32).all()


def test_a_function_that_names_a_type_in_an_error_is_replayed():
    def step(x):
        if x.dtype.kind not in "f":
            raise TypeError(f"{type(x)} has the dtype {x.dtype}", type(x).__name__)
        return x.astype(int) * 2.0

    same(step, several((3,)))


def test_an_observer_within_a_function_sees_each_call():
    def calls_seen(function):
        found = []
        for _ in range(3):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ReplayWarning)
                found.append(function(np.ones(3)))
        return found

    def f(x):
        with observe("time") as times:
            np.sum(np.exp(Variable(x))).backward()
        return len(times.rows())

    assert calls_seen(compiled(f)) == calls_seen(f)
    with pytest.warns(ReplayWarning, match=r"observe\(\) or checked\(\) watch the function"):
        compiled(f)(np.ones(3))
    watching = observe("nan")

    def g(x):
        with watching:
            return np.exp(Variable(x)).data

    with pytest.warns(ReplayWarning, match=r"observe\(\) or checked\(\) watch the function"):
        compiled(g)(np.ones(3))
