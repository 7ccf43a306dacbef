"""Generators of random numbers: draws from them, and their states."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from .nested import alike

GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)

#: Methods that read or set the state of a generator, or change an argument or an attribute.
_OF_STATES = {
    *("seed", "getstate", "setstate", "get_state", "set_state", "spawn", "bit_generator"),
    *("shuffle", "permuted", "choice", "choices", "sample"),
}


#: Methods that can fill an array of the caller's, and which of the arguments it is.
_FILLING = {"random": 2, "standard_normal": 2, "standard_exponential": 3, "standard_gamma": 3}


def is_draw(generator: Any, name: str, args: Any, kwargs: Any) -> bool:
    """Return whether a call of a method of a generator changes nothing but its state."""
    if kwargs.get("out") is not None or args[_FILLING.get(name, len(args)) :]:
        return False
    of_items = () if isinstance(generator, random.Random) else ("choice", "permuted")
    return name in of_items or not (name.startswith("_") or name in _OF_STATES)


def generators_in(attributes: Iterable[Any]) -> list[Any]:
    """Return the generators among the attributes of an operation, also those of bound methods."""
    found = [getattr(x, "__self__", x) for x in attributes]
    return [x for x in found if isinstance(x, GENERATORS)]


class Snapshot:
    """The states of NumPy's and Python's global generators, and of others."""

    def __init__(self, generators: Iterable[Any] = ()) -> None:
        #: For each, a function that returns the state, and one that sets the state.
        self._access: list[tuple[Any, Any]] = [
            (partial(np.random.get_state, legacy=False), np.random.set_state),
            (random.getstate, random.setstate),
            *map(_access, generators),
        ]
        self._before = self._states()

    def _states(self) -> list[Any]:
        return [read() for read, _ in self._access]

    def differs(self) -> bool:
        """Return whether a number was drawn since then."""
        return not alike(self._before, self._states())

    def restore(self) -> None:
        """Put the states back, as before a call that is made again."""
        for (_, put), state in zip(self._access, self._before, strict=True):
            put(state)


def _access(generator: Any) -> tuple[Any, Any]:
    if isinstance(generator, random.Random):
        return generator.getstate, generator.setstate
    if isinstance(generator, np.random.RandomState):  # whose state has a normal number, too
        return partial(generator.get_state, legacy=False), generator.set_state
    bits = generator.bit_generator
    return partial(getattr, bits, "state"), partial(setattr, bits, "state")
