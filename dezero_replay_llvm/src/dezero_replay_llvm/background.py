"""Who compiles: one at a time, and a thread of its own where nobody waits for the machine code.

LLVM has one lock in a process. A forked child has only the thread that forked: if another thread
compiled, nobody in the child would ever release the lock. So a fork waits until nobody else
compiles or frees code, but no longer than `PATIENCE`; after that, NumPy runs the child's programs.
The exit of a process does not wait.

An interrupt (Ctrl-C) ends the wait of a fork like its time limit, but does not end the program:
Python lets no error out of a function that it calls at a fork, and prints that it is ignored.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import sleep
from typing import Any

PATIENCE = 5.0
"""A fork waits at most so many seconds: the thread that compiles may be waiting for the fork."""

_tasks: deque[Callable[[], None]] = deque()
_worker: threading.Thread | None = None
_submitting = threading.RLock()
_compiling = threading.RLock()

#: LLVM's engines, which hold machine code, that are still to be freed.
_dropped: deque[Any] = deque()

#: The thread of each fork that holds `_compiling`.
_forking: list[int] = []

#: Whether another thread was still compiling when this process was forked, after the wait.
_is_locked_for_ever = False


@contextmanager
def compiling() -> Iterator[None]:
    """Let no other thread compile, nor fork, in a block.

    Raise if LLVM's lock can never be had in this process.
    """
    with _compiling:
        if _is_locked_for_ever:
            raise RuntimeError("another thread was compiling when this process was forked")
        try:
            yield
        finally:
            _free()


def drop(engine: Any) -> None:
    """Free machine code: at once, or after another thread has compiled if one is compiling.

    It is called where Python happens to collect garbage, so it waits for nobody.
    """
    _dropped.append(engine)
    if not _is_locked_for_ever and _compiling.acquire(blocking=False):
        try:
            _free()
        finally:
            _compiling.release()


def _free() -> None:
    with suppress(IndexError):  # garbage that is collected meanwhile may come here too
        while True:
            _dropped.popleft().close()


def submit(task: Callable[[], None]) -> None:
    """Let a task run in the thread, after those that wait there already."""
    with _submitting:
        _tasks.append(task)
        if _worker is None:
            _start()


def _start() -> None:
    global _worker
    _worker = threading.Thread(target=_work, name="dezero-replay-llvm", daemon=True)
    _worker.start()


def _work() -> None:
    global _worker
    while True:
        with _compiling:  # a task that has begun is never seen by a fork
            with _submitting:
                if not _tasks:
                    _worker = None
                    return
            try:
                _tasks.popleft()()
            except Exception:  # report it as an error of the thread, which goes on with other tasks
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), _worker)))
        sleep(0)  # lets a fork that waits come first


def _wait_for_other_threads() -> None:
    if _compiling.acquire(timeout=PATIENCE):
        _forking.append(threading.get_ident())


def _release() -> None:
    if threading.get_ident() in _forking:
        _forking.remove(threading.get_ident())
        _compiling.release()


def _begin_anew() -> None:
    """Release the lock in a forked child, and start a thread there for the tasks that wait."""
    global _submitting, _worker, _compiling, _is_locked_for_ever
    if threading.get_ident() not in _forking:
        _compiling, _is_locked_for_ever = threading.RLock(), True
        _forking.clear()
    _release()
    _submitting, _worker = threading.RLock(), None
    if _tasks:
        _start()


# Where processes cannot fork, os has no such name.
getattr(os, "register_at_fork", dict)(
    before=_wait_for_other_threads, after_in_parent=_release, after_in_child=_begin_anew
)
