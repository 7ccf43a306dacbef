"""Freed memory that is kept for the arrays to come.

When a graph dies, glibc gives the end of its heap back to the system, and the next graph faults it
in again, page by page: most of the time of a calculation above a thousand elements. So ``import
dezero_core`` makes glibc keep up to 64 MiB, and `keep` as much as you say, for the whole process.
"""

from __future__ import annotations

import os

__all__ = ["keep"]

_MEBIBYTE = 2**20
_DEFAULT_THRESHOLD = 128 * 1024
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of glibc's malloc.h


def keep(mebibytes: int = 2047) -> None:
    """Let glibc keep up to so much freed memory, for the arrays of whoever comes next.

    For training loops with large graphs: the memory of one step is there for the next one. It
    counts as used by this process until it ends. Threads that begin later share one heap, since
    glibc lets no other one have more than 64 MiB.

    Parameters
    ----------
    mebibytes : int
        From 0 to 2047. 0 returns to glibc's defaults, and gives back what is free.

    Raises
    ------
    ValueError
        If it is another number.
    OSError
        If the C library is not glibc, whose mallopt(3) and malloc_trim(3) it calls.

    Examples
    --------
    >>> keep(512)
    >>> keep(0)
    """
    import ctypes  # here, since most never need it

    if not 0 <= mebibytes < 2048:
        raise ValueError(f"keep() takes from 0 to 2047 mebibytes, got {mebibytes}.")
    try:
        libc = ctypes.CDLL(None)
    except (OSError, TypeError):  # Windows has no library without a name
        libc = None
    if libc is None or not hasattr(libc, "gnu_get_libc_version"):
        raise OSError("keep() sets glibc's options, and the C library here is another one.")
    size = mebibytes * _MEBIBYTE or _DEFAULT_THRESHOLD
    libc.mallopt(_M_TRIM_THRESHOLD, size)
    libc.mallopt(_M_MMAP_THRESHOLD, size)
    libc.mallopt(_M_ARENA_MAX, 1 if mebibytes else 8 * (os.cpu_count() or 1))
    if not mebibytes:
        libc.malloc_trim(0)
