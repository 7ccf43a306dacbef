"""Figures computed from the values: ratios within a round, their median, exponents of growth."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

Rounds = Sequence[float | None]
"""The values of a figure, one for each round; None where there is none."""


def within_rounds(combine: Callable[..., float], *figures: Rounds) -> list[float]:
    """Return the result of `combine` for each round in which all figures have a value.

    A busy machine slows a whole round, so a ratio within the round hardly changes.
    """
    return [
        combine(*values)
        for values in zip(*figures, strict=False)
        if all(value is not None for value in values)
    ]


def ratios(figure: Rounds, other: Rounds) -> list[float]:
    """Return the ratio of a figure to `other`, in each round."""
    return within_rounds(lambda a, b: a / b, figure, other)


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Return p of ``time ~ size**p``, by least squares of the logarithms."""
    x, y = [math.log(size) for size in sizes], [math.log(time) for time in times]
    return statistics.linear_regression(x, y).slope


def median(rounds: Rounds) -> float | None:
    """Return the median of the rounds, None if there are no rounds."""
    values = [value for value in rounds if value is not None]
    return statistics.median(values) if values else None


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the quartiles: the middle half of the values lies between them."""
    if len(values) == 1:
        return values[0], values[0]
    lower, _, upper = statistics.quantiles(values, n=4, method="inclusive")
    return lower, upper
