"""The executor as users meet it: chosen, waited for, explained.

Promise: docs/how_to/make_it_faster.md
"""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from dezero_tools.functional import grad, value_and_grad

from dezero_core import Function, Parameter, UnknownOperationError, Variable
from dezero_replay import compiled
from dezero_replay_llvm import background, native

X = np.linspace(-2.0, 2.0, 200)


def wave(x):
    return np.sum(np.tanh(np.exp(np.sin(x) * 0.1) + x**2))


def called(function, *arguments, times=3, **options):
    """Return a function that was compiled, and called, and what the last call has returned."""
    options = {"executor": "llvm", "wait": True, "audit": None, **options}
    step = compiled(function, **options)
    for _ in range(times):
        result = step(*arguments)
    return step, result


def test_it_is_chosen_by_name_and_says_that_its_bits_may_differ():
    step, slope = called(grad(wave), X)
    assert (
        "run by llvm, whose results may differ from those of eager code in the last bits"
        in step.explain()
    )
    np.testing.assert_allclose(slope, step.eager(X), rtol=1e-13)


def test_it_is_not_chosen_by_being_installed():
    step, _ = called(grad(wave), X, executor=None)
    assert "run by numpy" in step.explain()


def test_the_environment_chooses_it_and_an_argument_comes_first(monkeypatch):
    monkeypatch.setenv("DEZERO_REPLAY_EXECUTOR", "llvm")
    assert "run by llvm" in called(grad(wave), X, executor=None)[0].explain()
    assert "run by numpy" in called(grad(wave), X, executor="numpy")[0].explain()


def test_an_executor_of_the_environment_that_nobody_registers_is_named(monkeypatch):
    monkeypatch.setenv("DEZERO_REPLAY_EXECUTOR", "lvm")
    with pytest.raises(UnknownOperationError, match=r"executor 'lvm'.*Did you mean 'llvm'"):
        compiled(wave)


def test_numpy_runs_a_program_until_the_machine_code_is_there(monkeypatch):
    waiting = []
    monkeypatch.setattr("dezero_replay_llvm.native.submit", waiting.append)
    step, by_numpy = called(grad(wave), X, wait=False)
    assert "NumPy runs the program: LLVM is still compiling it" in step.explain()
    assert by_numpy.tobytes() == step.eager(X).tobytes()
    waiting.pop()()
    natively = step(X)
    assert "native: " in step.explain()
    assert natively.tobytes() != by_numpy.tobytes()
    np.testing.assert_allclose(natively, by_numpy, rtol=1e-13)


def test_compilation_happens_beside_the_calls():
    step, _ = called(grad(wave), X, wait=False)
    end = time.monotonic() + 60
    while "compiled in" not in step.explain():
        assert time.monotonic() < end
        step(X)
        time.sleep(0.001)
    np.testing.assert_allclose(step(X), step.eager(X), rtol=1e-13)


def test_an_exit_does_not_wait_for_the_compiler(tmp_path):
    code = (
        "import numpy as np\n"
        "from dezero_replay import compiled\n"
        "import dezero_replay_llvm.background as background\n"
        "import threading\n"
        "background.submit(threading.Event().wait)\n"
        "step = compiled(lambda x: np.sin(x) * x, executor='llvm')\n"
        "print([step(np.ones(3)).sum() for _ in range(3)][0])\n"
    )
    file = tmp_path / "program.py"
    file.write_text(code)
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_tasks_run_one_after_the_other():
    done = []
    for n in range(5):
        background.submit(lambda n=n: done.append(n))
    end = time.monotonic() + 60
    while len(done) < 5:
        assert time.monotonic() < end
        time.sleep(0.001)
    assert done == list(range(5))


def test_a_task_that_raises_is_told_and_the_others_run(monkeypatch):
    told, done = [], threading.Event()
    monkeypatch.setattr(threading, "excepthook", told.append)
    background.submit(lambda: 1 / 0)
    background.submit(done.set)
    assert done.wait(10)
    (each,) = told
    assert (each.exc_type, each.thread.name) == (ZeroDivisionError, "dezero-replay-llvm")


def test_a_training_step_writes_its_parameters():
    random = np.random.default_rng(0)
    x, t = random.normal(size=(20, 3)), random.normal(size=20)
    weights = [Parameter(np.zeros(3)), Parameter(np.zeros(3))]

    def step_of(w):
        def step(x, t):
            loss = np.mean(np.tanh(x @ w - t) ** 2)
            w.cleargrad()
            loss.backward()
            w.data -= 0.1 * w.grad
            return loss

        return step

    eager, native_step = (
        step_of(weights[0]),
        compiled(step_of(weights[1]), executor="llvm", wait=True),
    )
    for _ in range(20):
        expected, found = eager(x, t), native_step(x, t)
        np.testing.assert_allclose(found.data, expected.data, rtol=1e-12)
    np.testing.assert_allclose(weights[1].data, weights[0].data, rtol=1e-12)
    assert "native: " in native_step.explain()


