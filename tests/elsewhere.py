"""A fresh interpreter as on another system: a part of Linux is taken away from it."""

import subprocess
import sys

#: Takes away the functions that Windows has not, before an import could ask for them.
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


def run(code):
    """Run code in a fresh interpreter; return what it printed."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
