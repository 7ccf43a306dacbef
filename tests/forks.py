"""A forked child that runs a function, in bounded time."""

import os
import signal
import sys
import time
import warnings


def leave(status):
    """End a forked child at once; if coverage is measured, with what was run in it."""
    try:
        measured = "coverage" in sys.modules and sys.modules["coverage"].Coverage.current()
        if measured:
            with warnings.catch_warnings():  # of packages that the child has not imported
                warnings.simplefilter("ignore")
                measured.save()
    finally:
        os._exit(status)


def ends_well(child):
    """Run a function in a forked child; return whether it ended, and without an exception."""
    pid = os.fork()
    if pid == 0:
        try:
            child()
        except BaseException:
            leave(1)
        leave(0)
    for _ in range(1000):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return False
