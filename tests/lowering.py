"""Graphs of functions, and the programs to which executors lower them."""

import numpy as np
from dezero_replay.executors.executors import NumPyExecutor
from dezero_replay.passes.graph import Graph
from dezero_replay.passes.loops import with_loops
from dezero_replay.passes.passes import PASSES, simplified

from dezero_replay import compiled


def recorded(function, *arrays):
    """Return the program of a function that was recorded on arrays."""
    step = compiled(function)
    for _ in range(3):
        step(*arrays)
    assert step.programs, step.explain()
    return step.programs[0]


def results_of(program, found, arrays):
    """Return the list that the function returns; a run has each value in it once."""
    values = {value.number: x for value, x in zip(program.wanted, found, strict=True)}
    parts = program.outcome.parts
    return [values[x.what.number] if x.kind == "value" else arrays[x.what.place.key] for x in parts]


def graph_of(function, *arrays, without=None):
    """Return the graph of a function after the passes, but for one."""
    program = recorded(function, *arrays)
    tape, inputs = program.tape, [each.value for each in program.inputs]
    passes = tuple(each for each in PASSES if each is not without)
    return simplified(
        with_loops(Graph(tape.instructions, inputs, program.wanted, {**tape.constants})), passes
    )


def lowered(function, *arrays, without=None):
    """Return a function as NumPy runs it."""
    return NumPyExecutor().lower(graph_of(function, *arrays, without=without))


def calls(graph):
    """Return the names of the calls of a graph, in order."""
    return [getattr(each.call, "__name__", None) or str(each.call) for each in graph.instructions]


def same_bits(a, b):
    """Return whether results are equal to the bit, in type, shape and dtype."""
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same_bits, a, b))
    if type(a) is not type(b) or a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.tobytes() == b.tobytes():
        return True
    # The sign of a nan is not defined: NumPy's loops for long and short arrays differ in it.
    nan = np.isnan(a) & np.isnan(b)
    return bool(nan.any()) and np.where(nan, 0, a).tobytes() == np.where(nan, 0, b).tobytes()
