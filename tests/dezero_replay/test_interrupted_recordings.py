"""Recordings that end in the middle: by Ctrl-C, by errors, by changed sources, beside tracers.

Promise: docs/how_replay_works.md
"""

import importlib
import importlib.util
import random
import sys
import threading
import traceback
from types import SimpleNamespace

import numpy as np
import pytest
from dezero_replay.source.copies import copy_of, is_copy

from dezero_core import Function, Parameter, Variable, hookimpl
from dezero_replay import ReplayWarning, compiled

from .worlds import Picture, program, side_by_side


def world():
    """Return a function, and the state that it changes, of each kind; `at` says where it stops."""
    state = SimpleNamespace(
        w=Parameter(np.ones(4)),
        m=np.zeros(4),
        t=0,
        store={"a": 1.0},
        items=[1.0],
        rng=np.random.default_rng(0),
        at=None,
        error=KeyboardInterrupt,
    )

    def point(number):
        if state.at == number:
            state.at = None
            raise state.error

    def step(x):
        point(0)
        state.t += 1
        loss = np.sum((state.w * x) ** 2)
        state.store["a"] = loss.item()
        point(1)
        state.w.cleargrad()
        loss.backward()
        point(2)
        state.m[:] = 0.9 * state.m + state.w.grad + state.rng.normal(size=4)
        x += 1.0
        state.items.append(float(x[0]) + random.random())
        state.w.data -= 0.01 * state.m
        point(3)
        state.store["new"] = state.m * np.random.rand()
        state.last = state.m * 2
        point(4)
        return loss

    return step, state


def after(function, state, x, seed=0):
    """Call a function; return the picture of everything afterwards."""
    random.seed(seed), np.random.seed(seed)
    try:
        result = function(x).data
    except KeyboardInterrupt:
        result = "interrupted"
    numpys = np.random.get_state()
    random_states = random.getstate(), numpys[1].tobytes(), numpys[2]
    return Picture().of((result, state, x)), random_states


def interrupting(x):
    raise KeyboardInterrupt


def require_equal(mine, state, eager, other, calls):
    """Fail unless two functions do the same from here on."""
    for n in range(calls):
        x, y = np.arange(4.0) + n, np.arange(4.0) + n
        assert after(mine, state, x, n) == after(eager, other, y, n)


@pytest.mark.parametrize("call", [0, 1])
@pytest.mark.parametrize("at", range(5))
def test_ctrl_c_in_a_recording_puts_everything_back(at, call):
    eager, other = world()
    function, state = world()
    step = compiled(function, strict=True)
    require_equal(step, state, eager, other, call)
    x = np.arange(4.0)
    state.at = at
    before = after(interrupting, state, x)
    assert after(step, state, x) == before
    state.at = None
    require_equal(step, state, eager, other, 6)
    assert step.stats["replayed"] > 0


def interrupted(step, line):
    """Return a function that is interrupted at a line of ours."""
    left = [line]

    def trace(frame, event, argument):
        if "/dezero_replay/src/" not in frame.f_code.co_filename.replace("\\", "/"):
            return None
        left[0] -= event == "line"
        if left[0] == 0:
            raise KeyboardInterrupt
        return trace

    def run(x):
        before = sys.gettrace()  # as that of coverage
        sys.settrace(trace)
        try:
            return step(x)
        finally:
            sys.settrace(before)

    return run


def left_behind(state):
    """Return the types of objects in the state that are a recording's own."""
    parts = [*vars(state).values(), *state.store.values(), *state.items, state.w.data, state.w.grad]
    return [type(x) for x in parts if type(x).__module__.startswith("dezero_replay")]


@pytest.mark.parametrize("first", range(0, 400, 40))
def test_ctrl_c_at_any_line_of_ours_leaves_the_state_before_or_after_the_call(first):
    """Nothing of a recording remains in it, and the next calls are right."""
    for line in range(1 + first, 8_000, 400):
        eager, other = world()
        function, state = world()
        step, x, y = compiled(function), np.arange(4.0), np.arange(4.0)
        before = after(interrupting, state, x)
        found = after(interrupted(step, line), state, x)
        assert not left_behind(state)
        if found != before:
            assert found[0][1][1:] == after(eager, other, y)[0][1][1:], line
        require_equal(step, state, eager, other, 3)


