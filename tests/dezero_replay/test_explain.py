"""`explain` says what was recorded, what is guarded, and why a function stays eager.

Promise: docs/how_to/why_a_function_stays_eager.md
"""

from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, Parameter, Variable
from dezero_ops_math import logsumexp
from dezero_replay import compiled
from tests.replayed import same


class Foreign(Function):
    """Makes a list of an array."""

    def forward(self, x):
        return np.array(x.tolist())

    def backward(self, gy):
        return gy


def test_a_function_that_was_not_called_says_so():
    assert compiled(np.exp).explain().startswith("exp: 0 of 0 calls were replayed\n")


def test_counts_agree_with_their_nouns_in_number():
    f = compiled(lambda x: x * 2.0, max_programs=1)
    f(np.ones(3))
    assert f.explain().startswith(f"{f.__qualname__}: 0 of 1 call was replayed")
    f = compiled(lambda x: x * 2.0, max_programs=1)
    for n in (1, 2):
        for _ in range(n + 3):
            f(np.ones(n))
    text = f.explain()
    assert text.startswith(f"{f.__qualname__}: 3 of 9 calls were replayed")
    assert "\nthe other calls: 4 recorded, 2 audited, 1 program replaced\n" in text
    assert "\n  replayed 2 times; 1 instruction, run by numpy; 0 bytes held" in text
    f(np.ones(1))
    f(np.ones(1))
    f(np.ones(1))
    text = f.explain()
    assert text.startswith(f"{f.__qualname__}: 4 of 12 calls were replayed")
    assert ", 2 programs replaced\n" in text
    assert "\n  replayed 1 time; 1 instruction, " in text


def test_inputs_effects_guards_and_constants_are_named():
    model = SimpleNamespace(
        scale=2.0, table=np.arange(3.0), scratch=np.zeros(3), count=0, w=Parameter(np.ones(3))
    )

    def step(x, y):
        model.count += 1
        x += y
        model.scratch[...] = 0.0
        loss = np.sum(x * model.w * model.table * model.scale) if y[0] < 9.0 else 0.0
        model.w.cleargrad()
        loss.backward()
        model.w.data -= 0.1 * model.w.grad
        return loss, np.linspace(0.0, 1.0, 4) * model.count

    f = compiled(step)
    for n in range(8):
        f(np.full(3, float(n)), np.ones(3))
    text = f.explain()
    for line in (
        *("input argument 0: float64[3]", "input model.table: float64[3], read anew"),
        *("input model.count: ", "writes into argument 0", "writes into model.scratch"),
        *("writes model.count", "writes into model.w.data", "writes model.w.grad"),
        *("guards model.scale is 2.0", "guards that bool of a value is True, at ", "constant v"),
    ):
        assert line in text, line
    assert "guards model.count" not in text


def test_opaque_bodies_and_those_that_ran_as_they_are_are_named():
    def step(x):
        return np.sum(Foreign()(logsumexp(Variable(x) * 2.0)))

    x = np.ones(3)
    with np.errstate(all="ignore"):
        f = same(step, [(x,), (x,), (x,), (x,), (x * -np.inf,), (x,)])
    text = f.explain()
    assert f"Foreign.forward of {__name__}, at " in text
    assert "runs as Python, between the recorded parts: right, but slower, since it" in text
    assert "takes a value out of an array by .tolist()" in text
    assert "LogSumExp.forward, at " in text
    assert " ran as it is written 1 time, since a guard failed" in text


def test_why_it_stays_eager_is_said():
    f = compiled(lambda x: x.tolist(), quiet=True)
    f(np.ones(3))
    line = f"{__file__}:{f.eager.__code__.co_firstlineno}"
    assert f"\nstays eager: {line}: takes a value out of an array by .tolist(), and" in f.explain()
    assert f.explain() == repr(f.explain())


def test_why_some_calls_stay_eager_is_said_of_each_line():
    def step(x):
        if x[0] > 5.0:
            return x.tolist()
        if x[0] > 3.0:
            print(end="")
        return x * 2.0

    f = compiled(step, quiet=True)
    for n in range(8):
        f(np.full(2, float(n)))
    line, text = step.__code__.co_firstlineno, f.explain()
    assert f"\nsome calls stay eager: {__file__}:{line + 2}: takes a value out of an" in text
    assert f"\nsome calls stay eager: {__file__}:{line + 4}: calls print, which" in text
    assert "program 0, recorded for float64[2]:" in f.explain()


def test_objects_of_a_recording_show_what_they_are():
    f = compiled(lambda x: np.exp(x) if x[0] > 0.0 else x)
    for _ in range(3):
        f(np.ones(3))
    program = f.program
    assert str(program.tape.instructions[0]).startswith("(v2,) = ")
    assert repr(program.outcome) == "value"
    assert repr(f).startswith("compiled(<function ")
    assert f.keys[0].single == []


def test_instructions_and_guards_of_a_loop_are_counted_once():
    def relaxed(x):
        for _ in range(50):
            x = np.sin(x) * 0.5 if x[0] < 9.0 else x
        return x if x[0] < 9.0 else -x

    f = compiled(relaxed)
    for _ in range(3):
        f(np.ones(1000))
    text = f.explain()
    assert "; 6 instructions (those in 1 loop once), run by numpy; " in text
    assert text.count("guards that bool of a value is True, at ") == 2


def test_equal_guards_are_one_line_with_their_number():
    f = compiled(lambda x: [x + 1.0 if each < 9.0 else x for each in (x[0], x[1], x[2])])
    for _ in range(3):
        f(np.ones(3))
    (line,) = [line for line in f.explain().splitlines() if "guards that bool" in line]
    assert line.endswith(" (3 times)")


def test_a_constant_that_nothing_reads_any_more_is_not_named():
    def function(x):
        half = np.full(5, 0.5)
        return x * (half + 1.0)

    step = compiled(function)
    for _ in range(3):
        step(np.ones(5))
    assert "constant v" not in step.explain()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(4.2e-7, "0.42 µs"), (0.00012345, "123 µs"), (0.012, "12 ms"), (2.0, "2 s")],
)
def test_times_have_a_fitting_unit(seconds, text):
    f = compiled(lambda x: x * 2.0)
    for _ in range(3):
        f(np.ones(3))
    f.entries[0].times[:] = [seconds, 2.0 * seconds]
    assert f"; a call takes {text} replayed, " in f.explain()
