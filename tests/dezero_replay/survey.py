"""Every call of every operation's sample: recorded on some arrays, replayed on others."""

import warnings

import numpy as np
from dezero_replay.tape.instructions import Guard
from dezero_tools.functional.tracing import data_of
from dezero_tools.testing.oracles import direction
from dezero_tools.testing.subject import Subject

from dezero_core import Variable, grad
from dezero_core.extend import operations_of
from dezero_replay import ReplayWarning, compiled
from tests.replayed import bits


def operations_with_samples(*plugins):
    """Return the operations of some plugins that have calls to be tried."""
    return [op for plugin in plugins for op in operations_of(plugin) if op.sample]


def values_and_gradients(subject):
    """Return a function of arrays that gives the values of an operation, and its gradients."""

    def function(*xs):
        variables = [Variable(x) for x in xs]
        ys = subject.outputs(variables)
        roots = [y for y in ys if isinstance(y, Variable) and y.creator is not None]
        if not roots or not subject.operation.differentiable:
            return [data_of(y) for y in ys]
        weights = [direction(y, 1, index) for index, y in enumerate(roots)]
        return [*map(data_of, ys), *grad(roots, variables, grad_outputs=weights)]

    return function


def drawn_anew(operation, call, number):
    """Return other arrays for a call."""
    subject = Subject(operation, call)
    subject._number = lambda: 1000 + number
    return subject.xs


def outcome(operation, number, call):
    """Replay a call of a sample; return how it went.

    Raises
    ------
    AssertionError
        If a value or gradient is another than that of eager code, in any bit.
    """
    subject = Subject(operation, call)
    if not subject.xs:
        return "without arrays"
    function = values_and_gradients(subject)
    step = compiled(function, audit=None)
    draws = [subject.xs, *(drawn_anew(operation, call, 77 * k + number) for k in range(4))]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("ignore", ReplayWarning)
        for xs in (*draws, *draws[:2]):
            try:
                expected = function(*[x.copy() for x in xs])
            except Exception:  # as of two draws that do not fit each other
                continue
            got = step(*[x.copy() for x in xs])
            assert bits(got) == bits(expected), f"stale: {operation.name}, call {number}: {call}"
    if step.reasons:
        return "refused"
    if not step.programs:
        return "many branches"
    instructions = [each for program in step.programs for each in program.usual.instructions]
    if any(type(each.call).__name__.startswith("Opaque") for each in instructions):
        return "opaque"
    return "guarded" if any(type(each) is Guard for each in instructions) else "recorded"
