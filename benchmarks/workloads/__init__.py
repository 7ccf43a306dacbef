"""What is measured, one file each.

A workload has ``cases(lib)``, which yields its `Case`\\ s for an adapter in the order in which one
process measures them. One without is a program that is given the name of a library, and prints the
values itself. ``LEFT_OUT`` says which libraries do not take part, and why; ``ROUNDS``, how often
one takes part, where that is not the usual number. ``BRIEF``, if it is there, has other values for
its constants, for who compares versions by many turns.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

WORKLOADS = (
    "chain",
    "fan_out",
    "deep",
    "goldstein_price",
    "rosenbrock",
    "mlp",
    "logistic",
    "elementwise",
    "step17",
    "hvp",
    "protocols",
    "imports",
)


@dataclass(frozen=True)
class Check:
    """Something that is compared with what was derived by hand, and not timed.

    Attributes
    ----------
    name : str
    step : callable
        Returns arrays, as the adapter's ``arrays`` takes them.
    expected : sequence of ndarray
    """

    name: str
    step: Callable[[], Any]
    expected: Sequence[Any] = ()


@dataclass(frozen=True)
class Case(Check):
    """A figure: the time of a step, over and over.

    Attributes
    ----------
    expected : sequence of ndarray
        Empty, if a `Check` before has compared it.
    operations : int
        In one step; the figure is the time of one.
    values : int
        How many values are taken.
    loops : int, optional
        How many steps make a value; without it, as many as last long enough.
    """

    operations: int = 1
    values: int = 10
    loops: int | None = None


@dataclass(frozen=True)
class Noted:
    """A time that a step before has noted itself.

    Attributes
    ----------
    name : str
    seconds : sequence of float
    operations : int
    """

    name: str
    seconds: Sequence[float]
    operations: int


@dataclass(frozen=True)
class Peak:
    """A figure: the most memory that a step takes beyond what was there, over its input.

    Attributes
    ----------
    name : str
    prepare : callable
        Returns the step.
    size : int
        Of the input, in bytes.
    """

    name: str
    prepare: Callable[[], Callable[[], Any]]
    size: int


@dataclass(frozen=True)
class Absent:
    """A figure that a library does not have, and why."""

    name: str
    why: str


def load(workload: str) -> ModuleType:
    """Return the module."""
    return importlib.import_module(f"workloads.{workload}")
