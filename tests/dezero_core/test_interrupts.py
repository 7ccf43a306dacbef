"""Ctrl-C during ``backward()``: every ``.grad`` is as before, or every one is new."""

import opcode
import sys

import numpy as np
import pytest

from dezero_core import Variable


@pytest.fixture
def leaves():
    return [Variable(np.full(2, float(i))) for i in range(5)]


def loss_of(book, leaves):
    total = leaves[0]
    for x in leaves[1:]:
        total = book.Add()(total, book.Square()(x))
    return total


#: After these instructions CPython looks whether a signal has arrived.
LOOKS = ("CALL", "CALL_FUNCTION_EX", "CALL_KW", "JUMP_BACKWARD", "RESUME")


class Interrupted:
    """A tracer that raises KeyboardInterrupt in the core, where CPython may raise one."""

    def __init__(self, at):
        self.left = at

    def __call__(self, frame, event, argument):
        if "dezero_core" not in frame.f_globals.get("__name__", ""):
            return None
        frame.f_trace_opcodes = True
        code, last = frame.f_code.co_code, None

        def tracer(frame, event, argument):
            nonlocal last
            if event == "opcode":
                if last in LOOKS:
                    self.left -= 1
                    if self.left < 0:
                        raise KeyboardInterrupt
                last = opcode.opname[code[frame.f_lasti]]
            return tracer

        return tracer


def interrupted(y, at, **options):
    """Return whether an interrupt at the instruction of that number came before the end."""
    before = sys.gettrace()
    sys.settrace(Interrupted(at))
    try:
        y.backward(**options)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize("options", [{}, {"retain_grad": True}], ids=["plain", "retained"])
def test_at_every_instruction_all_gradients_are_written_or_none(book, leaves, options):
    assert not interrupted(loss_of(book, leaves), 10**9)  # Python 3.12 traces the second time only
    at, again = 0, True
    while again:
        y = loss_of(book, leaves)
        for x in leaves:
            x.grad = None
        y.grad = np.ones(2)
        again = interrupted(y, at, **options)
        written = [x.grad is not None for x in leaves]
        assert len(set(written)) == 1, at
        assert (y.grad is None) is (written[0] and not options), at
        at += 1
    assert written[0]
    assert at > 100


def test_after_an_interrupt_the_next_backward_is_right(book, leaves):
    y = loss_of(book, leaves)
    interrupted(y, 10**9)
    y = loss_of(book, leaves)
    for x in leaves:
        x.grad = None
    assert interrupted(y, 50)
    y = loss_of(book, leaves)
    y.backward()
    np.testing.assert_array_equal([x.grad[0] for x in leaves], [1.0, 2.0, 4.0, 6.0, 8.0])