def test_explain_says_what_numpy_runs_and_why():
    step, _ = called(lambda x: [np.cumsum(np.sin(x) * 2.0) + x, np.cos(x) * x], X)
    text = step.explain()
    assert "compiled in" in text
    assert "vectors of" in text
    assert "NumPy: cumsum, since there is no machine code for it" in text
    assert text.count("native: ") == 2


def test_explain_names_the_sizes_of_products():
    step, _ = called(lambda x: (x @ x.T) * 2.0, X.reshape(10, 20))
    assert "products of 10x20 by 20x10" in step.explain()


def test_a_program_of_which_nothing_is_native_says_so():
    step, _ = called(lambda x: np.sort(x), X)
    assert (
        "NumPy runs the program: no part of it has machine code that would be faster"
        in step.explain()
    )
    assert (
        step.program.source("llvm")
        == "NumPy runs the program: no part of it has machine code that would be faster"
    )


def test_a_program_can_be_read_in_three_forms():
    step, _ = called(grad(wave), X)
    program = step.program
    assert program.source() == program.source("python") == str(program)
    assert "def program(x0)" in program.source()
    assert "@kernel(" in program.source("llvm")
    assert "kernel" in program.source("asm")
    assert "ret" in program.source("asm")
    with pytest.raises(ValueError, match="forms 'python', 'llvm' and 'asm', got 'c'"):
        program.source("c")


def test_a_program_of_numpy_has_one_form():
    step, _ = called(grad(wave), X, executor="numpy")
    with pytest.raises(ValueError, match="has the form 'python' alone, got 'llvm'"):
        step.program.source("llvm")


def test_numpy_warns_of_errors_of_floating_point():
    step, _ = called(lambda x: np.log(x) * 2.0 + x, X + 3.0)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        assert step(np.zeros(200))[0] == -np.inf
    with np.errstate(all="ignore"):
        assert step(np.zeros(200))[0] == -np.inf


def test_numpy_raises_errors_of_floating_point_where_it_is_told_to():
    step, _ = called(lambda x: np.log(x) * 2.0 + x, X + 3.0)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="log"):
        step(np.zeros(200))
    assert np.isfinite(step(X + 3.0)).all()


def test_a_program_of_several_parts_is_numpys_where_errors_are_raised():
    step, _ = called(lambda x: np.sort(np.log(x) * 2.0), X + 3.0)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="log"):
        step(np.zeros(200))


def test_a_part_of_a_program_leaves_warnings_to_numpy_too():
    step, _ = called(lambda x: np.sort(np.log(x) * 2.0), X + 3.0)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        assert step(np.zeros(200))[0] == -np.inf


class Noise(Function):
    """Draws from NumPy's generator."""

    def forward(self, x):
        return x + np.random.normal(size=x.shape)

    def backward(self, gy):
        return gy


def test_random_numbers_are_drawn_once_also_where_numpy_would_warn():
    def noisy(x):
        return np.exp(Noise()(Variable(x)).data * 2.0) + 1.0

    step = compiled(noisy, executor="llvm", wait=True, audit=None)
    for _ in range(3):
        step(X)
    assert "native: " in step.explain()
    for x in (X, X + 400.0):
        np.random.seed(0)
        with np.errstate(over="ignore"):
            expected, after = noisy(x), np.random.random()
        np.random.seed(0)
        np.testing.assert_allclose(step(x), expected, rtol=1e-13)
        assert np.random.random() == after


def test_errors_that_the_function_allows_are_not_warned_of():
    def quiet(x):
        with np.errstate(divide="ignore"):
            y = np.log(x) * 2.0
        return np.exp(y) + y

    step, _ = called(quiet, X + 3.0)
    assert step(np.zeros(200))[0] == -np.inf


def test_a_guard_in_machine_code_keeps_a_branch_from_being_stale():
    def branches(x):
        return x * 2.0 + 1.0 if np.sum(x * x) > 1.0 else x - 3.0

    step = compiled(branches, executor="llvm", wait=True)
    for value in (1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0):
        x = np.full(100, value)
        np.testing.assert_array_equal(step(x), branches(x))
    assert len(step.programs) == 2


