"""The page on functions that stay eager: each warning is given, and each cure is replayed.

Promise: docs/how_to/why_a_function_stays_eager.md
"""

import copy
import threading
import time
import warnings
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np
import pytest

from dezero_core import Function, Parameter, Variable
from dezero_replay import ReplayWarning, compiled
from dezero_tools import functional
from tests.replayed import bits

from .pages import ROOT

PAGE = (ROOT / "docs/how_to/why_a_function_stays_eager.md").read_text("utf-8")


def arrays(count=12):
    return [(np.arange(3.0) + n,) for n in range(count)]


class Case:
    """The words of a warning, a function that gives it, and one that does the same without it."""

    def __init__(self, words, make, cure, calls=None, cured=None):
        self.words, self.make, self.cure = words, make, cure
        self.calls = arrays() if calls is None else calls
        self.cured = self.calls if cured is None else cured


def stopped(x):
    y = x
    while np.max(y) > 1.0:
        y = y * 0.9 + 0.001 * np.sin(x)
    return np.sum(y)


def scaled(x):
    return x * 2.0


def relaxed(x, n):
    for _ in range(n):
        x = np.sin(x) + x * 0.5
    return x


def prints(x):
    print("seen")
    return x * 2.0


def asks_the_clock(x):
    return x * 2.0 if time.time() > 0.0 else x


def puts_into_a_queue():
    results = SimpleQueue()

    def step(x):
        results.put(x * 2.0)
        return x * 2.0

    return step


def holds_a_lock():
    lock = threading.Lock()

    def step(x):
        with lock:
            return x * 2.0

    return step


def without_a_source():
    names = {}
    exec("def doubled(x): return x * 2.0", names)
    return lambda x: names["doubled"](x)


def takes_the_next():
    rates = iter([2.0] * 20)
    return lambda x: x * next(rates)


def goes_through_an_iterator():
    rates = iter([2.0])

    def step(x):
        for rate in rates:
            x = x * rate
        return x

    return step


def pops():
    rates = [2.0] * 20
    return lambda x: x * rates.pop()


def appends_and_asks_for_the_length():
    history = []

    def step(x):
        history.append(x)
        return x * len(history)

    return step


def asks_for_the_length_of_a_copy():
    history = []

    def step(x):
        return x * 2.0, len(history)

    return step


def inverts(x):
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return x * 2.0


class Result:
    def __init__(self, y):
        self.y = y


@dataclass
class Record:
    y: np.ndarray


def adds(x, y):
    x += y
    return x


def overlapping():
    return [(x[:2], x[1:]) for (x,) in arrays()]


def with_a_gradient(x):
    y = Variable(x)
    np.sum(y * 2.0).backward()
    return y


def with_its_gradient(x):
    y = with_a_gradient(x)
    return y.data * 1.0, y.grad


def uses_a_graph():
    w = Parameter(np.ones(3))
    y = w * 2.0
    return lambda x: np.sum(y * x).data


def goes_back():
    w = Parameter(np.ones(3))
    y = np.sum(w * w)

    def step(x):
        w.cleargrad()
        y.backward()
        return x * w.grad

    return step


def goes_back_inside():
    w = Parameter(np.ones(3))

    def step(x):
        w.cleargrad()
        np.sum(w * w).backward()
        return x * w.grad

    return step


def compares_by_identity():
    kind, other = "".join(["tr", "ain"]), "".join(["tr", "ain"])
    return lambda x: x * (2.0 if kind is other else 3.0)


def compares_by_value():
    kind, other = "".join(["tr", "ain"]), "".join(["tr", "ain"])
    return lambda x: x * (2.0 if kind == other else 3.0)


async def a_rate():
    return 2.0


def makes_a_coroutine(x):
    made = a_rate()
    made.close()
    return x * 2.0


