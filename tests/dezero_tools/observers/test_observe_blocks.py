"""Observers see the calls of their block, and no others; without them nothing changes.

Promise: docs/reference/tools.rst
"""

import asyncio
import re
import threading
import tracemalloc
import weakref
from contextlib import ExitStack, nullcontext

import numpy as np
import pytest
from dezero_tools.observers import Memory, Times

import dezero_core
from dezero_core import (
    Config,
    GraphError,
    grad,
    no_grad,
)
from dezero_tools import Observer, UnknownObserverError, observe

from .functions import Inverse, Root, Seen, Square, line_here


def test_an_observer_sees_each_call_with_its_arrays_and_its_line(x):
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
    assert (forward.plugin, forward.parent) == (Square.__module__, None)


def test_an_observer_does_not_change_results_and_gradients(x):
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


def test_a_setting_of_config_in_an_observe_block_keeps_the_observer(x):
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


def test_observe_gives_several_observers_of_a_block_as_a_tuple(x):
    one, two = Seen(), Seen()
    with observe(one, two) as both:
        Square()(x)
    assert both == (one, two)
    assert one.calls == two.calls
    with pytest.raises(
        TypeError, match=r"at least one observer\. The observers are memory, nan, time"
    ):
        observe()


def test_observers_see_calls_in_their_order_and_ends_of_calls_in_reverse(x):
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
def test_an_observer_that_fails_to_start_or_stop_leaves_no_other_observer_running(method, x):
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
    assert dezero_core.config.mode.get() is dezero_core.config.RECORDING


def test_a_result_under_no_grad_does_not_keep_an_observer_alive(x, no_collector):
    observer = Seen()
    alive = weakref.ref(observer)
    with observe(observer), no_grad():
        y = Square()(x)
    del observer
    assert alive() is None
    with pytest.raises(GraphError, match=r"no_grad\(\), switched on at .*test_observe_blocks"):
        y.backward()


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
def test_an_assignment_to_config_in_an_observe_block_outlives_the_block(outer, x):
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


def test_the_line_of_no_grad_is_known_between_two_observe_blocks(x):
    with observe(Seen()), no_grad():
        where = line_here(-1)
        with observe(Seen()):
            y = Square()(x)
    with pytest.raises(GraphError, match=re.escape(where)):
        y.backward()


def test_an_observer_sees_a_backward_under_no_grad(x):
    seen, y = Seen(), Square()(x)
    with observe(seen), no_grad():
        y.backward()
    assert [call.method for call in seen.calls] == ["backward"]


@pytest.mark.parametrize("name", ["memory", "time"])
def test_a_function_decorated_with_observe_may_call_itself(name, x):
    counting = Memory() if name == "memory" else Times()

    @observe(counting)
    def power(n):
        return Square()(power(n - 1)) if n else x

    np.testing.assert_array_equal(power(3).data, x.data**8)
    (row,) = counting.rows()
    assert (row.calls if name == "memory" else row.forward.calls) == 3
    assert not tracemalloc.is_tracing()


def test_a_function_decorated_with_observe_is_observed(x):
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
def test_an_observe_block_that_is_left_in_another_thread_changes_nothing_there(observed, x):
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


def test_an_observer_that_raises_stops_the_calculation_and_changes_no_gradient(x):
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


def test_an_observed_call_inside_a_backward_has_a_parent_and_its_own_time(x):
    seen = Seen()
    with observe(seen):
        gx = grad(Square()(x), x, create_graph=True)
        grad(gx, x)
    inside = [call for call in seen.calls if call.parent is not None]
    assert [call.operation for call in inside] == ["Product"]
    assert inside[0].parent.operation == "Square"
    assert inside[0].parent.method == "backward"
    assert all(call.seconds > 0.0 for call in seen.calls)


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        (
            "nam",
            UnknownObserverError,
            "'nam'. The observers are memory, nan, time, trace. Did you mean 'nan'",
        ),
        ("zzz", LookupError, r"trace\.$"),
        (Seen, TypeError, "names and observers"),
        (None, TypeError, "got None"),
    ],
)
def test_observe_refuses_an_object_that_is_no_observer(given, error, says, x):
    with pytest.raises(error, match=says):
        observe("time", given)
    assert dezero_core.config.mode.get() is dezero_core.config.RECORDING
