"""A compiled function: it runs eagerly twice, and from then on as the NumPy calls that it made."""

from __future__ import annotations

import functools
import os
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from dezero_tools.functional.trees import fields_of, leaves_of, like, paths_of

from dezero_core import Variable
from dezero_core.extend import CHANGES, IN_USE, INEXACT, NUMBERS, brief, mode, parts_of, user_place

from .arguments import Arguments
from .audit import audited
from .entry import MISS, Entry, Varying
from .errors import ReplayError, ReplayWarning
from .notes import counted
from .profilers import is_profiled
from .program import Program
from .recording import Recording
from .results import without_graphs
from .varying import VaryingNumbers, is_number

_SINGLE = 6
"""A form of arguments stays eager after so many recordings of which no two are equal."""

_DREW = 4
"""So many recordings of a form are left out if random numbers were drawn, by whatever thread."""

_IN_VAIN = 4
"""The function stays eager after `max_programs` times so many recordings without a replay."""

_KEYS = 100
"""Recordings are kept for at most so many forms of arguments."""

_REPLACED = 4
"""The function stays eager after `max_programs` times so many programs were replaced."""


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
        """Forget all programs, recordings and numbers, also why it stays eager."""
        self.entries: list[Entry] = []
        self._changes = CHANGES[0]
        self._keys: dict[Any, Key] = {}
        self._numbers = VaryingNumbers()
        self._in_vain = self._replayed = 0
        self._forms: dict[Any, Any] = {}
        self.eager_because = ""
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
        if self._runs_eagerly(args, kwargs):
            self._runs["eager"] += 1
            return self.eager(*args, **kwargs)
        key = None if self.eager_because else self._key_of(args, kwargs)
        if key is None or key.eager_because or not self._lock.acquire(blocking=False):
            self._runs["eager"] += 1
            return without_graphs(self.eager(*args, **kwargs))
        try:
            return self._recorded(key, args, kwargs)
        finally:
            self._lock.release()

    def _audited(self, entry: Entry, args: Any, kwargs: Any) -> Any:
        """Return the result of a call that is to be compared with eager code."""
        if self._runs_eagerly(args, kwargs):  # as DEZERO_REPLAY=0 says
            entry.calls[0] -= 1
            return MISS
        self._runs["audits"] += 1
        return audited(self, entry, args, kwargs)

    def _key_of(self, args: Any, kwargs: Any) -> Key:
        """Return the recordings of this form of arguments."""
        leaves = leaves_of((args, kwargs))
        form = _key(like((args, kwargs), [type(x) if is_number(x) else x for x in leaves]))
        form = form, mode.get().records, mode.get().switched
        named = [*enumerate(args), *kwargs.items()]
        paths = [path for name, x in named for path in paths_of(x, str(name))]
        while len(self._forms) >= _KEYS and form not in self._forms:
            oldest = next(iter(self._forms))
            del self._forms[oldest]
            self._numbers.forget(oldest)
        self._forms[form] = paths, tuple(map(_spec, leaves))
        fixed = self._numbers.fixed_arguments(form, leaves)
        found = self._keys.get((form, fixed))
        if found is None:
            while len(self._keys) >= _KEYS:
                del self._keys[next(iter(self._keys))]
            found = self._keys[form, fixed] = Key(_reason(args, kwargs, fixed))
        return found

    def _runs_eagerly(self, args: Any, kwargs: Any) -> bool:
        """Return whether the arguments, or a block or profiler around a call, make it eager."""
        now = mode.get()
        if now.observer or now.differentiated or now.in_backward or IN_USE.get():
            return True
        if is_profiled() or os.environ.get("DEZERO_REPLAY") == "0":
            return True
        return any(map(_stays_out, leaves_of((args, kwargs))))

    def _recorded(self, key: Key, args: Any, kwargs: Any) -> Any:
        arguments = Arguments(args, kwargs, self._numbers.is_input)
        recording = Recording(self.eager, arguments, self._numbers.inputs)
        self._runs["recorded"] += 1
        self._in_vain = 0 if self.stats["replayed"] != self._replayed else self._in_vain + 1
        self._replayed = self.stats["replayed"]
        if self._in_vain > _IN_VAIN * self._options["max_programs"]:
            self._give_up()
            return recording.result
        if recording.filled:
            return recording.result
        if self._numbers.note(recording):
            key.single.clear()
            return recording.result
        if recording.drew and key.drew < _DREW and threading.active_count() > 1:
            key.drew += 1  # it may have been another thread, as that of the events of a worker
            return recording.result
        problem = recording.problem
        program = None if problem else Program(recording, self._executor)
        if program is not None and not program.problem:
            other = next((x for x in key.single if not (problem := program.differs(x))), None)
            if other is None:
                key.single.append(program)
                if len(key.single) < _SINGLE:
                    return recording.result
                problem += ": give what changes as an argument"
            else:
                key.single.remove(other)
                program.without_gradient += other.without_gradient
                problem = self._planned(key, program, self._form(args, kwargs))
                if not problem:
                    return recording.result
        key.single.clear()
        key.eager_because = problem or (program.problem if program else "")
        self._say(key.eager_because)
        return recording.result

    def _planned(self, key: Key, program: Program, form: Any) -> str:
        """Lower a program, and let calls enter it; return why that cannot be done."""
        try:
            entry = Entry(program, form, mode.get(), self._audited)
        except Exception as error:  # an error of the executor must not lose the result
            return f"the executor {self._executor.name!r} cannot run the program: {error!r}"
        entry.reason = key.reason
        self._enter(entry)
        return ""

    def _form(self, args: Any, kwargs: Any) -> Any:
        """Return the arguments, with a `Varying` for each number that is an input."""
        leaves = enumerate(leaves_of((args, kwargs)))
        return like(
            (args, kwargs),
            [
                Varying(type(x)) if is_number(x) and self._numbers.is_input(n, x) else x
                for n, x in leaves
            ],
        )

    def _enter(self, entry: Entry) -> None:
        first = self._options["audit"]
        entry.calls[1] = sys.maxsize if first is None else 4 if first == "geometric" else 2 + first
        entries = [entry, *self.entries]
        most, largest = self._options["max_programs"], self._options["max_bytes"]
        held = entry.program.planned_bytes
        if held > largest:
            self.eager_because = (
                f"the program would hold {held:,} bytes between calls, and max_bytes={largest:,} "
                "is less: compile the functions that this one calls, or allow more bytes"
            )
            self._say(self.eager_because)
            return
        kept = [
            each
            for number, each in enumerate(entries)
            if number < most
            and sum(one.program.planned_bytes for one in entries[: number + 1]) <= largest
        ]
        self._runs["replaced"] += len(entries) - len(kept)
        self._runs["replayed"] += sum(each.replayed for each in entries if each not in kept)
        if self._runs["replaced"] > _REPLACED * most:
            self._give_up()
        self.entries = kept

    def _give_up(self) -> None:
        changing = self._changing()
        what = "a number or an object that the function reads changes"
        if changing:
            *others, last = changing
            arguments = f"arguments {', '.join(others)} and" if others else "argument"
            what = f"{arguments} {last} change{'s' * (not others)}"
        kept = counted(self._options["max_programs"], "program")
        self.eager_because = (
            f"the function is recorded again and again, and at most {kept} can be kept: {what} in "
            "each call. Call the function with arrays of the same shapes and otherwise with the "
            "same objects, or compile the functions that it calls"
        )
        self._say(self.eager_because)

    def _changing(self) -> list[str]:
        """Return the names of the arguments that were others in the last recorded calls."""
        forms = list(self._forms.values())[-_REPLACED:]
        paths, *_ = forms[-1]
        specs = [each for _, each in forms if len(each) == len(paths)]
        return [
            path for index, path in enumerate(paths) if len({each[index] for each in specs}) > 1
        ]

    def _say(self, problem: str) -> None:
        name = getattr(self.eager, "__qualname__", repr(self.eager))
        if self._options["strict"]:
            raise ReplayError(f"{name} cannot be replayed: {problem}.", function=self.eager)
        if self._options["quiet"]:
            return
        file, line = user_place("dezero_replay")
        warnings.warn_explicit(f"{name} stays eager: {problem}.", ReplayWarning, file, line)

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