def makes_a_graph(clears):
    w = Parameter(np.ones(3))

    def step(x):
        w.cleargrad()
        np.sum((w * x) ** 2).backward(create_graph=True)
        if clears:
            w.cleargrad()
        return x * 2.0

    return step


class Counted(Function):
    def __init__(self, calls):
        self.calls = calls

    def forward(self, x):
        self.calls["n"] += 1
        return x * 2.0


def counts_in_a_body():
    calls = {"n": 0}
    return lambda x: Counted(calls)(Variable(x)).data


def counts_outside():
    calls = {"n": 0}

    def step(x):
        calls["n"] += 1
        return (Variable(x) * 2.0).data

    return step


class Rate:
    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        return self.n < other.n

    def __hash__(self):
        return hash(self.n)

    def __eq__(self, other):
        return self.n == other.n


def sorts_objects():
    rates = [Rate(3.0), Rate(2.0)]
    return lambda x: x * sorted(rates)[0].n


def sorts_numbers():
    rates = [Rate(3.0), Rate(2.0)]
    return lambda x: x * sorted([rate.n for rate in rates])[0]


def looks_up_an_object():
    rate = Rate(2.0)
    table = {rate: 2.0}
    return lambda x: x * table[rate]


def looks_up_a_number():
    rate = Rate(2.0)
    table = {rate.n: 2.0}
    return lambda x: x * table[rate.n]


def shuffles():
    random = np.random.default_rng(0)

    def step(x):
        random.shuffle(x)
        return x * 2.0

    return step


def permutes():
    random = np.random.default_rng(0)
    return lambda x: random.permutation(x) * 2.0


def makes_a_class(x):
    class Local:
        rate = 2.0

    return x * Local.rate


