"""Measure the error of values and gradients of the elementwise functions, in ULP.

    python benchmarks/accuracy.py                 # writes docs/accuracy.md
    python benchmarks/accuracy.py exp tanh        # prints these rows of it
    python benchmarks/accuracy.py --check         # exits with 1 above the limit without a reason

The truth is in accuracy_truth.py. The page needs PyTorch and JAX, which are measured as well:
``pip install -r benchmarks/requirements-accuracy.txt`` brings the versions of the page. Rows do
without. The functions of machine code are measured if dezero-replay-llvm is installed.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
from accuracy_truth import PRECISION, TRUTHS, Truth, at_precision, points

from dezero_core import Variable, ops

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "accuracy.md"

RANDOM = 200
"""Random points of every kind, in each function's grid."""

LIMIT = 8.0
"""The error in ULP that a gradient may have without a reason."""

SMALLEST, LARGEST = 2.0**-1074, np.finfo(np.float64).max
NORMAL = np.finfo(np.float64).tiny

NO_FUNCTIONS_OF_ELEMENTS = (
    *("adding_at", "broadcasting", "casting", "copying", "indexing", "matrix_product"),
    *("putting", "writing"),
)
"""Modules of the operators that move or sum elements."""

Array = Any


# Reasons


@dataclass(frozen=True)
class Reason:
    """The reason why a gradient is off by more than `LIMIT`, and the error that is allowed.

    Attributes
    ----------
    why : str
    allowed : callable
        Takes the operands and the true derivative; returns a number of ULP.
    """

    why: str
    allowed: Callable[..., float]


def within(error: float, slope: float) -> float:
    """Return the limit plus an absolute error, in ULP of `slope`."""
    return LIMIT + error / float(np.spacing(abs(slope)))


def is_normal(x: float) -> bool:
    """Return whether a number is normal, so that it has all its digits."""
    return bool(NORMAL <= abs(x) <= LARGEST)


def has_inverse(x: float) -> bool:
    """Return whether ``1 / x`` is finite."""
    return bool(abs(x) > 1.0 / LARGEST)


def allowed_of_div(x0: float, x1: float, slope: float) -> float:
    quotient = x0 / x1
    return LIMIT if has_inverse(x1) and (quotient == 0 or is_normal(quotient)) else math.inf


def allowed_of_angle(real: float, imag: float, slope: float) -> float:
    return LIMIT if has_inverse(np.hypot(real, imag)) else math.inf


def allowed_of_pow(x: float, c: float, slope: float) -> float:
    factors = np.abs(x) ** c, np.abs(x) ** (c - 1.0)
    return LIMIT if x == 0 or all(map(is_normal, factors)) else math.inf


_FACTOR = (
    "`x**(c - 1)` or `x**c` is subnormal, 0 or inf where its product with `c` or `log(x)` is not"
)

REASONS: dict[str, Reason] = {
    "angle": Reason(
        "the number is so small that the derivative by its other part overflows",
        allowed_of_angle,
    ),
    "div": Reason(
        "the quotient is subnormal, and only then divided once more; or `1 / x1` overflows, though "
        "its product with `x0` does not",
        allowed_of_div,
    ),
    "float_power": Reason(_FACTOR, allowed_of_pow),
    "pow": Reason(_FACTOR, allowed_of_pow),
    "sinc": Reason(
        "the derivative has zeros near 1.43, 2.46, ..., and its two terms cancel there; the "
        "absolute error stays below `2**-51`, and beyond 1 below `2**-51 / abs(x)`",
        lambda x, slope: within(2.0**-51 / max(1.0, abs(x)), slope),
    ),
    "tanh": Reason(
        "`1 - y * y`, of which few digits are left beyond 2 and none beyond 19: one multiplication "
        "instead of another transcendental function; the absolute error stays below `2**-52`",
        lambda x, slope: within(2.0**-52, slope),
    ),
}


# Who is measured

#: Name of an operation -> a function that calls it, if the operands need a change first.
FORMS: dict[str, Callable[..., Any]] = {
    "angle": lambda function, real, imag: function(real + 1j * imag),
    "divmod": lambda function, x0, x1: function(x0, x1)[1],
}

#: Name of an operation -> the name that NumPy has.
NUMPY_NAMES = {"pow": "power"}

