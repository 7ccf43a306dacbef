"""Machines, versions and programs for which there is no machine code: NumPy runs them.

Promise: docs/how_replay_works.md
"""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest

from dezero_replay import compiled
from dezero_replay_llvm import compiler, kernel, machine, native

X = np.linspace(0.1, 2.0, 100)


def called(function, *arguments, **options):
    step = compiled(function, executor="llvm", wait=True, audit=None, **options)
    for _ in range(3):
        result = step(*arguments)
    return step, result


@pytest.fixture
def on(monkeypatch):
    """A function that lets programs be compiled for another machine."""

    def choose(other):
        monkeypatch.setattr(native, "this_machine", lambda: other)

    return choose


def test_without_a_vector_library_numpy_computes_what_it_would_have_computed(on, monkeypatch):
    monkeypatch.setattr(machine, "_has", lambda symbol: False)
    on(machine.Machine(16))
    step, result = called(lambda x: (np.exp(x) + x) * 2.0, X)
    np.testing.assert_array_equal(result, (np.exp(X) + X) * 2.0)
    assert "NumPy: exp, since the vector library of this machine has no exp" in step.explain()
    assert "native: 2 calls" in step.explain()


def test_a_library_that_is_not_there_has_no_functions(monkeypatch):
    def missing(name):
        raise RuntimeError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(machine.llvm, "load_library_permanently", missing)
    machine._library.cache_clear()
    machine._has.cache_clear()
    try:
        assert not machine.Machine(16).has("exp")
    finally:
        machine._library.cache_clear()
        machine._has.cache_clear()


@pytest.mark.parametrize("size", [16, 32, 64])
def test_the_environment_chooses_shorter_vectors(monkeypatch, size):
    widest = machine.this_machine().bytes_of_vector
    monkeypatch.setenv("DEZERO_REPLAY_VECTORS", str(size))
    machine.this_machine.cache_clear()
    try:
        assert machine.this_machine().bytes_of_vector == min(size, widest)
    finally:
        machine.this_machine.cache_clear()


@pytest.mark.parametrize(("size", "without"), [(32, "+avx512"), (16, "+avx"), (16, "+fma")])
def test_shorter_vectors_are_those_of_a_processor_without_the_longer_ones(size, without):
    assert without not in machine.Machine(size).name


@pytest.mark.parametrize(
    ("text", "size"), [("1024K\n", 1024**2), ("2M\n", 2 * 1024**2), (None, 256 * 1024)]
)
def test_the_size_of_the_cache_is_that_which_the_system_tells(monkeypatch, tmp_path, text, size):
    place = tmp_path / "size"
    if text is not None:
        place.write_text(text)
    monkeypatch.setattr(machine, "_SIZE_OF_CACHE", place)
    machine._second_level_cache.cache_clear()
    try:
        assert machine._second_level_cache() == size
    finally:
        machine._second_level_cache.cache_clear()


def test_large_products_are_those_of_blas():
    x = np.ones((600, 600))
    step, result = called(lambda x: x @ x + 1.0, x)
    np.testing.assert_array_equal(result, np.full((600, 600), 601.0))
    assert "NumPy: matmul" in step.explain()
    assert "second-level cache" in step.explain()


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (lambda x: (x + 1.0) * 2.0, X + 1j),
        (lambda x: (x + 1.0) * 2.0, X.astype(np.float16)),
        (lambda x: (x + 1.0) * 2.0, X.astype(np.longdouble)),
        (lambda x: (x + 1.0) * 2.0, X.astype(">f8")),
        (lambda x: (x + 1) * 2, np.arange(100, dtype=np.int16)),
    ],
)
def test_dtypes_without_machine_code_are_numpys(function, x):
    step, result = called(function, x)
    np.testing.assert_array_equal(result, function(x))
    assert result.dtype == function(x).dtype
    assert "native: " not in step.explain()


def test_objects_keep_a_function_eager_as_they_do_with_numpy():
    step = compiled(lambda x: x * 2, executor="llvm", wait=True, quiet=True)
    x = np.array([1, 2**70], dtype=object)
    for _ in range(4):
        assert step(x)[1] == 2**71
    assert step.program is None
    assert step.stats["eager"] == 4


def test_a_system_without_a_function_that_is_called_leaves_all_to_numpy(monkeypatch, refusals):
    call = kernel.Function.call

    def renamed(self, name, result, *arguments):
        return call(self, name.replace("fetestexcept", "no_such_test"), result, *arguments)

    monkeypatch.setattr(kernel.Function, "call", renamed)
    step, result = called(lambda x: x * 2.0 + x, X)
    np.testing.assert_array_equal(result, X * 2.0 + X)
    assert "this process has no function no_such_test" in step.explain()
    refusals.clear()


def test_an_llvmlite_that_lacks_what_is_needed_leaves_all_to_numpy(monkeypatch, refusals):
    monkeypatch.delattr(compiler.llvm, "create_mcjit_compiler")
    step, result = called(lambda x: np.exp(x) + x, X)
    np.testing.assert_array_equal(result, np.exp(X) + X)
    assert "NumPy runs the program: LLVM cannot compile it: " in step.explain()
    assert "create_mcjit_compiler" in step.explain()
    refusals.clear()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")
def test_a_forked_process_runs_compiled_programs_and_compiles_others(tmp_path):
    code = (
        "import os, time, warnings\n"
        "import numpy as np\n"
        "from dezero_replay import compiled\n"
        "warnings.simplefilter('ignore')\n"
        "x = np.linspace(0.1, 2.0, 100)\n"
        "def made(factor):\n"
        "    step = compiled(lambda x: np.exp(x) * factor + x, executor='llvm', audit=None)\n"
        "    for _ in range(3):\n"
        "        step(x)\n"
        "    end = time.monotonic() + 60\n"
        "    while 'native: ' not in step.explain() and time.monotonic() < end:\n"
        "        time.sleep(0.001)\n"
        "    assert 'native: ' in step.explain()\n"
        "    return step\n"
        "step = made(2.0)\n"
        "if not (child := os.fork()):\n"
        "    same = np.allclose(step(x), step.eager(x)) and made(3.0)(x)[0] > 0.0\n"
        "    os._exit(0 if same else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    file = tmp_path / "program.py"
    file.write_text(code)
    done = subprocess.run([sys.executable, file], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def resident():
    """Return how many bytes of memory this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="only Linux tells its memory")
def test_programs_that_are_forgotten_leave_no_memory_behind():
    def some(count):
        for _ in range(count):
            called(lambda x: np.exp(x) * 2.0 + x, X)
        gc.collect()
        return resident()

    before = some(30)
    assert some(1_000) - before < 20_000_000
