"""`compiled`: a function runs eagerly twice, and from then on the NumPy calls that it made."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from dezero_core import Variable
from dezero_core.arrays import INEXACT
from dezero_core.config import mode
from dezero_core.contests import IN_USE
from dezero_core.errors import user_place
from dezero_tools.functional.trees import leaves_of, like

from .audit import audited
from .entry import MISS, Entry, Varying
from .errors import ReplayError, ReplayWarning
from .program import Program
from .recording import Recording
from .results import without_graph

_SINGLE = 6
"""Recordings of one key of which no two are equal: then it stays eager."""

_VALUES = 2
"""Values that a number may have before it becomes an input."""

_REPLACED = 4
"""Programs that replaced others, as multiples of `max_programs`: then it stays eager."""


class Compiled:
    """A function that is recorded, and replayed.

    Made by `compiled`.

    Attributes
    ----------
    eager : callable
        The function itself.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.eager = function
        self._options = options
        self._of_instances: WeakKeyDictionary[Any, Compiled] = WeakKeyDictionary()
        self._lock = threading.RLock()
        self.clear()

    def clear(self) -> None:
        """Forget all programs and recordings."""
        self._entries: list[Entry] = []
        self._keys: dict[Any, Key] = {}
        self._inputs: set[Any] = set()
        self._fixed: set[Any] = set()
        self._numbers: dict[Any, dict[int, set[str]]] = {}
        self._values: dict[Any, set[str]] = {}
        self._eager_because = ""
        self._runs = {"replayed": 0, "recorded": 0, "eager": 0, "audits": 0, "replaced": 0}

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Return the method of an instance, with programs of its own."""
        if instance is None:
            return self
        try:
            return self._of_instances[instance]
        except (KeyError, TypeError):
            bound = Compiled(self.eager.__get__(instance, owner), self._options)
        try:
            self._of_instances[instance] = bound
        except TypeError as error:
            raise TypeError(
                f"{type(instance).__name__} needs weak references and a hash to have a compiled "
                "method. Compile a function that takes what it needs as arguments."
            ) from error
        return bound

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function: replay it, if this call was recorded."""
        for entry in self._entries:
            result = entry.enter(args, kwargs)
            if result is not MISS:
                return result
        return self._slowly(args, kwargs)

    def _slowly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._runs_eagerly(args, kwargs):
            self._runs["eager"] += 1
            return self.eager(*args, **kwargs)
        due = next((each for each in self._entries if each.calls[0] == each.calls[1]), None)
        if due is not None:
            self._runs["audits"] += 1
            return audited(self, due, args, kwargs)
        key = self._key_of(args, kwargs)
        if self._eager_because or key.eager_because or not self._lock.acquire(blocking=False):
            self._runs["eager"] += 1
            return without_graphs(self.eager(*args, **kwargs))
        try:
            return self._recorded(key, args, kwargs)
        finally:
            self._lock.release()

    def _key_of(self, args: Any, kwargs: Any) -> Key:
        """Return the recordings of this form of arguments.

        A number that had many values is an input from then on.
        """
        leaves = leaves_of((args, kwargs))
        of_numbers = [index for index, x in enumerate(leaves) if _is_number(x)]
        form = _key(like((args, kwargs), [type(x) if _is_number(x) else x for x in leaves]))
        form = form, mode.get().records
        seen = self._numbers.setdefault(form, {})
        for index in of_numbers:
            values = seen.setdefault(index, set())
            values.add(repr(leaves[index]))
            if len(values) > _VALUES and ("argument", index) not in self._fixed:
                self._inputs.add(("argument", index))
        fixed = tuple(
            repr(leaves[index]) for index in of_numbers if ("argument", index) not in self._inputs
        )
        return self._keys.setdefault((form, fixed), Key())

    def _runs_eagerly(self, args: Any, kwargs: Any) -> bool:
        """Return whether a call is eager as a part of what is around it."""
        now = mode.get()
        if now.observers or now.differentiated or now.in_backward or IN_USE.get():
            return True
        if sys.getprofile() is not None or os.environ.get("DEZERO_REPLAY") == "0":
            return True
        return any(
            isinstance(x, Variable) and (x.data is None or x.data.dtype.kind in INEXACT)
            for x in leaves_of((args, kwargs))
        )

    def _recorded(self, key: Key, args: Any, kwargs: Any) -> Any:
        leaves = leaves_of((args, kwargs))
        taken = [self._is_input(index, x) for index, x in enumerate(leaves)]

        def call(inputs: list[Any]) -> Any:
            given = iter(inputs)
            pairs = zip(leaves, taken, strict=True)
            again, named = like((args, kwargs), [next(given) if yes else x for x, yes in pairs])
            return self.eager(*again, **named)

        inputs = [x for x, yes in zip(leaves, taken, strict=True) if yes]
        recording = Recording(self.eager, call, inputs, self._inputs)
        self._runs["recorded"] += 1
        if self._numbers_vary(recording):
            key.single.clear()
            return recording.result
        problem = recording.problem
        program = None if problem else Program(recording)
        if program is not None and not program.problem:
            for other in key.single:
                problem = program.differs(other)
                if not problem:
                    key.single.remove(other)
                    form = like((args, kwargs), [
                        Varying(type(x)) if yes and not isinstance(x, np.ndarray) else x
                        for x, yes in zip(leaves, taken, strict=True)
                    ])
                    self._enter(Entry(program, form, mode.get().records))
                    return recording.result
            key.single.append(program)
            if len(key.single) < _SINGLE:
                return recording.result
        key.single.clear()
        key.eager_because = problem or program.problem
        self._say(key.eager_because)
        return recording.result

    def _numbers_vary(self, recording: Recording) -> bool:
        """Return whether other numbers are inputs from now on, so that it is recorded again."""
        before = set(self._inputs)
        if recording.problem:  # more was done with one of them than arithmetic
            self._fixed |= self._inputs
            self._inputs.clear()
        else:
            self._inputs |= {each.identity for each in recording.varying} - self._fixed
            if recording.varying and self._inputs == before:
                names = ", ".join(map(str, recording.varying))
                recording.tape.problem = f"it changes {names}, and not by arithmetic alone"
            for place in recording.reached.numbers:
                values = self._values.setdefault(place.identity, set())
                values.add(repr(place.found))
                if len(values) > _VALUES and place.identity not in self._fixed:
                    self._inputs.add(place.identity)
        return before != self._inputs

    def _is_input(self, index: int, x: Any) -> bool:
        """Return whether a leaf of the arguments is an input: an array, or a varying number."""
        return isinstance(x, np.ndarray) or (("argument", index) in self._inputs and _is_number(x))

    def _enter(self, entry: Entry) -> None:
        first = self._options["audit"]
        entry.calls[1] = sys.maxsize if first is None else 2 if first == "geometric" else first
        entries = [entry, *self._entries]
        most = self._options["max_programs"]
        if len(entries) > most:
            self._runs["replaced"] += 1
            if self._runs["replaced"] > _REPLACED * most:
                self._eager_because = f"its programs are replaced all the time: {most} are kept"
                self._say(self._eager_because)
        self._entries = entries[:most]

    def _say(self, problem: str) -> None:
        name = getattr(self.eager, "__qualname__", repr(self.eager))
        if self._options["strict"]:
            raise ReplayError(f"{name} cannot be replayed: {problem}.", function=self.eager)
        file, line = user_place("dezero_replay")
        warnings.warn_explicit(
            f"{name} stays eager: {problem}.", ReplayWarning, file, line
        )

    # To be read.

    @property
    def programs(self) -> tuple[Program, ...]:
        """The programs, the last one that was recorded first."""
        return tuple(each.program for each in self._entries)

    @property
    def program(self) -> Program | None:
        """The program that was recorded last."""
        return next(iter(self.programs), None)

    @property
    def stats(self) -> dict[str, int]:
        """How often it was replayed, recorded, audited and run eagerly."""
        replayed = sum(entry.calls[0] for entry in self._entries)
        return {**self._runs, "replayed": replayed + self._runs["replayed"]}

    def __repr__(self) -> str:
        return f"compiled({self.eager!r})"

    def __reduce__(self) -> Any:
        raise TypeError(
            f"{self!r} cannot be pickled or copied: programs belong to this process. Pickle the "
            "function itself, its .eager, and compile it there."
        )