#: Name that NumPy has -> the name that PyTorch has.
TORCH_NAMES = {
    "conjugate": "conj",
    "degrees": "rad2deg",
    "fabs": "abs",
    "power": "pow",
    "radians": "deg2rad",
    "rint": "round",
}


def elementwise() -> dict[str, Any]:
    """Return the registered differentiable elementwise functions, by name."""
    return {
        operation.name: operation
        for operation in ops()
        if operation.differentiable and _is_elementwise(operation.function.__module__)
    }


def _is_elementwise(module: str) -> bool:
    package, _, rest = module.partition(".")
    if package == "dezero_ops_basic":
        return rest not in NO_FUNCTIONS_OF_ELEMENTS
    return module.startswith("dezero_ops_math.elementwise.")


def applied(name: str, function: Callable[..., Any], x: Iterable[Any]) -> Any:
    """Return the result of a function; of several outputs, the one that is measured."""
    return FORMS[name](function, *x) if name in FORMS else function(*x)


def ours(operation: Any, x: Array) -> tuple[Array, list[Array]]:
    """Return value and gradients at the columns of `x`."""
    operands = [Variable(np.array(row)) for row in x]
    with np.errstate(all="ignore"):
        y = applied(operation.name, operation.function, operands)
        y.backward()
    none = np.zeros(x.shape[1:])
    return y.data, [none if operand.grad is None else operand.grad for operand in operands]


def ours_twice(operation: Any, x: Array) -> list[tuple[Array, list[Array]]]:
    """Return the results for all points at once, and for each alone: NumPy has code for both."""
    one_by_one = [ours(operation, x[:, i]) for i in range(x.shape[1])]
    values = np.array([value for value, _ in one_by_one])
    gradients = np.array([gradient for _, gradient in one_by_one]).T
    return [ours(operation, x), (values, list(gradients))]


COPIES = 16
"""Copies of a point in an array: as many as the longest vector has numbers, of float32."""


def native_functions() -> dict[str, Any]:
    """Return NumPy's functions of which machine code has another form, by name of the operation."""
    try:
        functions = importlib.import_module("dezero_replay_llvm.functions")
    except ImportError:
        return {}
    return {
        name: function
        for name, operation in elementwise().items()
        for function in operation.numpy
        if function in functions.NEEDS and function.__name__ in (name, NUMPY_NAMES.get(name))
    }


def natively(function: Any, x: Array) -> list[Array]:
    """Return the values at the columns of `x` in vectors, and those of single numbers.

    Each point is computed by itself: where one overflows, NumPy computes all of them again.
    """
    from dezero_replay import compiled

    runs = []
    for shape in ((COPIES,), ()):
        # One call alone would stay with NumPy, and a call that is audited returns NumPy's results.
        step = compiled(
            lambda *x: [function(*x), np.negative(x[0])],
            strict=True,
            executor="llvm",
            wait=True,
            audit=None,
        )
        columns = [[np.full(shape, each) for each in column] for column in x.T]
        runs.append(np.array([np.ravel(step(*column)[0])[0] for column in [columns[0], *columns]]))
    return [run[1:] for run in runs]


class Peer:
    """Another library. Its gradients are measured if it is installed."""

    #: Modules with functions that NumPy lacks.
    others: tuple[str, ...] = ()

    def __init__(self, title: str, module: str) -> None:
        self.title = title
        self.module: Any = None
        try:
            self.module = importlib.import_module(module)
            package = importlib.import_module(module.partition(".")[0])
            self.version = package.__version__.partition("+")[0]
        except ImportError:
            return

    def gradients(self, operation: Any, x: Array) -> list[Array] | None:
        """Return the gradients at the columns of `x`; None if there is no such function."""
        names = [function.__name__ for function in operation.numpy] or [operation.name]
        names += [TORCH_NAMES[each] for each in names if each in TORCH_NAMES]
        homes = [self.module, *map(importlib.import_module, self.others)]
        functions = [getattr(home, each) for home in homes for each in names if hasattr(home, each)]
        try:
            return self._gradients(lambda *x: applied(operation.name, functions[0], x), x)
        except (IndexError, NotImplementedError, RuntimeError, TypeError):
            return None  # no such function, or none with a derivative

    def _gradients(self, function: Callable[..., Any], x: Array) -> list[Array]:
        raise NotImplementedError


