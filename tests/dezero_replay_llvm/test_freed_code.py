"""Machine code that nobody needs any more: it is freed where that makes nobody wait.

Promise: docs/how_replay_works.md
"""

import gc
import subprocess
import sys
import threading

import llvmlite.binding as llvm
import pytest

from dezero_replay_llvm import background

from .kept_code import run


class Engine:
    """Stands for one of LLVM's."""

    def __init__(self, inner=()):
        self.inner, self.closed = inner, 0

    def close(self):
        self.closed += 1
        for each in self.inner:
            background.drop(each)


@pytest.fixture
def elsewhere():
    """Another thread that compiles; `set` of it lets it end."""
    begun, done = threading.Event(), threading.Event()

    def compile():
        with background.compiling():
            begun.set()
            done.wait()

    thread = threading.Thread(target=compile)
    thread.start()
    assert begun.wait(10)

    def end():
        done.set()
        thread.join()

    yield end
    end()


def test_the_engine_of_a_program_is_closed_when_the_program_is_dropped(monkeypatch):
    gc.collect()  # of the programs of other tests
    closed, dispose = [], llvm.ExecutionEngine._dispose
    monkeypatch.setattr(llvm.ExecutionEngine, "_dispose", lambda self: closed.append(dispose(self)))
    run()
    gc.collect()
    assert closed  # others may be dropped meanwhile, too


def test_machine_code_is_freed_at_once_if_no_other_thread_compiles():
    engine = Engine()
    background.drop(engine)
    assert engine.closed == 1
    with background.compiling():
        background.drop(mine := Engine())
        assert mine.closed == 1


def test_while_another_thread_compiles_nobody_waits_to_free_machine_code(elsewhere):
    engine = Engine()
    background.drop(engine)
    assert engine.closed == 0
    elsewhere()
    assert engine.closed == 1


def test_machine_code_that_is_dropped_while_other_code_is_freed_is_freed_once():
    inner = [Engine(), Engine()]
    outer = Engine(inner)
    background.drop(outer)
    assert [each.closed for each in (outer, *inner)] == [1, 1, 1]


def test_where_llvms_lock_can_never_be_had_machine_code_stays(monkeypatch):
    engine = Engine()
    with monkeypatch.context() as locked:
        locked.setattr(background, "_is_locked_for_ever", True)
        background.drop(engine)
        assert engine.closed == 0
    background.drop(Engine())
    assert engine.closed == 1


def test_an_exit_with_machine_code_says_nothing(tmp_path):
    code = (
        "import numpy as np\n"
        "from dezero_replay import compiled\n"
        "step = compiled(lambda x: np.sin(x) * x, executor='llvm', wait=True)\n"
        "for _ in range(3): step(np.ones(3))\n"
        "assert 'native: ' in step.explain()\n"
    )
    file = tmp_path / "program.py"
    file.write_text(code)
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
