"""The memory that a call needs."""

import gc
import tracemalloc
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context


def alone(function, *arguments):
    """Return the result of a call in a copy of this process that has no other threads.

    `tracemalloc` counts what all threads allocate, and other tests leave some.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of the threads that the copy does not have
        with ProcessPoolExecutor(1, get_context("fork")) as process:
            return process.submit(function, *arguments).result()


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
