"""What becomes of freed memory: counted in page faults, in processes of their own.

Promise: docs/how_to/make_it_faster.md
"""

import os
import platform
import subprocess
import sys

import pytest

with_glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="it is glibc that keeps freed memory"
)

FAULTS = """
import resource, sys, threading
import numpy as np
import dezero_core

number, megabytes, keep, in_thread = map(int, sys.argv[1:])
if keep >= 0:
    from dezero_tools import memory
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


def printed(code, *arguments, **environment):
    """Return what a process printed that loads no plugin."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"DEZERO_PLUGINS": ""} | environment,
    )
    return done.stdout


def faults(number, megabytes, keep=-1, in_thread=False, **environment):
    """Return how many page faults it takes to use so many arrays once more."""
    return int(printed(FAULTS, number, megabytes, keep, int(in_thread), **environment))


@with_glibc
def test_up_to_64_mebibytes_of_freed_memory_are_kept():
    pages = 48 * 2**20 // 4096
    assert faults(48, 1) < pages / 10


@with_glibc
def test_freed_memory_is_given_back_where_dezero_keep_heap_is_0():
    pages = 48 * 2**20 // 4096
    assert faults(48, 1, DEZERO_KEEP_HEAP="0") > pages / 2


TAKEN = """
import numpy as np
empty, taken = np.empty, []
np.empty = lambda *args: taken.append(args[0]) or empty(*args)
import dezero_core
print(len([size for size in taken if size > 2**24]))
"""


def test_no_block_of_memory_is_taken_where_dezero_keep_heap_is_0():
    assert int(printed(TAKEN, DEZERO_KEEP_HEAP="0")) == 0
    assert int(printed(TAKEN, DEZERO_KEEP_HEAP="1")) == 1


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
    assert printed(code, OPENBLAS_NUM_THREADS="1") == "imported\n"
