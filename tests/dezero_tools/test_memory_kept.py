"""``memory.keep``: how much freed memory glibc keeps, counted in page faults.

Promise: docs/tutorial/memory.md
"""

import pytest

from dezero_tools import memory

from ..dezero_core.engine.test_memory_kept import faults, with_glibc


@with_glibc
def test_memory_keep_sets_how_much_freed_memory_is_kept():
    pages = 256 * 2**20 // 4096
    assert faults(256, 1) > pages / 2
    assert faults(256, 1, keep=1024) < pages / 10


@with_glibc
def test_memory_keep_keeps_what_a_thread_frees_also_of_large_arrays():
    given_back = faults(2, 96, keep=0, in_thread=True)  # in small or in huge pages
    assert faults(2, 96, keep=1024, in_thread=True) < given_back / 10


@with_glibc
def test_memory_keep_of_zero_returns_to_the_defaults_of_the_c_library():
    pages = 48 * 2**20 // 4096
    assert faults(48, 1, keep=0) > pages / 2


@pytest.mark.parametrize("mebibytes", [-1, 2048])
def test_memory_keep_refuses_a_size_that_the_c_library_cannot_take(mebibytes):
    with pytest.raises(ValueError, match=f"from 0 to 2047 mebibytes, got {mebibytes}"):
        memory.keep(mebibytes)


def another(name):
    """Load the C library of macOS, or that of a Linux with musl."""
    return object()


def none(name):
    """Refuse to load a library without a name, as ctypes does on Windows."""
    raise TypeError("argument of type 'NoneType' is not iterable")


def fails(name):
    raise OSError("no such library")


@pytest.mark.parametrize("load", [another, none, fails])
def test_memory_keep_refuses_a_c_library_other_than_glibc(monkeypatch, load):
    monkeypatch.setattr("ctypes.CDLL", load)
    with pytest.raises(OSError, match="keep\\(\\) sets glibc's options"):
        memory.keep(64)
