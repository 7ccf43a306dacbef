"""A process that forks while LLVM compiles: the child has LLVM's lock to itself, and compiles.

Promise: docs/how_replay_works.md
"""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

import llvmlite.binding as llvm
import numpy as np
import pytest

from dezero_replay import compiled
from dezero_replay_llvm import background, compiler

from ..forks import ends_well

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")

X = np.linspace(0.1, 2.0, 100)

FORK_WITHIN_A_FORK = """
import os, signal, threading, time
import numpy as np
from dezero_replay import compiled
from dezero_replay_llvm import compiler

X = np.linspace(0.1, 2.0, 100)

def called(function, wait):
    step = compiled(function, executor="llvm", wait=wait, audit=None)
    for _ in range(3):
        step(X)
    return step

def compiles():
    step = called(lambda x: np.sum(np.cos(x) * 2.0 + x), True)
    assert "native: " in step.explain()
    np.testing.assert_allclose(step(X), step.eager(X), rtol=1e-14)

def child_compiles():
    pid = os.fork()
    if pid == 0:
        compiles()
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0

results, begun, compile = [], threading.Event(), compiler.object_code
signal.signal(signal.SIGUSR1, lambda *_: results.append(child_compiles()))

def object_code(text, machine):
    compiler.object_code = compile
    begun.set()
    time.sleep(0.05)
    signal.raise_signal(signal.SIGUSR1)
    return compile(text, machine)

compiler.object_code = object_code
called(lambda x: np.tanh(x) * 1.5 + np.exp(-x * x), False)
assert begun.wait(10)
assert child_compiles()
assert results == [True]
compiles()
"""


def long(x):
    """Compute so much that LLVM takes a tenth of a second for it."""
    for n in range(300):
        x = np.sin(x) * 1.5 + np.exp(-x * x) / (n + 2.0) + np.tanh(x)
    return x


def called(function, wait):
    """Return a compiled function that has a program."""
    step = compiled(function, executor="llvm", wait=wait, audit=None)
    for _ in range(3):
        step(X)
    return step


def is_native(step):
    return "native: " in step.explain()


def becomes_native(step):
    """Return whether the machine code of a program is there at some time."""
    for _ in range(5000):
        if is_native(step):
            return True
        time.sleep(0.001)
    return False


def compiles(wait):
    """Compile a function; fail if LLVM cannot."""
    step = called(lambda x: np.sum(np.cos(x) * 2.0 + x), wait)
    assert becomes_native(step)
    np.testing.assert_allclose(step(X), step.eager(X), rtol=1e-14)


@pytest.fixture
def in_llvm(monkeypatch):
    """A function that calls another one when LLVM is about to compile, in the thread that does."""
    compile = compiler.object_code

    def let(action):
        def object_code(text, machine):
            monkeypatch.setattr(compiler, "object_code", compile)
            action()
            return compile(text, machine)

        monkeypatch.setattr(compiler, "object_code", object_code)

    return let


@pytest.mark.parametrize("wait", [True, False])
def test_a_forked_child_compiles_though_the_background_thread_was_compiling(in_llvm, wait):
    begun = threading.Event()
    in_llvm(begun.set)
    step = called(long, wait=False)
    assert begun.wait(10)

    def child():
        assert is_native(step)  # the fork has waited for it
        compiles(wait)

    assert ends_well(child)
    assert is_native(step)
    compiles(wait)  # the parent has its lock back


@pytest.mark.parametrize("wait", [True, False])
def test_a_forked_child_compiles_though_another_thread_was_waiting_for_its_code(in_llvm, wait):
    begun, steps = threading.Event(), []
    in_llvm(begun.set)
    thread = threading.Thread(target=lambda: steps.append(called(long, wait=True)))
    thread.start()
    assert begun.wait(10)
    assert ends_well(lambda: compiles(wait))
    thread.join()
    assert is_native(steps[0])


