"""Logistic regression by L-BFGS: `dezero_dask.as_scipy` beside dask-glm's own solver, by threads.

Both minimize the same sum: the logistic loss, and half of the squares of all coefficients, the
intercept among them, which is a column of ones. dask-glm is told not to normalize the columns.
Both use SciPy's L-BFGS-B from zeros on. The time is that until the sum is within 1e-6 of its
minimum: the number of iterations that this needs is looked for first, and not timed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask_glm.algorithms import lbfgs
from scipy.optimize import minimize

from dezero_dask import as_scipy

from . import problems
from .timing import in_turn
from .values import DASK_GLM, MAP_REDUCE, Values

COLUMNS, LAMBDA = 20, 1.0
CASES = {"32 chunks of 25,000 rows": (32, 25_000), "8 chunks of 500,000 rows": (8, 500_000)}
LOSSES = {"": problems.logistic_of_dask_glm, ", logaddexp": problems.logistic}
"""The formula of dask-glm, and the one that does not overflow."""

WITHIN = 1e-6
MOST_ITERATIONS = 100
VALUES = 5


def penalty(w: Any) -> Any:
    """Return the penalty that dask-glm adds for ``regularizer="l2"``."""
    return 0.5 * LAMBDA * np.sum(w * w)


def data_of(chunks: int, rows: int) -> tuple[Any, Any]:
    """Return the inputs with a column of ones, and labels that depend on them."""
    random = np.random.default_rng(0)
    x = random.standard_normal((chunks * rows, COLUMNS))
    x[:, -1] = 1.0
    z = x @ (0.5 * random.standard_normal(COLUMNS))
    return x, (random.random(len(z)) < 1.0 / (1.0 + np.exp(-z))).astype(float)


def by_dask_glm(x: Any, y: Any) -> Callable[[int], Any]:
    """Return a function that fits with so many iterations."""
    options = {"regularizer": "l2", "lamduh": LAMBDA, "tol": 0.0, "normalize": False}
    return lambda iterations: lbfgs(x, y, max_iter=iterations, **options)


def by_map_reduce(loss: Callable[..., Any], x: Any, y: Any) -> Callable[[int], Any]:
    """Return a function that fits with so many iterations; it keeps its programs for the next."""
    problem = as_scipy(loss, np.zeros(COLUMNS), x, y, penalty=penalty)

    def fit(iterations: int) -> Any:
        options = {"maxiter": iterations, "gtol": 0.0}
        solver = {"method": "L-BFGS-B", "jac": problem.jac, "options": options}
        return minimize(problem.fun, problem.x0, **solver).x

    return fit


def needed(fit: Callable[[int], Any], value: Callable[[Any], float], enough: float) -> int:
    """Return the smallest number of iterations after which the value is small enough."""
    for iterations in range(1, MOST_ITERATIONS):
        if value(fit(iterations)) <= enough:
            return iterations
    raise ValueError(f"the value is not {enough} after {MOST_ITERATIONS} iterations.")


def measure() -> Values:
    """Return the times of fits."""
    found = Values()
    for case, (chunks, rows) in CASES.items():
        x, labels = data_of(chunks, rows)
        lazy = da.from_array(x, chunks=(rows, COLUMNS)), da.from_array(labels, chunks=rows)

        def value(w: Any, x: Any = x, labels: Any = labels) -> float:
            return float(problems.logistic(w, x, labels) + penalty(w))

        fits = {DASK_GLM: by_dask_glm(*lazy)}
        fits |= {formula: by_map_reduce(loss, *lazy) for formula, loss in LOSSES.items()}
        enough = min(value(fit(MOST_ITERATIONS)) for fit in fits.values()) * (1.0 + WITHIN)
        steps = {name: partial(fit, needed(fit, value, enough)) for name, fit in fits.items()}
        times = in_turn(VALUES, steps)
        for formula in LOSSES:
            both = {MAP_REDUCE: times[formula], DASK_GLM: times[DASK_GLM]}
            found.add_times(case + formula, both)
    return found