class Key:
    """The recordings of one form of arguments that are not yet programs."""

    def __init__(self) -> None:
        self.single: list[Program] = []
        self.eager_because = ""


def _is_number(x: Any) -> bool:
    return type(x) in (int, float, complex)


def _key(tree: Any) -> Any:
    """Return what calls have in common that may have one program."""
    if isinstance(tree, np.ndarray):
        return np.ndarray, tree.shape, tree.dtype, tree.strides
    if isinstance(tree, (tuple, list)):
        return type(tree), tuple(map(_key, tree))
    if isinstance(tree, dict):
        return dict, tuple((key, _key(x)) for key, x in tree.items())
    if isinstance(tree, (int, float, complex, str, bytes, type(None))):
        return type(tree), repr(tree)
    return type(tree), id(tree)


def without_graphs(result: Any) -> Any:
    """Let go of the graphs of a result of eager code."""
    for x in leaves_of(result):
        if isinstance(x, Variable):
            without_graph(x)
    return result


def compiled(
    function: Any = None,
    *,
    executor: str = "numpy",
    max_programs: int = 8,
    max_bytes: int = 2**30,
    audit: str | int | None = "geometric",
    strict: bool = False,
    threads: int = 1,
    wait: bool = False,
) -> Any:
    """Return a function that replays the NumPy calls of `function`."""
    options = {
        **{"executor": executor, "max_programs": max_programs, "max_bytes": max_bytes},
        **{"audit": audit, "strict": strict, "threads": threads, "wait": wait},
    }
    if function is None:
        return functools.partial(compiled, **options)
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise TypeError(f"compiled() takes a function that returns, and {function!r} yields.")
    if not callable(function):
        raise TypeError(f"compiled() takes a function, got {function!r}.")
    return Compiled(function, options)