def test_a_forked_child_compiles_though_another_thread_was_freeing_a_program():
    begun, steps = threading.Event(), [called(long, wait=True)]

    def free():
        steps.clear()
        gc.collect()

    def stay():  # LLVM's lock was just taken
        if threading.current_thread() is thread:
            begun.set()
            time.sleep(0.1)

    thread, callbacks = threading.Thread(target=free), (stay, lambda: None)
    llvm.ffi.register_lock_callback(*callbacks)
    try:
        thread.start()
        assert begun.wait(10)
        assert ends_well(lambda: compiles(wait=True))
    finally:
        thread.join()
        llvm.ffi.unregister_lock_callback(*callbacks)


def test_programs_that_wait_to_be_compiled_are_compiled_in_the_child_too():
    with ExitStack() as nobody_compiles:
        nobody_compiles.enter_context(background.compiling())
        steps = [called(long, wait=False), called(lambda x: long(x) * 2.0, wait=False)]

        def child():
            nobody_compiles.close()
            assert all(map(becomes_native, steps))

        assert ends_well(child)
        assert not any(map(is_native, steps))
    assert all(map(becomes_native, steps))


def test_the_thread_that_compiles_ends_when_nothing_waits():
    compiles(wait=False)
    for _ in range(1000):
        if all(each.name != "dezero-replay-llvm" for each in threading.enumerate()):
            break
        time.sleep(0.001)
    else:
        pytest.fail("the thread is still there")
    compiles(wait=False)  # by another one


def test_threads_that_fork_at_once_while_a_program_is_compiled_have_children_that_compile(in_llvm):
    begun, results = threading.Event(), []
    in_llvm(begun.set)
    called(long, wait=False)
    assert begun.wait(10)

    def fork():
        results.append(ends_well(lambda: compiles(wait=True)))

    threads = [threading.Thread(target=fork) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


@pytest.mark.parametrize("wait", [True, False])
def test_a_fork_by_the_thread_that_compiles_waits_for_nobody(in_llvm, wait):
    results = []
    in_llvm(lambda: results.append(ends_well(lambda: compiles(wait=True))))
    step = called(long, wait)
    assert becomes_native(step)
    assert results == [True]


def test_a_signal_handler_forks_while_the_main_thread_compiles(in_llvm):
    results = []
    before = signal.signal(
        signal.SIGUSR1, lambda *_: results.append(ends_well(lambda: compiles(wait=True)))
    )
    try:
        in_llvm(lambda: signal.raise_signal(signal.SIGUSR1))
        step = called(long, wait=True)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert results == [True]
    assert is_native(step)


def test_a_signal_handler_forks_while_a_fork_waits_for_the_thread_that_compiles(tmp_path):
    # Python's concurrent.futures has a lock of its own, which no fork takes twice: where a test has
    # imported that by now, as JAX does, a fork within a fork waits for ever.
    file = tmp_path / "program.py"
    file.write_text(FORK_WITHIN_A_FORK)
    command = [sys.executable, file]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("wait", [True, False])
def test_after_its_time_limit_a_fork_goes_on_and_numpy_runs_the_childs_programs(monkeypatch, wait):
    monkeypatch.setattr(background, "PATIENCE", 0.1)
    held, done = threading.Event(), threading.Event()

    def compile():
        with background.compiling():
            held.set()
            done.wait()

    thread = threading.Thread(target=compile)
    thread.start()
    assert held.wait(10)

    def child():
        step = called(lambda x: np.sum(np.cos(x) * 2.0 + x), wait)
        for _ in range(5000):
            if "another thread was compiling when this process was forked" in step.explain():
                break
            time.sleep(0.001)
        else:
            raise AssertionError(step.explain())
        assert step(X) == step.eager(X)
        assert ends_well(grandchild)

    def grandchild():
        step = called(lambda x: np.sum(np.cos(x) * 3.0 + x), wait=True)
        assert "NumPy runs the program" in step.explain()

    try:
        assert ends_well(child)
    finally:
        done.set()
        thread.join()
    compiles(wait)
