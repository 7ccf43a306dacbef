"""`compiled`: run a function eagerly twice, and from then on the NumPy calls that it made."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from dezero_core import Variable
from dezero_core.config import mode
from dezero_tools.functional.trees import leaves_of, like

from .errors import ReplayWarning
from .program import GuardFailed, Program, inputs_of
from .recording import Recording
from .results import Replayed

_RECORDED_BEFORE_GIVEN_UP = 6


class Compiled:
    """A function whose NumPy calls are recorded, and replayed."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.eager = function
        self._entries: dict[Any, Entry] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        now = mode.get()
        if now.observers or now.differentiated or now.in_backward:
            return self.eager(*args, **kwargs)
        leaves = leaves_of((args, kwargs))
        if any(isinstance(x, Variable) for x in leaves):
            return self.eager(*args, **kwargs)
        key = (_key((args, kwargs)), now.records)
        entry = self._entries.setdefault(key, Entry())
        arrays = [x for x in leaves if isinstance(x, np.ndarray)]
        if entry.eager:
            return self.eager(*args, **kwargs)
        for program in entry.programs:
            try:
                return replayed(program, arrays)
            except GuardFailed:
                continue

        def call(recording: list[Any]) -> Any:
            given = iter(recording)
            filled = [next(given) if isinstance(x, np.ndarray) else x for x in leaves]
            again_args, again_kwargs = like((args, kwargs), filled)
            return self.eager(*again_args, **again_kwargs)

        recording = Recording(self.eager, arrays, call, _flat)
        entry.add(recording, self.eager)
        return recording.result


class Entry:
    """The programs for one key."""

    def __init__(self) -> None:
        self.programs: list[Program] = []
        self.single: list[Program] = []
        self.eager = False
        self.tries = 0
        self.why = ""

    def add(self, recording: Recording, function: Any) -> None:
        """Take a recording: the second of two equal ones becomes a program."""
        problem = recording.problem
        if not problem:
            program = Program(recording)
            for other in self.single:
                problem = program.differs(other)
                if not problem:
                    self.programs.append(program)
                    self.single.remove(other)
                    return
            self.single.append(program)
            if len(self.single) < _RECORDED_BEFORE_GIVEN_UP:
                return
        self.eager, self.why = True, problem
        warnings.warn(f"{function} stays eager: {problem}", ReplayWarning, stacklevel=4)


def replayed(program: Program, arguments: list[Any]) -> Any:
    """Run a program: its effects, and its results."""
    for place, number in program.numbers:
        if place.read() != number:
            raise GuardFailed(None)
    arrays = inputs_of(program.inputs, arguments)
    values = iter(program.compute(arrays))
    for effect in program.effects:
        value = next(values) if type(effect.value).__name__ == "Value" else None
        if effect.kind == "write":
            inputs_of([effect.target], arguments)[0][...] = value
        else:
            setattr(effect.target, effect.kind, value)
    leaves = []
    for result in program.results:
        if result.kind == "captured" or result.kind == "constant":
            leaves.append(result.value)
        elif result.kind == "array":
            leaves.append(next(values))
        else:
            leaves.append(Replayed.variable(next(values), result))
    return program.form(leaves)


def _flat(tree: Any) -> tuple[list[Any], Any]:
    return leaves_of(tree), functools.partial(like, tree)


def _key(tree: Any) -> Any:
    if isinstance(tree, np.ndarray):
        return tree.shape, tree.dtype, tree.strides
    if isinstance(tree, (tuple, list)):
        return type(tree), tuple(map(_key, tree))
    if isinstance(tree, dict):
        return dict, tuple((key, _key(x)) for key, x in tree.items())
    return type(tree), tree


def compiled(function: Any = None) -> Any:
    """Record."""
    return Compiled(function)
