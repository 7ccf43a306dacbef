"""Times of steps that take turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

WARM_UPS = 3
"""Calls that are not timed. In the first two, replay records."""


def seconds_of(step: Callable[[], Any]) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def in_turn(values: int, steps: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the shortest time of each step, in seconds, of so many values.

    Other programs of the machine only add to a value. They slow neighbours in a turn alike.
    """
    for step in steps.values():
        for _ in range(WARM_UPS):
            step()
    turns = [{name: seconds_of(step) for name, step in steps.items()} for _ in range(values)]
    return {name: min(turn[name] for turn in turns) for name in steps}


def rows_for(seconds: float, step_of: Callable[[int], Callable[[], Any]], rows: int) -> int:
    """Return how many rows take so many seconds, found by a step of `rows` rows."""
    found = in_turn(5, {"": step_of(rows)})[""]
    return max(1, round(rows * seconds / found))
