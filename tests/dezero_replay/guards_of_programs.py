"""Functions that go wrong without a guard in their program, or a comparison of recordings.

Each scenario is as those in `guards`.
"""

import numpy as np

from dezero_core import Function, Variable

from .guards import X, called, thrice


def a_branch(make):
    step = make(lambda x: x * 2.0 if x.sum() > 0 else x * 3.0)
    yield thrice(step, X)
    yield called(step, -X)


def a_number_of_times(make):
    step = make(lambda x, n: x * 2.0 if int(n[0]) == 1 else x * 3.0)
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


def _precision():
    """Return a number that no guard can see, since NumPy keeps it."""
    return np.get_printoptions()["precision"]


def unlike(function):
    """Return a scenario: what no guard can see is another thing in the second recording."""

    def scenario(make):
        step = make(function)
        for precision in (8, 7, 8, 8):
            with np.printoptions(precision=precision):
                yield called(step, X)

    return scenario


def _reciprocal(x):
    with np.errstate(divide="raise" if _precision() == 8 else "ignore"):
        return 1.0 / x


def errors_that_one_recording_raises(make):
    step = make(_reciprocal)
    for precision, x in ((8, X), (7, X), (8, X * 0.0)):
        with np.printoptions(precision=precision):
            yield called(step, x)


def an_iterator(make):
    rates = iter([2.0] * 3 + [5.0] * 9)
    step = make(lambda x: x * next(rates))
    for _ in range(5):
        yield called(step, X)


_A, _B = np.ones(3), np.full(3, 2.0)

#: The number of the comparison of two recordings -> the scenario.
OF_TWO_RECORDINGS = {
    1: unlike(lambda x: x * 2.0 if _precision() == 8 else x * 2.0 * x),
    2: unlike(lambda x: x * (_A if _precision() == 8 else _B)),
    3: unlike(lambda x: (x * 2.0, _precision())),
    4: unlike(lambda x: np.exp(x) if _precision() == 8 else np.tanh(x)),
    5: unlike(lambda x: np.sum(x, keepdims=_precision() == 8)),
    6: errors_that_one_recording_raises,
    8: unlike(lambda x: [x * 2.0, x * 3.0][:: 1 if _precision() == 8 else -1]),
    9: an_iterator,
}

#: Without it, the program of one recording is taken, whose own guard is right.
HARMLESS = {7}


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