class Torch(Peer):
    def _gradients(self, function: Callable[..., Any], x: Array) -> list[Array]:
        operands = [self.module.tensor(row, requires_grad=True) for row in x]
        y = function(*operands)
        y.backward(self.module.ones_like(y))
        none = np.zeros(x.shape[1])
        return [none if each.grad is None else each.grad.numpy() for each in operands]


class Jax(Peer):
    others = ("jax.nn",)

    def _gradients(self, function: Callable[..., Any], x: Array) -> list[Array]:
        jax = importlib.import_module("jax")
        jax.config.update("jax_enable_x64", True)
        y, back = jax.vjp(function, *map(self.module.asarray, x))
        return [np.asarray(each) for each in back(self.module.ones_like(y))]


# What is measured


def is_beyond(true: Any) -> bool:
    """Return whether a number other than 0 rounds to inf or to 0."""
    rounded = float(true)
    return math.isinf(rounded) or (rounded == 0 and true != 0)


def ulps(got: float, true: Any) -> float:
    """Return the distance of `got` from `true`, in units of the spacing of floats there.

    If `true` is beyond the range of floats, the distance is 0 if `got` is inf or 0 as it should be,
    or nearly so; otherwise it is inf.
    """
    rounded = float(true)
    if is_beyond(true):
        if rounded == 0:
            return 0.0 if abs(got) <= LIMIT * SMALLEST else math.inf
        near = LARGEST * (1.0 - 2.0**-49)
        return 0.0 if abs(got) >= near and (got > 0) == (rounded > 0) else math.inf
    if not math.isfinite(got):
        return math.inf
    with mpmath.workprec(PRECISION):
        return float(abs(mpmath.mpf(got) - true) / mpmath.mpf(float(np.spacing(abs(rounded)))))


@dataclass(frozen=True)
class Point:
    """A derivative at a point, or the value where `operand` is -1."""

    operand: int
    x: tuple[float, ...]
    true: float
    got: float
    error: float

    @property
    def is_normal(self) -> bool:
        """Whether it has no subnormal number."""
        return all(number == 0 or is_normal(number) for number in (*self.x, self.true))

    def __str__(self) -> str:
        where = ", ".join(map(repr, self.x))
        by = "" if len(self.x) == 1 or self.operand < 0 else f"by operand {self.operand + 1} "
        return f"{by}at ({where}): {self.got!r} for {self.true!r}"


def figure(point: Point | None) -> str:
    """Return the error of a point in ULP for the page; inf or nan if the library returned that."""
    if point is None:
        return "none"
    if not math.isfinite(point.got):
        return f"{abs(point.got)}"
    error = point.error
    return f"{error:.2f}" if error < 100 else f"{error:.0f}" if error < 1e5 else f"{error:.0e}"


@dataclass
class Errors:
    """The results for one function in one library."""

    used: int = 0
    beyond: int = 0
    above: int = 0
    worst: Point | None = None
    worst_normal: Point | None = None
    failures: tuple[Point, ...] = ()

    def add(self, name: str, point: Point, beyond: bool) -> None:
        """Count a point. A point beyond the range of floats cannot become the worst one."""
        reason = REASONS.get(name)
        if point.error > LIMIT:
            self.above += 1
            with np.errstate(all="ignore"):
                x = map(np.float64, point.x)
                allowed = reason.allowed(*x, point.true) if reason else LIMIT
            if not point.error <= allowed:
                self.failures += (point,)
        if beyond:
            self.beyond += 1
            return
        self.used += 1
        if self.worst is None or point.error > self.worst.error:
            self.worst = point
        known = self.worst_normal
        if point.is_normal and (known is None or point.error > known.error):
            self.worst_normal = point

    @property
    def asked(self) -> int:
        """The number of points."""
        return self.used + self.beyond

    def __str__(self) -> str:
        if self.worst is None:
            return "none"
        every, normal = figure(self.worst), figure(self.worst_normal)
        return every if every == normal else f"{every} ({normal})"