def test_results_are_new_arrays_of_the_kinds_that_eager_gives():
    def kinds(x):
        y = x * 2.0 + 1.0
        return [np.sum(y), y, np.sum(y) > 0.0, y.T, np.float32(3.0) * np.sum(y), y[0]]

    step, found = called(kinds, X.reshape(20, 10))
    expected = kinds(X.reshape(20, 10))
    for a, b in zip(found, expected, strict=True):
        assert type(a) is type(b)
        assert (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
    again = step(X.reshape(20, 10))
    assert not any(np.shares_memory(a, b) for a in found for b in again if np.ndim(a))


def test_a_call_of_numbers_alone_is_native():
    def rosenbrock(x, y):
        return 100.0 * (y - x**2) ** 2 + (1.0 - x) ** 2

    step, (value, slope) = called(value_and_grad(rosenbrock, (0, 1)), np.array(0.0), np.array(2.0))
    assert "native: " in step.explain()
    assert value == 401.0
    assert [float(x) for x in slope] == [-2.0, 400.0]


def test_numbers_that_are_inputs_are_read_from_python_and_numpy_objects():
    class Rate:
        value = 0.5

    rate = Rate()
    step = compiled(lambda x: np.exp(x * rate.value) + x, executor="llvm", wait=True, audit=None)
    for n in range(8):
        rate.value = 0.5 + n
        np.testing.assert_allclose(step(X), step.eager(X), rtol=1e-14, atol=1e-15)
    scalars, _ = called(lambda x, s: np.exp(x) * s + s, X, np.float64(1.5))
    for value in (np.float64(2.5), np.float64(-1.0)):
        np.testing.assert_allclose(scalars(X, value), np.exp(X) * value + value, rtol=1e-14)


def test_whatever_llvm_refuses_numpy_runs(monkeypatch, refusals):
    def broken(code):
        raise RuntimeError("no registers left")

    monkeypatch.setattr(native, "linked", broken)
    step, slope = called(grad(wave), X)
    assert "NumPy runs the program: LLVM cannot compile it: no registers left" in step.explain()
    assert slope.tobytes() == step.eager(X).tobytes()
    refusals.clear()


def test_nothing_is_native_while_and_after_llvm_refuses_a_part(monkeypatch, refusals):
    tasks, reports, link = [], [], native.linked
    monkeypatch.setattr(native, "submit", tasks.append)

    def sorts(x):
        y = np.sin(x)
        return np.cos(np.sort(y * np.sum(y))) * x

    step, _ = called(sorts, X, wait=False)
    (compile,) = tasks
    held = step.program.planned_bytes

    def second_is_broken(code):
        reports.append(step.explain())
        if len(reports) % 2 == 0:
            raise RuntimeError("no registers left")
        return link(code)

    with monkeypatch.context() as broken:
        broken.setattr(native, "linked", second_is_broken)
        compile()
    assert len(reports) == 2
    assert "native: " not in "".join([*reports, step.explain()])
    compile()
    assert step.explain().count("native: ") == 2
    assert step.program.planned_bytes > held
    monkeypatch.setattr(native, "linked", second_is_broken)
    compile()
    assert "native: " not in step.explain()
    assert step.program.planned_bytes == held
    refusals.clear()


def test_an_interpreter_with_other_objects_keeps_numpy(monkeypatch):
    monkeypatch.setattr(native, "can_be_entered", lambda: "its objects have another form")
    step, slope = called(grad(wave), X)
    assert "NumPy runs the program: its objects have another form" in step.explain()
    assert slope.tobytes() == step.eager(X).tobytes()


def test_an_installation_without_llvmlite_says_what_is_missing():
    code = (
        "import sys\n"
        "sys.modules['llvmlite'] = None\n"
        "from dezero_replay import compiled\n"
        "compiled(abs, executor='llvm')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "llvmlite" in done.stderr.splitlines()[-1]


class Laid(Function):
    """An opaque body whose result is laid out, or shaped, by the data."""

    def forward(self, x):
        first = float(x.flat[0])
        if first < 0.0:
            return np.asfortranarray(x)
        return x.copy() if first < 10.0 else x.T.copy()

    def backward(self, gy):
        return gy


def test_an_array_of_another_layout_or_shape_is_not_read_as_the_recorded_one():
    def function(x):
        return np.exp(Laid()(Variable(x)).data * 0.1) + 1.0

    step = compiled(function, executor="llvm", wait=True, audit=None)
    x = np.arange(6.0).reshape(2, 3)
    for _ in range(3):
        step(x)
    assert "native: " in step.explain()
    for given in (x - 5.0, x + 20.0, x):
        np.testing.assert_allclose(step(given), function(given), rtol=1e-14)
    assert step.stats["replayed"] == 4


def test_a_number_of_numpys_may_be_a_scalar_or_an_array():
    class Number(Function):
        def forward(self, x):
            return np.asarray(x.sum()) if float(x[0]) < 0.0 else x.sum()

        def backward(self, gy):
            return gy * np.ones(3)

    def function(x):
        return np.exp(Number()(Variable(x)).data * 0.1) + x

    step = compiled(function, executor="llvm", wait=True, audit=None)
    for x in (np.ones(3), np.ones(3), np.ones(3), -np.ones(3), np.ones(3)):
        np.testing.assert_allclose(step(x), function(x), rtol=1e-14)


def test_a_program_without_machine_code_is_explained_without_llvm(monkeypatch):
    asked = []
    monkeypatch.setattr(native, "this_machine", lambda: asked.append(1))
    monkeypatch.setattr(native, "submit", lambda task: None)
    step = compiled(wave, executor="llvm")
    for _ in range(3):
        step(X)
    assert "NumPy runs the program: LLVM is still compiling it" in step.explain()
    assert asked == []


def test_its_distribution_is_named_where_it_is_asked_for_and_not_loaded():
    code = "from dezero_replay import compiled; compiled(abs, executor='llvm')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"DEZERO_DISABLE_PLUGINS": "dezero-replay-llvm"},
        capture_output=True,
        text=True,
    )
    assert "'llvm'. It is in dezero-replay-llvm: pip install dezero-replay-llvm" in done.stderr
