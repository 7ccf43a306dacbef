"""Checks of values and of manners: memory, dtypes, threads, and all else beside derivatives."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from dezero_core import Variable, grad, no_grad
from dezero_core.extend import INEXACT

from .rules import BrokenRuleError, NotApplicableError, check_form, close, compare, largest, noted
from .subject import Subject, array_of, gradient_of, has_graph, pass_back

RTOL, ATOL = 1e-11, 1e-13
#: The rounding error that a gradient may have, in units of the precision of its dtype.
_LOST = 2000.0


def check_values(subject: Subject) -> None:
    """The outputs are Variables, or integers beside one; values, shapes and dtypes are NumPy's."""
    compare(subject, subject.truth, subject.xs)


def check_untouched(subject: Subject) -> None:
    """The operation does not write to its inputs, its outputs or ``gy``."""
    variables, ys, weights = subject.applied([x.copy() for x in subject.xs])
    values = [y.data.copy() for y in ys]
    gys = [weight.copy() for weight in weights]
    pass_back(ys, gys)
    for gy, weight in zip(gys, weights, strict=True):
        _unchanged(gy, weight, "gy")
    for index, (variable, x) in enumerate(zip(variables, subject.xs, strict=True)):
        _unchanged(variable.data, x, f"input {index}")
    for y, value in zip(ys, values, strict=True):
        _unchanged(y.data, value, "the output")


def _unchanged(got: Any, before: Any, what: str) -> None:
    if not np.array_equal(got, before, equal_nan=True):
        raise BrokenRuleError(f"{what} was written to", before, got)


def check_repeated(subject: Subject) -> None:
    """A second backward pass, from all outputs at once and after other calls, gives the same."""
    variables, ys, weights = subject.applied(subject.xs)
    if not ys:
        raise NotApplicableError("no output has a derivative")
    values = [y.data.copy() for y in ys]
    expected = subject.gradients(subject.xs)
    subject.gradients(subject.moved(subject.xs, subject.towards(subject.xs), 0.01))
    for y, value in zip(ys, values, strict=True):
        _unchanged(y.data, value, "the output, in a call with other arrays,")
    for time in ("", ", the second time"):
        got = grad(ys, variables, grad_outputs=weights)
        for index, (a, b) in enumerate(zip(got, expected, strict=True)):
            what = f"gradient of input {index} from all outputs at once{time}"
            with noted(gy=weights):
                close(a, b, what, RTOL, 1e-13 * largest(b), order=1)


def check_constants(subject: Subject) -> None:
    """If an array replaces one of the Variables, the others get the same gradients."""
    expected = subject.gradients(subject.xs)
    for fixed, x in enumerate(subject.xs):
        for constant in (x, x.item()) if x.ndim == 0 else (x,):
            mixed = [Variable(each) for each in subject.xs]
            mixed[fixed] = constant
            pass_back(*subject.rooted(mixed))
            for index, (each, gradient) in enumerate(zip(mixed, expected, strict=True)):
                if index != fixed:
                    got = gradient_of(each)
                    what = f"gradient of input {index} beside a constant for input {fixed}"
                    with noted(gy=lambda: subject.applied(subject.xs)[2]):
                        close(got, gradient, what, RTOL, 1e-13 * largest(gradient), order=1)


def check_layouts(subject: Subject) -> None:
    """The memory layout of an input, or a read-only input, changes no result."""
    expected_values, expected = subject.values(subject.xs), subject.gradients(subject.xs)
    for name, lay_out in LAYOUTS.items():
        xs = [lay_out(x) for x in subject.xs]
        for a, b in zip(subject.values(xs), expected_values, strict=True):
            close(a, b, f"values of {name} arrays", RTOL, ATOL)
        variables, ys, weights = subject.applied(xs)
        pass_back(ys, list(map(lay_out, weights)))
        for x, b in zip(variables, expected, strict=True):
            with noted(gy=weights):
                close(gradient_of(x), b, f"gradient of {name} arrays", RTOL, ATOL, order=1)


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
    """For every floating dtype, values are NumPy's; gradients are right, in the input's dtype."""
    for dtype in map(np.dtype, subject.sample.dtypes):
        xs = [x.astype(dtype) for x in subject.xs]
        with noted(drawn=xs, dtype=dtype.name):
            if not _reference_refuses(subject, xs):
                try:
                    _check_dtype(subject, xs, dtype)
                except Exception as error:
                    if not isinstance(error, BrokenRuleError):
                        error.add_note(f"If it takes no {dtype}, say so by Sample(dtypes=...).")
                    raise


def _reference_refuses(subject: Subject, xs: Sequence[Any]) -> bool:
    """Return whether the reference refuses arrays, as linear algebra refuses float16."""
    try:
        subject.outputs(xs, subject.truth)
    except Exception as error:  # libraries raise errors of their own, an operation a TypeError
        if subject.reference is None and not isinstance(error, TypeError):
            raise
        return True
    return False


