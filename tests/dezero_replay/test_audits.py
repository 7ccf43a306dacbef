"""An audit runs the eager code beside the program, and finds each difference.

Promise: docs/how_replay_works.md
"""

from contextvars import ContextVar
from types import SimpleNamespace

import numpy as np
import pytest
from dezero_replay.audit import same_bits

from dezero_core import Parameter, Variable
from dezero_replay import ReplayError, ReplayWarning, compiled


def test_calls_four_sixteen_and_so_on_are_audited():
    f = compiled(lambda x: x * 2.0)
    for _ in range(70):
        f(np.ones(3))
    assert f.stats["audits"] == 3


def state():
    return SimpleNamespace(
        w=Parameter(np.ones(3)), v=Parameter(np.ones(3)), scratch=np.zeros(3), count=0
    )


def step_of(state):
    def step(x):
        state.count += 1
        x *= 2.0
        state.scratch[...] = 0.0
        state.w.data -= 0.1 * x
        state.v.data = state.w.data * 1.0
        state.w.cleargrad()
        np.sum(state.w * x).backward()
        state.v.grad = None
        return np.sum(x * state.w), state.w, 3, x + state.count

    return step


def test_an_audit_of_effects_of_every_kind_finds_them_equal():
    f = compiled(step_of(state()), audit=1)
    for _ in range(12):
        f(np.ones(3))
    assert f.stats["audits"] > 3


@pytest.mark.parametrize("number", range(8))
def test_an_audit_finds_each_value_that_is_another_one(number):
    holder = state()
    f = compiled(step_of(holder), audit=2)
    while not (f.stats["replayed"] and f.stats["audits"]):
        f(np.ones(3))
    program = f.program
    run, wanted = program.run, len(program.wanted)
    assert wanted == 8

    def wrong(*arrays):
        values = run(*arrays)
        values[number] = values[number] + 1
        return values

    (lowered,) = program._variants.values()
    lowered.run = wrong

    def call_until_the_next_audit():
        for _ in range(4):
            f(np.ones(3))

    with pytest.raises(ReplayError, match="in place of"):
        call_until_the_next_audit()
    assert not f.programs


def test_an_audited_call_warns_once_of_an_error_of_floating_point():
    f = compiled(lambda x: np.exp(x), audit=1)
    for _ in range(5):
        with pytest.warns(RuntimeWarning, match="overflow") as caught:
            f(np.full(100, 1e3))
        assert len(caught) == 1


def test_an_audited_call_that_raises_has_the_effects_of_eager_code():
    w = Parameter(np.zeros(1))

    def step(x):
        w.data += 1.0
        return np.linalg.inv(x)

    f = compiled(step, audit=2)
    for _ in range(5):
        f(np.eye(2))
    audits = f.stats["audits"]
    with pytest.raises(np.linalg.LinAlgError):
        f(np.zeros((2, 2)))
    assert f.stats["audits"] == audits + 1
    assert w.data == 6.0


def test_an_audited_call_in_which_the_program_alone_raises_is_eager():
    f = compiled(lambda x: x * 2.0, audit=2)
    for _ in range(3):
        f(np.ones(3))

    def broken(*arrays):
        raise IndexError("of a planted fault")

    (lowered,) = f.program._variants.values()
    lowered.run = broken
    assert (f(np.ones(3)) == 2.0).all()


def test_a_program_is_audited_in_a_call_that_it_was_recorded_for():
    state = SimpleNamespace(k=2.0)

    def f(x):
        if x.sum() > 0:
            return x * state.k
        return x - state.k

    step = compiled(f)
    up, down = np.ones(3), -np.ones(3)
    for x in (up, up, down, down, up, down):  # the last is no call of the way that is due
        assert (step(x) == f(x)).all()
    state.k = 3.0
    for x in (up, down) * 4:
        assert (step(x) == f(x)).all()
    assert (step(np.ones((2, 2))) == 3.0).all()


def test_two_functions_of_one_key_are_audited_one_by_one():
    step = compiled(lambda x: np.exp(x) if x.sum() > 0 else x * 3.0, audit=2)
    for n in range(40):
        x = np.full(3, 1.0 if n % 3 else -1.0)
        assert (step(x) == (np.exp(x) if n % 3 else x * 3.0)).all()
    assert step.stats["audits"] > 10
    assert sum(entry.audits for entry in step.entries) == step.stats["audits"]


def test_an_audit_that_is_due_is_left_out_while_the_environment_says_so(monkeypatch):
    step = compiled(lambda x: x * 2.0)
    for _ in range(3):
        step(np.ones(3))
    monkeypatch.setenv("DEZERO_REPLAY", "0")
    for _ in range(3):
        assert (step(np.ones(3)) == 2.0).all()
    assert step.stats["eager"] == 3
    assert step.stats["replayed"] == 1
    monkeypatch.delenv("DEZERO_REPLAY")
    step(np.ones(3))
    assert step.stats["audits"] == 1


def test_an_audit_tells_the_sign_of_a_zero():
    step = compiled(lambda x: x * np.zeros(80), audit=1)
    for _ in range(3):
        step(np.ones(80))
    (zeros,) = step.programs[0].usual.constants.values()
    zeros[...] = -0.0
    with pytest.raises(ReplayError, match="in place of"):
        step(np.ones(80))


def with_another_number(outcome):
    outcome.parts[1].what = 3


def with_another_text(outcome):
    outcome.parts[2].what = "b"


