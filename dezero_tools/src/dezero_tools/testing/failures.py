"""The failures of checks: their error, the arrays to print, and the order, the worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


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


def worst_first(failures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the facts of failures by operation, in their order, for each the worst one first."""
    operations = list(dict.fromkeys(failure["operation"] for failure in failures))
    return sorted(failures, key=lambda each: (operations.index(each["operation"]), severity(each)))


def severity(facts: Mapping[str, Any]) -> tuple[int, float]:
    """Return a key to sort failures by, the worst first, from the facts of their errors.

    First comes a write into an argument, which makes everything else wrong. Then come wrong
    derivatives, by their order, since a wrong first one makes the others wrong; then what cannot be
    compared, and then the others by their size.
    """
    order, size = facts.get("order"), facts.get("size")
    if facts.get("check") == "untouched":
        return 0, 0.0
    return (1, order) if order else (2, -np.inf if size is None else -size)


def array_lines(arrays: Mapping[str, Sequence[Any]], expected: Any, got: Any) -> list[str]:
    """Return lines with the arrays of a failure, under labels of at most eight letters."""
    # Print all digits if the arrays differ only in the last ones.
    precision = 17 if _are_close(expected, got) else 8
    lines = []
    with np.printoptions(precision=precision, threshold=60, linewidth=76):
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


def _are_close(expected: Any, got: Any) -> bool:
    try:
        return bool(np.allclose(expected, got, rtol=1e-5, atol=1e-8, equal_nan=True))
    except (TypeError, ValueError):  # the shapes differ, or these are no arrays
        return True
