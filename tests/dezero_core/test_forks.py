"""A process that forks while another thread computes: the child has no such thread.

Promise: docs/architecture.md
"""

import os
import sys
import threading
import time
from importlib import import_module
from types import ModuleType

import numpy as np
import pytest

from dezero_core import Variable, hookimpl, ops, register, unregister

from ..forks import ends_well


@pytest.fixture
def slow_module(tmp_path, monkeypatch):
    """Write a module that takes half a second to be imported; forget it afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    names = []

    def write(name, text, seconds=0.5):
        start = f"import time\nentered = True\ntime.sleep({seconds})\n"
        (tmp_path / f"{name}.py").write_text(start + text.format(name=name), encoding="utf-8")
        names.append(name)

    yield write
    for name in names:
        sys.modules.pop(name, None)


def is_being_imported(name):
    for _ in range(1000):
        if hasattr(sys.modules.get(name), "entered"):
            return True
        time.sleep(0.005)
    return False


REGISTERS = """
from dezero_core import hookimpl
@hookimpl
def dezero_register_ops(register):
    register("{name}", lambda x: 2.0 * x.data, differentiable=False, methods="{name}")
"""

FAMILY = """
def register_ops(register):
    register("{name}", lambda x: 2.0 * x.data, differentiable=False, methods="{name}")
"""


pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")


def test_a_forked_child_differentiates_though_another_thread_was_writing_gradients(book, operators):
    writing, done = threading.Event(), threading.Event()

    x = Variable(np.array(3.0))

    class Gradient(Variable):
        """A gradient that takes its time to be added to."""

        def __radd__(self, other):
            writing.set()
            done.wait()
            return Variable(np.array(1.0))

        __add__ = __radd__

    x.grad = Gradient(np.array(1.0))
    y = book.Square()(x)
    thread = threading.Thread(target=lambda: y.backward(create_graph=True), daemon=True)
    thread.start()
    assert writing.wait(10)

    def child():
        z = Variable(np.array(2.0))
        book.Square()(z).backward()
        assert z.grad == 4.0

    try:
        assert ends_well(child)
    finally:
        done.set()
        thread.join()


def test_a_forked_child_has_the_plugin_that_another_thread_was_loading(slow_module):
    slow_module("slowly_loaded", REGISTERS)
    source = ModuleType("loaded_slowly")

    @hookimpl
    def dezero_register_ops(register):
        import_module("slowly_loaded").dezero_register_ops(register)

    source.dezero_register_ops = dezero_register_ops
    thread = threading.Thread(target=register, args=(source,))
    thread.start()
    assert is_being_imported("slowly_loaded")

    def child():
        assert Variable(np.array(3.0)).slowly_loaded() == 6.0
        assert "slowly_loaded" in [operation.name for operation in ops()]

    try:
        assert ends_well(child)
    finally:
        thread.join()
        unregister(source)


@pytest.fixture
def announced(slow_module):
    """A plugin that announces an operation of a slow module."""

    def announce(name, seconds=0.5):
        slow_module(name, FAMILY, seconds)

        @hookimpl
        def dezero_register_ops(register):
            register.later(name, operations=name, methods=name)

        plugin = ModuleType(f"of_{name}")
        plugin.dezero_register_ops = dezero_register_ops
        register(plugin)
        plugins.append(plugin)

    plugins = []
    yield announce
    for plugin in plugins:
        unregister(plugin)


def use(name):
    return getattr(Variable(np.array(3.0)), name)()


def test_an_announced_module_that_forks_during_its_import_does_not_deadlock(announced, tmp_path):
    announced("forking_import", 0.0)
    text = (tmp_path / "forking_import.py").read_text(encoding="utf-8")
    fork = "import os\npid = os.fork()\nif pid == 0:\n    os._exit(0)\nos.waitpid(pid, 0)\n"
    (tmp_path / "forking_import.py").write_text(fork + text, encoding="utf-8")
    assert use("forking_import") == 6.0


def test_a_fork_waits_for_no_import_and_other_operations_work_in_the_child(announced):
    announced("never_ending", 2.0)
    announced("ready_at_once", 0.0)
    thread = threading.Thread(target=use, args=("never_ending",))
    thread.start()
    assert is_being_imported("never_ending")
    begun = time.monotonic()
    assert ends_well(lambda: np.testing.assert_equal(use("ready_at_once"), 6.0))
    assert time.monotonic() - begun < 1.9
    thread.join()
    assert use("never_ending") == 6.0


def test_threads_that_fork_at_once_release_their_locks():
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(ends_well(lambda: ops()))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4
    ops()