def _check_dtype(subject: Subject, xs: Sequence[Any], dtype: Any) -> None:
    exact = [np.asarray(x, dtype=np.float64) for x in xs]
    if subject.reference is not None:
        try:
            compare(subject, subject.reference, xs)
        except BrokenRuleError as error:
            if not _overflows(subject, xs, exact):
                raise
            raise BrokenRuleError(
                f"{subject.standard} overflows where the operation does not. Write the reference "
                "so that it does not overflow, such as np.logaddexp(0, x) for np.log(1 + "
                "np.exp(x)), draw from a smaller interval, or leave the dtype out by "
                "Sample(dtypes=...)",
                error.expected,
                error.got,
            ) from None
    if not _agree(subject, xs, exact, dtype):
        return  # the two precisions gave different results, such as another order of equal elements
    precise, noise = subject.gradients(exact), subject.noise(exact)
    gradients = subject.gradients(xs)
    check_form(gradients, xs)
    for index, (got, truth) in enumerate(zip(gradients, precise, strict=True)):
        eps = float(np.finfo(dtype).eps)
        if eps < 0.01 / _LOST:  # float16 has too few digits to be compared
            lost = max(_LOST * eps, RTOL)
            atol = lost * (largest(truth) + 1e13 * noise[index])
            with noted(gy=lambda: subject.applied(xs)[2]):
                close(got, truth, f"gradient of input {index}", 0.0, atol, order=1)


def _overflows(subject: Subject, xs: Sequence[Any], exact: Sequence[Any]) -> bool:
    """Return whether the reference loses numbers that it has in float64 and the operation has."""
    low, high = (subject.outputs(arrays, subject.reference) for arrays in (xs, exact))
    return any(
        np.shape(y) == np.shape(a) and np.any(np.isfinite(y) & np.isfinite(b) & ~np.isfinite(a))
        for y, a, b in zip(subject.values(xs), low, high, strict=False)
    )


def _agree(subject: Subject, xs: Sequence[Any], others: Sequence[Any], dtype: Any) -> bool:
    """Return whether the values in two precisions are the same, up to rounding."""
    pairs = zip(subject.outputs(xs), subject.outputs(others), strict=True)
    return all(
        np.allclose(array_of(a), array_of(b), 100.0 * np.finfo(dtype).eps, 1e-3, equal_nan=True)
        for a, b in pairs
    )


def check_integers(subject: Subject) -> None:
    """For integers the values are NumPy's, and results of integers are constants."""
    ran = False
    for dtype in (np.int64, np.int8, np.uint8, np.bool_):
        xs = [np.array(np.ceil(np.abs(x))).astype(dtype) for x in subject.xs]
        if not _reference_refuses(subject, xs):
            with noted(drawn=xs, dtype=np.dtype(dtype).name):
                compare(subject, subject.truth, xs)
            ran = True
    if not ran:
        raise NotApplicableError(f"{subject.standard} does not take integers there")
    xs = [np.array(np.ceil(np.abs(x)), dtype=int) for x in subject.xs]
    if subject.applied(xs)[1]:
        raise BrokenRuleError("records a graph of integers, which are constants")


def check_arrays_alone(subject: Subject) -> None:
    """The public function takes arrays as well, and returns the same arrays then, as in NumPy."""
    expected = subject.values(subject.xs)
    for y, truth in zip(subject.outputs(subject.xs), expected, strict=True):
        if isinstance(y, Variable):
            rule = "returns a Variable for arrays. Register its Function class, the third argument"
            raise BrokenRuleError(rule, truth, y)
        if not np.array_equal(y, truth, equal_nan=truth.dtype.kind in INEXACT):
            raise BrokenRuleError("gives other values for arrays than for Variables", truth, y)


def check_no_grad(subject: Subject) -> None:
    """Under ``no_grad()`` the operation records nothing."""
    with no_grad():
        ys = subject.outputs([Variable(x) for x in subject.xs])
    if any(map(has_graph, ys)):
        raise BrokenRuleError("was recorded under no_grad()")


def check_freed(subject: Subject) -> None:
    """Outputs and graph are freed with the last reference, without the garbage collector."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        variables, ys, weights = subject.applied(subject.xs)
        pass_back(ys, weights)
        watched = [weakref.ref(alive) for y in ys for alive in (y, y.creator)]
        for x in variables:
            x.cleargrad()
        ys.clear()
        if any(reference() is not None for reference in watched):
            raise BrokenRuleError("keeps its graph alive: it is part of a reference cycle")
    finally:
        if enabled:
            gc.enable()


def check_deterministic(subject: Subject) -> None:
    """The same call gives the same values and gradients, to the last bit."""
    _compare_runs(everything(subject), [everything(subject)], "the second time")


def check_threads(subject: Subject) -> None:
    """Four threads at once get the same results as one thread."""
    ready = threading.Barrier(4)

    def work(_: int) -> Any:
        ready.wait()
        try:
            return everything(subject)
        except Exception as error:  # raised below, so that its traceback is without the executor
            return error

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(work, range(4)))
    for each in found:
        if isinstance(each, Exception):
            raise each
    _compare_runs(everything(subject), found, "in a thread")


def everything(subject: Subject) -> list[Any]:
    """Return all values and gradients of a call."""
    return subject.values(subject.xs) + subject.gradients(subject.xs)


def _compare_runs(alone: list[Any], runs: Sequence[list[Any]], when: str) -> None:
    for run in runs:
        for first, other in zip(alone, run, strict=True):
            close(other, first, f"result {when}")
