"""The memory that a call needs."""

import gc
import threading
import tracemalloc


def compilations_end():
    """Wait for programs that another test compiles, since tracemalloc counts all threads."""
    for thread in threading.enumerate():
        if thread.name == "dezero-replay-llvm":
            thread.join()


def peak(function, *arguments):
    """Return the result of a call, and the highest memory of it beyond that before."""
    compilations_end()
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        result = function(*arguments)
        return result, tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
