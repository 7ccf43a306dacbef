"""A process that forks while another thread computes: the child has no such thread."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from dezero_core import Variable


def ends_well(child):
    """Run a function in a forked child; return whether it ended, and without an exception."""
    pid = os.fork()
    if pid == 0:
        try:
            child()
        except BaseException:
            os._exit(1)
        os._exit(0)
    for _ in range(1000):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return False


pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows"),
    # Python 3.12 warns of what is tested here.
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]


def test_a_child_differentiates_though_another_thread_was_writing_gradients(book, operators):
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
