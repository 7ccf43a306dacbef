"""The check of Functions that declare ``elementwise``: slices give slices of the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from dezero_core import Variable, grad
from dezero_core.extend import INEXACT, PROVENANCE

from ..observers import Observer, observe
from ..observers.calls import ObservedCall
from .derivatives import recorded
from .oracles import direction
from .rules import BrokenRuleError, NotApplicableError, close, largest, noted
from .subject import Subject, array_of, as_list, has_graph

#: How far results of slices may be off, in units of the precision of their dtype: NumPy computes
#: the last elements of a row by other instructions, and a Function may have a shorter way.
_ULPS = 8.0
_NUMBERS = (bool, int, float, complex)


def check_elementwise(subject: Subject) -> None:
    """Functions that declare ``elementwise`` give, for slices, the slices of their results."""
    cut = _check(_applied(subject, subject.xs))
    if subject.sample.complex:
        with noted(drawn=subject.zs):
            _check(_applied(subject, subject.zs))
    if not cut:
        raise NotApplicableError("its arrays are too small to be cut")


class _Elementwise(Observer):
    """Collects the calls of ``forward`` of Functions that declare ``elementwise``."""

    def __init__(self) -> None:
        self.calls: list[ObservedCall] = []
        self.attributes: dict[ObservedCall, dict[str, Any]] = {}

    def before(self, call: ObservedCall) -> None:
        if call.method == "forward" and call.function.elementwise:
            self.attributes[call] = dict(vars(call.function))

    def after(self, call: ObservedCall) -> None:
        if call in self.attributes:
            _check_attributes(call, self.attributes[call])
            self.calls.append(call)


def _check_attributes(call: ObservedCall, before: dict[str, Any]) -> None:
    """Raise if results of slices would depend on an attribute of the whole."""
    for name, value in vars(call.function).items():
        wrong = ""
        if name not in before or before[name] is not value:
            wrong = f"forward sets the attribute {name!r}, which would be another for each slice"
        elif isinstance(value, np.ndarray) and value.ndim:
            wrong = f"the attribute {name!r} is an array, which is not cut with the operands"
        if wrong:
            raise BrokenRuleError(
                f"{call.operation} declares elementwise = True, but {wrong}. Make it an operand or "
                "compute it in backward, or remove the declaration",
                got=value,
            )


def _applied(subject: Subject, xs: Sequence[Any]) -> list[ObservedCall]:
    """Return the calls of Functions that declare ``elementwise``.

    All that the operation applies, and those of its derivatives that belong to no other operation.
    """
    with observe(_Elementwise()) as seen:
        variables, ys, weights = subject.applied(xs)
        own = len(seen.calls)
        if not own:
            raise NotApplicableError("its Function does not declare elementwise")
        if subject.order > 1:
            with suppress(NotApplicableError):
                recorded(variables, ys, list(map(Variable, weights)))
    helpers = [call for call in seen.calls[own:] if type(call.function) not in PROVENANCE]
    return seen.calls[:own] + helpers


def _check(calls: Sequence[ObservedCall]) -> bool:
    """Check one call of each class, and return whether there was one with operands to be cut."""
    checked = set()
    for call in calls:
        if type(call.function) in checked:
            continue
        advice = (
            f"{call.operation} declares elementwise = True: results for slices of its operands "
            "must be slices of the results. Let each element depend only on those at its position, "
            "or remove the declaration"
        )
        try:
            shape = np.broadcast_shapes(*map(np.shape, call.inputs))
            if np.prod(shape) > 1:
                checked.add(type(call.function))
                _check_slices(call, shape)
        except BrokenRuleError as error:
            raise error.with_advice(f". {advice}") from None
        except Exception as error:
            error.add_note(f"{advice}.")
            raise
    return bool(checked)


def _check_slices(call: ObservedCall, shape: tuple[int, ...]) -> None:
    operands = [
        x if type(x) in _NUMBERS else np.array(np.broadcast_to(x, shape)) for x in call.inputs
    ]
    ys, weights, gradients = _results(call, operands)
    for y in ys:
        if y.shape != shape:
            what = f"for operands of shape {shape}, the result has shape {y.shape}"
            raise BrokenRuleError(what, got=y)
    for place, index in _slices(shape):
        parts = [x if type(x) in _NUMBERS else x[index] for x in operands]
        cut = [weight[index] for weight in weights]
        with noted(gy=cut):
            values, _, slopes = _results(call, parts, cut)
            for part, y in zip(values, ys, strict=True):
                _compare(part, y, index, f"values for {place}", 0)
            for number, (part, gradient) in enumerate(zip(slopes, gradients, strict=True)):
                _compare(part, gradient, index, f"gradient {number} for {place}", 1)


def _slices(shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[slice, ...]]]:
    """Yield two uneven parts along each axis, and the last element alone."""
    for axis, n in enumerate(shape):
        before = (slice(None),) * axis
        if n > 1:
            yield f"the slice [0:1] of axis {axis}", (*before, slice(0, 1))
            yield f"the slice [1:{n}] of axis {axis}", (*before, slice(1, n))
    yield "the last element alone", (slice(-1, None),) * len(shape)


def _results(
    call: ObservedCall, operands: Sequence[Any], weights: Sequence[Any] | None = None
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return values, the gradients at the outputs, which may be given, and those by operands."""
    needs = getattr(call.function, "needs_grad", None) or [False] * len(operands)
    given = [Variable(x) if need else x for x, need in zip(operands, needs, strict=True)]
    ys = as_list(call.function(*given))
    roots = list(filter(has_graph, ys))
    if weights is None:
        weights = [direction(y.data, 0, index) for index, y in enumerate(roots)]
    wanted = [x for x in given if isinstance(x, Variable)]
    gradients = grad(roots, wanted, grad_outputs=weights) if roots else []
    return list(map(array_of, ys)), list(weights), gradients


def _compare(got: Any, whole: Any, index: tuple[slice, ...], what: str, order: int) -> None:
    rtol = _ULPS * float(np.finfo(whole.dtype).eps) if whole.dtype.kind in INEXACT else 0.0
    finite = np.where(np.isfinite(whole), whole, 0)
    close(got, whole[index], what, rtol, rtol * largest(finite), order)
