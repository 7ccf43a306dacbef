"""Checks of values and of manners: what an operation does besides computing."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..config import no_grad
from ..variable import Variable
from .rules import BrokenRuleError, NotApplicableError, close, compare_with
from .subject import Subject, array_of

RTOL, ATOL = 1e-11, 1e-13
DTYPES = (np.float16, np.float32, np.float64, np.longdouble)


def check_values(subject: Subject) -> None:
    """The values, shape and dtype are NumPy's, in Variables that hold ndarrays."""
    reference = subject.reference
    if reference is None:
        raise NotApplicableError("it has neither a NumPy function nor a reference")
    compare_with(subject, reference, subject.xs)


def check_untouched(subject: Subject) -> None:
    """Neither the inputs nor the outputs nor the gradients it is given are written to."""
    variables, ys, weights = subject.applied([x.copy() for x in subject.xs])
    values = [y.data.copy() for y in ys]
    for y, weight in zip(ys, weights, strict=True):
        gy = weight.copy()
        y.grad = gy
        y.backward()
        close(gy, weight, "gy, which was written to,")
    for index, (variable, x) in enumerate(zip(variables, subject.xs, strict=True)):
        close(variable.data, x, f"input {index}, which was written to,")
    for y, value in zip(ys, values, strict=True):
        close(y.data, value, "the output, which was written to,")


def check_layouts(subject: Subject) -> None:
    """It is the values that count, not how they lie in memory or whether they are writable."""
    expected = subject.gradients(subject.xs)
    expected_values = [array_of(y) for y in subject.outputs(list(map(Variable, subject.xs)))]
    for name, lay_out in LAYOUTS.items():
        xs = [lay_out(x) for x in subject.xs]
        values = [array_of(y) for y in subject.outputs(list(map(Variable, xs)))]
        for a, b in zip(values, expected_values, strict=True):
            close(a, b, f"values of {name} arrays", RTOL, ATOL)
        variables, ys, weights = subject.applied(xs)
        for y, weight in zip(ys, weights, strict=True):
            y.grad = lay_out(weight)
            y.backward()
        for x, b in zip(variables, expected, strict=True):
            got = np.zeros_like(b) if x.grad is None else x.grad
            close(got, b, f"gradient of {name} arrays", RTOL, ATOL)


def _strided(x: Any) -> Any:
    wide = np.full([2 * n for n in x.shape], np.nan, x.dtype)
    view = wide[(slice(None, None, 2),) * x.ndim + (...,)]
    view[...] = x
    return view


def _read_only(x: Any) -> Any:
    x = x.copy()
    x.flags.writeable = False
    return x


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "Fortran-ordered": lambda x: np.array(x, order="F"),
    "strided": _strided,
    "reversed": lambda x: np.asarray(np.flip(np.flip(x).copy())),
    "read-only": _read_only,
}


def check_dtypes(subject: Subject) -> None:
    """Of every floating dtype, values have NumPy's dtype and gradients that of the input."""
    function = subject.reference or subject.function
    for dtype in DTYPES:
        xs = [x.astype(dtype) for x in subject.xs]
        try:
            expected = [array_of(y).dtype for y in subject.outputs(xs, function)]
        except TypeError:
            continue  # NumPy has no such loop: float16 and longdouble in linear algebra
        got = [array_of(y).dtype for y in subject.outputs(list(map(Variable, xs)))]
        if got != expected:
            raise BrokenRuleError(f"gives another dtype for {np.dtype(dtype)}", expected, got)
        for index, gradient in enumerate(subject.gradients(xs)):
            if gradient.dtype != dtype:
                raise BrokenRuleError(
                    f"the gradient of input {index} has another dtype", np.dtype(dtype), gradient
                )


def check_integers(subject: Subject) -> None:
    """Of integers values are NumPy's, and constants wherever they are computed as integers."""
    if subject.reference is None:
        raise NotApplicableError("it has neither a NumPy function nor a reference")
    xs = [np.array(np.ceil(np.abs(x)), dtype=int) for x in subject.xs]
    try:
        subject.outputs(xs, subject.reference)
    except (TypeError, ValueError, np.linalg.LinAlgError) as error:
        raise NotApplicableError("NumPy does not take integers there") from error
    compare_with(subject, subject.reference, xs)
    if subject.applied(xs)[1]:
        raise BrokenRuleError("records a graph of integers, which are constants")


def check_arrays_alone(subject: Subject) -> None:
    """The public function takes arrays as well, and gives Variables without a graph."""
    for y in subject.outputs(subject.xs):
        if type(y) is not Variable or y.creator is not None:
            raise BrokenRuleError("gives of arrays something else than a constant", got=y)


def check_no_grad(subject: Subject) -> None:
    """Under ``no_grad`` nothing is recorded."""
    with no_grad():
        ys = subject.outputs([Variable(x) for x in subject.xs])
    if any(isinstance(y, Variable) and y.creator is not None for y in ys):
        raise BrokenRuleError("was recorded under no_grad()")


def check_freed(subject: Subject) -> None:
    """Outputs and graph go when the user lets go, without the garbage collector."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        variables, ys, _ = subject.applied(subject.xs)
        _differentiate(ys)
        watched = [weakref.ref(alive) for y in ys for alive in (y, y.creator)]
        for x in variables:
            x.cleargrad()
        ys.clear()
        if any(reference() is not None for reference in watched):
            raise BrokenRuleError("keeps its graph alive: it is part of a reference cycle")
    finally:
        if enabled:
            gc.enable()


def _differentiate(ys: Sequence[Variable]) -> None:
    # A function, so that no name refers to the last of them afterwards.
    for y in ys:
        y.grad = np.ones_like(y.data)
        y.backward()


def check_deterministic(subject: Subject) -> None:
    """The same call gives the same values and gradients, to the last bit."""
    _compare_runs([everything(subject), everything(subject)], "the second time")


def check_threads(subject: Subject) -> None:
    """Four threads at once get what one gets."""
    found: list[Any] = []
    ready = threading.Barrier(4)

    def work() -> None:
        ready.wait()
        found.append(everything(subject))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(found) < len(threads):
        raise BrokenRuleError("raised in a thread")
    _compare_runs([everything(subject), *found], "in a thread")


def everything(subject: Subject) -> list[Any]:
    values = [array_of(y) for y in subject.outputs(list(map(Variable, subject.xs)))]
    return values + subject.gradients(subject.xs)


def _compare_runs(runs: Sequence[Sequence[Any]], when: str) -> None:
    for run in runs[1:]:
        for first, other in zip(runs[0], run, strict=True):
            close(other, first, f"the result {when}")
