"""Observers see the calls of their block, and nobody else's; without them nothing has changed."""

import asyncio
import io
import re
import sys
import threading
import tracemalloc
from contextlib import ExitStack, nullcontext

import numpy as np
import pytest
from dezero_tools.observers import Memory, Times, Trace

import dezero_core
from dezero_core import (
    Config,
    Function,
    GraphError,
    PluginConflictError,
    PluginError,
    Variable,
    grad,
    hookimpl,
    no_grad,
)
from dezero_tools import NotFiniteError, Observer, UnknownObserverError, observe


class Square(Function):
    def forward(self, x):
        return x * x

    def backward(self, gy):
        return Product()(self.inputs[0].data, gy) if isinstance(gy, Variable) else 2.0 * gy * self.x

    @property
    def x(self):
        return self.inputs[0].data


class Product(Function):
    """Twice the product: the gradient of the square, as a Function of its own."""

    def forward(self, x, gy):
        return 2.0 * x * gy

    def backward(self, g):
        x, gy = (each.data for each in self.inputs)
        return 2.0 * g * gy, 2.0 * g * x


class Inverse(Function):
    def forward(self, x):
        with np.errstate(all="ignore"):
            return 1.0 / x

    def backward(self, gy):
        with np.errstate(all="ignore"):
            return -gy / self.inputs[0].data ** 2


class Root(Function):
    saves = ("outputs",)

    def forward(self, x):
        return np.sqrt(x)

    def backward(self, gy):
        with np.errstate(all="ignore"):
            return gy / (2.0 * self.outputs[0]().data)


class Halves(Function):
    """Two results, one of them of integers."""

    def forward(self, x):
        return x / 2.0, np.arange(3)

    def backward(self, gy, gn):
        return gy / 2.0


class Seen(Observer):
    """Notes what it is shown."""

    def __init__(self):
        self.calls, self.nodes, self.events = [], [], []

    def start(self):
        self.events.append("start")

    def stop(self):
        self.events.append("stop")

    def before(self, call):
        assert call.outputs == ()
        self.events.append(f"before {call.operation}.{call.method}")

    def after(self, call):
        self.calls.append(call)
        self.events.append(f"after {call.operation}.{call.method}")

    def recorded(self, function):
        self.nodes.append(function)


def line_here(offset=0):
    frame = sys._getframe(1)
    return f"{frame.f_code.co_filename}:{frame.f_lineno + offset}"


@pytest.fixture
def x():
    return Variable(np.array([1.0, 2.0, 3.0]))


