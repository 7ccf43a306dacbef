"""The page on functions that stay eager: each warning is given, and each cure is replayed.

Promise: docs/how_to/why_a_function_stays_eager.md
"""

import cProfile
import math
import warnings
from queue import SimpleQueue
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, Parameter, Variable, no_grad, use_ops
from dezero_replay import ReplayWarning, compiled
from dezero_tools import checked, functional, observe
from tests.replayed import bits

from .pages import ROOT

PAGE = (ROOT / "docs/how_to/why_a_function_stays_eager.md").read_text("utf-8")


def arrays(count=12):
    return [(np.arange(3.0) + n,) for n in range(count)]


class Case:
    """The words of a warning, a function that gives it, and one that does the same without it."""

    def __init__(self, words, make, cure, calls=None):
        self.words, self.make, self.cure = words, make, cure
        self.calls = arrays() if calls is None else calls


def appends(history):
    def step(x):
        history.append(1)
        return x * 2.0

    return step


def inverts(x):
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return x * 2.0


def appends_an_array():
    last = SimpleQueue()

    def step(x):
        y = x * 2.0
        last.put(y)
        return y

    return step


def sets_an_object():
    model = SimpleNamespace(loss=None)

    def step(x):
        model.loss = np.sum(Variable(x))
        return x * 2.0

    return step


def writes(total):
    def step(x):
        total[...] += x
        return total * 1.0

    return step


def writes_into_a_variable():
    total = Variable(np.zeros(3))

    def step(x):
        total.data += x
        return total.data * 1.0

    return step


class Noise(Function):
    def __init__(self, random):
        self.random = random

    def forward(self, x):
        return x + self.random.normal(size=x.shape)


def noise_of_a_function():
    random = np.random.default_rng(0)
    return lambda x: Noise(random)(Variable(x)).data


def noise_of_the_user():
    random = np.random.default_rng(0)
    return lambda x: x + random.normal(size=3)


def reads_a_table_of_a_class():
    class Model:
        table = np.ones(10_000)

    return lambda x: x * -Model.table


def reads_a_table_of_an_object():
    model = SimpleNamespace(table=np.ones(10_000))
    return lambda x: x * -model.table


def checks_itself(x):
    with checked():
        return np.sum(np.exp(Variable(x))).data


def adds(x, y):
    x += y
    return x


def overlapping():
    return [(x[:2], x[1:]) for (x,) in arrays()]


def changes_a_dict(tree):
    tree["y"] = tree["x"] * 2.0
    return tree["x"]


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


def makes_a_graph(clears):
    w = Parameter(np.ones(3))

    def step(x):
        w.cleargrad()
        np.sum((w * x) ** 2).backward(create_graph=True)
        if clears:
            w.cleargrad()
        return x * 2.0

    return step


def counts_and_decides():
    model = SimpleNamespace(steps=0)

    def step(x):
        model.steps += 1
        return x * 2.0 if math.sqrt(model.steps) > 3 else x

    return step


def prints(x):
    print("seen")
    return x * 2.0


