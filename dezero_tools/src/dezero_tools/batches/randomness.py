"""Random numbers that a function draws once, for all examples of a batch."""

from __future__ import annotations

import random
from collections.abc import Callable
from ctypes import string_at
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from dezero_core.extend import attempt

_GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
#: The generators behind the functions of `np.random` and of `random`.
_NUMPY, _PYTHON = (getattr(f, "__self__", None) for f in (np.random.normal, random.random))


class Draws:
    """The states of the generators that a function may draw from, before it is called."""

    def __init__(self, function: Any, leaves: list[Any]) -> None:
        self._reads: list[Callable[[], Any]] = [
            partial(_memory, _NUMPY),  # which has a normal number that was drawn with another one
            _bits_of_numpy,
            partial(_memory, _PYTHON),
            partial(getattr, _PYTHON, "gauss_next"),
        ]
        self._reads += [_state_of(x) for x in _reached(function, leaves)]
        self._before = [_frozen(read()) for read in self._reads]

    def were_made(self) -> bool:
        """Return whether a number was drawn since."""
        return self._before != [_frozen(read()) for read in self._reads]


def _memory(x: Any) -> bytes:
    """Return the memory of an object of C, without the count of its references.

    Each draw changes it, and it is there in a hundredth of the time of ``get_state()``.
    """
    return string_at(id(x), type(x).__basicsize__)[object.__basicsize__ :]


def _bits_of_numpy() -> Any:
    bits = vars(np.random)["get_bit_generator"]()  # which its stubs do not have
    return _memory(bits) if type(bits) is np.random.MT19937 else bits.state


def _frozen(state: Any) -> Any:
    """Return a state in a form that can be compared."""
    if isinstance(state, dict):
        return {key: _frozen(x) for key, x in state.items()}
    return state.tobytes() if isinstance(state, np.ndarray) else state


def _state_of(generator: Any) -> Callable[[], Any]:
    if isinstance(generator, np.random.Generator):
        return lambda: generator.bit_generator.state
    return getattr(generator, "get_state", None) or generator.getstate


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
