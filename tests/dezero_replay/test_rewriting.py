"""Rewritten code does what the code does; what it cannot do is refused by name, and runs as it is.

Promise: docs/how_replay_works.md
"""

import ctypes
import functools
import gc
import importlib
import importlib.util
import io
import re
import sys
import threading
import unittest
import warnings
from collections import Counter
from types import MethodType

import numpy as np
import pytest
from dezero_replay.recording.scope import Scope

from dezero_replay import compiled

from .plain import Plain, Rewriter
from .worlds import program, side_by_side

# Python's own examples.

EXAMPLES = ["grammar", "patma", "named_expressions", "fstring", "contextlib", "functools"]
EXCEPT = {
    "test_exit_exception_traceback": "looks at the frames of a traceback, as ours",
    "test_register_abc": "fails as it is, where a module has derived a protocol from an ABC",
    "test_jump_threading": "looks at the places of jumps in the code of Python 3.13",
}
REFUSED = {
    "defines the class",
    "defines the coroutine",
    "defines the generic function",
    "leaves a finally by return, break or continue",
    "deletes something else than a local name or an item",
    "binds the global variable",
    "has no source",
}


def suite_of(module, rewriter):
    """Return the tests of a module, each of them rewritten."""
    waiting, found = [unittest.defaultTestLoader.loadTestsFromModule(module)], unittest.TestSuite()
    while waiting:
        each = waiting.pop()
        if isinstance(each, unittest.TestSuite):
            waiting += each
            continue
        name = each._testMethodName
        if name in EXCEPT:
            continue
        setattr(each, name, MethodType(rewriter(getattr(type(each), name)), each))
        found.addTest(each)
    return found


@pytest.mark.parametrize(
    "name", [name for name in EXAMPLES if importlib.util.find_spec(f"test.test_{name}")]
)
def test_pythons_own_examples_run_rewritten(name, record_property, monkeypatch):
    """Where Python comes with them. What is refused runs as it is, and is counted by its reason."""
    rewriter, before = Rewriter(), sys.gettrace()  # as that of coverage, which some take away
    monkeypatch.setattr("test.support.gc_collect", lambda: gc.collect(0))  # there is much else
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        suite = suite_of(importlib.import_module(f"test.test_{name}"), rewriter)
        result = unittest.TextTestRunner(io.StringIO(), verbosity=0).run(suite)
    sys.settrace(before)
    told = [f"{test}: {text.splitlines()[-1]}" for test, text in result.failures + result.errors]
    assert not told
    assert result.testsRun > 60
    reasons = Counter(kind_of(error) for error in rewriter.refused.values())
    record_property("refused", dict(reasons))
    assert reasons.keys() <= REFUSED, rewriter.refused
    assert reasons.total() < len(rewriter.copies) / 3, reasons


def kind_of(error):
    """Return the reason of a refusal without the names in it."""
    return next((kind for kind in REFUSED if kind in str(error)), str(error))


def test_a_plain_recorder_has_all_that_rewritten_code_asks_for():
    asked = {name for kind in Scope.__mro__[:-1] for name in vars(kind) if name[0] != "_"}
    assert asked - set(vars(Plain)) - {"plain_attr", "call"} <= {
        *("plain_setattr", "plain_item", "plain_setitem", "plain_contained", "plain_iter"),
        *("plain_len", "divmod"),
    }


# What is refused by name.

