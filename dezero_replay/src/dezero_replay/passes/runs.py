"""Runs: the parts of a program in which calls of the same kinds come again and again.

In a run, each call is of the kind of the call one period before: the same function, with operands
of the same forms. Its rounds are alike if the operands are, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .sequences import FLOAT, INT_OF_BODY, OUTPUTS, Sequence

LEAST_ROUNDS = 4
"""A loop has so many rounds."""

_FARTHEST = 4
"""A value that is made more rounds before is not carried."""


def runs(kinds: Any) -> Iterator[tuple[int, int, int]]:
    """Yield the start, the period and the end of each run, those of short periods first.

    Two windows of calls are of one kind if their halves are. In a run, a window as long as the
    period, or longer, is of the kind of the window one period before, and of no nearer one. So
    windows that get twice as long each time, up to the longest period, find all of them, in n log n
    steps.

    >>> list(runs(np.array([7, *[1, 2, 3] * 20, 8])))
    [(1, 3, 61)]
    """
    width, seen = 1, set()
    ranks, order = _ranked(kinds)
    while width < 2 * (len(kinds) // LEAST_ROUNDS):
        is_same = ranks[order[1:]] == ranks[order[:-1]]
        apart = np.zeros(len(ranks), np.int64)
        apart[order[1:]] = np.where(is_same, np.diff(order), 0)
        ends = np.flatnonzero(np.diff(apart, append=-1)) + 1
        for first, last in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
            period = int(apart[first])
            start, end = first - period, last + width - 1
            is_long = end - start >= period * LEAST_ROUNDS
            if period and is_long and (start, period) not in seen:
                seen.add((start, period))
                yield start, period, end
        ranks, order = _ranked(ranks[:-width] * (int(ranks.max()) + 1) + ranks[width:])
        width *= 2


def _ranked(keys: Any) -> tuple[Any, Any]:
    """Return the rank of each key among those that differ, and the positions in the order of keys.

    The order is stable.
    """
    # NumPy sorts numbers of two bytes in linear time, and the kinds of a loop are few.
    sorts = keys.astype(np.uint16) if keys.max(initial=0) < 2**16 else keys
    order = np.argsort(sorts, kind="stable")
    following = sorts[order]
    ranks = np.empty(len(keys), np.int64)
    ranks[order] = np.cumsum(np.concatenate([[False], following[1:] != following[:-1]]))
    return ranks, order


@dataclass
class Rounds:
    """Rounds that are alike, with a row for each: of the operands, and of the numbers."""

    start: int
    period: int
    #: The places of the operands, and how many rounds before this one each is made: -1 if it is
    #: made before all rounds.
    places: Any
    behind: Any
    bits: Any

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.places)

    @property
    def end(self) -> int:
        """The position of the first instruction behind them."""
        return self.start + self.number * self.period

    @property
    def body(self) -> slice:
        """The positions of the first of them."""
        return slice(self.start, self.start + self.period)

    def part(self, first: int, last: int) -> Rounds:
        """Return some of them."""
        start, rows = self.start + first * self.period, slice(first, last)
        return replace(self, start=start, places=self.places[rows], bits=self.bits[rows])


class _Run:
    """A run, with a row for each round: of the places of its operands, and of its numbers."""

    def __init__(self, sequence: Sequence, start: int, period: int, end: int) -> None:
        self.start, self.period = start, period
        self.number = (end - start) // period
        self.sequence = sequence
        self.places = self._rows(sequence.places, sequence.first_operand)
        self.bits = self._rows(sequence.bits, sequence.first_literal)
        types = self._rows(sequence.types, sequence.first_literal)[0]
        moves, steps = np.diff(self.places, axis=0), np.diff(self.bits, axis=0)
        #: The round whose way to the next one is that of all.
        self.middle = self.number // 2 - 1
        self.behind = self._rounds_behind(moves[self.middle])
        #: By round and operand, or number: whether the way to the next round is that of the middle.
        self.is_same = moves == moves[self.middle]
        self.is_step = (steps == steps[self.middle]) | (types == FLOAT)
        self.is_step &= (steps == 0) | (types <= INT_OF_BODY)
        self.good = self.is_same.all(axis=1) & self.is_step.all(axis=1)

    def _rows(self, of: Any, firsts: Any) -> Any:
        part = of[firsts[self.start] : firsts[self.start + self.number * self.period]]
        return part.reshape(self.number, -1)

    def _rounds_behind(self, moves: Any) -> Any:
        """Return how many rounds before its own each operand is made; -1 if outside of the run."""
        here = self.start + (self.middle + 1) * self.period
        places = self.places[self.middle + 1]
        is_inside = (moves == self.period * OUTPUTS) & (places >= self.start * OUTPUTS)
        return np.where(is_inside, np.maximum(0, -((places // OUTPUTS - here) // self.period)), -1)

    def alike(self) -> Rounds | None:
        """Return the rounds around the middle that are alike; None if these are too few."""
        if not self.good[self.middle] or (self.behind > _FARTHEST).any():
            return None
        bad = np.flatnonzero(~self.good)
        low = int(max(bad[bad < self.middle], default=-1)) + 1
        high = int(min(bad[bad > self.middle], default=self.number - 1))
        low = self._with_given(low)
        # What is the same for all rounds, or an item of a list, is made before the first one.
        outside = self.places[low : high + 1, self.behind < 0]
        latest = int(outside.max(initial=-1)) // OUTPUTS - self.start
        low = max(low, latest // self.period + 1)
        if high + 1 - low < LEAST_ROUNDS:
            return None
        rows, start = slice(low, high + 1), self.start + low * self.period
        return Rounds(start, self.period, self.places[rows], self.behind, self.bits[rows])

    def _with_given(self, low: int) -> int:
        """Return the first round: in that, what is carried may come from anywhere before."""
        for first in range(low - 1, max(-1, low - 1 - _FARTHEST), -1):
            at = np.arange(first, low)
            is_before = self.places[at] < (self.start + first * self.period) * OUTPUTS
            is_given = (self.behind > (at - first)[:, None]) & is_before
            if self.is_step[at].all() and (self.is_same[at] | is_given).all():
                return first
        return low

    def last_bad(self) -> int | None:
        """Return the position of the last instruction before the middle that is not alike."""
        bad = np.flatnonzero(~self.good[: self.middle])
        if not len(bad):
            return None
        at, sequence = bad[-1], self.sequence
        found = []
        for is_good, firsts in (
            (self.is_same, sequence.first_operand),
            (self.is_step, sequence.first_literal),
        ):
            columns = np.flatnonzero(~is_good[at])
            if len(columns):
                first = (
                    np.array(firsts[self.start : self.start + self.period + 1]) - firsts[self.start]
                )
                found.append(int(np.searchsorted(first, columns[-1], side="right")) - 1)
        return self.start + int(at) * self.period + max(found)


def alike(sequence: Sequence, start: int, period: int, end: int) -> Iterator[Rounds]:
    """Yield rounds of a run that are alike, wherever there are enough of them."""
    found = _parts(sequence, start, period, end, _around_middle)
    yield from found or _parts(sequence, start, period, end, _behind_bad)


def _parts(
    sequence: Sequence, start: int, period: int, end: int, find: Callable[..., Rounds | None]
) -> list[Rounds]:
    """Return rounds that are found around the middle of a run, and those on both sides of it."""
    parts, waiting = list[Rounds](), [(start, end)]
    while waiting:
        start, end = waiting.pop()
        number = (end - start) // period
        if number < LEAST_ROUNDS:
            continue
        found = find(_Run(sequence, start, period, end), end)
        if found is not None:
            parts.append(found)
            waiting += [(start, found.start), (found.end, end)]
        elif number >= 2 * LEAST_ROUNDS:
            middle = start + number // 2 * period
            waiting += [(start, middle), (middle, end)]
    return parts


def _around_middle(run: _Run, end: int) -> Rounds | None:
    """Return the rounds of a run that are alike around its middle; None if these are too few."""
    found = run.alike()
    if found is None:
        return None
    other = _behind_bad(run, end)
    if other is not None and other.number > found.number:
        found = other
    # Where fewer values are carried, a round of the user's loop may begin.
    start, period = found.start + int(np.argmin(_alive(run.sequence, found))), found.period
    if start > found.start and (end - start) // period >= found.number:
        other = _Run(run.sequence, start, period, end).alike()
        if other is not None and other.number >= found.number:
            return other
    return found


def _behind_bad(run: _Run, end: int) -> Rounds | None:
    """Return rounds that begin behind the last instruction before the middle that is not alike."""
    bad = run.last_bad()
    if bad is None or (end - bad - 1) // run.period < LEAST_ROUNDS:
        return None
    return _Run(run.sequence, bad + 1, run.period, end).alike()


def _alive(sequence: Sequence, rounds: Rounds) -> Any:
    """Return for each instruction of a round how many values are alive before it."""
    start, period, middle = rounds.start, rounds.period, rounds.number // 2
    firsts = np.array(sequence.first_operand[start : start + period + 1])
    readers = np.repeat(np.arange(period), np.diff(firsts))
    last: dict[int, int] = {}
    for place, reader, behind in zip(rounds.places[middle], readers, rounds.behind, strict=True):
        if behind >= 0:
            last[place] = max(int(reader), last.get(place, 0))
    here = start + middle * period
    ways = [np.arange(place // OUTPUTS - here + 1, reader + 1) for place, reader in last.items()]
    return np.bincount(np.concatenate([*ways, []]).astype(np.int64) % period, minlength=period)
