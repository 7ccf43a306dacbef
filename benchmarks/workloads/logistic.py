"""Logistic regression on 1,797 rows of 64 numbers, the size of the digits: one step, full batch.

The loss is the mean of ``log(1 + exp(-sign * score))``, as `np.logaddexp` or a `softplus` gives it
without overflow; the book's framework has neither, and takes the logarithm of the exponential. The
numbers are random, and always the same.
"""

from __future__ import annotations

import functools

import numpy as np

from workloads import Case, Check
from workloads.mlp import as_taken_by

LEFT_OUT: dict[str, str] = {}
ROUNDS: dict[str, int] = {}

ROWS, COLUMNS, RATE = 1797, 64, 0.1


def loss(lib, x, signs, weight, bias):
    return lib.log_loss(lib.linear(x, weight, bias), signs)


def loss_of(lib, x, signs):
    """Return the loss of the rows as a function of the parameters."""
    x, signs = lib.constant(x), lib.constant(signs)
    return lambda *parameters: loss(lib, x, signs, *parameters)


def loss_by_hand(x, signs, weight, bias):
    """Return the loss, and its gradients by weight and bias."""
    margins = x @ weight
    margins += bias
    margins *= signs
    value = np.mean(np.logaddexp(0.0, -margins))
    gradient = np.exp(margins, out=margins)
    gradient += 1.0
    np.divide(signs, gradient, out=gradient)
    gradient /= -len(x)
    return value, [x.T @ gradient, gradient.sum(axis=0)]


def cases(lib):
    random = np.random.default_rng(0)
    x = random.integers(0, 17, (ROWS, COLUMNS)) / 16.0
    signs = np.where(x @ random.normal(size=(COLUMNS, 1)) > 0.0, 1.0, -1.0)
    parameters = [random.normal(0.0, 0.1, (COLUMNS, 1)), np.zeros(1)]
    by_hand = functools.partial(loss_by_hand, x, signs)
    _, gradients = by_hand(*parameters)
    moved = [p - RATE * g for p, g in zip(parameters, gradients, strict=True)]
    parameters, gradients, moved = (
        as_taken_by(lib, each) for each in (parameters, gradients, moved)
    )
    f = loss_of(lib, x, signs)
    yield Check("gradient", lib.gradient(f, *parameters, by_hand=by_hand), gradients)
    step, now = lib.descent(f, parameters, RATE, by_hand=by_hand)
    yield Check("first step", lambda: step() or now(), moved)
    yield Case("step", step)