def with_another_length(outcome):
    outcome.parts = outcome.parts[:-1]


def with_other_names(outcome):
    outcome.parts[3].keys = ("k",)


def with_another_type(outcome):
    outcome.what = list


def with_an_array_as_a_variable(outcome):
    outcome.parts[0].kind, outcome.parts[0].parts = "variable", (outcome.parts[1],)


@pytest.mark.parametrize(
    "planted",
    [
        *(with_another_number, with_another_text, with_another_length, with_other_names),
        *(with_another_type, with_an_array_as_a_variable),
    ],
)
def test_an_audit_finds_another_number_or_form_that_no_array_is_made_of(planted):
    def function(x):
        return x * 2.0, 2, "a", {"n": 1}, None

    step = compiled(function, audit=2)
    for _ in range(3):
        step(np.ones(2))
    planted(step.program.outcome)
    with pytest.raises(ReplayError, match="in place of"):
        step(np.ones(2))
    assert repr(step(np.ones(2))) == repr(function(np.ones(2)))


def test_options_for_printing_that_only_an_audit_has_found_before_keep_it_eager():
    def precision(x):
        options = np.get_printoptions()
        return [x * 2.0, options["precision"]] * (1 + (options["threshold"] == 7))

    step = compiled(precision)
    with pytest.warns(ReplayWarning, match="calls numpy.get_printoptions, which a replay would"):
        step(np.ones(2))
    for options in ({}, {"precision": 5}, {"threshold": 7}, {}):
        with np.printoptions(**options):
            for _ in range(4):
                assert repr(step(np.ones(2))) == repr(precision(np.ones(2)))


def test_an_audit_finds_a_gradient_that_is_not_cleared():
    w = Parameter(np.ones(2))

    def f(x):
        w.cleargrad()
        return x * 2.0

    step = compiled(f, audit=2)
    for _ in range(3):
        w.grad = np.ones(2)
        step(np.ones(2))
    w.grad = np.ones(2)
    step.eager = lambda x: x * 2.0
    with pytest.raises(ReplayError, match=r"w\.grad is None"):
        step(np.ones(2))


def test_an_audit_finds_a_list_an_item_and_a_context_variable_that_are_set_otherwise():
    kept, variable = SimpleNamespace(items=[], named={}), ContextVar("variable")

    def f(x):
        kept.items.append(x * 2.0)
        kept.items.append(x * 3.0)
        kept.named["a"] = x * 4.0
        variable.set(x * 5.0)

    def of_lists(x):
        f(x)
        kept.items[-2] = x

    def of_dicts(x):
        f(x)
        kept.named["a"] = x

    def of_contexts(x):
        f(x)
        variable.set(x)

    wrong = {of_lists: "to the end of kept.items", of_dicts: r"kept.named\['a'\]"}
    for other, said in {**wrong, of_contexts: "variable"}.items():
        step = compiled(f, audit=2)
        for _ in range(3):
            step(np.ones(2))
        step.eager = other
        with pytest.raises(ReplayError, match=f"{said} is .* in place of"):
            step(np.ones(2))


def test_an_audit_looks_at_inputs_as_they_were_before_eager_code_wrote():
    @compiled(audit=1)
    def f(x, z):
        x[...] = z
        z[...] = 0.0

    for number in range(4):
        x, z = np.zeros(3), np.arange(3.0) + number
        f(x, z)
        assert (x.tolist(), z.tolist()) == ([number, number + 1, number + 2], [0, 0, 0])
    assert f.stats["audits"] == 2


def test_an_audit_compares_an_array_that_was_written_and_is_elsewhere_since():
    w, v = Parameter(np.zeros(2)), Parameter(np.ones(2))

    def f(x):
        w.data += x
        w.data, v.data = v.data, w.data
        return v.data * 1.0

    step = compiled(f, audit=1)
    a, b = np.zeros(2), np.ones(2)
    for n in range(8):
        a += n
        a, b = b, a
        assert (step(np.full(2, float(n))) == b).all()
        assert (w.data == a).all()
    assert step.stats["audits"] > 4


def test_an_audit_names_instruction_line_values_and_the_last_call_that_was_right():
    def step(x):
        return np.exp(Variable(x)) * np.zeros(2)

    f = compiled(step)
    for _ in range(15):
        f(np.ones(2))
    (zeros,) = f.program.usual.constants.values()
    zeros[...] = 5.0
    with pytest.raises(ReplayError) as caught:
        f(np.ones(2))
    error, line = caught.value, step.__code__.co_firstlineno + 1
    assert (error.call, error.right, error.function) == (16, 4, step)
    np.testing.assert_array_equal(error.result.data, [0.0, 0.0])
    assert error.instruction == "Mul.forward of plugin 'basic' (dezero-ops-basic 0.1.0)"
    assert error.where == f"{__file__}:{line}"
    for part in ("array([13.59140914", "array([0., 0.])", error.instruction, error.where):
        assert part in str(error)
    assert "call 16 of the program, and call 4 was the last one known to be right" in str(error)
    assert "the result, too: it is the `result` of this error." in str(error)


def test_arrays_of_other_shapes_and_dtypes_have_other_bits():
    x = np.array([np.nan, -0.0])
    assert same_bits(x, -x[::-1][::-1] * -1.0)
    assert not same_bits(x, x[:1])
    assert not same_bits(x, x.astype(np.float32))
    assert not same_bits(x, np.array([np.nan, 0.0]))
