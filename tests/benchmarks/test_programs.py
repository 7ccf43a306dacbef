"""The figures of a whole program: what its calls are, and what they have found when they begin.

Promise: docs/performance.md
"""

import importlib
import os
from types import SimpleNamespace

import numpy as np
import programs
import pytest
import workloads
from adapters import floor, native, project, replayed


def made(lib, size):
    return lambda x: [lib.xp.sum(x * size)]


def by_hand(size, x):
    return [np.sum(x * size)]


def program(**changes):
    """Return a program that is called with as many ones as its size."""
    parts = {"made": made, "by_hand": by_hand, "data": lambda size: [np.ones(size)]}
    return programs.Program(**parts | {"size": 7, "small": 2} | changes)


@pytest.fixture
def compiled_steps(monkeypatch):
    """Return the list of all that is compiled."""
    steps, compiled = [], replayed.compiled

    def noted(*args, **options):
        steps.append(compiled(*args, **options))
        return steps[-1]

    monkeypatch.setattr(replayed, "compiled", noted)
    return steps


def counting(calls):
    """Return an adapter whose compiled functions note the sizes of what they are called with."""

    def compiling(function):
        def noted(x):
            calls.append(x.size)
            return function(x)

        return noted

    def value_and_gradients(f, number):
        return lambda x: [f(x)]

    return SimpleNamespace(
        __name__="adapters.counting",
        xp=np,
        constant=np.asarray,
        value_and_gradients=value_and_gradients,
        compiling=compiling,
    )


def test_three_calls_of_a_new_program_are_timed_after_those_of_a_short_one():
    calls = []
    _peak, noted, case = program().cases(counting(calls))
    assert calls == [100] * 3 + [7] * 3
    assert isinstance(noted, workloads.Noted)
    assert (noted.name, noted.operations, len(noted.seconds)) == ("first three calls", 1, 1)
    assert case.step() == [49.0] == case.expected


def test_the_peak_of_a_program_is_that_of_four_calls_after_those_of_a_small_one():
    calls = []
    peak = next(program().cases(counting(calls)))
    peak.first()
    assert calls == [2] * 4
    peak.prepare()()
    assert calls == [2] * 4 + [7] * 4
    assert (peak.name, peak.keeps, peak.figure(3 * 2**20)) == (
        *("peak of four calls", True),
        (3 * 2**20, "byte"),
    )


def test_a_peak_with_a_size_is_a_multiple_of_it():
    assert workloads.Peak("peak", list, list, 4).figure(10) == (2.5, "1")


@pytest.mark.parametrize("lib", [replayed, native])
def test_the_fourth_call_of_a_program_is_the_one_with_an_audit(lib, compiled_steps):
    peak = next(program().cases(lib))
    peak.prepare()()
    stats = max((step.stats for step in compiled_steps), key=lambda stats: stats["audits"])
    assert (stats["recorded"], stats["replayed"], stats["audits"]) == (2, 1, 1)


def test_first_calls_of_a_native_program_find_no_machine_code(monkeypatch):
    kept, cache = [], importlib.import_module("dezero_replay_llvm.cache")
    read, before = cache.read, dict(os.environ)

    def noted(key):
        found = read(key)
        kept.append(found is not None)
        return found

    monkeypatch.setattr(cache, "read", noted)
    for _ in range(2):
        del kept[:]
        list(program(made=lambda lib, size: lambda x: [lib.xp.sin(x) * x]).cases(native))
        assert set(kept) == {False}
    assert dict(os.environ) == before


@pytest.mark.parametrize("lib", [project, floor])
def test_a_library_that_does_not_compile_has_no_first_calls(lib):
    names = [item.name for item in program(name="of ones").cases(lib)]
    assert names == ["peak of four calls, of ones", "call, of ones"]


def test_the_floor_of_a_program_is_the_one_by_hand():
    *_, case = program(by_hand=lambda size, x: [size, *x]).cases(floor)
    assert case.step() == [7, *[1.0] * 7]


def test_the_loop_of_an_adapter_takes_a_row_in_each_round_if_there_are_rows():
    assert project.loop(lambda state: 2 * state, 1, 5) == 32
    rows = np.array([1.0, 2.0, 3.0])
    assert project.loop(lambda state, row: 10 * state + row, 0.0, 3, rows) == 123.0
