"""Measure the error of gradients of SciPy's elementwise functions, in ULP.

    python benchmarks/accuracy_of_scipy.py                     # writes docs/accuracy_of_scipy.md
    python benchmarks/accuracy_of_scipy.py scipy.special.erf   # prints these rows of it
    python benchmarks/accuracy_of_scipy.py --check             # exits with 1 above the limit

The truth is in scipy_truth.py. Names may be the beginnings of names.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import mpmath
import numpy as np
import scipy
from mpmath import mp
from scipy_truth import TRUTHS, Truth

from dezero_core import Variable, ops

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "accuracy_of_scipy.md"

LIMIT = 8.0
"""The error in ULP that a gradient may have without a reason."""

POINTS, FEW = 40, 3
"""Points of each function for the page, and for the test."""


REASONS: tuple[tuple[str, str, float], ...] = (
    (
        r"special\.(beta|gamma)inc\w*inv",
        "a derivative is as exact as the quantile, which is SciPy's",
        1e3,
    ),
    (r"special\.hyp1f1", "a derivative is SciPy's value of other parameters", 1e3),
    (r"special\.(ive|kve)", "single points are as exact as SciPy's values of other orders", 60.0),
    (r"stats\.\w+\.ppf", "a derivative is as exact as the quantile, which is SciPy's", 100.0),
    (
        r"stats\.(beta|chi2|f|gamma|invgamma|nbinom|poisson|t|vonmises)\.entropy",
        "terms that are much larger than the derivative cancel, the more the larger a shape is",
        1e3,
    ),
    (
        r"stats\.(beta|chi2|f|gamma|invgamma|nbinom|poisson|t|vonmises)\.log(cdf|sf)",
        "far out it is a quotient of two numbers, each of which has the error of its operands",
        200.0,
    ),
    (
        r"stats\.vonmises\.(cdf|sf)",
        "the integrand of the quadrature by `kappa` has a zero where the cosine is its mean",
        30.0,
    ),
    (
        r"stats\.f\.",
        "by the degrees of freedom, derivatives of two places in the formula cancel",
        1e3,
    ),
)
"""Pattern of names -> why their derivatives are off by more, and by how much at most."""


def reason_of(name: str) -> tuple[str, float]:
    """Return why derivatives of an operation may be off by more, and by how much."""
    found = (rest for pattern, *rest in REASONS if re.match(rf"scipy\.{pattern}", name))
    why, limit = next(found, ("", LIMIT))
    return str(why), float(limit)


def function_of(name: str) -> Callable[..., Any]:
    """Return the function to measure; of one with two results, ``"sici[1]"``, it is one of them."""
    operation, bracket, index = name.partition("[")
    function = next(op.function for op in ops() if op.name == operation)
    if operation == "scipy.special.multigammaln":
        return lambda a, d: function(a, int(d[0]))
    return (lambda *x: function(*x)[int(index[:-1])]) if bracket else function


def points(name: str, truth: Truth, count: int) -> list[tuple[float, ...]]:
    """Return points in the intervals of the operands, the same each time."""
    rng = np.random.default_rng(crc32(name.encode()))
    columns = []
    for between in truth.between:
        if isinstance(between, range):
            columns.append(rng.choice(np.array(between, float), count))
        elif between[0] > 0 and between[1] / between[0] > 5:
            columns.append(np.exp(rng.uniform(*np.log(between), count)))
        else:
            columns.append(rng.uniform(*between, count))
    return list(zip(*(column.tolist() for column in columns), strict=True))


def slope(value: Callable[..., Any], x: list[Any], by: int, bits: int) -> Any:
    """Return the derivative by an operand, by a central difference far below double precision."""
    step = mp.mpf(2) ** (-bits // 3) * (abs(x[by]) or 1)
    above, below = ([*x[:by], x[by] + sign * step, *x[by + 1 :]] for sign in (1, -1))
    return (value(*above) - value(*below)) / (2 * step)


def unit(x: Any) -> Any:
    """Return the distance of a number, rounded, to the next one that float64 has."""
    return mp.mpf(float(np.spacing(abs(float(x)))))


def spread(truth: Truth, x: list[Any], by: int) -> Any:
    """Return how much a derivative changes, if each operand that is real changes by an ULP."""

    def of(*at: Any) -> Any:
        return slope(truth.value, list(at), by, truth.bits)

    return sum(abs(slope(of, x, n, truth.bits // 3)) * unit(x[n]) for n in truth.operands)


@dataclass
class Errors:
    """The errors of the gradients of one operation."""

    name: str
    count: int = 0
    worst: float = 0.0
    worst_beyond: float = 0.0
    ill: int = 0
    where: str = ""
    failures: list[str] = field(default_factory=list)

    def add(self, truth: Truth, x: tuple[float, ...], by: int, got: float) -> None:
        """Compare a derivative by an operand with the truth."""
        with mpmath.workprec(truth.bits):
            at = [mp.mpf(each) for each in x]
            true = slope(truth.value, at, by, truth.bits)
            if not np.finfo(float).tiny < abs(true) < np.finfo(float).max:
                return
            self.count += 1
            error = float(abs(mp.mpf(got) - true) / unit(true)) if math.isfinite(got) else math.inf
            here = (
                f"by operand {by + 1} at ({', '.join(map(repr, x))}): {got!r} for {float(true)!r}"
            )
            if error > self.worst:
                self.worst, self.where = error, here
            if error <= LIMIT:
                return
            self.ill += 1
            beyond = error / float(1 + spread(truth, at, by) / unit(true))
            self.worst_beyond = max(self.worst_beyond, beyond)
            if not beyond <= reason_of(self.name)[1]:
                self.failures.append(here)


def kind_of(between: Any) -> type:
    """Return the type of an operand that is a constant."""
    return int if isinstance(between, range) else float


def measured(name: str, count: int) -> Errors:
    """Measure the gradients of one operation."""
    truth, errors = TRUTHS[name], Errors(name)
    x = points(name, truth, count)
    columns = np.array(x).T
    operands = [
        Variable(column) if n in truth.operands else column.astype(kind_of(truth.between[n]))
        for n, column in enumerate(columns)
    ]
    with np.errstate(all="ignore"):
        y = function_of(name)(*operands)
        (y.real if y.dtype.kind == "c" else y).backward()
    for n in truth.operands:
        gradient = operands[n].grad
        found = np.zeros(len(x)) if gradient is None else np.broadcast_to(gradient, len(x))
        for at, got in zip(x, found.tolist(), strict=True):
            errors.add(truth, at, n, got)
    return errors


def problems(found: Iterable[Errors]) -> Iterator[str]:
    """Yield a sentence for each operation with an error above the limit."""
    for errors in found:
        if errors.failures:
            yield (
                f"{errors.name}: {len(errors.failures)} gradients are off by more than {LIMIT:g} "
                f"ULP without a reason, such as {errors.failures[0]}."
            )


def figure(error: float) -> str:
    """Return a number of ULP for the page."""
    return f"{error:.2f}" if error < 100 else f"{error:.0f}" if error < 1e5 else f"{error:.0e}"


INTRODUCTION = """\
# Accuracy of SciPy's functions

