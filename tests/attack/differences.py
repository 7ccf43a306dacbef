"""Derivatives of functions of one number by differences, each with how far it may be off."""

from itertools import pairwise

import numpy as np

LEVELS = 4
FIRST = (0.02, 0.003, 0.0004)


def slopes(function):
    """Return the derivatives at 0 of each number that `function` returns, and their errors.

    Central differences of four steps are extrapolated to step 0, from three steps to begin with;
    of these the one counts that has settled best, for each number by itself. Where there is a
    corner or a jump, none settles, and the error says so.

    Source: Richardson 1911.
    """
    best, least = 0.0, np.inf
    for first in FIRST:
        found, error = extrapolated(function, first)
        better = error < least
        best, least = np.where(better, found, best), np.where(better, error, least)
    return best, least


def extrapolated(function, first):
    """Return the slopes at 0 from steps of `first` and smaller, and their errors."""
    steps = [first / 2**level for level in range(LEVELS)]
    pairs = np.array([(function(h), function(-h)) for h in steps])
    rounding = 4e-16 * np.max(np.abs(pairs), axis=(0, 1)) / steps[-1]
    row = [(above - below) / (2.0 * h) for (above, below), h in zip(pairs, steps, strict=True)]
    for order in range(1, LEVELS):
        gain, before = 4.0**order, row
        row = [(gain * b - a) / (gain - 1.0) for a, b in pairwise(before)]
    error = np.abs(row[0] - before[0]) + np.abs(row[0] - before[1]) + rounding
    return row[0], np.where(np.isfinite(error), error, np.inf)
