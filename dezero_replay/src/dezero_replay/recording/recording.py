"""One call of a function, run and recorded: what it computes, reads and writes."""

from __future__ import annotations

from collections.abc import Callable, Container
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Leaf, Port, mode

from ..guards.outcome import Effect, Outcome, Outcomes
from ..guards.places import Place
from ..guards.surroundings import Surroundings, is_frozen, put
from ..tape.classes import is_a
from ..tape.draws import Snapshot
from ..tape.recorded import Recorded
from ..tape.stop import Stop
from ..tape.tape import Tape
from .bodies import Bodies
from .calls import Recorder
from .collector import collector_off


class Recording:
    """A call of a function that was recorded; the numbers at some places are inputs, `numeric`.

    Attributes
    ----------
    tape : Tape
    around : Surroundings
    result : object
        That of eager code, without a graph.
    outcome : Outcome
        How a replay makes it.
    effects : list of Effect
    filled : bool
        Whether a Variable without data got some, as weights do whose size the first input tells.
        Such a call comes only once.

    Raises
    ------
    Stop
        If a replay could not do what the call does. Everything is as before the call.
    BaseException
        Whatever the function raises. Everything is as before the call.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        numeric: Container[Any] = (),
    ) -> None:
        self.tape = tape = Tape()
        self.around = around = Surroundings(tape, numeric)
        recorder = Recorder(tape, around)
        bodies, before = Bodies(recorder), Snapshot()
        with ExitStack() as stack:  # of callbacks, between whose lines no Ctrl-C of ours comes
            stack.callback(recorder.close)
            stack.callback(mode.set, mode.get())
            stack.push(partial(self._put_back, before, function))
            stack.callback(setattr, tape, "open", False)
            # In the context of the caller, whose variables it may set.
            mode.set(mode.get().changed(observer=bodies))
            with collector_off(), tape.kept():
                self._run(recorder, function, args, kwargs)
                if tape.raised is not None:
                    raise tape.raised
                self._require_no_graph(self.result, bodies)
                self._end(self.result)
        around.keep()

    def _put_back(self, before: Snapshot, function: Any, _: Any, error: Any, trace: Any) -> None:
        """Take everything back after an error, or the end of the recording."""
        if error is not None:
            self.around.put_back()
            before.restore()
        if isinstance(error, Stop) and hasattr(self, "result"):  # it was found at the end
            error.where = _line_of(function) or error.where

    def _run(self, recorder: Recorder, function: Any, args: Any, kwargs: Any) -> None:
        admitted = self.around.admitted
        given = [admitted(x, Place(x, None, "argument", n)) for n, x in enumerate(args)]
        named = {key: admitted(x, Place(x, None, "argument", key)) for key, x in kwargs.items()}
        self.around.root(function)
        self.result: Any = recorder.call(function, *given, **named)

    def _end(self, result: Any) -> None:
        around = self.around
        outcomes = Outcomes(around)
        self.effects: list[Effect] = []
        self.filled = False
        self._find_writes()
        for place, data, grad in around.variables.values():
            x = place.found
            self.filled |= data is None and x.data is not None
            for kind, before in (("data", data), ("grad", grad)):
                now = getattr(x, kind)
                if now is not before and now is not around.arrays.get(id(before)):
                    if is_a(now, Variable):
                        raise Stop(
                            f"leaves a Variable with a graph in {place}.{kind}: clear "
                            f"{place}.{kind}, or use dezero_tools.functional"
                        )
                    self.effects.append(Effect(kind, place, outcomes.of(now)))
        self._require_apart()
        for place, value in around.written.values():
            holder: Any = place.parent
            how = "force" if place.kind == "attribute" and is_frozen(holder.found) else "set"
            self.effects.append(Effect(how, place, outcomes.of(value)))
            if type(value) is tuple and place.kind != "context":  # its items may be others now
                put(holder.found, place.kind, place.key, outcomes.plain(value))
        for place, value in around.appended:
            self.effects.append(Effect("append", place, outcomes.of(value)))
            if type(value) is tuple:
                at = next(n for n, x in enumerate(place.found) if x is value)
                place.found[at] = outcomes.plain(value)
        self.outcome: Outcome = outcomes.of(result)
        self.result = outcomes.plain(result)

    def _require_apart(self) -> None:
        """Let it be compared that containers into which the call has written are no others."""
        around = self.around
        written: list[Any] = [place.parent for place, _ in around.written.values()]
        for holder in (*written, *(place for place, _ in around.appended)):
            for other in list(around.known.values()):
                is_alike = (
                    type(other.found) is type(holder.found) and other.found is not holder.found
                )
                if is_alike and (holder.is_of_arguments or other.is_of_arguments):
                    around.look(holder, "is not at", other)

    def _find_writes(self) -> None:
        """Note the arrays of the user's into which the call has written."""
        around = self.around
        done: set[int] = set()
        for each in around.inputs:
            recorded = around.arrays.get(id(each.content))
            if recorded is None or not recorded._version or id(recorded) in done:
                continue
            done.add(id(recorded))
            for other in around.arrays.values():
                if other is not recorded and np.may_share_memory(other.content, recorded.content):
                    raise Stop(
                        "gets two arrays that share memory, and writes into one: give a copy"
                    )
            self.effects.append(Effect("write", each, Outcome("value", recorded.value)))

    def _require_no_graph(self, result: Any, bodies: Bodies) -> None:
        """Stop if the caller is to differentiate a result by a Variable among the arguments."""
        given = {key for key, (place, *_) in self.around.variables.items() if place.is_of_arguments}
        if not given or bodies.went_back:
            return
        waiting, seen = [result], {id(None), *self.around.known}
        while waiting:
            x = waiting.pop()
            if id(x) in seen or type(x) is Recorded:
                continue
            seen.add(id(x))
            if is_a(x, Variable):
                waiting.append(x._edge)
            elif type(x) is Leaf:
                if id(x.variable()) in given:
                    raise Stop(
                        "returns a result with a graph that leads to a Variable among the "
                        "arguments, by which the caller may differentiate: give arrays"
                    )
            elif is_a(x, (Function, Port)):
                waiting += x.creator._edges if is_a(x, Port) else x._edges
            elif is_a(x, (tuple, list)):
                waiting += x
            elif is_a(x, dict):
                waiting += x.values()


def _line_of(function: Any) -> str:
    """Return the first line of a function; "" if it has none."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else ""
