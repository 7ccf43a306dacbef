"""A compiled function: it runs eagerly twice, and from then on as the NumPy calls that it made."""

from __future__ import annotations

import functools
import os
import sys
import threading
import warnings
from collections.abc import Callable
from itertools import accumulate
from time import perf_counter
from typing import Any

import numpy as np
from dezero_tools.functional.trees import leaves_of
from dezero_tools.wrapped import CALLERS

from dezero_core import Variable
from dezero_core.extend import CHANGES, IN_USE, brief, mode, parts_of, user_place

from .audit import audited
from .entry import MISS, Entry
from .errors import ReplayError, ReplayWarning
from .guards.results import without_graphs
from .history import FREE, Costs, Key, Numbers, changes, decides, form_of
from .profilers import is_profiled
from .program import Program
from .recording.collector import collector_off
from .recording.recording import Recording
from .tape.notes import counted
from .tape.stop import Stop

CALLERS[__name__] = {"_audited", "_slowly"}

_SINGLE = 8
"""So many recordings of a form of arguments are kept, to be compared with the next one: as many as
programs by default, since so many ways through a function may take turns."""

_KEYS = 100
"""Recordings are kept for at most so many forms of arguments."""


class Compiled:
    """A function that is recorded, and replayed. `compiled` makes one.

    Parameters
    ----------
    function : callable
    options : dict
        Those of `compiled`.

    Attributes
    ----------
    eager : callable
        The function itself.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.eager = function
        self._options = options
        self._executor = parts_of("executor")[options["executor"]].value()(
            threads=options["threads"], wait=options["wait"]
        )
        self._lock = threading.RLock()
        self.clear()

    def clear(self) -> None:
        """Forget all programs, recordings and numbers, also why calls stay eager."""
        self.entries: list[Entry] = []
        self._changes = CHANGES[0]
        self._keys: dict[Any, Key] = {}
        self._numbers = Numbers()
        self._costs = Costs()
        #: The last recording, and how it differs from the one before.
        self._last: Program | None = None
        self._changing = "what the function reads changes in each call"
        #: Why calls stay eager: the line -> the reason.
        self.reasons: dict[str, str] = {}
        self._has_warned = False
        self._runs = {"replayed": 0, "recorded": 0, "eager": 0, "audits": 0, "replaced": 0}

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Return the method of an instance, with programs of its own, which it holds."""
        if instance is None:
            return self
        own = getattr(instance, "__dict__", None)
        if own is None:
            raise TypeError(
                f"{type(instance).__name__} needs a __dict__ to have a compiled method, and has "
                "__slots__. Compile a function that takes the attributes as arguments."
            )
        methods = own.setdefault("_compiled_methods", Methods()).of
        if self not in methods:
            methods[self] = Compiled(self.eager.__get__(instance, owner), self._options)
        return methods[self]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function: replay it, if this call was recorded."""
        entries = self.entries
        for entry in entries:
            result = entry.enter(args, kwargs)
            if result is not MISS:
                if entry is not entries[0]:  # the one used longest ago is the last
                    self.entries = [entry, *(each for each in entries if each is not entry)]
                return result
        return self._slowly(args, kwargs)

    @property
    def keys(self) -> tuple[Key, ...]:
        """The recordings of each form of arguments that are not yet programs."""
        return tuple(self._keys.values())

    def _slowly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._changes != CHANGES[0]:  # other plugins, other operations
            self.clear()
        around = self._around(args, kwargs)
        if around is not None:
            if around and self._options["strict"] and not (self.entries or self._runs["recorded"]):
                self._say("", around)
            self._runs["eager"] += 1
            return self.eager(*args, **kwargs)
        key = self._key_of(args, kwargs)
        for entry in self.entries:
            if entry.replayed > entry.paid:  # what was recorded is of use
                self._costs.succeed(key.costs)
                entry.paid = entry.replayed
        if self._costs.in_vain >= FREE:
            kept = self._options["max_programs"]
            self._say(
                "",
                f"is recorded again and again: {self._changing}, and at most "
                f"{counted(kept, 'program')} can be kept",
            )
        if not self._costs.allow(key.costs) or not self._lock.acquire(blocking=False):
            return self._eagerly(key, args, kwargs)
        try:
            return self._recorded(key, args, kwargs)
        finally:
            self._lock.release()

    def _eagerly(self, key: Key, args: Any, kwargs: Any) -> Any:
        """Return the result of a call that is not recorded, or no longer."""
        self._runs["eager"] += 1
        begin = perf_counter()
        result = self.eager(*args, **kwargs)
        took = perf_counter() - begin
        self._costs.eager += took
        key.costs.eager += took
        if any(isinstance(x, Variable) for x in leaves_of((args, kwargs))):
            return result  # as a part of the code around it
        return without_graphs(result)

    def _audited(self, entry: Entry, args: Any, kwargs: Any) -> Any:
        """Return the result of a call that is to be compared with eager code."""
        if self._around(args, kwargs) is not None:  # as DEZERO_REPLAY=0 says
            entry.calls[0] -= 1
            return MISS
        return audited(self, entry, args, kwargs)

    def _key_of(self, args: Any, kwargs: Any) -> Key:
        """Return the recordings of this form of arguments."""
        form = form_of((args, tuple(kwargs.items()))), mode.get().records, mode.get().switched
        if form not in self._keys and len(self._keys) >= _KEYS:
            del self._keys[next(iter(self._keys))]
        return self._keys.setdefault(form, Key())

    def _around(self, args: Any, kwargs: Any) -> str | None:
        """Return the reason for which a call is eager before it begins, or None.

        "" stands for the environment: a profiler, or ``DEZERO_REPLAY=0``."""
        now = mode.get()
        if now.observer or now.differentiated or now.in_backward or IN_USE.get():
            return (
                "is called inside of dezero_tools.functional, observe(), checked(), use_ops() or "
                "another compiled function, and is a part of that: compile what is around it"
            )
        if is_profiled() or os.environ.get("DEZERO_REPLAY") == "0":
            return ""
        for x in leaves_of((args, kwargs)):
            if isinstance(x, Variable) and (x.data is None or x.creator is not None):
                return "gets a Variable with a graph, and is a part of that: give arrays"
        return None

    def _recorded(self, key: Key, args: Any, kwargs: Any) -> Any:
        numeric = self._numbers.varying(args, kwargs)
        begin = perf_counter()
        self._runs["recorded"] += 1
        stop: Stop | None = None
        error = ""
        try:
            recording = Recording(self.eager, args, kwargs, numeric)
        except Stop as found:
            stop = found.with_traceback(None)
        except Exception as found:  # eager code is to raise it; if that does not, it is our fault
            where, error = _line_of(found), f"raises {found!r} while the call is recorded"
        self._in_vain(key, begin)
        if stop or error:
            self._runs["recorded"] -= 1
        if stop:
            if not (stop.once and stop.where not in self.reasons):
                self._say(stop.where, stop.reason)
            self.reasons[stop.where] = stop.reason
            return self._eagerly(key, args, kwargs)
        if error:
            self._numbers.fix(numeric)
            result = self._eagerly(key, args, kwargs)
            self._say(where, error)
            return result
        if recording.filled:
            return recording.result
        with collector_off():  # it would look at all instructions, again and again
            try:
                program = Program(recording, self._executor)
                differences = [program.differs(each) for each in key.single]
            except Exception as found:  # a fault of ours must not lose the result
                self._say("", f"cannot be written as a program: {found!r}")
                return recording.result
            self._compare(key, program, differences, args, kwargs)
        return recording.result

    def _compare(
        self, key: Key, program: Program, differences: list[str], args: Any, kwargs: Any
    ) -> None:
        """Take note of a recording: if it is like an earlier one, it becomes a program."""
        self._numbers.note(program.numbers)
        before = self._last
        differing = changes(before, program) if before else ""
        is_alike = not all(differences)
        if differing or not is_alike:
            deciding = decides(before, program) if before and not differing else ""
            others = [self._changing, *(f"it {each}" for each in differences)]
            self._changing = differing or deciding or others[-1]
        self._last = program
        if is_alike:
            program.merge(key.single.pop(differences.index("")))
            entry = self._entry(key, program, args, kwargs)
            if entry is not None and self._enter(entry) and not differing:
                self._costs.succeed(key.costs)  # else it may never be entered
        elif not self._join(key, program, args, kwargs):
            key.single = [*key.single[-_SINGLE + 1 :], program]

    def _join(self, key: Key, program: Program, args: Any, kwargs: Any) -> bool:
        """Let an entry have a program that differs by one whole number alone, as of ``range(n)``.

        Return whether there is another recording of that kind.
        """
        most = self._options["max_bytes"]
        others = [(each.program, each) for each in self.entries]
        for other, before in (*others, *((each, None) for each in key.single)):
            decisive = program.decided_by(other)
            if decisive is None:
                continue
            entry = self._entry(key, program, args, kwargs)
            if entry is None:
                return False
            first = before if before is not None else self._entry(key, other, args, kwargs)
            if first is not None and first.join(entry, decisive, most):
                key.single = [each for each in key.single if each is not other]
                self._enter(first)
                return True
        return False

    def _in_vain(self, key: Key, begin: float) -> None:
        """Note the time of a recording; a program that comes of it gives the time back."""
        took = perf_counter() - begin
        for costs in (self._costs, key.costs):
            costs.recording += took
            costs.in_vain += 1

    def _entry(self, key: Key, program: Program, args: Any, kwargs: Any) -> Entry | None:
        """Lower a program; return the way in, None if the executor cannot run it."""
        try:
            entry = Entry(program, len(args), tuple(kwargs), mode.get(), self._audited)
        except Exception as error:  # an error of the executor must not lose the result
            self._say(
                "", f"has a program that the executor {self._executor.name!r} cannot run: {error!r}"
            )
            return None
        given = [brief(x) for x in leaves_of((args, kwargs)) if isinstance(x, np.ndarray)]
        entry.reason = f"recorded for {', '.join(given) or 'no arrays'}"
        entry.costs = key.costs.recording, key.costs.in_vain
        first = self._options["audit"]
        entry.calls[1] = sys.maxsize if first is None else 4 if first == "geometric" else 2 + first
        return entry

    def _enter(self, entry: Entry) -> bool:
        """Let calls enter a program; return whether there is room for it."""
        entries = [entry, *(each for each in self.entries if each is not entry)]
        most, largest = self._options["max_programs"], self._options["max_bytes"]
        held = entry.planned_bytes
        if held > largest:
            self._say(
                "",
                f"would hold {held:,} bytes between calls, and max_bytes={largest:,} is less: "
                "compile the functions that this one calls, or allow more bytes",
            )
            return False
        totals = accumulate(each.planned_bytes for each in entries)
        kept = min(most, sum(total <= largest for total in totals))
        self.entries, gone = entries[:kept], entries[kept:]
        self._runs["replaced"] += len(gone)
        for each in gone:
            self._runs["replayed"] += each.replayed
            if not each.replayed:  # its recordings were in vain
                self._costs.recording += each.costs[0]
                self._costs.in_vain += each.costs[1]
        return True

    def _say(self, where: str, problem: str) -> None:
        """Note why a call is eager, and warn once."""
        self.reasons[where] = problem
        name = getattr(self.eager, "__qualname__", repr(self.eager))
        text = f"{where}: {name} {problem}" if where else f"{name} {problem}"
        if self._options["strict"] and not self.entries:
            raise ReplayError(f"{name} cannot be replayed: {text}.", function=self.eager)
        if self._options["quiet"] or self._has_warned:
            return
        self._has_warned = True
        file, line = user_place("dezero_replay")
        warnings.warn_explicit(f"{name} stays eager: {text}.", ReplayWarning, file, line)

    # To be read.

    def explain(self) -> str:
        """Return in words what was recorded.

        Returns
        -------
        str
            How often it was called in which way, and why it stays eager, if it does. For each
            program: for which arguments it was recorded; what it reads and writes, what is compared
            before it runs, which arrays are constants, and which operations are opaque, and why.
        """
        from .explain import explained  # here, since most never need it

        return explained(self)

    @property
    def programs(self) -> tuple[Program, ...]:
        """The programs, the last one that was used first. Printed, each is Python."""
        return tuple(each.program for each in self.entries)

    @property
    def program(self) -> Program | None:
        """The program that was used last; None if there is none yet."""
        return next(iter(self.programs), None)

    @property
    def stats(self) -> dict[str, int]:
        """How many calls were of which kind.

        ``"replayed"``: a program ran in place of it. ``"recorded"``: eager, and recorded.
        ``"eager"``: nothing else. ``"audits"``: eager, with a program beside. ``"replaced"``: how
        many programs had to go.
        """
        replayed = sum(entry.replayed for entry in self.entries)
        return {**self._runs, "replayed": replayed + self._runs["replayed"]}

    def __repr__(self) -> str:
        return f"compiled({self.eager!r})"

    def __reduce__(self) -> Any:
        raise TypeError(
            f"{self!r} cannot be pickled or copied: programs belong to this process. Pickle the "
            "function itself, its .eager, and compile that in the other process."
        )


class Methods:
    """The compiled methods of an instance; a copy of the instance has none yet."""

    __slots__ = ("of",)

    def __init__(self) -> None:
        self.of: dict[Compiled, Compiled] = {}

    def __reduce__(self) -> Any:
        return Methods, ()


def _line_of(error: BaseException) -> str:
    trace: Any = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
