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
from dezero_replay.outside import use_of_the_outside

from dezero_replay import ReplayWarning, compiled


@pytest.mark.parametrize(
    ("function", "use"),
    [
        (print, "writes to the terminal"),
        (input, "reads from the keyboard"),
        (open, "opens a file"),
        (io.StringIO().write, "works on a file"),
        (io.open_code, "works on a file"),
        (time.time, "asks the clock"),
        (datetime.datetime.now, "asks the clock"),
        (os.listdir, "asks the operating system"),
    ],
)
def test_functions_that_read_or_write_what_is_no_object_reach_outside(function, use):
    assert use_of_the_outside(function) == use


@pytest.mark.parametrize("function", [len, np.exp, "a".upper, dict.fromkeys, [].append])
def test_functions_of_objects_do_not_reach_outside(function):
    assert not use_of_the_outside(function)


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


def test_a_garbage_collector_that_was_off_stays_off():
    step = compiled(lambda x: x * 2.0 if x.shape != (7,) else print("never"))
    gc.disable()
    try:
        step(np.ones(3))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_error_ends_the_look_at_calls(capsys):
    def f(x):
        print("before")
        raise ValueError("of the user")

    step = compiled(f)
    with pytest.raises(ValueError, match="of the user"):
        step(np.ones(3))
    assert sys.getprofile() is None


def test_the_line_that_reaches_outside_is_named():
    def f(x):
        return x * (time.perf_counter() > 0.0)

    step = compiled(f)
    line = f"{__file__}:{f.__code__.co_firstlineno + 1}: perf_counter"
    with pytest.warns(
        ReplayWarning, match="asks the clock, and a replay would not do this"
    ) as caught:
        step(np.ones(3))
    assert line in str(caught[0].message)
    assert str(caught[0].message).endswith("call perf_counter() before or after the function.")
