"""Every sample of every operation, and random programs, by machine code beside NumPy.

``DEZERO_ATTACK=long`` tries all of them with vectors of all lengths, in place of some of each
operation's, and a hundred times as many programs.

Promise: docs/how_replay_works.md
"""

import warnings

import numpy as np
import pytest
from dezero_replay.passes.graph import Graph
from dezero_replay.passes.loops import with_loops
from dezero_replay.passes.passes import PASSES, simplified, without_dead
from dezero_tools.testing import sample_of
from dezero_tools.testing.subject import Subject

from dezero_core import Variable
from dezero_replay import ReplayWarning, compiled
from dezero_replay_llvm import native
from tests.dezero_replay import test_random_programs as grammar
from tests.dezero_replay.survey import drawn_anew, operations_with_samples, values_and_gradients

from ..attack.lengths import LONG, name_of, seeds
from ..lowering import recorded, results_of, same_bits
from .machine_code import MACHINES, lowered

OPERATIONS = operations_with_samples("basic", "math")
CLOSE = {8: 1e-10, 4: 2e-4, 2: 2e-2}
"""Parts of the largest element; with derivatives, errors of the last place become some more."""


def close(found, expected):
    """Return whether results are of one kind, and numbers as good as equal; others are equal."""
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(close, found, expected))
    if isinstance(expected, Variable):
        found, expected = found.data, expected.data
    if type(found) is not type(expected):
        return False
    if not isinstance(expected, (np.ndarray, np.generic)):
        return repr(found) == repr(expected)
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return False
    if expected.dtype.kind not in "fc":
        return found.tobytes() == expected.tobytes()
    finite = np.isfinite(expected)
    largest = np.max(np.abs(expected), where=finite, initial=0.0)
    size = expected.real.dtype.itemsize
    away = np.abs(np.where(finite, found, 0) - np.where(finite, expected, 0))
    return bool((away <= CLOSE.get(size, 1e-10) * largest).all()) and np.array_equal(
        np.where(finite, 0, found), np.where(finite, 0, expected), equal_nan=True
    )


def tried(operation, number, call):
    """Run a call of a sample by machine code, on several draws."""
    subject = Subject(operation, call)
    if not subject.xs:
        return
    function = values_and_gradients(subject)
    step = compiled(function, executor="llvm", wait=True, audit=None)
    draws = [subject.xs, *(drawn_anew(operation, call, 77 * k + number) for k in range(2))]
    for xs in (*draws, subject.xs):
        try:
            expected = function(*[x.copy() for x in xs])
        except Exception:  # as of two draws that do not fit each other
            continue
        got = step(*[x.copy() for x in xs])
        assert close(got, expected), f"call {number}: {call}: {got!r} in place of {expected!r}"
    assert "cannot compile" not in step.explain(), step.explain()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_by_machine_code_is_that_of_numpy(operation, monkeypatch):
    number = OPERATIONS.index(operation)
    for machine in MACHINES if LONG else [MACHINES[number % len(MACHINES)]]:
        monkeypatch.setattr(native, "this_machine", lambda machine=machine: machine)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.simplefilter("ignore", ReplayWarning)
            for index, call in enumerate(sample_of(operation).calls):
                if LONG or not index or (index + number) % 12 == 0:
                    tried(operation, index, call)


EXACT = [np.negative, np.square, np.abs, np.copy, np.isfinite, np.sqrt, np.floor, np.sign]
#: Which of two zeros is the larger one depends on the order; 0.0 added, they are one.
JOINING = [
    *(lambda x: x.max(axis=0, keepdims=True) + 0.0, lambda x: x.min() + 0.0),
    *(lambda x: np.max(x, axis=-1) + 0.0, lambda x: x[..., :1].max(axis=0) + 0.0),
    *(lambda x: (x > 0).any(axis=-1), lambda x: (x != x).all()),
]


def check_program(seed, compare):
    """Compare a random program by machine code with eager code; return how many regions it has."""
    function, calls = grammar.program_of(seed)
    program = recorded(function, *calls[0])
    tape, inputs = program.tape, [each.value for each in program.inputs]
    graph = without_dead(
        with_loops(Graph(tape.instructions, inputs, program.wanted, {**tape.constants}))
    )
    made = lowered(simplified(graph, PASSES if seed % 3 else ()), MACHINES[seed % len(MACHINES)])
    for arrays in calls:
        expected = function(*arrays)
        given = [arrays[each.place.key] for each in program.inputs]
        copies = [x.copy() for x in given]
        found = results_of(program, made.run(*given), arrays)
        assert same_bits(given, copies), f"seed {seed}: an input was written"
        assert compare(found, expected), f"seed {seed}: {found} in place of {expected}"
    return len(made.codes)


@pytest.mark.parametrize("chunk", seeds(4, 20), ids=name_of)
def test_random_programs_of_exact_functions_have_eager_bits(chunk, monkeypatch):
    monkeypatch.setattr(grammar, "UNARY", EXACT)
    monkeypatch.setattr(grammar, "REDUCING", JOINING)
    with np.errstate(all="ignore"):
        assert sum(check_program(seed, same_bits) for seed in chunk) > len(chunk) // 2


def nearly(found, expected):
    """Return whether results differ by no more than rounding does after some functions."""
    return len(found) == len(expected) and all(
        (a.dtype, a.shape) == (b.dtype, b.shape) and np.allclose(a, b, 1e-3, 1e-9, equal_nan=True)
        for a, b in zip(found, expected, strict=True)
    )


@pytest.mark.parametrize("chunk", [range(first, first + 20) for first in (0, 20, 40)], ids=name_of)
def test_random_programs_of_all_functions_give_eager_numbers(chunk):
    with np.errstate(all="ignore"):
        assert sum(check_program(seed, nearly) for seed in chunk) > len(chunk) // 2