CASES = [
    Case(
        "takes a value out of an array by .tolist()",
        lambda: lambda x: x * sum(x.tolist()),
        lambda: lambda x: x * float(np.sum(x)),
    ),
    Case(
        "writes a value into a text",
        lambda: lambda x: (x, f"{np.sum(x, keepdims=True)}"),
        lambda: lambda x: (x, np.sum(x, keepdims=True)),
    ),
    Case("calls print, which a replay would not do", lambda: prints, lambda: scaled),
    Case("calls time.time, which", lambda: asks_the_clock, lambda: scaled),
    Case("calls results.put() of a SimpleQueue", puts_into_a_queue, lambda: scaled),
    Case("enters a _thread.lock by with", holds_a_lock, lambda: scaled),
    Case("doubled has no source", without_a_source, lambda: scaled),
    Case("advances rates, and a replay would not", takes_the_next, lambda: scaled),
    Case("goes through rates", goes_through_an_iterator, lambda: scaled),
    Case("calls rates.pop() of a list", pops, lambda: scaled),
    Case(
        "adds to history, and looks how much is in it",
        appends_and_asks_for_the_length,
        asks_for_the_length_of_a_copy,
    ),
    Case(
        "goes on after inv has raised LinAlgError",
        lambda: inverts,
        lambda: lambda x: np.linalg.inv(x) if np.linalg.det(x) != 0 else x * 2.0,
        [(np.full((2, 2), float(n)),) for n in range(12)],
    ),
    Case(
        "returns or keeps a Result, which is no array",
        lambda: lambda x: Result(x * 2.0),
        lambda: lambda x: Record(x * 2.0).y,
    ),
    Case("returns a Variable that has a .grad", lambda: with_a_gradient, lambda: with_its_gradient),
    Case(
        "returns a result with a graph that leads to a Variable among the arguments",
        lambda: lambda x: np.sum(x**2),
        lambda: lambda x: np.sum(x.data**2),
        [(Variable(x),) for (x,) in arrays()],
    ),
    Case("reads y, which has a graph from before the call", uses_a_graph, lambda: scaled),
    Case("goes back through a graph from before the call", goes_back, goes_back_inside),
    Case(
        "compares two numbers or texts by identity",
        compares_by_identity,
        compares_by_value,
    ),
    Case("calls a_rate, which is a coroutine", lambda: makes_a_coroutine, lambda: scaled),
    Case(
        "leaves a Variable with a graph in w.grad",
        lambda: makes_a_graph(False),
        lambda: makes_a_graph(True),
    ),
    Case(
        "gets two arrays that share memory, and writes into one",
        lambda: adds,
        lambda: lambda x, y: adds(x, y),
        overlapping(),
    ),
    Case("sets calls['n'], in the body of an operation", counts_in_a_body, counts_outside),
    Case("is called by sorted, which is written in C", sorts_objects, sorts_numbers),
    Case(
        "uses a Rate as a key, whose __hash__ a recording does not see",
        looks_up_an_object,
        looks_up_a_number,
    ),
    Case(
        "gives argument 0, a MaskedArray, to code in C",
        lambda: lambda x: np.exp(x) * 2.0,
        lambda: lambda x: np.exp(x) * 2.0,
        [(np.ma.masked_array(x),) for (x,) in arrays()],
        cured=arrays(),
    ),
    Case("asks for the id of an argument", lambda: lambda x: x * (id(x) != 0), lambda: scaled),
    Case("calls Generator.shuffle()", shuffles, permutes),
    Case(
        "calls default_rng without a constant seed",
        lambda: lambda x: x * np.random.default_rng().integers(1, 2),
        lambda: lambda x: x * np.random.default_rng(3).integers(1, 2),
    ),
    Case(
        "defines the class Local, which a recording cannot follow",
        lambda: makes_a_class,
        lambda: scaled,
    ),
    Case(
        "calls memoryview, which",
        lambda: lambda x: x * len(memoryview(x)),
        lambda: lambda x: x * len(x),
    ),
    Case(
        "is recorded again and again: argument 0 changes in each call, in shape or type, and at "
        "most 8 programs can be kept",
        lambda: lambda x: x * 2.0,
        lambda: lambda x: x * 2.0,
        [(np.ones(n),) for n in range(60) for _ in range(2)],
    ),
    Case(
        "is recorded again and again: argument 1 decides which calls are made, and changes in "
        "each call, and at most 8 programs can be kept",
        lambda: relaxed,
        lambda: relaxed,
        [(np.ones(70), n) for n in range(30, 60)],
        [(np.ones(70), n) for n in (30, 40, 50) for _ in range(4)],
    ),
    Case(
        "is recorded again and again: it differs from call to call in a loop, of",
        lambda: functional.grad(stopped),
        lambda: functional.grad(lambda x: np.sum(relaxed(x, 38))),
        [(np.full(70, 1.2**n),) for n in range(30, 60)],
    ),
]


def called(function, calls):
    """Call a compiled function; return its results and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ReplayWarning)
        results = [function(*args) for args in calls]
    return results, [str(each.message) for each in caught]


def copied(calls):
    return [tuple(map(copy.deepcopy, args)) for args in calls]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words)
def test_a_function_that_stays_eager_says_the_words_of_the_page(case):
    assert case.words in PAGE
    step = compiled(case.make())
    calls = case.calls if "share memory" in case.words else copied(case.calls)
    _, said = called(step, calls)
    (warning,) = [words for words in said if case.words in words]
    cure = warning.partition(case.words)[2]
    assert ": " in case.words + cure
    assert case.words in step.explain()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words)
def test_what_the_page_advises_is_replayed(case):
    options = {"max_programs": 100} if "again and again" in case.words else {}
    step, eager = compiled(case.cure(), **options), case.cure()
    results, said = called(step, copied(case.cured))
    assert said == []
    assert step.stats["replayed"] > 0 or options
    assert [bits(y) for y in results] == [bits(eager(*args)) for args in copied(case.cured)]


def test_every_row_of_the_page_has_a_case():
    table = PAGE.partition("## By the words")[2].partition("##")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    assert [row for row in rows if not any(case.words in row for case in CASES)] == []
