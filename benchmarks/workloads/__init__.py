"""The workloads that are measured, one file each.

A workload has ``cases(lib)``, which yields its `Case`\\ s for an adapter in the order in which one
process measures them. A workload without ``cases`` is a program that takes the name of a library,
and prints the values itself. ``LEFT_OUT`` says which libraries do not take part, and why;
``ROUNDS``, the number of rounds of a library, if it is not the usual one. ``BRIEF``, if it exists,
has other values for the constants, to compare versions by many turns.
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
    "functional",
    "jacobians",
    "per_example",
    "recomputed",
    "convolution",
    "cnn",
    "lstm",
    "mnist",
    "kalman",
    "runge_kutta",
    "stencil",
    "n_body",
    "gaussian_process",
    "deconvolution",
    "indices",
    "writes",
    "hmc",
    "protocols",
    "recording",
    "compilation",
    "imports",
)


@dataclass(frozen=True)
class Check:
    """A result that is compared with the one derived by hand, and not timed.

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
        Empty if an earlier `Check` has compared the result.
    operations : int
        The number of operations in a step. The figure is the time of one.
    values : int
        The number of values to take.
    loops : int, optional
        The number of steps for a value. By default, as many as last long enough.
    """

    operations: int = 1
    values: int = 10
    loops: int | None = None


@dataclass(frozen=True)
class Noted:
    """A time that an earlier step has measured itself.

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
    """A figure: the peak memory of a step above the memory before it, mostly over its input.

    Attributes
    ----------
    name : str
    first : callable
        Is called before the memory is looked at.
    prepare : callable
        Returns the step.
    size : int, optional
        The size of the input, in bytes. Without it, the figure is the peak itself.
    keeps : bool
        Whether `prepare` keeps memory for the step, which is a part of the peak.
    """

    name: str
    first: Callable[[], Any]
    prepare: Callable[[], Callable[[], Any]]
    size: int | None = None
    keeps: bool = False

    def figure(self, peak: int) -> tuple[float, str]:
        """Return the figure of a peak in bytes, and its unit."""
        return (peak, "byte") if self.size is None else (peak / self.size, "1")


@dataclass(frozen=True)
class Absent:
    """A figure that a library lacks, and the reason."""

    name: str
    why: str


def load(workload: str) -> ModuleType:
    """Return the module."""
    return importlib.import_module(f"workloads.{workload}")
