"""Functions that go wrong without a guard in their program, or a comparison of recordings.

Each scenario is as those in `guards`.
"""

import numpy as np

from dezero_core import Function, Variable
from tests.replayed import bits
from tests.sourced import run

from .guards import X, called, thrice


def a_branch(make):
    step = make(lambda x: x * 2.0 if x.sum() > 0 else x * 3.0)
    x = np.linspace(1.0, 3.0, 80)  # more numbers than Python computes with
    yield thrice(step, x)
    yield called(step, -x)


#: A function of a module that is not rewritten, since it belongs to the core.
_as_often = run("def as_often(x, n): return x * int(n[0])", {"__name__": "dezero_core.of_a_test"})


def a_number_of_times(make):
    as_often = _as_often["as_often"]
    step = make(lambda x, n: as_often(x, n))
    yield thrice(step, X, np.array([1]))
    yield called(step, X, np.array([2]))


def a_place(make):
    table = [2.0, 3.0]
    step = make(lambda x, n: x * table[n[0]])
    yield thrice(step, X, np.array([0]))
    yield called(step, X, np.array([1]))


def a_size(make):
    step = make(lambda x: x[x > 0].sum() / len(x[x > 0]))
    yield thrice(step, X)
    yield called(step, X - 1.5)


def a_fact(make):
    step = make(lambda x: x * 2.0 if np.array_equal(x, X) else x * 3.0)
    yield thrice(step, X.copy())
    yield called(step, -X)


def an_array_that_is_finite(make):
    step, x = make(lambda x: x * 2.0 if np.isfinite(x).all() else x - 1.0), np.arange(72.0)
    yield thrice(step, x)
    yield called(step, np.where(x > 3, np.inf, x))


#: Name of the function by which a guard in a program converts an array -> the scenario.
OF_PROGRAM = {
    "bool": a_branch,
    "int": a_number_of_times,
    "index": a_place,
    "shape_and_dtype": a_size,
    "same": a_fact,
    "all_finite": an_array_that_is_finite,
}


#: A module of a name that makes it one of ours: no guard looks at its globals.
HIDDEN = run("number = 8\ndef hidden(): return number", {"__name__": "dezero_nn.of_a_test"})
hidden = HIDDEN["hidden"]


def unlike(function, *args):
    """Return a scenario: what no guard can see is another thing in the second recording."""

    def scenario(make):
        step = make(function)
        for HIDDEN["number"] in (8, 7, 8, 8):
            yield called(step, *(args or (X,)))

    return scenario


def _reciprocal(x):
    with np.errstate(divide="raise" if hidden() == 8 else "ignore"):
        return 1.0 / x


def errors_that_one_recording_raises(make):
    step = make(_reciprocal)
    for HIDDEN["number"], x in ((8, X), (7, X), (8, X * 0.0)):
        yield called(step, x)


def other_effects(make):
    kept = {}

    def f(x):
        kept["a" if hidden() == 8 else "b"] = x * 2.0
        return x * 3.0

    step = make(f)
    for number, HIDDEN["number"] in enumerate((8, 7, 8, 8)):
        yield called(step, X + number), bits(kept)


def in_rounds(x):
    x = np.concatenate([x] * 40)
    for _ in range(60):
        x = np.sin(x) * (2.0 if hidden() == 8 else 3.0)
    return x


_A, _B = np.ones(3), np.full(3, 2.0)

#: The function that compares two recordings, and the number of the comparison -> the scenario.
OF_TWO_RECORDINGS = {
    "differs 1": other_effects,
    "differs 2": unlike(lambda x: (x * 2.0, str(hidden()))),
    "differs 3": unlike(lambda x: x * (_A if hidden() == 8 else _B)),
    "difference 2": unlike(lambda x: np.exp(x) if hidden() == 8 else np.tanh(x)),
    "difference 3": unlike(lambda x: np.sum(x, keepdims=hidden() == 8)),
    "difference 4": errors_that_one_recording_raises,
    "difference 6": unlike(in_rounds, np.arange(72.0)),
    "difference 7": unlike(lambda x: [x * 2.0, x * 3.0][:: 1 if hidden() == 8 else -1]),
}

#: Without the first, lists of two lengths cannot be compared, and the function stays eager. Without
#: the other, the program of one recording is taken, whose own guard is right.
HARMLESS = {"difference 1", "difference 5"}


class Masked(Function):
    def __init__(self, rng):
        self.rng = rng

    def forward(self, x):
        return x * (self.rng.random(x.shape) > 0.5)


class Branched(Function):
    def forward(self, x):
        return x * 2.0 if x.sum() > 0 else x * 3.0


def draws_before_a_body(make):
    rng = np.random.default_rng(1)
    step = make(lambda x: Branched()(Masked(rng)(Variable(x))).data)
    yield thrice(step, np.ones(5))
    yield called(step, -np.ones(5))
    yield rng.random()


def draws_before_a_branch(make):
    rng = np.random.default_rng(1)

    def f(x):
        y = Masked(rng)(Variable(x)).data
        return y * 2.0 if x.sum() > 0 else y - 1.0

    step = make(f)
    yield thrice(step, np.ones(5))
    yield called(step, -np.ones(5))
    yield rng.random()


#: Method of Program, and the number of the place in it that puts draws back -> the scenario.
OF_DRAWS = {"after 1": draws_before_a_body, "compute 1": draws_before_a_branch}
