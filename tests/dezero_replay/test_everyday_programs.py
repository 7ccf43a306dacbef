"""Everyday programs are replayed from the third call on, to the bit, under ``strict=True``.

The programs of `everyday` and `constructs` run in two worlds, see `worlds`.

Promise: docs/how_replay_works.md
"""

import keyword
import re

import numpy as np
import pytest
from dezero_tools.functional import grad

from dezero_core import Function, Parameter, Variable
from dezero_replay import ReplayError, compiled

from . import constructs
from .everyday import DRAWS, PROGRAMS, descended, drawing
from .worlds import program, side_by_side

CALLS = 12
assert constructs.Model  # its programs are noted with those of `everyday`


def require_replayed(report, calls=CALLS):
    """Fail unless all calls but two were replayed, without a word."""
    assert report.recorded == 2, report.step.explain()
    assert report.replayed + report.audits == calls - 2, report.step.explain()
    assert not report.told


@pytest.mark.parametrize("audit", ["geometric", None])
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_everyday_program_is_replayed_from_the_third_call_on(name, audit):
    make, arguments, change = PROGRAMS[name]
    options = {"arguments": arguments, "change": change, "audit": audit, "strict": True}
    require_replayed(side_by_side(make, CALLS, **options))


@pytest.mark.parametrize("audit", ["geometric", None])
@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_replayed_and_the_generators_end_in_the_same_state(name, audit):
    require_replayed(side_by_side(drawing(name), CALLS, audit=audit, strict=True))


# The names of surroundings.

STEP = """
import numpy as np
from dezero_core import Parameter, Variable
weight = Parameter(np.ones(3))
class Model: pass
model = Model()
model.a = model.acc_ = weight
def step(given):
    loss = np.mean((model.a * given) ** 2)
    model.a.cleargrad()
    loss.backward()
    model.a.data -= 0.1 * model.a.grad
    return loss, model.a.grad
"""
READ = {"np", "Parameter", "weight", "model", "step", "Model"}
NAMES = ["a", "data", "grad", "mean", "backward", "cleargrad", "loss", "given", "shape", "T", "sum"]
NAMES += ["creator", "step_", "list", "abs", "__doc__", "range", "float", "name", "acc_", "_", "x"]
VALUES = [0, 1.5, "text", None, np.ones(3), [], {}, (1,), np.float64(3.0), Parameter(np.ones(2))]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in READ])
def test_a_global_of_any_name_that_the_function_does_not_read_changes_nothing(name):
    """As in a script or a notebook, where all names are global."""

    def change(number, state):
        state[name] = VALUES[number % len(VALUES)]

    report = side_by_side(
        program(STEP), CALLS, arguments=lambda n, state: (np.ones(3),), change=change, strict=True
    )
    require_replayed(report)


@pytest.mark.parametrize("name", ["a", "mean", "data", "grad", "loss", "history"])
def test_a_global_may_hold_what_the_function_has_returned(name):
    source = f"{STEP}\n{name} = []\n"

    def change(number, state):
        if number:
            loss, slope = state["step"](np.ones(3)) if number < 0 else (None, None)
            state[name] = [*state[name], number] if name == "history" else (loss, slope)

    report = side_by_side(
        program(source), CALLS, arguments=lambda n, state: (np.ones(3),), change=change, strict=True
    )
    require_replayed(report)


@pytest.mark.parametrize("kept", ["loss, grad", "mean, g", "data, _", "a, backward", "l, a"])
def test_the_names_of_a_loop_around_it_change_nothing(kept):
    """The loop is in the module of the function, and keeps the results in its globals."""
    make = program(STEP)
    step, state = make()
    state["step"] = run = compiled(step, strict=True)
    exec(f"for _ in range(12): {kept} = step(np.ones(3))", state)
    assert run.stats["recorded"] == 2
    assert run.stats["replayed"] + run.stats["audits"] == 10


def test_no_keyword_of_python_is_among_the_names():
    assert not any(map(keyword.iskeyword, NAMES))


# Ways that are taken at times.


def printing():
    w = Parameter(np.ones(3))

    def step(x, n):
        loss = descended([w], np.sum((w * x) ** 2))
        if n % 10 == 0:
            print("loss", loss)
        return loss

    return step, w


def test_the_other_calls_are_replayed_where_each_tenth_prints():
    report = side_by_side(printing, 42, arguments=lambda n, state: (np.ones(3), n))
    assert (report.recorded, report.eager) == (2, 5)
    assert report.replayed + report.audits == 35


