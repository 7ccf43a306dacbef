"""An interrupt at any line of a backward pass leaves all gradients or none.

Promise: CONTRIBUTING.md
"""

import linecache
import sys
from contextlib import nullcontext

import numpy as np
import pytest

from dezero_core import Config, no_grad

from .lengths import SEED
from .threads import ROUNDS, network, some_leaves, together, truth_of


class Interrupter:
    """Raises KeyboardInterrupt before the line of one number, of those that an action runs.

    Lines that begin a ``with`` are left out: they are run once more at the end of the block, and
    there no signal can come between the last call of the block and the call that ends it. So are
    the rounds of a comprehension: of an exception that a tracer raises there, CPython 3.12 and 3.13
    do not tell the block around it, as they do of a signal.
    """

    def __init__(self, number=None):
        self.left, self.places, self.place = number, 0, None
        self.lines = {}

    def __call__(self, frame, event, argument):
        file, line = frame.f_code.co_filename, frame.f_lineno
        if event == "return":
            self.lines.pop(frame, None)
        elif event == "line" and self.is_new(frame) and not begins_block(file, line):
            if self.places == self.left:
                sys.settrace(None)
                self.place = f"{file}:{line}, in {frame.f_code.co_qualname}"
                raise KeyboardInterrupt
            self.places += 1
        return self

    def is_new(self, frame):
        last, self.lines[frame] = self.lines.get(frame), frame.f_lineno
        return last != frame.f_lineno

    def interrupts(self, action):
        """Do something, until it is interrupted."""
        before = sys.gettrace()
        try:
            sys.settrace(self)
            action()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
            self.lines.clear()


def begins_block(file, line):
    return linecache.getline(file, line).lstrip().startswith("with ")


def numbers_to_interrupt(total):
    """Return some numbers, and all of the end, where results are kept."""
    rng, some, last = np.random.default_rng(SEED), 25 * ROUNDS, 60
    return [*rng.integers(0, total, some).tolist(), *range(max(0, total - last), total)]


@pytest.mark.parametrize(
    ("create_graph", "retain_grad", "recorded"),
    [(False, False, True), (False, True, False), (True, False, True), (True, True, False)],
    ids=["plain", "retain_grad, under no_grad", "create_graph", "all, under no_grad"],
)
def test_an_interrupt_anywhere_in_a_random_backward_writes_all_gradients_or_none(
    create_graph, retain_grad, recorded
):
    def prepared():
        xs = some_leaves(3)
        return xs, network(xs)

    def backward():
        y.backward(retain_grad=retain_grad, create_graph=create_graph)

    xs, y = prepared()
    truth = truth_of(xs)
    backward()
    xs, y = prepared()
    interrupter = Interrupter()
    interrupter.interrupts(backward)
    total = interrupter.places
    assert total > 100
    failures = {}
    for number in numbers_to_interrupt(total):
        xs, y = prepared()
        interrupter = Interrupter(number)
        with nullcontext() if recorded else no_grad():
            interrupter.interrupts(backward)
        assert Config.enable_backprop is True
        written = {x.grad is not None for x in xs}
        if len(written) > 1:
            failures[interrupter.place] = "some gradients are written, and some are not"
        xs, y = prepared()
        together(backward)  # in another thread, which a lock would stop
        for x, gx in zip(xs, truth, strict=True):
            np.testing.assert_allclose(getattr(x.grad, "data", x.grad), gx, rtol=1e-12)
            x.cleargrad()
    assert not failures