REFUSALS = {
    "defines the class Inner": "class Inner: rate = 2.0\n    return x * Inner.rate",
    "defines the coroutine wait": "async def wait(): return 2.0\n    return x * 2.0",
    "leaves a finally": "try: y = x * 2.0\n    finally: return x * 3.0",
    "deletes something": "global LAST\n    LAST = x\n    del LAST\n    return x * 2.0",
    "assigns to an attribute within": "[0 for box.n in [1.0, 2.0]]\n    return x * box.n",
    "imports into the global name": "global math\n    import math\n    return x * math.pi",
    "print": "print('hello')\n    return x * 2.0",
    "locals": "y = 2.0\n    return x * locals()['y']",
    "no source": "return helper(x)",
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_what_cannot_be_followed_is_refused_by_name_with_its_line(reason):
    head = "class Box: n = 0\nbox, helper = Box(), eval('lambda x: x')\ndef step(x):\n    "
    source = f"{head}{REFUSALS[reason]}\n"
    report = side_by_side(program(source), 6)
    assert (report.replayed, report.eager) == (0, 6)
    ((where, told),) = report.step.reasons.items()
    assert reason in told
    assert re.search(r"program_\d+.py:[4-7]\b", f"{where}: {told}"), where
    assert len(report.told) == 1
    assert reason in report.told[0]


def test_the_line_of_a_call_over_several_lines_is_the_one_that_eager_code_has():
    def step(x):
        return abs(
            x
            + raises(
                2.0,
                3.0,
            )
        )

    def raises(*args):
        raise ValueError("odd")

    def lines(function):
        with pytest.raises(ValueError, match="odd") as caught:
            function(np.ones(3))
        frames = [each for each in caught.traceback if each.path.name == "test_rewriting.py"]
        return [(each.name, each.lineno) for each in frames if each.name in ("step", "raises")]

    assert lines(Rewriter()(step)) == lines(step)


# Functions in C that call back.

RATES = [2.0]


def scaled(*args):
    """Return a number that a global decides, whatever calls it."""
    return int(sum(args) * RATES[0])


class Item:
    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        return self.n * RATES[0] < other.n * RATES[0]

    def __eq__(self, other):
        return self.n * RATES[0] == other.n

    def __hash__(self):
        return scaled(self.n)

    def __index__(self):
        return scaled(self.n)

    def __len__(self):
        return abs(scaled(self.n))


def quick_sorted(*numbers):
    """Sort by a comparison of Python's that the C library calls."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.POINTER(ctypes.c_int)] * 2)
    array = (ctypes.c_int * len(numbers))(*numbers)
    compare = kind(lambda a, b: scaled(a[0] - b[0]))
    ctypes.CDLL(None).qsort(array, len(numbers), ctypes.sizeof(ctypes.c_int), compare)
    return array[0]


def listed(*numbers):
    items = list(numbers)
    items.sort(key=scaled)
    return items[0]


CALLBACKS = {
    "sorted": lambda: sorted([1, 2, 3], key=scaled)[0],
    "list.sort": lambda: listed(1, 2, 3),
    "min of objects": lambda: min(Item(1), Item(2)).n,
    "reduce": lambda: functools.reduce(scaled, [1, 2]),
    "map": lambda: sum(map(scaled, [1, 2])),
    "iter": lambda: len(list(iter(iter([1, 2, scaled(2), 9]).__next__, scaled(2)))),
    "re.sub": lambda: len(re.sub("a", lambda match: "b" * abs(scaled(2)), "aa")),
    "a key": lambda: {Item(1): 3}.get(Item(1), 7),
    "list.index": lambda: [1, Item(2), 4].index(4),
    "list.count": lambda: [Item(1), Item(2)].count(Item(2)),
    "in": lambda: int(4 in [Item(2)]),
    "range": lambda: sum(range(abs(Item(2).__index__()))),
    "an index": lambda: [1, 2, 3, 4, 5, 6, 7][Item(2)],
    "bytes": lambda: len(bytes(Item(2)) if RATES[0] > 0 else b""),
    "len": lambda: len(Item(3)),
    "math.gcd": lambda: np.gcd(Item(2).__index__(), 8),
    "qsort": lambda: quick_sorted(3, 1, 2),
    "partial": lambda: functools.partial(scaled, 1)(2),
    "cmp_to_key": lambda: sorted([1, 2], key=functools.cmp_to_key(lambda a, b: scaled(a - b)))[0],
    "zip of a generator": lambda: sum(
        a * b for a, b in zip((scaled(n) for n in (1, 2)), [3, 4], strict=True)
    ),
    "int.from_bytes": lambda: int.from_bytes(bytes([abs(scaled(1))]), "big"),
    "vectorize": lambda: int(np.vectorize(scaled)(np.array([1, 2])).sum()),
    "sum of objects": lambda: sum([len(Item(1)), len(Item(2))]),
    "join": lambda: len(",".join(str(scaled(n)) for n in (10, 100))),
    "a thread": lambda: threaded(scaled, 2),
}


def threaded(function, *args):
    found = []
    thread = threading.Thread(target=lambda: found.append(function(*args)))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.parametrize("name", CALLBACKS)
def test_what_a_function_in_c_calls_back_is_seen_or_ends_the_recording(name):
    def change(number, state):
        RATES[0] = -3.0 if number > 4 else 2.0

    def make():
        return (lambda x: x * CALLBACKS[name]()), None

    side_by_side(make, 8, change=change, audit=None)


# Generators and coroutines.


@pytest.mark.parametrize("source", ["yield x", "await x", "async for y in x: yield y"])
def test_a_generator_or_coroutine_is_no_function_to_be_compiled(source):
    space = {}
    head = "def step(x):" if source == "yield x" else "async def step(x):"
    exec(f"{head}\n    {source}", space)
    with pytest.raises(TypeError, match="generator or a coroutine"):
        compiled(space["step"])


GENERATORS = """
LOG, RATES = [], [2.0]
def every(n):
    try:
        got = yield n * RATES[0]
        LOG.append(got)
        got = yield got
    except ValueError:
        LOG.append("thrown")
        yield 7.0
    finally:
        LOG.append("closed")
    return 5.0
def outer():
    result = yield from every(3.0)
    LOG.append(result)
"""
USES = {
    "send": "g = every(2.0); y = x * next(g); return y + g.send(3.0)",
    "throw": "g = every(2.0); y = x * next(g); return y + g.throw(ValueError())",
    "close": "g = every(2.0); y = x * next(g); g.close(); return y",
    "yield from": "return x * sum(each or 1.0 for each in outer())",
    "a result": "return (x * n for n in RATES) and x * 2.0",
    "a loop": "return [x * (n or 1.0) for n in every(1.0)]",
    "unpacking": "a, b = every(1.0); return x * a, b",
    "zip": "return [x * a for a, b in zip(every(2.0), outer())]",
}


@pytest.mark.parametrize("name", USES)
def test_generators_in_a_function_do_what_they_do_in_eager_code(name):
    source = f"{GENERATORS}\ndef step(x):\n    {USES[name]}\n"

    def change(number, state):
        state["RATES"][0] = 2.0 if number < 5 else 3.0

    side_by_side(program(source), 8, change=change, audit=None)


def test_a_generator_that_is_returned_is_the_users_own():
    step = compiled(lambda x: (x * n for n in (2.0, 3.0)), quiet=True)
    for _ in range(5):
        assert [each.tolist() for each in step(np.ones(2))] == [[2.0, 2.0], [3.0, 3.0]]


@pytest.mark.parametrize("number", range(3))
def test_each_lambda_of_a_line_is_the_one_that_it_is(number):
    def make():
        return [lambda x: x * 2.0, lambda x: x * 3.0, lambda y: y * 2.0][number], None

    assert side_by_side(make, 6, strict=True).recorded == 2
