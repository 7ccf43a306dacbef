"""What becomes of freed memory: counted in page faults, in processes of their own."""

import os
import platform
import subprocess
import sys

import pytest

from dezero_core import memory

with_glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="it is glibc that keeps freed memory"
)

FAULTS = """
import resource, sys, threading
import numpy as np
import dezero_core
from dezero_core import memory

number, megabytes, keep, in_thread = map(int, sys.argv[1:])
if keep >= 0:
    memory.keep(keep)

def use():
    for array in [np.empty(megabytes * 2**20, np.uint8) for _ in range(number)]:
        array.fill(1)

def count():
    use()
    use()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    use()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)

if in_thread:
    thread = threading.Thread(target=count)
    thread.start()
    thread.join()
else:
    count()
"""


def faults(number, megabytes, keep=-1, in_thread=False, **environment):
    """Return how many page faults it takes to use so many arrays once more."""
    numbers = map(str, (number, megabytes, keep, int(in_thread)))
    command = [sys.executable, "-c", FAULTS, *numbers]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"DEZERO_PLUGINS": ""} | environment,
    )
    return int(done.stdout)


@with_glibc
def test_up_to_64_mebibytes_of_freed_memory_are_kept():
    pages = 48 * 2**20 // 4096
    assert faults(48, 1) < pages / 10


@with_glibc
def test_freed_memory_is_given_back_where_dezero_keep_heap_is_0():
    pages = 48 * 2**20 // 4096
    assert faults(48, 1, DEZERO_KEEP_HEAP="0") > pages / 2


def test_no_block_of_memory_is_taken_where_dezero_keep_heap_is_0(monkeypatch):
    taken = []
    monkeypatch.setattr("numpy.empty", lambda *args: taken.append(args))
    for switch in ("0", "1"):
        monkeypatch.setenv("DEZERO_KEEP_HEAP", switch)
        memory.keep_heap()
    assert len(taken) == 1


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


@with_glibc
def test_the_core_is_imported_where_memory_is_limited():
    code = """
import resource
import numpy
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 24 * 2**20, -1))
import dezero_core
print("imported")
"""
    command = [sys.executable, "-c", code]
    environment = os.environ | {"DEZERO_PLUGINS": "", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "imported\n"
