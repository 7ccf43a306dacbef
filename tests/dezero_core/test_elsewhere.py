"""Where the system is not Linux: what it has not is taken away, in a fresh interpreter."""

import subprocess
import sys

import pytest

#: What Windows has not, before anything is imported that could have asked for it.
WINDOWS = """
import os, signal, sys
for name in ("fork", "forkpty", "register_at_fork", "sysconf", "getuid", "geteuid",
             "getgid", "setsid", "killpg", "sched_getaffinity", "mkfifo"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGCHLD", "alarm", "setitimer"):
    if hasattr(signal, name):
        delattr(signal, name)
for name in ("resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
import ctypes
def no_library(name, *args, **kwargs):
    if name is None:
        raise TypeError("argument of type 'NoneType' is not iterable")
    return loaded(name, *args, **kwargs)
loaded, ctypes.CDLL = ctypes.CDLL, no_library
"""

COMPUTED = """
import threading
import numpy as np
import dezero_core as dz
from dezero_core import Function, Variable, checked, draw, memory, no_grad, observe

class Square(Function):
    def forward(self, x):
        return x * x
    def backward(self, gy):
        return gy * (2.0 * self.inputs[0].data)

x = Variable(np.array([1.0, 2.0]), name="x")
def compute():
    with observe("time"), checked():
        y = Square()(x)
        y.backward()
threads = [threading.Thread(target=compute) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert x.grad.tolist() == [8.0, 16.0], x.grad
with no_grad():
    y = Square()(x)
draw(Square()(x), dot=False).svg
dz.ops()
try:
    memory.keep(64)
except OSError as error:
    print(error)
"""


def run(code):
    """Run code in a fresh interpreter; return what it printed."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_what_windows_has_not_everything_computes():
    printed = run(WINDOWS + COMPUTED)
    assert printed == "keep() sets glibc's options, and the C library here is another one.\n"


@pytest.mark.parametrize("missing", ["register_at_fork", "fork"])
def test_the_core_is_imported_where_there_is_no_fork(missing):
    taken = f"import os\nif hasattr(os, {missing!r}):\n    del os.{missing}\n"
    assert run(f"{taken}import dezero_core\nprint(dezero_core.__name__)") == "dezero_core\n"