class Key:
    """The recordings of one form of arguments that are not yet programs."""

    def __init__(self, reason: str) -> None:
        self.single: list[Program] = []
        self.eager_because, self.reason = "", reason
        self.drew = 0


def _stays_out(x: Any) -> bool:
    """Return whether a call with this argument runs eagerly, since it cannot be recorded."""
    if isinstance(x, Variable):
        return x.data is None or x.data.dtype.kind in INEXACT
    return isinstance(x, np.ndarray) and not (type(x) is np.ndarray and x.dtype.kind in NUMBERS)


def _reason(args: Any, kwargs: Any, numbers: Any) -> str:
    given = [brief(x) for x in leaves_of((args, kwargs)) if isinstance(x, np.ndarray)]
    return f"recorded for {', '.join([*given, *numbers]) or 'no arguments'}"


def _spec(x: Any) -> str:
    return brief(x) if isinstance(x, np.ndarray) else repr(x)


def _key(tree: Any) -> Any:
    """Return a form of arguments: calls with equal ones may have one program."""
    if isinstance(tree, np.ndarray):
        return np.ndarray, tree.shape, tree.dtype, tree.strides
    if isinstance(tree, (tuple, list)):
        return type(tree), tuple(map(_key, tree))
    if isinstance(tree, dict):
        return dict, tuple((key, _key(x)) for key, x in tree.items())
    if isinstance(tree, (int, float, complex, str, bytes, type(None))):
        return type(tree), repr(tree)
    found = fields_of(tree)
    return type(tree), id(tree) if found is None else _key(found)
