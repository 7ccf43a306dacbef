"""The errors of checks, the order and the texts of failures, and comparisons that checks share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import INEXACT

from .subject import Subject, array_of


class CheckError(AssertionError):
    """An operation fails a check of the conformance kit.

    Facts: ``operation``, ``check``, ``call``, ``expected``, ``got``; ``size``, the largest
    difference of these two relative to the largest element expected, None if they are no numbers;
    ``order``, that of the derivative that is wrong, 0 or None if none is; ``dtype``, if it is a
    special one. With ``drawn``, the arrays, ``gy``, the gradients at the outputs, and ``along``,
    the direction of a second derivative, a failure can be repeated by hand.
    """

    operation: str

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message)
        vars(self).update(facts)


class BrokenRuleError(AssertionError):
    """An operation broke a rule.

    Facts: ``expected`` and ``got``, None if there is no such value; ``size``, the largest
    difference relative to the largest element expected, None if that is no finite number;
    ``order``, that of the derivative that is wrong, 0 if none is.
    """

    def __init__(
        self,
        message: str,
        expected: Any = None,
        got: Any = None,
        size: float | None = None,
        order: int = 0,
    ) -> None:
        super().__init__(message)
        self.expected, self.got, self.size, self.order = expected, got, size, order

    def with_advice(self, advice: str) -> BrokenRuleError:
        """Return the same error with more to read."""
        advised = BrokenRuleError(f"{self}{advice}")
        vars(advised).update(vars(self))
        return advised


class NotApplicableError(Exception):
    """A check does not apply to a call. The message is the reason."""


def compare(subject: Subject, reference: Callable[..., Any], xs: Sequence[Any]) -> None:
    """Compare all outputs for Variables of `xs` with the results of the reference for arrays.

    They are Variables. Beside one, what are no floating numbers may be constants.
    """
    expected = subject.outputs(xs, reference)
    got = subject.outputs([Variable(x) for x in xs])
    if len(got) != len(expected):
        raise BrokenRuleError(f"gives {len(got)} outputs instead of {len(expected)}", expected, got)
    beside = Variable in map(type, got)
    for y, truth in zip(got, map(np.asarray, expected), strict=True):
        constant = beside and truth.dtype.kind not in INEXACT
        if type(y) is not Variable and not constant:
            raise BrokenRuleError(f"gives {type(y)} instead of a Variable", Variable, type(y))
        array = array_of(y)
        if type(array) is not np.ndarray:
            raise BrokenRuleError(f"gives {type(array)} instead of an ndarray", truth, array)
        what = f"gives another shape or dtype than {subject.standard}"
        check_same_form(array, truth, what, _advice(subject, array, truth))
        eps = float(np.finfo(truth.dtype).eps) if truth.dtype.kind in INEXACT else 0.0
        tolerance = subject.sample.ulps * eps
        try:
            close(array, truth, "values", rtol=tolerance, atol=tolerance)
        except BrokenRuleError as error:
            if eps and np.allclose(array, truth, 1e-3, 1e-3):
                off = largest(np.nan_to_num(_deltas(array, truth) / (1.0 + np.abs(truth)))) / eps
                advice = f"; if that is rounding, allow it by Sample(ulps={int(off) + 1})"
                raise error.with_advice(advice) from None
            raise


def _advice(subject: Subject, got: Any, expected: Any) -> str:
    """Return the advice where one side gives floats for integers, and the other one integers."""
    floats = [array.dtype.kind in INEXACT for array in (got, expected)]
    if all(floats) or not any(floats) or (floats[0] and not subject.sample.reference):
        return ""  # NumPy's function is as it is
    exact = subject.standard if floats[0] else "forward"
    return (
        f". If floats are right, let {exact} compute with 1.0 * x; if it takes no integers, say so "
        "by integers=False"
    )


@contextmanager
def noted(**facts: Any) -> Iterator[None]:
    """Add facts to an exception. A function is called for its fact."""
    try:
        yield
    except Exception as error:
        for name, fact in facts.items():
            setattr(error, name, fact() if callable(fact) else fact)
        raise


def check_form(gradients: Sequence[Any], xs: Sequence[Any]) -> None:
    """Raise if a gradient is not an ndarray of the shape and dtype of its input."""
    for index, (gradient, x) in enumerate(zip(gradients, xs, strict=True)):
        if type(gradient) is not np.ndarray:
            raise BrokenRuleError(f"the gradient of input {index} is no ndarray", x, gradient)
        what = f"the gradient of input {index} does not have its shape and dtype"
        check_same_form(gradient, x, what)


def check_same_form(got: Any, expected: Any, what: str, advice: str = "") -> None:
    """Raise if arrays do not have the same shape and dtype. `what` says which arrays they are."""
    if (got.shape, got.dtype) != (expected.shape, expected.dtype):
        forms = (f"{array.dtype} of shape {array.shape}" for array in (got, expected))
        raise BrokenRuleError(f"{what}: {' for '.join(forms)}{advice}", expected, got)


def largest(array: Any) -> float:
    """Return the largest magnitude in an array, 0 if it is empty."""
    return float(np.max(np.abs(array), initial=0.0))


def close(
    got: Any, expected: Any, what: str, rtol: float = 0.0, atol: float = 0.0, order: int = 0
) -> None:
    """Raise if arrays differ by more than the tolerances. `order` is that of a derivative."""
    if np.shape(got) != np.shape(expected):
        raise BrokenRuleError(f"{what} of another shape", expected, got, order=order)
    if not np.allclose(got, expected, rtol, atol, equal_nan=True):
        off, size = how_far(got, expected)
        raise BrokenRuleError(f"wrong {what}, {off}", expected, got, size, order)


def how_far(got: Any, expected: Any) -> tuple[str, float | None]:
    """Return how far numbers are apart, in words and relative to the largest one expected."""
    with np.errstate(all="ignore"):
        most = largest(_deltas(got, expected))
        size = float(np.float64(most) / largest(np.where(np.isfinite(expected), expected, 0.0)))
    if not np.isfinite(size):
        return f"off by {most:.3g} at most", None
    return f"off by {size:.2g} relative, {most:.3g} at most", size


def _deltas(got: Any, expected: Any) -> Any:
    """Return the differences of the elements; those of equal infinities, and of nan, are 0."""
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    off = np.subtract(got, expected, dtype=np.result_type(got, expected, np.float64))
    return np.where(same, 0.0, off)


def worst_first(failures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the facts of failures by operation, in their order, for each the worst one first."""
    operations = list(dict.fromkeys(failure["operation"] for failure in failures))
    return sorted(failures, key=lambda each: (operations.index(each["operation"]), severity(each)))


