"""One thread a process that compiles, while programs run by NumPy. An exit does not wait for it."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable

_tasks: deque[Callable[[], None]] = deque()
_lock = threading.Condition()
_worker: threading.Thread | None = None


def submit(task: Callable[[], None]) -> None:
    """Let a task run in the thread, after those that wait there already."""
    global _worker
    with _lock:
        _tasks.append(task)
        if _worker is None:
            _worker = threading.Thread(target=_work, name="dezero-replay-llvm", daemon=True)
            _worker.start()
        _lock.notify()


def _work() -> None:
    while True:
        with _lock:
            while not _tasks:
                _lock.wait()
            task = _tasks.popleft()
        task()


def _begin_anew() -> None:
    """Forget the thread, which a forked process does not have, and that which waited for it."""
    global _lock, _worker
    _lock = threading.Condition()
    _worker = None
    waiting = list(_tasks)
    _tasks.clear()
    for task in waiting:
        submit(task)


# Where processes cannot fork, os has no such name.
getattr(os, "register_at_fork", dict)(after_in_child=_begin_anew)