class Grid:
    """The points of one function, and the true values and derivatives there."""

    def __init__(self, name: str, random: int) -> None:
        self.name = name
        self.truth: Truth = TRUTHS[name]
        self.x = points(self.truth, random)
        self.columns = [tuple(column.tolist()) for column in self.x.T]
        self.slopes = [self._true(slope) for slope in self.truth.slopes]

    def _true(self, function: Callable[..., Any]) -> list[Any]:
        return [at_precision(function, *x) for x in self.columns]

    def of_gradients(self, *runs: list[Array]) -> Errors:
        """Compare gradients, of which there may be several, with the truth."""
        errors = Errors()
        for operand, slopes in enumerate(self.slopes):
            self._compare(errors, operand, slopes, [run[operand] for run in runs])
        return errors

    def of_values(self, *runs: Array) -> Errors:
        """Compare values with the truth."""
        errors = Errors()
        self._compare(errors, -1, self._true(self.truth.value), runs)
        return errors

    def _compare(
        self, errors: Errors, operand: int, truths: list[Any], runs: Iterable[Array]
    ) -> None:
        runs = [np.broadcast_to(run, len(self.columns)).tolist() for run in runs]
        for x, true, *found in zip(self.columns, truths, *runs, strict=True):
            if true is None:
                continue
            error, got = max((ulps(got, true), got) for got in found)
            errors.add(self.name, Point(operand, x, float(true), got, error), is_beyond(true))


@dataclass(frozen=True)
class Row:
    """The row of the page for one function."""

    name: str
    value: Errors
    gradient: Errors
    peers: tuple[Errors, ...]
    native: Errors | None = None

    def cells(self) -> tuple[str, ...]:
        """Return the cells of the table."""
        worst = self.gradient.worst
        exact = worst is None or worst.error == 0
        figures = map(str, (self.value, self.gradient, *self.peers, self.gradient.used))
        return f"`{self.name}`", *figures, str(self.gradient.beyond), "" if exact else str(worst)

    def native_cells(self) -> tuple[str, ...]:
        """Return the cells of the table of machine code."""
        assert self.native is not None
        name = f"`np.{NUMPY_NAMES.get(self.name, self.name)}`"
        return name, str(self.value), str(self.native), str(self.native.worst)


def measured(name: str, random: int) -> Errors:
    """Return the errors of our gradients."""
    grid = Grid(name, random)
    runs = ours_twice(elementwise()[name], grid.x)
    return grid.of_gradients(*(gradients for _, gradients in runs))


def row_of(name: str, random: int, peers: Iterable[Peer]) -> Row:
    """Measure one function in all libraries."""
    operation, grid = elementwise()[name], Grid(name, random)
    runs = ours_twice(operation, grid.x)
    of_peers = []
    for peer in peers:
        gradients = peer.gradients(operation, grid.x)
        of_peers.append(Errors() if gradients is None else grid.of_gradients(gradients))
    function = native_functions().get(name)
    return Row(
        name,
        grid.of_values(*(value for value, _ in runs)),
        grid.of_gradients(*(gradients for _, gradients in runs)),
        tuple(of_peers),
        None if function is None else grid.of_values(*natively(function, grid.x)),
    )


def problems(gradients: dict[str, Errors]) -> Iterator[str]:
    """Yield a sentence for each error above the limit, and for each reason that no error needs."""
    for name, errors in gradients.items():
        if errors.failures:
            worst = max(errors.failures, key=lambda point: point.error)
            yield (
                f"{name}: {len(errors.failures)} gradients are off by more than {LIMIT:g} ULP "
                f"without a reason, such as {worst}."
            )
        if name in REASONS and errors.above == 0:
            yield f"{name}: REASONS has a reason that nothing needs."


# The page

INTRODUCTION = """\
# Accuracy of the elementwise functions

How far values and gradients are from the truth, in float64, at the worst of many points. The unit
is the ULP: the distance from the true number, rounded, to the next one that float64 has. Up to 0.5
is as good as float64 can be.

The points are the hard places and random ones: 0 and what is subnormal, tiny, huge or the largest
number, around 1, around multiples of pi / 2, and operands that nearly cancel, or differ by hundreds
of orders of magnitude; of each function those in its domain. The truth is computed there with
{bits} bits, the derivatives from formulas of handbooks. Where the true number rounds to inf, or to
0 without being 0, it is *left out*: there a gradient must be inf or 0, too. Where there is no
derivative, as at a jump, none is asked. Our functions are asked twice: with all points in one
array, and with each by itself; the worse answer counts.

*Value* is NumPy's: ours are the same. *Gradient* is ours, the worst by any operand; then follow
those of other libraries at the same points, or *none*, if they have no such function or no
derivative of it. In brackets is what remains without subnormal numbers, as operands or as result,
if that differs: some libraries take them for 0. An answer of inf or nan where the truth is finite
is written so.

Measured with {versions}.
`python benchmarks/accuracy.py` does it; the last digits of NumPy's functions depend on the
processor and the C library. A test checks the limit of {limit:g} ULP at the hard places.
"""