# Errors.


@pytest.mark.parametrize("at", range(5))
def test_an_error_in_a_call_is_that_of_eager_code_and_leaves_what_eager_code_leaves(at):
    def make():
        step, state = world()
        state.error = ValueError("odd")
        return step, state

    def change(number, state):
        state.at = at if number in (0, 2, 5, 6) else None

    side_by_side(make, 9, change=change)
    side_by_side(make, 9, change=change, audit=None)


@pytest.mark.parametrize("call", range(5))
def test_an_error_has_the_traceback_and_context_of_eager_code_alone(call):
    function, state = world()
    state.error, step = ValueError("odd"), compiled(function)
    for _ in range(call):
        step(np.arange(4.0))
    state.at = 3
    with pytest.raises(ValueError, match="odd") as caught:
        step(np.arange(4.0))
    error = caught.value
    assert (error.__context__, error.__cause__) == (None, None)
    text = "".join(traceback.format_exception(error))
    assert text.count("Traceback") == 1
    assert "in step" in text
    assert "raise state.error" in text


@pytest.mark.parametrize("name", ["attr", "item", "free", "truth", "setattr", "setitem", "call"])
def test_an_error_in_the_recorders_own_code_makes_the_call_eager(name, monkeypatch):
    eager, other = world()
    function, state = world()

    def broken(*args, **kwargs):
        raise RuntimeError("a fault of ours")

    place = "native.Native.__call__" if name == "call" else f"scope.Scope.{name}"
    monkeypatch.setattr(f"dezero_replay.recording.{place}", broken)
    step = compiled(function)
    with pytest.warns(ReplayWarning, match="a fault of ours") as told:
        require_equal(step, state, eager, other, 4)
    assert len(told) == 1


# Sources.

SOURCE = """
RATE = 2.0
def helper(x):
    return x * RATE
def step(x):
    return helper(x) + 1.0
"""
CHANGES = {
    "another number": ("+ 1.0", "+ 5.0"),
    "another operator": ("x * RATE", "x + RATE"),
    "another name": ("x * RATE", "x * RAT"),
    "lines before it": ("RATE = 2.0", "RATE = 2.0\n\n\n"),
    "nothing that is Python": ("def step", "def def"),
    "nothing at all": (SOURCE, ""),
    "another function there": (
        SOURCE,
        SOURCE.replace("helper", "step").replace("step", "other", 1),
    ),
    "a comment": ("RATE = 2.0", "RATE = 2.0  # as before"),
}


@pytest.mark.parametrize("recorded", [0, 1, 4])
@pytest.mark.parametrize("name", CHANGES)
def test_a_source_that_has_changed_since_its_import_changes_nothing(name, recorded, tmp_path):
    """The imported function runs: it is replayed, or it is eager and says why."""
    file = tmp_path / "changing.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("changing", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    step = compiled(module.step, quiet=True)
    for n in range(8):
        if n == recorded:
            file.write_text(SOURCE.replace(*CHANGES[name]))
        x = np.arange(3.0) + n
        assert step(x).tolist() == (x * 2.0 + 1.0).tolist()
    if step.stats["replayed"] == 0:
        assert any("source" in reason for reason in step.reasons.values()), step.reasons


def test_two_files_with_the_same_function_have_copies_of_their_own(tmp_path):
    """Their codes are equal, and each has errors of its own lines."""
    source = "def step(x):\n    if x[0] < 0.0:\n        raise ValueError('odd')\n    return x * 2.0"
    for name in ("one", "two"):
        file = tmp_path / f"{name}.py"
        file.write_text(source)
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        copy = copy_of(module.step)
        assert copy.co_filename == str(file)
        assert is_copy(copy)


