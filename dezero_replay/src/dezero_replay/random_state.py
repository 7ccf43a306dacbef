"""Generators of random numbers: whether one was drawn from, and how they were before."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterable
from typing import Any

import numpy as np

#: Bytes of the state of NumPy's global generator: 624 words and a position.
_MT19937 = 4 * 625


class Draws:
    """Whether random numbers are drawn: from NumPy's or Python's global generator, or known ones.

    The known ones are the `generators` that a function reaches.
    """

    def __init__(self, generators: Iterable[Any] = ()) -> None:
        self._bits = [_bit_generator(each) for each in generators]
        state = np.random.mtrand._rand._bit_generator
        self._global = None
        if type(state).__name__ == "MT19937":  # reading its bytes takes 0.5 µs, get_state() 90
            address = state.ctypes.state_address
            self._global = (ctypes.c_char * _MT19937).from_address(address)

    def mark(self) -> Any:
        """Return the argument of a later call of `since`."""
        numpys = _of_numpy() if self._global is None else self._global.raw
        return numpys, [_with_lists(each.state) for each in self._bits]

    def since(self, mark: Any) -> bool:
        """Return whether a number was drawn since a mark."""
        return bool(self.mark() != mark)


class Snapshot:
    """The states of all generators, to be put back before a call is made again."""

    def __init__(self, generators: Iterable[Any] = ()) -> None:
        self._generators = list(generators)
        self._bits = [(each, each.state) for each in map(_bit_generator, self._generators)]
        self._numpys, self._pythons = np.random.get_state(legacy=False), random.getstate()

    def restore(self) -> None:
        """Put the states back."""
        np.random.set_state(self._numpys)
        random.setstate(self._pythons)
        for generator, state in self._bits:
            generator.state = state


def _of_numpy() -> Any:
    return _with_lists(np.random.get_state(legacy=False))


def _with_lists(state: Any) -> Any:
    """Return a state with lists in place of arrays, so that two can be compared."""
    if isinstance(state, dict):
        return {name: _with_lists(x) for name, x in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state


class _OfPython:
    """The state of a `random.Random`, as a bit generator of NumPy's has it."""

    def __init__(self, generator: random.Random) -> None:
        self._generator = generator

    @property
    def state(self) -> Any:
        return self._generator.getstate()

    @state.setter
    def state(self, value: Any) -> None:
        self._generator.setstate(value)


def _bit_generator(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return _OfPython(generator)
    found = getattr(generator, "bit_generator", None)
    return generator._bit_generator if found is None else found
