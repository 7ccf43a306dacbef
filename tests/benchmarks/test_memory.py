"""The peak of memory above that before a step: in a fork, in resident pages.

Promise: docs/performance.md
"""

import memory
import numpy as np

ELEMENTS = 2**21
SIZE = 8 * ELEMENTS


def step_that_makes(arrays):
    return lambda: [np.ones(ELEMENTS) for _ in range(arrays)]


def of_size(peak):
    """Return the peak in arrays; the rest is the memory of Python itself."""
    return round(peak / SIZE)


def test_the_peak_of_a_step_leaves_out_what_its_preparation_keeps():
    def prepare():
        kept = np.ones(3 * ELEMENTS)
        return lambda: (kept, *step_that_makes(2)())

    assert of_size(memory.peak_beyond(memory.give_back, prepare)) == 2


def test_the_peak_of_a_step_has_what_its_preparation_keeps_for_it():
    def prepare():
        kept = np.ones(3 * ELEMENTS)
        return lambda: (kept, *step_that_makes(2)())

    assert of_size(memory.peak_beyond(list, prepare, keeps=True)) == 5


def test_the_peak_of_a_step_leaves_out_what_its_preparation_has_freed():
    kept = []

    def prepare():
        step_that_makes(1)()  # from now on glibc takes such arrays from the heap
        freed = step_that_makes(9)()
        kept.append(np.ones(10_000))  # lies after them, so that the heap stays as large
        freed.clear()
        return step_that_makes(2)

    assert of_size(memory.peak_beyond(list, prepare, keeps=True)) == 2


def test_the_peak_of_a_step_leaves_out_what_came_first():
    kept = []

    def first():
        kept.append(np.ones(3 * ELEMENTS))

    assert of_size(memory.peak_beyond(first, lambda: step_that_makes(2), keeps=True)) == 2
