"""Random numbers that a function draws once, for all examples of a batch."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from dezero_core.extend import attempt

_GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)


class Draws:
    """The states of the generators that a function may draw from, before it is called."""

    def __init__(self, function: Any, leaves: list[Any]) -> None:
        self._reads: list[Callable[[], Any]] = [
            partial(np.random.get_state, legacy=False),
            random.getstate,
        ]
        self._reads += [_state_of(x) for x in _reached(function, leaves)]
        self._before = [_frozen(read()) for read in self._reads]

    def were_made(self) -> bool:
        """Return whether a number was drawn since."""
        return self._before != [_frozen(read()) for read in self._reads]


def _frozen(state: Any) -> Any:
    """Return a state in a form that can be compared."""
    if isinstance(state, dict):
        return {key: _frozen(x) for key, x in state.items()}
    return state.tobytes() if isinstance(state, np.ndarray) else state


def _state_of(generator: Any) -> Callable[[], Any]:
    if isinstance(generator, np.random.Generator):
        return lambda: generator.bit_generator.state
    if isinstance(generator, random.SystemRandom):  # it has none: each draw may be one
        return object
    if isinstance(generator, np.random.RandomState):
        return partial(generator.get_state, legacy=False)
    return generator.getstate


def _reached(function: Any, leaves: list[Any]) -> list[Any]:
    """Return the generators among the arguments, and those that a function names."""
    waiting, seen, found = [function, *leaves], set(), []
    while waiting:
        x = waiting.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if isinstance(x, _GENERATORS):
            found.append(x)
        elif isinstance(x, FunctionType):
            names = x.__code__.co_names
            waiting += [x.__globals__[name] for name in names if name in x.__globals__]
            cells = [
                attempt(partial(getattr, each, "cell_contents")) for each in x.__closure__ or ()
            ]
            waiting += [*cells, *(x.__defaults__ or ())]
        elif isinstance(x, MethodType):
            waiting += [x.__func__, *getattr(x.__self__, "__dict__", {}).values()]
        elif hasattr(x, "__wrapped__"):
            waiting.append(x.__wrapped__)
    return found
