"""Whatever a function reads, a replay follows or does not happen; whatever it does is done.

Each case in the files of `cases/` is a program, and changes of its world between two calls. It runs
in two worlds, see `worlds`. Where its name says ``(replayed)``, it is replayed until the change.

Promise: docs/how_replay_works.md
"""

import os
import re
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from .worlds import program, side_by_side, with_source

FOLDER = Path(__file__).with_name("cases")
FIRST, BETWEEN = 5, 3
"""Before this call comes the first change, and after so many more the next one."""


def cases():
    """Return the cases: the name, the source, and the changes."""
    found = []
    for file in sorted(FOLDER.glob("*.txt")):
        for text in file.read_text("utf-8").split("\n=== ")[1:]:
            name, _, rest = text.partition("\n")
            needs = re.search(r"\(with (\w+)\)", name)
            if needs and not getattr(find_spec(needs[1]), "origin", None):
                continue  # it does not exist where that is not installed, and is a folder alone
            source, *changes = rest.split("\n---\n")
            name = f"{file.stem}: {name.strip()}"
            found.append(pytest.param(source + "\n", changes, "(replayed)" in name, id=name))
    return found


CASES = cases()


def world_of(source):
    """Return the maker of a case, whose functions see NumPy as np."""
    return program(f"import numpy as np\n{source}")


def changing(changes):
    """Return a function that makes the changes between the calls."""
    codes = [with_source(each) for each in changes]

    def change(number, state):
        at, rest = divmod(number - FIRST, BETWEEN)
        if number >= FIRST and not rest and at < len(codes):
            exec(codes[at], state)

    return change


def arguments(number, state):
    """Return the arguments that a case gives itself, or an array."""
    given = state.get("arguments")
    return given(number) if given else (state["np"].arange(1.0, 5.0) + number,)


@pytest.fixture(autouse=True)
def process(tmp_path, monkeypatch):
    """Let cases change what belongs to the process."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("sys.argv", sys.argv[:])
    yield
    for of_cases, names in (("dezero_case", sys.modules), ("DEZERO_CASE", os.environ)):
        for name in [each for each in names if each.startswith(of_cases)]:
            del names[name]


@pytest.mark.parametrize(("source", "changes", "is_replayed"), CASES)
def test_nothing_is_stale_and_nothing_is_lost(source, changes, is_replayed):
    """Eager and compiled: the same results, state, warnings, records, files and random numbers."""
    calls = FIRST + BETWEEN * len(changes) + 1
    report = side_by_side(
        world_of(source), calls, arguments=arguments, change=changing(changes), audit=None
    )
    if is_replayed:
        kinds = report.kinds[:FIRST]
        assert kinds == ["recorded"] * 2 + ["replayed"] * 3, (kinds, report.step.reasons)


def test_there_are_thirty_cases_for_each_mechanism():
    """So that a file that is not read is no success."""
    counts = Counter(each.id.partition(":")[0] for each in CASES)
    assert min(counts.values()) >= 30, counts