def severity(facts: Mapping[str, Any]) -> tuple[int, float]:
    """Return a key to sort failures by, the worst first, from the facts of their errors.

    A write into an argument makes everything else wrong, and a wrong derivative those of higher
    order. Then comes what cannot be compared, and then the others by their size.
    """
    order, size = facts.get("order"), facts.get("size")
    if facts.get("check") == "untouched":
        return 0, 0.0
    return (1, order) if order else (2, -np.inf if size is None else -size)


def array_lines(arrays: Mapping[str, Sequence[Any]], expected: Any, got: Any) -> list[str]:
    """Return lines with the arrays of a failure, under labels of at most eight letters."""
    try:  # print all digits if the arrays differ only in the last ones
        close = np.allclose(expected, got, rtol=1e-5, atol=1e-8, equal_nan=True)
    except (TypeError, ValueError):  # the shapes differ, or these are no arrays
        close = True
    lines = []
    with np.printoptions(precision=17 if close else 8, threshold=60, linewidth=76):
        for label, each in arrays.items():
            lines += [f"  {label + ':':9} {_repr(array)}" for array in each]
        if expected is not None or got is not None:
            lines += [f"  expected: {_repr(expected)}", f"  got:      {_repr(got)}"]
    return lines


def _repr(array: Any) -> str:
    """Return the repr of an array, which shows neither float64 nor int64, with its dtype."""
    text = repr(array)
    hidden = isinstance(array, np.ndarray) and "dtype=" not in text
    return f"{text}  # {array.dtype}" if hidden else text


def counted(number: int, noun: str) -> str:
    """Return ``"1 check"``, or ``"2 checks"``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