def test_the_warning_of_a_way_that_is_eager_comes_once_and_names_the_line():
    report = side_by_side(printing, 42, arguments=lambda n, state: (np.ones(3), n))
    assert len(report.told) == 1
    assert "print" in report.told[0]
    assert "test_everyday_programs.py" in report.told[0]


def test_a_function_whose_calls_are_all_eager_is_an_error_under_strict():
    step = compiled(lambda x: print(x) or x * 2, strict=True)
    with pytest.raises(ReplayError, match="print"):
        step(np.ones(3))


def test_a_function_that_is_called_as_a_part_of_the_code_around_it_is_an_error_under_strict():
    """Until one of its calls is recorded."""
    step = compiled(lambda x: np.sum(x * x), strict=True)
    with pytest.raises(ReplayError, match="compile what is around"):
        grad(step)(np.ones(3))
    with pytest.raises(ReplayError, match="gets a Variable with a graph"):
        step(Variable(np.ones(3)) * 2.0)
    step(np.ones(3))
    assert grad(step)(np.ones(3)).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("text", ["relu", "tanh", "none"])
def test_each_text_has_a_program_of_its_own(text):
    def make():
        def step(x, mode):
            return {"relu": np.abs, "tanh": np.tanh, "none": np.negative}[mode](x) * 2

        return step, None

    modes = ["relu", "tanh", text]
    report = side_by_side(make, 24, arguments=lambda n, s: (np.arange(3.0) + n, modes[n % 3]))
    assert report.recorded == 2 * len(set(modes))
    assert report.eager == 0


def test_two_epochs_whose_last_batch_is_smaller_are_replayed():
    def make():
        w = Parameter(np.ones(3))
        return (lambda x: descended([w], np.mean((x @ w) ** 2))), w

    def arguments(number, state):
        return (np.ones((2 if number % 5 == 4 else 8, 3)) * number,)

    report = side_by_side(make, 30, arguments=arguments, strict=True)
    assert (report.recorded, report.eager) == (4, 0)


# Where everything keeps changing.


def lengths(number, state):
    return (np.arange(number + 1.0),)


def changing():
    return (lambda x: np.sum(np.sin(x) * x)), None


def test_the_warning_about_shapes_that_keep_changing_comes_once_after_eight_recordings():
    few = side_by_side(changing, 8, arguments=lengths)
    many = side_by_side(changing, 60, arguments=lengths)
    assert (few.told, len(many.told)) == ([], 1)
    assert "shape" in many.told[0]


def test_recordings_are_spaced_out_where_shapes_keep_changing():
    report = side_by_side(changing, 60, arguments=lengths)
    assert report.recorded < 30
    assert report.eager > 30


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("state.v = object()", "state.v"),
        ("store['b2'] = object()", "store['b2']"),
        ("a = object()", "a"),
    ],
)
def test_the_warning_names_what_changes_as_the_user_has_written_it(text, place):
    source = f"""
import numpy as np
class State: pass
state, store, a = State(), {{}}, None
{text}
def step(x):
    return x * (2.0 if {place} is not None else 3.0)
"""
    code = compile(text, "<change>", "exec")
    report = side_by_side(program(source), 20, change=lambda n, state: exec(code, state))
    assert len(report.told) == 1
    assert place in report.told[0]


def test_explain_begins_with_how_many_calls_were_replayed_and_how_long_they_take():
    step = compiled(lambda x: np.sum(np.tanh(x) * x), strict=True)
    for _ in range(9):
        step(np.ones(3))
    first = step.explain().splitlines()[0]
    assert re.search(r"\b6 of 9 calls were replayed", first), first


def test_explain_names_what_keeps_a_path_eager_with_its_line():
    step = compiled(printing()[0], quiet=True)
    for n in range(22):
        step(np.ones(3), n)
    assert re.search(r"test_everyday_programs.py:\d+\b.*\bprint\b", step.explain())


def test_explain_says_in_words_what_runs_between_the_recorded_parts():
    class Listed(Function):
        def forward(self, x):
            return x * 2.0

        def backward(self, gy):
            return np.array(gy.tolist()) * 2.0

    slope = compiled(grad(lambda x: np.sum(Listed()(x) ** 2)))
    for _ in range(4):
        slope(np.array([0.0, 2.0]))
    opaque = [line for line in slope.explain().splitlines() if "Listed.backward" in line]
    assert opaque
    assert all("runs as Python" in line and "right, but slower" in line for line in opaque)
