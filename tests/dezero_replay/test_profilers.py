"""Profilers and other tools that watch a program: only a profiler is to see eager code.

Promise: docs/how_replay_works.md
"""

import cProfile
import json
import os
import pstats
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from dezero_core import Variable
from dezero_replay import compiled


def user_code(x):
    return np.exp(Variable(x)).data


@pytest.fixture
def step():
    """Return a function that has a program."""
    step = compiled(user_code, audit=None)
    for _ in range(3):
        step(np.ones(3))
    return step


@contextmanager
def profile_function():
    sys.setprofile(lambda frame, event, argument: None)
    try:
        yield
    finally:
        sys.setprofile(None)


@contextmanager
def tool_of_monitoring(number):
    sys.monitoring.use_tool_id(number, "a tool")
    try:
        yield
    finally:
        sys.monitoring.free_tool_id(number)


PROFILERS = [cProfile.Profile, profile_function]
OTHERS = []
if hasattr(sys, "monitoring"):  # from Python 3.12 on
    PROFILERS.append(lambda: tool_of_monitoring(sys.monitoring.PROFILER_ID))
    OTHERS += [sys.monitoring.DEBUGGER_ID, sys.monitoring.OPTIMIZER_ID]


@pytest.mark.parametrize("active", PROFILERS)
def test_calls_are_eager_while_a_profiler_is_active_and_replayed_afterwards(step, active):
    with active():
        step(np.ones(3))
        step(np.ones(4))
    assert (step.stats["eager"], step.stats["recorded"]) == (2, 2)
    before = step.stats["replayed"]
    step(np.ones(3))
    assert step.stats["replayed"] == before + 1


def test_a_profile_shows_each_call_of_the_users_function(step):
    with cProfile.Profile() as profile:
        for _ in range(5):
            step(np.ones(3))
    called = {name: calls for (_, _, name), (calls, *_) in pstats.Stats(profile).stats.items()}
    assert called["user_code"] == 5


def test_tools_that_are_no_profilers_leave_calls_replayed(step):
    for number in OTHERS:
        with tool_of_monitoring(number):
            step(np.ones(3))
    assert step.stats["eager"] == 0


COUNTED = """
import numpy as np
from dezero_replay import compiled
@compiled(audit=None)
def step(x):
    y = x * 2.0
    if x.shape[0] > 5:
        y = y + 1.0
    for n in range(2):
        y = y + n
    return y
for n in range(5):
    step(np.ones(3))
print(step.stats["replayed"])
"""


def test_coverage_counts_the_lines_that_run_and_calls_are_replayed_beside_it(tmp_path):
    """Also where the first two calls, which run a rewritten copy, are the only ones that run."""
    file, data = tmp_path / "counted.py", str(tmp_path / "data")
    file.write_text(COUNTED)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE")}

    def coverage(command, *arguments):
        options = [command, f"--rcfile={os.devnull}", f"--data-file={data}", *arguments]
        run = [sys.executable, "-m", "coverage", *options]
        return subprocess.run(run, capture_output=True, text=True, env=environment, check=True)

    assert coverage("run", "--branch", str(file)).stdout.split() == ["3"]
    report = tmp_path / "report.json"
    coverage("json", f"--include={file}", "-o", str(report))
    (found,) = json.loads(report.read_text("utf-8"))["files"].values()
    assert found["missing_lines"] == [8]
    assert found["missing_branches"] == [[7, 8]]