MACHINE_CODE = """\
## Machine code

How far the values are from the truth where a compiled function runs as machine code
(`executor="llvm"`), at the same points. These functions are those of the C library's vectors; all
others have NumPy's bits. Each point is asked in a vector and as a single number, and the worse
answer counts. A point at which a flag of an overflow, a division by zero or an invalid operation
is raised is NumPy's again, as in every replay.
"""

NATIVE_HEAD = ("Function", "NumPy", "Machine code", "Worst value of machine code")


def table(head: tuple[str, ...], body: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of a table, and an empty one."""
    for row in (head, ("---",) * len(head), *body):
        yield f"| {' | '.join(row)} |"
    yield ""


def heads(peers: Iterable[Peer]) -> tuple[str, ...]:
    """Return the head of the table."""
    names = (peer.title for peer in peers)
    return "Function", "Value", "Gradient", *names, "Points", "Left out", "Worst gradient of ours"


def page(rows: list[Row], peers: list[Peer]) -> str:
    """Return the whole text."""
    versions = [f"NumPy {np.__version__}", f"mpmath {mpmath.__version__}"]
    versions += [f"{peer.title} {peer.version}" for peer in peers]
    reasons = [
        f"* `{row.name}`, {row.gradient.above} of {row.gradient.asked} derivatives: "
        f"{REASONS[row.name].why}."
        for row in rows
        if row.name in REASONS
    ]
    native = [row.native_cells() for row in rows if row.native is not None]
    of_machine_code = [*MACHINE_CODE.split("\n"), *table(NATIVE_HEAD, native)] if native else []
    lines = [
        *INTRODUCTION.format(limit=LIMIT, bits=PRECISION, versions=", ".join(versions)).split("\n"),
        *table(heads(peers), (row.cells() for row in rows)),
        *of_machine_code,
        f"## Above {LIMIT:g} ULP, and why",
        "",
        "A gradient may be off by more only for a reason, and only where that applies:",
        "",
        *reasons,
    ]
    return "\n".join(lines).rstrip() + "\n"


def main(arguments: list[str]) -> int:
    """Write the page, print some rows of it, or check; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="measure only our gradients, and write nothing"
    )
    parser.add_argument("names", nargs="*", help="of functions; by default all")
    given = parser.parse_args(arguments)
    known = elementwise().keys() & TRUTHS.keys()
    one_sided = sorted((elementwise().keys() | TRUTHS.keys()) - known)
    if one_sided:
        parser.error(f"registered, or in TRUTHS, but not both: {', '.join(one_sided)}")
    if not known.issuperset(given.names):
        parser.error(f"the functions are {', '.join(sorted(known))}")
    names = given.names or sorted(known)
    with warnings.catch_warnings(category=RuntimeWarning, action="ignore"):
        gradients = checked(names) if given.check else written(names, partly=bool(given.names))
    found = list(problems(gradients))
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


def checked(names: list[str]) -> dict[str, Errors]:
    """Measure our gradients."""
    return {name: measured(name, RANDOM) for name in names}


def written(names: list[str], partly: bool) -> dict[str, Errors]:
    """Measure all libraries, write the page, or print rows of it; return our gradients."""
    libraries = [Torch("PyTorch", "torch"), Jax("JAX", "jax.numpy")]
    peers = [peer for peer in libraries if peer.module]
    if len(peers) < len(libraries) and not partly:
        raise SystemExit(
            "docs/accuracy.md was not written: it compares with PyTorch and JAX. "
            "pip install -r benchmarks/requirements-accuracy.txt"
        )
    rows = [row_of(name, RANDOM, peers) for name in names]
    if partly:
        print("\n".join(table(heads(peers), (row.cells() for row in rows))))
        native = [row.native_cells() for row in rows if row.native is not None]
        print("\n".join(table(NATIVE_HEAD, native) if native else ()))
    else:
        PAGE.write_text(page(rows, peers), encoding="utf-8")
    return {row.name: row.gradient for row in rows}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
