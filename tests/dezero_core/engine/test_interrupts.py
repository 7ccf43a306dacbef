"""Ctrl-C during ``backward()``: every ``.grad`` is as before, or every one is new.

Promise: docs/engine.md
"""

import opcode
import sys
from pathlib import Path

import numpy as np
import pytest

import dezero_core
from dezero_core import Variable


@pytest.fixture
def leaves():
    return [Variable(np.full(2, float(i))) for i in range(5)]


def loss_of(book, leaves):
    total = leaves[0]
    for x in leaves[1:]:
        total = book.Add()(total, book.Square()(x))
    return total


CORE = str(Path(dezero_core.__file__).parent)

#: After these instructions CPython looks whether a signal has arrived.
LOOKS = ("CALL", "CALL_FUNCTION_EX", "CALL_KW", "JUMP_BACKWARD", "RESUME")


class Interrupt:
    """Raises KeyboardInterrupt in the core at one of the places where CPython may raise it."""

    def __init__(self, at):
        self.left = at
        self.last = {}  # code -> the instruction that it has run before this one

    def __call__(self, code, offset):
        if code.co_filename.startswith(CORE):
            looked = self.last.get(code) in LOOKS
            self.last[code] = opcode.opname[code.co_code[offset]]
            self.left -= looked
            if looked and self.left == -1:  # once: the handlers of an error run to their end
                raise KeyboardInterrupt


def by_tracing(interrupt):
    """Show it every instruction; return a function that ends this."""

    def trace(frame, event, argument):
        frame.f_trace_opcodes = True
        if event == "opcode":
            interrupt(frame.f_code, frame.f_lasti)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    return lambda: sys.settrace(before)


def by_monitoring(interrupt):
    """Do the same with Python 3.12 or later, where traced instructions get lost after an error."""
    monitoring, tool = sys.monitoring, sys.monitoring.PROFILER_ID
    monitoring.use_tool_id(tool, "interrupts")
    monitoring.register_callback(tool, monitoring.events.INSTRUCTION, interrupt)
    monitoring.set_events(tool, monitoring.events.INSTRUCTION)

    def end():
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)

    return end


def interrupted(y, at, **options):
    """Return whether an interrupt at the instruction of that number came before the end."""
    show = by_monitoring if hasattr(sys, "monitoring") else by_tracing
    end = show(Interrupt(at))
    try:
        y.backward(**options)
    except KeyboardInterrupt:
        return True
    finally:
        end()
    return False


@pytest.mark.parametrize("options", [{}, {"retain_grad": True}], ids=["plain", "retained"])
def test_an_interrupt_at_any_instruction_of_backward_writes_all_gradients_or_none(
    book, leaves, options
):
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
    assert at > 200


def test_the_next_backward_after_an_interrupt_is_right(book, leaves):
    y = loss_of(book, leaves)
    assert interrupted(y, 50)
    y = loss_of(book, leaves)
    y.backward()
    np.testing.assert_array_equal([x.grad[0] for x in leaves], [1.0, 2.0, 4.0, 6.0, 8.0])