def test_an_expression_too_deep_for_its_rewriting_is_eager():
    step, _ = program(f"def step(x):\n    return x{' + 1.0' * 800}")()
    run = compiled(step)
    with pytest.warns(ReplayWarning, match="calls step, which cannot be rewritten: maximum recurs"):
        assert run(np.ones(2)).tolist() == [801.0, 801.0]


def test_code_without_a_source_says_so():
    space = {}
    exec("def step(x):\n    return x * 2.0", space)
    step = compiled(space["step"])
    with pytest.warns(ReplayWarning, match="has no source"):
        assert step(np.ones(2)).tolist() == [2.0, 2.0]


# Recursion of the compiled function, threads, plugins, tracers.


def test_a_compiled_function_that_calls_itself_is_replayed():
    @compiled(strict=True)
    def product(x, n):
        return x * 1.0 if n == 0 else product(x, n - 1) * x

    for n in range(8):
        x = np.arange(3.0) + n
        assert product(x, 3).tolist() == (x * 1.0 * x * x * x).tolist()
    assert product.stats["replayed"] > 4


def test_two_compiled_functions_that_call_each_other_are_replayed():
    @compiled(strict=True)
    def even(x, n):
        return x * 1.0 if n == 0 else odd(x, n - 1) + 1.0

    @compiled(strict=True)
    def odd(x, n):
        return x * 3.0 if n == 0 else even(x, n - 1) * 2.0

    for n in range(6):
        x = np.arange(3.0) + n
        assert even(x, 3).tolist() == ((x * 3.0 + 1.0) * 2.0 + 1.0).tolist()
    assert even.stats["replayed"] > 2


class Doubled(Function):
    def forward(self, x):
        return 2.0 * x

    def backward(self, gy):
        return 2.0 * gy


@hookimpl
def dezero_register_ops(register):
    register("doubled_of_a_test", lambda x: Doubled()(x), Doubled, methods=("doubled_of_a_test",))


def test_a_plugin_that_is_loaded_between_two_calls_is_seen(registered):
    def step(x):
        v = Variable(x)
        y = v.doubled_of_a_test() if hasattr(v, "doubled_of_a_test") else v * 3.0
        return y.data

    run = compiled(step)
    for n in range(8):
        if n == 4:
            registered(SimpleNamespace(dezero_register_ops=dezero_register_ops), "of_a_test")
        assert run(np.ones(3)).tolist() == [3.0 if n < 4 else 2.0] * 3
    assert run.stats["replayed"] > 0


@pytest.mark.parametrize("tool", ["settrace", "setprofile", "threading.setprofile"])
def test_beside_a_debugger_or_profiler_calls_are_right(tool):
    function, state = world()
    eager, other = world()
    step = compiled(function)
    target, kind = threading if tool.startswith("threading") else sys, tool.rpartition(".")[2]
    set_tool, get_tool = (getattr(target, f"{action}{kind[3:]}") for action in ("set", "get"))
    before = get_tool()  # as that of coverage
    for n in range(8):
        set_tool((lambda *args: None) if n in (1, 4) else before)
        try:
            found = after(step, state, np.arange(4.0))
        finally:
            set_tool(before)
        assert found == after(eager, other, np.arange(4.0))
    assert step.stats["replayed"] > 0


def test_a_function_is_rewritten_once_however_many_of_it_there_are(monkeypatch):
    seen, module = [], importlib.import_module("dezero_replay.source.rewriting")
    rewrite = module.Rewriter.definition
    monkeypatch.setattr(
        module.Rewriter, "definition", lambda self, node: seen.append(node) or rewrite(self, node)
    )

    def of(rate):
        return lambda x: x * rate

    for n in range(5):
        step = compiled(of(n))
        for _ in range(3):
            step(np.ones(3))
    assert len(seen) == 1


def test_two_threads_record_and_replay_one_function_at_once():
    step = compiled(lambda x: np.sum(np.tanh(x) * x), strict=True)
    xs = [np.arange(3.0) + n for n in range(40)]
    expected = [step.eager(x).tobytes() for x in xs]
    found = {}

    def run(name):
        found[name] = [step(x).tobytes() for x in xs]

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert all(each == expected for each in found.values())
