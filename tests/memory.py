"""The memory that a call needs."""

import gc
import tracemalloc


def peak(function, *arguments):
    """Return the result of a call, and the highest memory of it beyond that before."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        result = function(*arguments)
        return result, tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
