"""Forks while other threads load plugins.

A forked child has one thread, the one that has forked. A lock that another thread held is never
released there, and a module that another one was importing is never finished: whoever needs it
waits for ever. So a fork waits until no other thread is loading anything.
"""

from __future__ import annotations

import os
import time
from threading import RLock, get_ident
from typing import Protocol

PATIENCE = 5.0
"""Seconds that a fork waits at most: the import in the other thread may itself wait for it."""


class Loading(Protocol):
    """An object that loads plugins.

    Attributes
    ----------
    lock : RLock
        For all but the imports that need none; a forked child may get another one.
    importing : dict
        Thread for each of these imports, by a key of its own; put there under the lock.
    """

    lock: RLock
    importing: dict[object, int]


class ForkGate:
    """Makes forks wait for what `loading` loads.

    Parameters
    ----------
    loading : Loading
    """

    def __init__(self, loading: Loading) -> None:
        self._loading = loading
        #: Threads that hold the lock for a fork.
        self._forking: set[int] = set()
        if hasattr(os, "register_at_fork"):  # there is no fork on Windows
            os.register_at_fork(
                before=self._wait,
                after_in_parent=self._release,
                after_in_child=self._forget_other_threads,
            )

    def _wait(self) -> None:
        """Take the lock, once no other thread is importing."""
        loading, end = self._loading, time.monotonic() + PATIENCE
        while loading.lock.acquire(timeout=max(0.0, end - time.monotonic())):
            if not self._others_import() or time.monotonic() > end:
                self._forking.add(get_ident())
                return
            loading.lock.release()  # which that import may need
            time.sleep(0.002)

    def _others_import(self) -> bool:
        return any(thread != get_ident() for thread in self._loading.importing.values())

    def _release(self) -> None:
        if get_ident() in self._forking:
            self._forking.remove(get_ident())
            self._loading.lock.release()

    def _forget_other_threads(self) -> None:
        if get_ident() not in self._forking:
            self._loading.lock = RLock()
        self._release()
        self._forking.clear()
        importing = self._loading.importing.items()
        self._loading.importing = {key: t for key, t in importing if t == get_ident()}
