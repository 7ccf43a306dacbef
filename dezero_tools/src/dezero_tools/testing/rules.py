"""The errors that a check raises, and the comparisons that checks share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from dezero_core.arrays import INEXACT
from dezero_core.variable import Variable

from .subject import Subject, array_of


class BrokenRuleError(AssertionError):
    """An operation broke a rule. Facts: ``expected``, ``got``; None if there is no such value."""

    def __init__(self, message: str, expected: Any = None, got: Any = None) -> None:
        super().__init__(message)
        self.expected, self.got = expected, got


class NotApplicableError(Exception):
    """A check does not apply to a call. The message is the reason."""


def compare_with(subject: Subject, reference: Callable[..., Any], xs: Sequence[Any]) -> None:
    """Compare all outputs for Variables of `xs` with the results of the reference for arrays."""
    expected = subject.outputs(xs, reference)
    got = subject.outputs([Variable(x) for x in xs])
    if len(got) != len(expected):
        raise BrokenRuleError(f"gives {len(got)} outputs instead of {len(expected)}", expected, got)
    for y, truth in zip(got, map(np.asarray, expected), strict=True):
        if subject.operation.differentiable and type(y) is not Variable:
            raise BrokenRuleError(f"gives {type(y)} instead of a Variable", Variable, type(y))
        array = array_of(y)
        if type(array) is not np.ndarray or (array.shape, array.dtype) != (
            truth.shape,
            truth.dtype,
        ):
            raise BrokenRuleError("gives another shape or dtype than NumPy", truth, array)
        tolerance = subject.sample.ulps * (
            np.finfo(truth.dtype).eps if truth.dtype.kind in INEXACT else 0.0
        )
        try:
            close(array, truth, "values", rtol=tolerance, atol=tolerance)
        except BrokenRuleError as error:
            if truth.dtype.kind in INEXACT and np.allclose(array, truth, 1e-3, 1e-3):
                ulps = "; if that is rounding, allow it by Sample(ulps=...)"
                raise BrokenRuleError(str(error) + ulps, error.expected, error.got) from None
            raise


@contextmanager
def drawn(xs: Sequence[Any]) -> Iterator[None]:
    """Add the arrays that were drawn to an exception, as its fact ``drawn``."""
    try:
        yield
    except Exception as error:
        error.drawn = xs  # type: ignore[attr-defined]
        raise


def check_form(gradients: Sequence[Any], xs: Sequence[Any]) -> None:
    """Raise if a gradient is not an ndarray of the shape and dtype of its input."""
    for index, (gradient, x) in enumerate(zip(gradients, xs, strict=True)):
        if type(gradient) is not np.ndarray:
            raise BrokenRuleError(f"the gradient of input {index} is no ndarray", x, gradient)
        if (gradient.shape, gradient.dtype) != (x.shape, x.dtype):
            raise BrokenRuleError(
                f"the gradient of input {index} does not have its shape and dtype", x, gradient
            )


def largest(array: Any) -> float:
    """Return the largest magnitude in an array, 0 if it is empty."""
    return float(np.max(np.abs(array), initial=0.0))


def close(got: Any, expected: Any, what: str, rtol: float = 0.0, atol: float = 0.0) -> None:
    """Raise if arrays differ by more than the tolerances."""
    if np.shape(got) != np.shape(expected):
        raise BrokenRuleError(f"{what} of another shape", expected, got)
    if not np.allclose(got, expected, rtol, atol, equal_nan=True):
        with np.errstate(all="ignore"):
            off = largest(np.subtract(got, expected, dtype=np.result_type(got, expected, 0.0)))
        raise BrokenRuleError(f"wrong {what}, by {off:.3g} at most", expected, got)