How far gradients of `dezero-ops-scipy` are from the truth, in float64, at the worst of many points,
by any operand. The unit is the ULP: the distance from the true number, rounded, to the next one
that float64 has. Up to 0.5 is as good as float64 can be.

Each function is asked at {points} points, which are spread over the intervals of
`benchmarks/scipy_truth.py`. The truth is computed there with hundreds of bits, from a definition of
the function; where it is subnormal or beyond float64, none is asked.

A derivative may change by many ULP if an operand changes by one: next to its zeros, and far out in
the tail of a density. There no formula can give more digits than the operands have. *Above 8*
counts the derivatives that are off by more than 8 ULP, and *beyond operands* is the worst of their
errors as a multiple of what one ULP of each operand does to the derivative, and one of the result.
It is at most 8, but for the reasons below.

Measured with {versions}.
`python benchmarks/accuracy_of_scipy.py` does it; a test checks it at fewer points.

| Function | Gradient | Points | Above 8 | Beyond operands | Worst gradient |
| --- | --- | --- | --- | --- | --- |
"""


def page(rows: list[Errors]) -> str:
    """Return the whole text."""
    versions = f"NumPy {np.__version__}, SciPy {scipy.__version__}, mpmath {mpmath.__version__}"
    lines = [INTRODUCTION.format(points=POINTS, versions=versions).rstrip("\n")]
    for row in rows:
        cells = (
            *(f"`{row.name}`", figure(row.worst), str(row.count), str(row.ill)),
            *(figure(row.worst_beyond) if row.ill else "", row.where),
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", f"## Above {LIMIT:g} ULP, and why", ""]
    for _, why, limit in REASONS:
        names = [row.name for row in rows if reason_of(row.name) == (why, limit)]
        if names:
            listed = ", ".join(f"`{name.removeprefix('scipy.')}`" for name in names)
            lines.append(f"* {listed}, up to {limit:g}: {why}.")
    return "\n".join(lines).rstrip() + "\n"


def main(arguments: list[str]) -> int:
    """Write the page, print some rows of it, or check; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("names", nargs="*", help="beginnings of names; by default all")
    given = parser.parse_args(arguments)
    names = [name for name in sorted(TRUTHS) if name.startswith(tuple(given.names) or ("",))]
    with warnings.catch_warnings(category=RuntimeWarning, action="ignore"):
        rows = [measured(name, POINTS) for name in names]
    if given.names:
        print(page(rows).partition("| --- |")[2])
    elif not given.check:
        PAGE.write_text(page(rows), encoding="utf-8")
    found = list(problems(rows))
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