def test_an_observer_sees_each_call_with_its_arrays_and_the_line_that_made_it(x):
    seen = Seen()
    with observe(seen) as given:
        y, where = Square()(x), line_here()
        y.backward()
    assert given is seen
    assert seen.events == [
        *("start", "before Square.forward", "after Square.forward"),
        *("before Square.backward", "after Square.backward", "stop"),
    ]
    forward, backward = seen.calls
    assert (forward.where, backward.where) == (where, where)
    assert forward.function is backward.function is y.creator is seen.nodes[0]
    assert forward.inputs[0] is x.data
    assert forward.outputs[0] is y.data
    np.testing.assert_array_equal(backward.inputs[0], [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(backward.outputs[0], [2.0, 4.0, 6.0])
    assert (forward.plugin, forward.parent) == (__name__, None)


def test_results_and_gradients_are_those_without_an_observer(x):
    plain = Square()(Square()(x))
    plain.backward()
    expected, x.grad = x.grad, None
    with observe(Seen()):
        y = Square()(Square()(x))
        y.backward()
    np.testing.assert_array_equal(y.data, plain.data)
    np.testing.assert_array_equal(x.grad, expected)


@pytest.mark.parametrize("recorded", [True, False])
def test_an_observer_under_no_grad_sees_calls_and_no_nodes(recorded, x):
    seen = Seen()
    with observe(seen):
        with dezero_core.using_config("enable_backprop", recorded):
            assert Config.enable_backprop is recorded
            y = Square()(x)
        assert Config.enable_backprop
    assert (len(seen.calls), len(seen.nodes)) == (1, int(recorded))
    assert (y.creator is not None) == recorded
    with no_grad():
        where = line_here(-1)
        with observe(seen):
            assert not Config.enable_backprop
            y = Square()(x)
    assert len(seen.calls) == 2
    with pytest.raises(RuntimeError, match=re.escape(where)):
        y.backward()


def test_a_setting_of_config_in_the_block_keeps_the_observer(x):
    seen = Seen()
    with observe(seen):
        Config.enable_backprop = False
        Square()(x)
        Config.enable_backprop = True
        Square()(x)
    assert (len(seen.calls), len(seen.nodes)) == (2, 1)


def test_an_operation_on_constants_is_not_shown_as_a_node():
    seen = Seen()
    with observe(seen):
        Square()(np.array(3.0))
    assert (len(seen.calls), seen.nodes) == (1, [])


def test_blocks_of_observers_nest_and_end_in_order(x):
    outer, inner = Seen(), Seen()
    with observe(outer):
        Square()(x)
        with observe(inner):
            Inverse()(x)
        Root()(x)
    Square()(x)
    assert [call.operation for call in outer.calls] == ["Square", "Inverse", "Root"]
    assert [call.operation for call in inner.calls] == ["Inverse"]


def test_several_observers_of_one_block_are_given_as_a_tuple(x):
    one, two = Seen(), Seen()
    with observe(one, two) as both:
        Square()(x)
    assert both == (one, two)
    assert one.calls == two.calls
    with pytest.raises(TypeError, match=r"at least one observer\. There are memory, nan, time"):
        observe()


def test_calls_are_shown_in_the_order_of_the_observers_and_their_end_in_the_reverse(x):
    events = []

    class Named(Observer):
        def __init__(self, name):
            self.name = name

        def start(self):
            events.append(f"start {self.name}")

        def stop(self):
            events.append(f"stop {self.name}")

        def before(self, call):
            events.append(f"before {self.name}")

        def after(self, call):
            events.append(f"after {self.name}")

    with observe(Named("a")), observe(Named("b"), Named("c")):
        Square()(x)
    assert events == [
        *("start a", "start b", "start c"),
        *("before a", "before b", "before c", "after c", "after b", "after a"),
        *("stop c", "stop b", "stop a"),
    ]


@pytest.mark.parametrize("method", ["start", "stop"])
def test_an_observer_that_fails_to_start_or_stop_leaves_no_other_one_running(method, x):
    def fail(self):
        raise ValueError("no luck")

    failing = type("Failing", (Observer,), {method: fail})()
    one, two = Seen(), Seen()
    with pytest.raises(ValueError, match="no luck"), observe(one, "memory", failing, two):
        pass
    Square()(x)
    assert one.events == ["start", "stop"]
    assert two.events == ([] if method == "start" else ["start", "stop"])
    assert not tracemalloc.is_tracing()
    assert type(dezero_core.config.backprop.get()) is bool


@pytest.mark.parametrize("kind", [Seen, Times, Memory])
def test_an_observer_of_two_blocks_sees_each_call_once(kind, x):
    observer = kind()
    with observe(observer):
        with observe(observer, observer):
            Square()(x)
        assert tracemalloc.is_tracing() is (kind is Memory)
        Square()(x)
    Square()(x)
    assert not tracemalloc.is_tracing()
    if kind is Seen:
        assert len(observer.calls) == 2
        return
    (row,) = observer.rows()
    assert (row.calls if kind is Memory else row.forward.calls) == 2


@pytest.mark.parametrize("method", ["before", "after", "recorded"])
def test_operations_of_an_observer_are_shown_to_no_observer(method, x):
    def compute(self, what):
        Inverse()(x)

    computing = type("Computing", (Observer,), {method: compute})()
    seen = Seen()
    with observe(computing, seen):
        Square()(x).backward()
    assert [call.operation for call in seen.calls] == ["Square", "Square"]
    assert len(seen.nodes) == 1


def test_an_observer_computes_with_the_setting_of_its_block(x):
    found = []

    class Computing(Observer):
        def before(self, call):
            found.append((Config.enable_backprop, Square()(x).creator is not None))

    with observe(Computing()):
        Square()(x)
        with no_grad():
            Square()(x)
    assert found == [(True, True), (False, False)]


@pytest.mark.parametrize("outer", [(), ("memory",)], ids=["alone", "in another block"])
def test_an_assignment_to_config_in_a_block_outlives_the_block(outer, x):
    with no_grad():  # restores what is assigned inside
        for value in (True, False):
            with ExitStack() as stack:
                for name in outer:
                    stack.enter_context(observe(name))
                with observe("time"):
                    Config.enable_backprop = value
                assert Config.enable_backprop is value
            assert Config.enable_backprop is value
            assert (Square()(x).creator is not None) is value


def test_the_line_of_no_grad_is_known_between_two_blocks(x):
    with observe(Seen()), no_grad():
        where = line_here(-1)
        with observe(Seen()):
            y = Square()(x)
    with pytest.raises(GraphError, match=re.escape(where)):
        y.backward()


def test_a_backward_under_no_grad_is_seen(x):
    seen, y = Seen(), Square()(x)
    with observe(seen), no_grad():
        y.backward()
    assert [call.method for call in seen.calls] == ["backward"]


@pytest.mark.parametrize("name", ["memory", "time"])
def test_a_decorated_function_may_call_itself(name, x):
    counting = Memory() if name == "memory" else Times()

    @observe(counting)
    def power(n):
        return Square()(power(n - 1)) if n else x

    np.testing.assert_array_equal(power(3).data, x.data**8)
    (row,) = counting.rows()
    assert (row.calls if name == "memory" else row.forward.calls) == 3
    assert not tracemalloc.is_tracing()


def test_a_decorated_function_is_observed(x):
    seen = Seen()

    @observe(seen)
    def calculate():
        return Square()(x)

    calculate()
    calculate()
    Square()(x)
    assert len(seen.calls) == 2


def test_an_observer_sees_neither_other_threads_nor_other_tasks(x):
    seen = Seen()
    with observe(seen):
        thread = threading.Thread(target=lambda: Square()(x))
        thread.start()
        thread.join()
    assert seen.calls == []

    async def observed():
        with observe(seen):
            await asyncio.sleep(0)
            Square()(x)

    async def other():
        await asyncio.sleep(0)
        Inverse()(x)

    async def both():
        await asyncio.gather(observed(), other())

    asyncio.run(both())
    assert [call.operation for call in seen.calls] == ["Square"]


@pytest.mark.parametrize("observed", [True, False])
def test_a_block_that_is_left_in_another_thread_ends_and_changes_nothing_there(observed, x):
    """As when a generator is closed by another thread than the one that began it."""

    def steps():
        with observe(seen):
            yield Square()(x)

    seen, here = Seen(), Seen()
    generator = steps()
    thread = threading.Thread(target=lambda: next(generator))
    thread.start()
    thread.join()
    with observe(here) if observed else nullcontext():
        generator.close()
        assert Config.enable_backprop
        Square()(x)
    assert seen.events == ["start", "before Square.forward", "after Square.forward", "stop"]
    assert len(here.calls) == int(observed)


def test_an_observer_that_raises_stops_the_calculation_and_changes_nothing(x):
    class Refuses(Observer):
        def after(self, call):
            if call.method == "backward":
                raise ValueError("enough")

    x.grad = np.zeros(3)
    with observe(Refuses()):
        y = Square()(x)
        with pytest.raises(ValueError, match="enough"):
            y.backward()
    np.testing.assert_array_equal(x.grad, np.zeros(3))


def test_an_exception_ends_the_block_of_an_observer(x):
    seen = Seen()
    with pytest.raises(KeyError), observe(seen):
        raise KeyError("x")
    assert seen.events == ["start", "stop"]
    Square()(x)
    assert seen.calls == []


def test_a_call_inside_a_backward_knows_its_parent_and_has_a_time_of_its_own(x):
    seen = Seen()
    with observe(seen):
        gx = grad(Square()(x), x, create_graph=True)
        grad(gx, x)
    inside = [call for call in seen.calls if call.parent is not None]
    assert [call.operation for call in inside] == ["Product"]
    assert inside[0].parent.operation == "Square"
    assert inside[0].parent.method == "backward"
    assert all(call.seconds > 0.0 for call in seen.calls)


class Clock:
    """Stands in for ``perf_counter``: what takes time says how much."""

    now = 0.0

    def __call__(self):
        return self.now

    def goes_on(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(dezero_core.observing, "perf_counter", clock)
    return clock


def test_time_is_that_of_a_call_alone_without_what_is_inside_of_it_and_the_observers(clock, x):
    class Inner(Function):
        def forward(self, x):
            clock.goes_on(4.0)
            return x

    class Outer(Function):
        saves = ()

        def forward(self, x):
            clock.goes_on(1.0)
            return x * 1.0

        def backward(self, gy):
            clock.goes_on(2.0)
            Inner()(gy)
            Inner()(gy)
            return gy

    class Slow(Observer):
        def before(self, call):
            clock.goes_on(100.0)

        def after(self, call):
            clock.goes_on(1000.0)

    with observe(Slow(), "time", Slow()) as (_, times, _):
        Outer()(x).backward()
    inner, outer = times.rows()
    assert (inner.operation, inner.forward, inner.backward) == ("Inner", (2, 8.0), (0, 0.0))
    assert (outer.operation, outer.forward, outer.backward) == ("Outer", (1, 1.0), (1, 2.0))
    assert outer.seconds == 3.0
    assert [line.split()[-2] for line in str(times).splitlines()[1:3]] == ["73", "27"]


def test_the_time_of_a_call_is_without_the_operations_of_observers(clock, x):
    class Takes(Function):
        def forward(self, x):
            clock.goes_on(1.0)
            return x

    class Computing(Observer):
        def before(self, call):
            with observe(own):
                Takes()(x)

    own = Times()
    with observe(Computing(), "time") as (_, times):
        Takes()(x)
    assert [row.seconds for row in times.rows()] == [row.seconds for row in own.rows()] == [1.0]


def test_the_table_of_times_works_when_all_calls_took_no_time(clock, x):
    with observe("time") as times:
        Square()(x)
    assert str(times).splitlines()[1].endswith("  0 %")


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        (
            "nam",
            UnknownObserverError,
            "'nam'. There are memory, nan, time, trace. Did you mean 'nan'",
        ),
        ("zzz", LookupError, r"trace\.$"),
        (Seen, TypeError, "names and observers"),
        (None, TypeError, "got None"),
    ],
)
def test_observe_refuses_an_object_that_is_no_observer(given, error, says, x):
    with pytest.raises(error, match=says):
        observe("time", given)
    assert not isinstance(x._edge, dezero_core.config.Watched)


def test_nan_stops_at_the_first_operation_that_makes_one_with_its_line():
    x = Variable(np.array([[1.0, 2.0], [0.0, 3.0]]))
    with observe("nan"):
        y = Square()(x)
        with pytest.raises(NotFiniteError) as caught:
            Inverse()(y)
        where = line_here(-1)
    error = caught.value
    assert isinstance(error, FloatingPointError)
    assert (error.function, error.method, error.position) == (Inverse, "forward", (1, 0))
    assert (error.value, error.where) == (np.inf, where)
    for part in ("Inverse.forward", __name__, where, "its result is inf at [1, 0]", "is finite."):
        assert part in str(error)
    assert "given float64[2, 2]" in error.__notes__[0]


def test_nan_says_which_input_was_not_finite_already():
    x = Variable(np.array(np.nan))
    with (
        observe("nan"),
        pytest.raises(NotFiniteError, match=r"is nan at its one element\. Input 0"),
    ):
        Square()(x)


def test_nan_looks_at_complex_values_and_at_every_input(x):
    with observe("nan"):
        with pytest.raises(NotFiniteError, match=r"its result is .*inf.*called with is fin"):
            Scaled()(Variable(np.array([1e200 + 1e200j])))
        with pytest.raises(NotFiniteError, match=r"is nan at \[1\]\. Input 1 was not finite"):
            Product()(x, np.array([1.0, np.nan, 1.0]))


class Scaled(Function):
    def forward(self, x):
        with np.errstate(over="ignore"):
            return x * 1e200


def test_nan_names_the_operation_whose_gradient_is_not_finite_and_where_it_was_applied():
    x = Variable(np.array([4.0, 0.0]))
    with observe("nan"):
        y, where = Root()(x), line_here()
        with pytest.raises(NotFiniteError) as caught:
            Square()(y).backward()
    assert np.isnan(caught.value.value)
    assert (caught.value.method, caught.value.where) == ("backward", where)
    assert "the gradient of input 0 is nan at [1]" in str(caught.value)
    assert x.grad is None
    y = Root()(x)
    y.grad = np.array([np.inf, 1.0])
    with observe("nan"), pytest.raises(NotFiniteError, match="The gradient of output 0 was not"):
        y.backward()


def test_nan_looks_at_every_result_and_not_at_integers_or_at_no_gradient(x):
    class NoGradient(Square):
        def backward(self, gy):
            return (None,)

    with observe("nan"):
        half, _ = Halves()(x)
        half.backward()
        NoGradient()(x).backward()
        grad(Square()(x), x, create_graph=True)
        x.data[2] = np.inf
        with pytest.raises(NotFiniteError, match=r"inf at \[2\]"):
            Halves()(x)


def test_a_backward_that_was_not_observed_when_it_was_applied_says_so(x):
    x.data[1] = 0.0
    y = Inverse()(x)
    with observe("nan"), pytest.raises(NotFiniteError, match="applied before observe") as caught:
        y.backward()
    assert caught.value.where is None


class Plugin:
    """Registers what it is given: an observer of its own, or something else."""

    def __init__(self, *observers):
        self.observers = observers

    @hookimpl
    def dezero_register_observers(self, register):
        for name, made_by in self.observers:
            register(name, made_by)


def test_a_plugin_brings_an_observer_and_takes_it_away(registered, x):
    plugin = Plugin(("seen", Seen))
    record = registered(plugin, "watching")
    assert (record.state, record.operations) == ("loaded", ())
    with observe("seen", "time") as (seen, _):
        Square()(x)
    assert len(seen.calls) == 1
    with observe("seen") as again:
        pass
    assert again is not seen
    with pytest.raises(UnknownObserverError, match=r"seen, time, trace\. Did you mean 'seen'"):
        observe("sen")
    dezero_core.unregister(plugin)
    with pytest.raises(UnknownObserverError):
        observe("seen")


@pytest.mark.parametrize(
    ("observers", "error", "says"),
    [
        ([("nan", Seen)], PluginConflictError, "observer 'nan'.*'tools' provides already"),
        ([("taken", Seen)], PluginConflictError, "observer 'taken'.*'first' provides.*Keep one"),
        ([("a", Seen), ("a", Seen)], PluginError, "registers the observer 'a' twice"),
        ([("a", 3)], PluginError, "the observer 'a' with 3"),
        ([("", Seen)], PluginError, "'' as the name of an observer"),
        ([(3, Seen)], PluginError, "3 as the name of an observer"),
    ],
)
def test_an_observer_that_cannot_be_registered_refuses_its_plugin(
    observers, error, says, registered
):
    registered(Plugin(("taken", Seen)), "first")
    with pytest.raises(error, match=says):
        dezero_core.register(Plugin(("fine", Seen), *observers), "second")
    with pytest.raises(UnknownObserverError):
        observe("fine")


def test_an_observer_factory_of_a_plugin_must_return_an_observer(registered):
    registered(Plugin(("odd", dict)), "watching")
    with pytest.raises(TypeError, match=r"the observer 'odd' must be an Observer, got \{\}"):
        observe("odd")


def test_an_installed_plugin_brings_an_observer(fake_distribution, run_python):
    source = (
        "from dezero_core import hookimpl\nfrom dezero_tools import Observer\n"
        "class Count(Observer):\n    calls = 0\n"
        "    def after(self, call):\n        self.calls += 1\n"
        "@hookimpl\ndef dezero_register_observers(register):\n    register('count', Count)\n"
    )
    fake_distribution("count-ops", {"count_ops.py": source}, {"count": "count_ops"})
    outcome = run_python(
        "import numpy as np\nfrom dezero_core import Function, Variable\n"
        "from dezero_tools import observe\n"
        "class One(Function):\n    def forward(self, x):\n        return x\n"
        "with observe('count') as count:\n    One()(Variable(np.ones(2)))\nout['n'] = count.calls"
    )
    assert outcome.out.n == 1


def test_time_is_a_table_for_each_operation_and_each_plugin(x):
    with observe("time") as times:
        y = Square()(Inverse()(Square()(x)))
        y.backward()
    rows = {row.operation: row for row in times.rows()}
    assert {name: row.forward.calls for name, row in rows.items()} == {"Square": 2, "Inverse": 1}
    assert [row.seconds for row in times.rows()] == sorted(
        (row.seconds for row in times.rows()), reverse=True
    )
    (plugin,) = times.by_plugin()
    assert (plugin.plugin, plugin.operation) == (__name__, "")
    assert (plugin.forward.calls, plugin.backward.calls) == (3, 3)
    assert plugin.seconds == pytest.approx(sum(row.seconds for row in rows.values()))
    lines = str(times).splitlines()
    titles = ["operation", "plugin", "forward", "ms", "backward", "ms", "of", "all"]
    assert lines[0].split() == titles
    assert {line.split()[0] for line in lines[1:3]} == {"Square", "Inverse"}
    assert lines[4].split()[:3] == ["together", __name__, "3"]
    assert lines[4].endswith("100 %")
    assert repr(times) == str(times)


def test_the_table_of_an_observer_without_calls_has_titles_alone():
    for name, title in ("time", "operation"), ("memory", "KiB of"):
        with observe(name) as seen:
            pass
        assert str(seen).startswith(title)
        assert len(str(seen).splitlines()) == 1


def test_memory_counts_the_bytes_of_results_gradients_and_kept_arrays():
    x = Variable(np.ones(1000))
    with observe("memory") as memory:
        y = Square()(x)
        z = Root()(y)
        z.backward()
    assert not tracemalloc.is_tracing()
    rows = {row.operation: row for row in memory.rows()}
    square, root = rows["Square"], rows["Root"]
    assert (square.calls, square.results, square.gradients, square.kept) == (2, 8000, 8000, 8000)
    assert (root.calls, root.results, root.gradients, root.kept) == (2, 8000, 8000, 8000)
    assert 8000 <= square.peak < 40_000
    (plugin,) = memory.by_plugin()
    assert (plugin.calls, plugin.kept) == (4, 16_000)
    assert plugin.peak == max(square.peak, root.peak)
    lines = memory.__repr__().splitlines()
    titles = ["KiB", "of", "plugin", "calls", "results", "gradients", "kept", "peak"]
    assert lines[0].split() == titles
    assert lines[-1].split()[0] == "together"
    assert "7.8" in lines[1]


def test_memory_counts_an_array_once_however_many_keep_it_and_its_views():
    x = Variable(np.ones(1000))
    half = Variable(x.data[:500])
    with observe("memory") as memory:
        nodes = [Square()(x), Square()(x), Square()(half)]
        Square()(Variable(np.ones(1000)))
        Square()(Variable(np.ones(1000)))
    assert len(nodes) == 3
    # Of the last two, one may be where the other was.
    assert memory.rows()[0].kept == 3 * 8000


def test_memory_sees_the_peak_of_a_call_that_calls_others():
    class Big(Function):
        def forward(self, x):
            return np.ones(100_000).sum() * x

        def backward(self, gy):
            return Big()(gy)

    x = Variable(np.ones(3))
    with observe("memory") as memory:
        grad(Big()(x), x, create_graph=True)
    (row,) = memory.rows()
    assert row.calls == 3
    assert 800_000 <= row.peak < 900_000


def test_memory_sees_a_peak_before_a_call_inside_that_is_not_the_first():
    class Inner(Function):
        def forward(self, x):
            return x * 1.0

    class Outer(Inner):
        saves = ()

        def backward(self, gy):
            np.ones(200_000).sum()
            Inner()(gy)
            Inner()(gy)
            return gy

    y = Outer()(Variable(np.ones(3)))
    with observe("memory") as memory:
        y.backward()
    peaks = {row.operation: row.peak for row in memory.rows()}
    assert peaks["Outer"] >= 1_600_000
    assert peaks["Inner"] < 10_000


def test_memory_sorts_operations_by_kept_bytes_and_then_by_peak():
    class Peak(Function):
        saves = ()

        def forward(self, x):
            np.ones(10_000).sum()
            return x * 1.0

    class Flat(Peak):
        def forward(self, x):
            return x * 1.0

    x = Variable(np.ones(100))
    with observe("memory") as memory:
        kept = [cls()(x) for cls in (Flat, Peak, Square)]
    assert len(kept) == 3
    assert [row.operation for row in memory.rows()] == ["Square", "Peak", "Flat"]


def test_memory_counts_every_result_of_a_call(x):
    with observe("memory") as memory:
        halves, numbers = Halves()(x)
    assert memory.rows()[0].results == halves.data.nbytes + numbers.data.nbytes


def test_memory_may_begin_inside_of_a_backward(x):
    class Outer(Square):
        def backward(self, gy):
            with observe(memory):
                Inverse()(gy)
            return gy

    memory = Memory()
    with observe(Seen()):
        Outer()(x).backward()
    assert [(row.operation, row.calls) for row in memory.rows()] == [("Inverse", 1)]


def test_memory_survives_a_call_that_raises(x):
    class Fails(Function):
        def forward(self, x):
            raise ValueError("no")

    with observe("memory") as memory:
        with pytest.raises(ValueError, match="no"):
            Fails()(x)
        Square()(x)
    assert [row.operation for row in memory.rows()] == ["Square"]


def test_memory_leaves_a_trace_on_that_the_user_has_started(x):
    tracemalloc.start()
    try:
        with observe("memory"):
            Square()(x)
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


def test_trace_prints_a_line_for_each_call_and_indents_those_inside(x, capsys):
    with observe("trace"):
        y, where = Square()(x), line_here()
        gx = grad(y, x, create_graph=True)
    assert gx.shape == (3,)
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(
        rf"Square.forward of {__name__}: float64\[3\] -> float64\[3\]  \d+ µs  {re.escape(where)}",
        lines[0],
    )
    assert lines[1].startswith("  Product.forward")
    assert "float64[3], float64[3] -> float64[3]" in lines[1]
    assert lines[2].startswith("Square.backward")


def test_trace_prints_numbers_as_they_are_and_to_the_given_file(capsys):
    file = io.StringIO()
    with observe(Trace(file)):
        Product()(Variable(np.array(2.0)), 3.0)
    assert "Product.forward" in file.getvalue()
    assert "float64[], 3.0 -> float64[]" in file.getvalue()
    assert capsys.readouterr().out == ""


def test_trace_prints_no_place_for_an_operation_applied_before_the_block(x, capsys):
    y = Square()(x)
    with observe("trace"):
        y.backward()
    assert capsys.readouterr().out.rstrip().endswith("µs")


def test_observers_name_the_line_of_the_user_and_not_of_the_plugin(
    plugin_source, fake_distribution, run_python
):
    inner = plugin_source("tripled")
    outer = inner.replace("Tripled", "Ninefold").replace("tripled", "ninefold")
    outer = outer.replace("Ninefold()(x)", "inner_ops.tripled(Ninefold()(x))")
    fake_distribution("inner-ops", {"inner_ops.py": inner}, {"inner": "inner_ops"})
    fake_distribution(
        "outer-ops", {"outer_ops.py": "import inner_ops\n" + outer}, {"outer": "outer_ops"}
    )
    outcome = run_python(
        "import numpy as np\nfrom dezero_core import Variable\n"
        "from dezero_tools import Observer, observe\n"
        "class Lines(Observer):\n    def after(self, call):\n"
        "        out.setdefault('lines', []).append([call.plugin, call.where])\n"
        "with observe(Lines()):\n    y = Variable(np.ones(2)).ninefold()\n"
    )
    assert outcome.out.lines == [["outer", "<scenario>:8"], ["inner", "<scenario>:8"]]
