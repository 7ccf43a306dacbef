"""``observe("trace")``: prints a line for each call."""

from __future__ import annotations

import sys
from typing import TextIO

from dezero_core.extend import brief

from .calls import ObservedCall, Observer


class Trace(Observer):
    """Prints a line for each call after it has run. Calls inside another call are indented.

    Parameters
    ----------
    file : text file, optional
        The file to print to. By default, ``sys.stdout`` at the time of the call.
    """

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file

    def after(self, call: ObservedCall) -> None:
        depth = len(list(call.parents()))
        inputs, outputs = (", ".join(map(brief, xs)) for xs in (call.inputs, call.outputs))
        print(
            f"{'  ' * depth}{call.operation}.{call.method} of {call.plugin}: {inputs} -> {outputs}"
            f"  {1e6 * call.seconds:.0f} µs  {call.where or ''}".rstrip(),
            file=self._file or sys.stdout,
        )
