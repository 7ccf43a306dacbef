"""observe("time") and observe("memory") count for each operation and plugin.

Promise: docs/how_to/see_time_and_memory.md
"""

import tracemalloc

import numpy as np
import pytest
from dezero_tools.observers import Memory, Times, calls

from dezero_core import (
    Function,
    Variable,
    grad,
)
from dezero_tools import Observer, observe

from .functions import Halves, Inverse, Root, Seen, Square


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
    monkeypatch.setattr(calls, "perf_counter", clock)
    return clock


def test_the_time_of_a_call_excludes_inner_calls_and_observers(clock, x):
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


def test_the_time_of_a_call_excludes_operations_of_observers(clock, x):
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


def test_the_observer_time_has_a_table_of_operations_and_of_plugins(x):
    with observe("time") as times:
        y = Square()(Inverse()(Square()(x)))
        y.backward()
    rows = {row.operation: row for row in times.rows()}
    assert {name: row.forward.calls for name, row in rows.items()} == {"Square": 2, "Inverse": 1}
    assert [row.seconds for row in times.rows()] == sorted(
        (row.seconds for row in times.rows()), reverse=True
    )
    (plugin,) = times.by_plugin()
    assert (plugin.plugin, plugin.operation) == (Square.__module__, "")
    assert (plugin.forward.calls, plugin.backward.calls) == (3, 3)
    assert plugin.seconds == pytest.approx(sum(row.seconds for row in rows.values()))
    lines = str(times).splitlines()
    titles = ["operation", "plugin", "forward", "ms", "backward", "ms", "of", "all"]
    assert lines[0].split() == titles
    assert {line.split()[0] for line in lines[1:3]} == {"Square", "Inverse"}
    assert lines[4].split()[:3] == ["together", Square.__module__, "3"]
    assert lines[4].endswith("100 %")
    assert repr(times) == str(times)


def test_the_table_of_an_observer_without_calls_has_titles_alone():
    for name, title in ("time", "operation"), ("memory", "KiB of"):
        with observe(name) as seen:
            pass
        assert str(seen).startswith(title)
        assert len(str(seen).splitlines()) == 1


def test_the_observer_memory_counts_bytes_of_results_gradients_and_kept_arrays():
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


def test_the_observer_memory_counts_an_array_kept_several_times_once():
    x = Variable(np.ones(1000))
    half = Variable(x.data[:500])
    with observe("memory") as memory:
        nodes = [Square()(x), Square()(x), Square()(half)]
        Square()(Variable(np.ones(1000)))
        Square()(Variable(np.ones(1000)))
    assert len(nodes) == 3
    # Of the last two, one may be where the other was.
    assert memory.rows()[0].kept == 3 * 8000


def test_the_observer_memory_sees_the_peak_of_a_call_with_inner_calls():
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


def test_the_observer_memory_sees_a_peak_between_inner_calls():
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


def test_the_observer_memory_sorts_operations_by_kept_bytes_and_then_by_peak():
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


def test_the_observer_memory_counts_every_result_of_a_call(x):
    with observe("memory") as memory:
        halves, numbers = Halves()(x)
    assert memory.rows()[0].results == halves.data.nbytes + numbers.data.nbytes


def test_the_observer_memory_may_begin_inside_of_a_backward(x):
    class Outer(Square):
        def backward(self, gy):
            with observe(memory):
                Inverse()(gy)
            return gy

    memory = Memory()
    with observe(Seen()):
        Outer()(x).backward()
    assert [(row.operation, row.calls) for row in memory.rows()] == [("Inverse", 1)]


def test_the_observer_memory_survives_a_call_that_raises(x):
    class Fails(Function):
        def forward(self, x):
            raise ValueError("no")

    with observe("memory") as memory:
        with pytest.raises(ValueError, match="no"):
            Fails()(x)
        Square()(x)
    assert [row.operation for row in memory.rows()] == ["Square"]


def test_the_observer_memory_does_not_stop_tracemalloc_of_the_user(x):
    tracemalloc.start()
    try:
        with observe("memory"):
            Square()(x)
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
