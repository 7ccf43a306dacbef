"""A function that reads or writes what is no object, such as a file, stays eager.

Promise: docs/how_replay_works.md
"""

import datetime
import gc
import io
import os
import sys
import time

import numpy as np
import pytest
from dezero_replay.recording.collector import collector_off

from dezero_replay import ReplayWarning, compiled
from tests.replayed import same, several

WRITTEN = io.StringIO()


@pytest.mark.parametrize(
    ("reach", "said"),
    [
        (lambda: print("seen"), "calls print, which a replay would not do"),
        (lambda: open(os.devnull).close(), "calls _?io.open, which"),
        (lambda: WRITTEN.write("seen"), r"calls WRITTEN\.write\(\) of a StringIO, which"),
        (lambda: io.StringIO().write("seen"), "calls _io.StringIO, which"),
        (lambda: time.time(), "calls time.time, which"),
        (lambda: time.perf_counter(), "calls time.perf_counter, which"),
        (lambda: datetime.datetime.now(), "calls datetime.now, which"),
        (lambda: datetime.date.today(), "calls date.today, which"),
        (lambda: os.listdir(os.curdir), r"calls (posix|nt)\.listdir, which"),
        (lambda: os.path.exists(os.curdir), r"calls (posix|nt)\.\w+, which"),
        (lambda: os.urandom(1), r"calls (posix|nt)\.urandom, which"),
        (lambda: eval("1"), "calls eval, which"),
        (lambda: locals(), "calls locals, which"),
    ],
)
def test_what_reaches_outside_is_done_once_in_each_call(reach, said, capsys):
    calls = []

    def noted(step):
        WRITTEN.seek(0)
        WRITTEN.truncate()
        for n in range(1, 6):
            x = np.full(3, float(n))
            assert (step(x) == 2.0 * x).all()
            calls.append((len(capsys.readouterr().out), len(WRITTEN.getvalue())))
        return calls[-5:]

    def f(x):
        reach()
        return x * 2.0

    expected, step = noted(f), compiled(f)
    with pytest.warns(ReplayWarning, match=said):
        assert noted(step) == expected
    assert step.stats["replayed"] == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x * len("abc"),
        lambda x: np.exp(x),
        lambda x: x * (2.0 if "a".upper() == "A" else 3.0),
        lambda x: x * len(dict.fromkeys("ab")),
        lambda x: x * [[].append(1) or 2.0][0],
        lambda x: x * len(os.environ.get("PATH", "")),
    ],
)
def test_functions_of_objects_do_not_reach_outside(call):
    same(call, several((3,)))


def test_a_function_that_may_print_and_does_not_is_replayed():
    def f(x):
        if x.shape == (7,):
            print("never")
        return x * 2.0

    step = compiled(f)
    for _ in range(4):
        assert (step(np.ones(3)) == 2.0).all()
    assert step.stats["replayed"] == 1
    assert sys.getprofile() is None


def test_a_library_that_times_the_garbage_collector_leaves_a_function_replayed():
    def ask_the_clock(phase, info):
        times.append(time.perf_counter())

    def f(x):
        if x.shape == (7,):
            print("never")
        len([[] for _ in range(5000)])  # enough for the collector to begin
        return x * 2.0

    times, step = [], compiled(f)
    gc.callbacks.append(ask_the_clock)
    try:
        f(np.ones(3))
        assert times
        for _ in range(4):
            step(np.ones(3))
    finally:
        gc.callbacks.remove(ask_the_clock)
    assert step.stats["replayed"] == 1
    assert gc.isenabled()


@pytest.mark.parametrize("is_on", [True, False])
def test_a_garbage_collector_is_on_or_off_as_before(is_on):
    class Number:
        def __init__(self, x):
            self.x = x

        def __lt__(self, other):
            return self.x < other.x

    step = compiled(lambda x: x * sorted([Number(3.0), Number(2.0)])[0].x, quiet=True)
    before = gc.isenabled()
    (gc.enable if is_on else gc.disable)()
    try:
        for _ in range(3):
            assert (step(np.ones(3)) == 2.0).all()
            assert gc.isenabled() is is_on
            assert sys.getprofile() is None
    finally:
        (gc.enable if before else gc.disable)()


def test_an_error_after_something_outside_is_that_of_eager_code(capsys):
    def f(x):
        print("before")
        raise ValueError("of the user")

    step = compiled(f, quiet=True)
    for _ in range(3):
        with pytest.raises(ValueError, match="of the user"):
            step(np.ones(3))
        assert capsys.readouterr().out == "before\n"
    assert sys.getprofile() is None


def test_the_line_that_reaches_outside_is_named():
    def f(x):
        return x * (time.perf_counter() > 0.0)

    step = compiled(f)
    line = f"{__file__}:{f.__code__.co_firstlineno + 1}: {f.__qualname__} calls time.perf_counter"
    with pytest.warns(ReplayWarning, match="which a replay would not do") as caught:
        step(np.ones(3))
    assert line in str(caught[0].message)
    assert str(caught[0].message).endswith("call it before or after the function.")


if hasattr(os, "fork"):

    def test_a_child_of_a_fork_in_a_recording_has_its_garbage_collector():
        """Another thread forks while the collector is off."""
        with collector_off():
            child = os.fork()
            if child == 0:
                os._exit(0 if gc.isenabled() else 1)
        assert gc.isenabled()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