CASES = [
    Case(
        "float() takes a value out of an array",
        lambda: lambda x: x / float(np.sum(x)),
        lambda: lambda x: x / np.sum(x),
    ),
    Case(
        "float() takes a value out of an array",
        lambda: lambda x: x * math.sqrt(x[0]),
        lambda: lambda x: x * np.sqrt(x[0]),
    ),
    Case(".item()", lambda: lambda x: x * x[0].item(), lambda: lambda x: x * x[0]),
    Case(".tolist()", lambda: lambda x: sum(x.tolist()), lambda: lambda x: np.sum(x)),
    Case(
        "np.asarray()",
        lambda: lambda x: np.array([x[0], x[1]]),
        lambda: lambda x: np.stack([x[0], x[1]]),
    ),
    Case("formatting", lambda: lambda x: f"{x[0]:.1f}", lambda: lambda x: x[0] * 1.0),
    Case(
        "observe() or checked() watch the function from within",
        lambda: checks_itself,
        lambda: lambda x: np.sum(np.exp(Variable(x))).data,
    ),
    Case(
        "the function changes the content of history",
        lambda: appends([]),
        lambda: lambda x: x * 2.0,
    ),
    Case(
        "the function sets model.loss to another object",
        sets_an_object,
        lambda: lambda x: x * 2.0,
    ),
    Case(
        "an array of shape (3,) that the function has computed is kept somewhere",
        appends_an_array,
        lambda: lambda x: x * 2.0,
    ),
    Case(
        "the function writes into the array total",
        lambda: writes(np.zeros(3)),
        writes_into_a_variable,
    ),
    Case(
        "the function draws random numbers outside of an operation",
        noise_of_the_user,
        noise_of_a_function,
    ),
    Case(
        "the function reaches the array Model.table of 80,000 bytes, and computes with something "
        "made of it",
        reads_a_table_of_a_class,
        reads_a_table_of_an_object,
        [(np.ones(10_000),)] * 6,
    ),
    Case(
        "two arrays share memory, and the function writes into one",
        lambda: adds,
        lambda: lambda x, y: adds(x, y),
        overlapping(),
    ),
    Case(
        "the function changes a list, dict or dataclass among its arguments",
        lambda: changes_a_dict,
        lambda: lambda tree: {**tree, "y": tree["x"] * 2.0},
        [({"x": x},) for (x,) in arrays()],
    ),
    Case(
        "the result holds a SimpleNamespace, which is no array",
        lambda: lambda x: SimpleNamespace(y=x * 2.0),
        lambda: lambda x: {"y": x * 2.0},
    ),
    Case(
        "a Variable of the result has a .grad", lambda: with_a_gradient, lambda: with_its_gradient
    ),
    Case("y has a graph from before the call", uses_a_graph, lambda: lambda x: np.sum(x * 2.0)),
    Case(
        ".grad of w holds a Variable with a graph at the end",
        lambda: makes_a_graph(False),
        lambda: makes_a_graph(True),
    ),
    Case(
        "the function changes model.steps, and not by arithmetic alone",
        counts_and_decides,
        lambda: lambda x: x * 2.0,
    ),
    Case(
        "a value that decides",
        lambda: lambda x: x * int(x[0]),
        lambda: lambda x: x * np.floor(x[0]),
    ),
    Case(
        "print() writes to the terminal, and a replay would not do this",
        lambda: prints,
        lambda: lambda x: x * 2.0,
    ),
    Case(
        "inv raised LinAlgError, and the function went on",
        lambda: inverts,
        lambda: lambda x: np.linalg.inv(x) if np.linalg.det(x) != 0 else x * 2.0,
        [(np.full((2, 2), float(n)),) for n in range(12)],
    ),
    Case(
        "may ask for the memory of an array",
        lambda: lambda x: x * len(memoryview(x)),
        lambda: lambda x: x * len(x),
    ),
    Case(
        "the function computes with no array: there is nothing to replay",
        lambda: lambda x, n: n + 1,
        lambda: lambda x, n: x + 1.0,
        [(x, 1) for (x,) in arrays()],
    ),
    Case(
        "the function is recorded again and again, and at most 8 programs can be kept: argument 0 "
        "changes",
        lambda: lambda x: x * 2.0,
        lambda: lambda x: x * 2.0,
        [(np.ones(n),) for n in range(60) for _ in range(2)],
    ),
]


def called(function, calls):
    """Call a compiled function; return its results and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ReplayWarning)
        results = [function(*args) for args in calls]
    return results, [str(each.message) for each in caught]


def copied(calls):
    return [tuple(x.copy() if hasattr(x, "copy") else x for x in args) for args in calls]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words)
def test_a_function_that_stays_eager_says_the_words_of_the_page(case):
    assert case.words in PAGE
    step = compiled(case.make())
    calls = case.calls if "share memory" in case.words else copied(case.calls)
    _, said = called(step, calls)
    (warning,) = [words for words in said if case.words in words]
    cure = warning.partition(case.words)[2]
    assert (
        ": " in cure or "Call the function with" in cure or case.words.endswith("nothing to replay")
    )
    assert case.words in step.explain()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words)
def test_what_the_page_advises_is_replayed(case):
    options = {"max_programs": 100} if "again and again" in case.words else {}
    step, eager = compiled(case.cure(), **options), case.cure()
    results, said = called(step, copied(case.calls))
    assert said == []
    assert step.stats["replayed"] > 0 or options
    assert [bits(y) for y in results] == [bits(eager(*args)) for args in copied(case.calls)]


def test_every_row_of_the_page_has_a_case():
    table = PAGE.partition("## By the words")[2].partition("##")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    assert [row for row in rows if not any(case.words in row for case in CASES)] == []


@pytest.fixture
def step():
    """Return a function that has a program."""
    f = compiled(lambda x: np.exp(x) * 2.0)
    for _ in range(3):
        f(np.ones(3))
    return f


def test_calls_that_somebody_wants_to_see_are_eager_without_a_warning(step):
    x = np.ones(3)
    step(Variable(x))
    functional.grad(lambda x: np.sum(step(x)))(x)
    compiled(lambda x: step(x) * 2.0)(x)
    with observe("time"):
        step(x)
    with checked():
        step(x)
    with cProfile.Profile():
        step(x)
    with use_ops(exp="math"):
        step(x)
    step(np.ma.masked_array(x))
    assert step.stats["eager"] == 8
    assert step.stats["replayed"] == 1
    step(x)
    step(x)
    assert (step.stats["replayed"], step.stats["audits"]) == (2, 1)


def test_the_environment_switches_all_replay_off(monkeypatch):
    monkeypatch.setenv("DEZERO_REPLAY", "0")
    f = compiled(lambda x: x * 2.0)
    _, said = called(f, arrays())
    assert said == []
    assert f.stats["eager"] == 12


def test_a_call_under_no_grad_has_a_program_of_its_own(step):
    with no_grad():
        for _ in range(3):
            step(np.ones(3))
    assert len(step.programs) == 2
    assert step.stats["eager"] == 0
