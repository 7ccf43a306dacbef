"""What a row of ``cases.py`` says, and the cases that the loaded operations make of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from dezero_core import Operation, Variable, ops

from .checker import Subject

Shape = tuple[int, ...]
Domain = tuple[float, float]


def _arrays_first(xs: Any, args: Any) -> tuple[Any, ...]:
    return (*xs, *args)


@dataclass(frozen=True)
class Form:
    """One way to use an operation: the shapes of its inputs, and its other arguments.

    `numpy` says whether NumPy's function of that name takes the same arguments;
    `alone`, whether its gradient can be recorded without the operators' plugin.
    """

    shapes: tuple[Shape, ...] = ((2, 3),)
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    numpy: bool = True
    alone: bool | None = None


@dataclass(frozen=True)
class Row:
    """One operation: how to call it, what it has to give, and on what.

    Attributes
    ----------
    plugin, operation : names, as the plugin registers them.
    reference : the same operation in NumPy.
    domains : one interval for each input that is sampled.
    smooth : the reference on complex arrays, branching on real parts; None if the
        reference itself is analytic.
    apart : distance of the inputs from where the derivative jumps; samples keep off.
    forms : other arguments and shapes; by default elementwise, of any shape.
    place : puts sampled inputs and other arguments in order.
    ulps : how far the values may be from the reference.
    alone : whether its gradient can be recorded without the operators' plugin.
    converts : whether the dtype of the result is not that of the input.
    plain : whether it has no derivative and returns a plain ndarray.
    """

    plugin: str
    operation: str
    reference: Callable[..., Any]
    domains: tuple[Domain, ...]
    smooth: Callable[..., Any] | None = None
    apart: Callable[..., Any] | None = None
    forms: Mapping[str, Form] | None = None
    place: Callable[[Any, Any], tuple[Any, ...]] = _arrays_first
    ulps: int = 0
    alone: bool = False
    converts: bool = False
    plain: bool = False

    def sample(self, shapes: tuple[Shape, ...]) -> list[Any]:
        """Return inputs from the domains, the same ones each time."""
        rng = np.random.default_rng(2024)
        for _ in range(10_000):
            xs = [
                np.asarray(rng.uniform(*domain, shape))
                for domain, shape in zip(self.domains, shapes, strict=True)
            ]
            if self.apart is None or np.min(self.apart(*xs), initial=np.inf) > 0.1:
                return xs
        raise AssertionError(f"{self.operation}: no sample of {shapes} keeps off the jumps")


@dataclass(frozen=True)
class Case:
    """A row in one of its forms, of an operation that is loaded."""

    row: Row
    form: Form
    label: str
    operation: Operation

    @property
    def xs(self) -> list[Any]:
        return self.row.sample(self.form.shapes)

    @property
    def alone(self) -> bool:
        return self.row.alone if self.form.alone is None else self.form.alone

    @property
    def elementwise(self) -> bool:
        return self.row.forms is None

    def applied(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Callable[..., Any]:
        """Return `function` of the sampled inputs alone, the other arguments filled in."""
        return lambda *xs: function(*self.row.place(xs, args), **self.form.kwargs)

    def subject(self, call: Callable[..., Any] | None = None) -> Subject:
        """Return what to check; `call`, if it is not the public function that is called."""
        args = tuple(_plain(arg) for arg in self.form.args)
        smooth = self.row.smooth
        return Subject(
            call=call or self.applied(self.operation.function, self.form.args),
            reference=self.applied(self.row.reference, args),
            smooth=smooth and self.applied(smooth, args),
            ulps=self.row.ulps,
            converts=self.row.converts,
        )


def _plain(arg: Any) -> Any:
    """Return an argument as NumPy takes it: an index may contain Variables."""
    if isinstance(arg, tuple):
        return tuple(_plain(part) for part in arg)
    return arg.data if isinstance(arg, Variable) else arg


def cases_of(rows: Any) -> list[Case]:
    """Return a case for each form of each row whose operation is loaded."""
    loaded = {(operation.plugin, operation.name): operation for operation in ops()}
    return [
        Case(row, form, f"{row.operation}-{label}" if label else row.operation, operation)
        for row in rows
        for label, form in (row.forms or {"": Form(((2, 3),) * len(row.domains))}).items()
        if (operation := loaded.get((row.plugin, row.operation)))
    ]


def parametrize(names: Any, parameters: Any) -> Any:
    """As pytest's, but without parameters the test is not there, instead of skipped.

    It stands above other marks of the same test.
    """
    return pytest.mark.parametrize(names, parameters) if parameters else lambda test: None


def each(cases: list[Case]) -> Any:
    """Return a mark that runs a test with each case."""
    return parametrize("case", [pytest.param(case, id=case.label) for case in cases])
