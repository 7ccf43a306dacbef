"""The contract of an operation, check by check.

Each check raises an AssertionError; ``test_checker.py`` plants the errors they must find.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dezero_core import Function, GraphError, MissingOperationError, Variable, no_grad

from .oracles import STEP, complex_step, direction, richardson

RTOL, ATOL = 1e-12, 1e-14
SECOND_ORDER_RTOL, SECOND_ORDER_ATOL = 1e-10, 1e-11
DTYPES = (np.float16, np.float32, np.longdouble)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One way to call one operation, and what it has to give.

    Attributes
    ----------
    call : takes a Variable for each input and returns a Variable.
    reference : the same in NumPy.
    smooth : the same on complex arrays; None if that is `reference` itself.
    ulps : how far the values may be from the reference, in units of the dtype's precision.
    converts : whether the dtype of the result is not that of the inputs.
    """

    call: Callable[..., Any]
    reference: Callable[..., Any]
    smooth: Callable[..., Any] | None = None
    ulps: int = 0
    converts: bool = False

    def analytic(self, *zs: Any) -> Any:
        return (self.smooth or self.reference)(*zs)


class Same(Function):
    """A copy: makes of an input a Variable that has a creator."""

    saves = ()

    def forward(self, x):
        return x.copy()

    def backward(self, gy):
        return gy


def first_order(
    call: Callable[..., Variable], xs: Sequence[Any], create_graph: bool = False
) -> tuple[Variable, list[Any]]:
    """Return the output, and the gradients of its sum weighted with ``direction(y)``."""
    variables = [Variable(x) for x in xs]
    y = call(*variables)
    y.grad = direction(y)
    y.backward(create_graph=create_graph)
    return y, [x.grad for x in variables]


def check_forward(subject: Subject, xs: Sequence[Any]) -> None:
    """The values, shape and dtype are NumPy's, in an ndarray also if of no dimensions."""
    y = subject.call(*[Variable(x) for x in xs])
    assert type(y) is Variable, f"returned {type(y)}"
    assert_equals_numpy(subject, y.data, xs)


def assert_equals_numpy(subject: Subject, got: Any, xs: Sequence[Any]) -> None:
    expected = np.asarray(subject.reference(*xs))
    assert type(got) is np.ndarray, f"holds {type(got)}"
    assert got.dtype == expected.dtype, f"dtype {got.dtype}, but NumPy gives {expected.dtype}"
    assert got.shape == expected.shape, f"shape {got.shape}, but NumPy gives {expected.shape}"
    if subject.ulps:
        tolerance = subject.ulps * np.finfo(expected.dtype).eps
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(got, expected)


def check_gradient(subject: Subject, xs: Sequence[Any]) -> None:
    """Every gradient is an ndarray, and equals the complex-step derivative."""
    y, gradients = first_order(subject.call, xs)
    zs = [x.astype(complex) for x in xs]
    np.testing.assert_allclose(
        subject.analytic(*zs).real, y.data, rtol=RTOL, atol=ATOL, err_msg="the oracle is wrong"
    )
    for got, truth in zip(gradients, complex_step(subject.analytic, xs, direction(y)), strict=True):
        assert type(got) is np.ndarray, f"the gradient is {type(got)}"
        assert got.shape == truth.shape, f"gradient of shape {got.shape}, input {truth.shape}"
        np.testing.assert_allclose(got, truth, rtol=RTOL, atol=ATOL)


def check_second_order(subject: Subject, xs: Sequence[Any]) -> None:
    """The recorded backward has the right derivatives, by the inputs and by ``gy``."""
    variables = [Variable(x) for x in xs]
    y = subject.call(*variables)
    weights = Variable(direction(y))
    y.grad = Same()(weights)
    y.backward(create_graph=True)
    gradients = [x.grad for x in variables]
    towards = [direction(x, seed=1) for x in xs]
    for x in variables:
        x.cleargrad()
    for gradient, u in zip(gradients, towards, strict=True):
        assert type(gradient) is Variable, f"under create_graph the gradient is {type(gradient)}"
        if gradient.creator is not None:
            gradient.grad = u
            gradient.backward()

    def gradients_at(step: float) -> Any:
        moved = [np.asarray(x + step * u) for x, u in zip(xs, towards, strict=True)]
        return np.concatenate([g.ravel() for g in first_order(subject.call, moved)[1]])

    got = [np.zeros(x.shape) if x.grad is None else x.grad for x in variables]
    np.testing.assert_allclose(
        np.concatenate([g.ravel() for g in got]),
        richardson(gradients_at),
        rtol=SECOND_ORDER_RTOL,
        atol=SECOND_ORDER_ATOL,
        err_msg="second derivative by the inputs",
    )
    moved = [x + 1j * STEP * u for x, u in zip(xs, towards, strict=True)]
    slope = np.imag(subject.analytic(*moved)) / STEP
    got = np.zeros(y.shape) if weights.grad is None else weights.grad
    np.testing.assert_allclose(
        got, slope, rtol=RTOL, atol=ATOL, err_msg="derivative of the gradient by gy"
    )


def check_refused_without_operators(subject: Subject, xs: Sequence[Any]) -> None:
    """``create_graph`` names the distribution it needs, and leaves every ``.grad`` alone."""
    variables = [Variable(x) for x in xs]
    y = subject.call(*variables)
    with pytest.raises(MissingOperationError, match="dezero-ops-basic") as caught:
        y.backward(create_graph=True)
    assert caught.value.distribution == "dezero-ops-basic"
    assert [x.grad for x in variables] == [None] * len(variables)


def check_untouched(subject: Subject, xs: Sequence[Any]) -> None:
    """Neither the inputs nor the output nor the gradient it starts from are written to."""
    variables = [Variable(x.copy()) for x in xs]
    y = subject.call(*variables)
    value, gy = y.data.copy(), direction(y)
    y.grad = gy
    y.backward()
    for index, (variable, x) in enumerate(zip(variables, xs, strict=True)):
        np.testing.assert_array_equal(variable.data, x, err_msg=f"input {index} was written to")
    np.testing.assert_array_equal(y.data, value, err_msg="the output was written to")
    np.testing.assert_array_equal(gy, direction(y), err_msg="gy was written to")


def check_dtype(
    subject: Subject, xs: Sequence[Any], dtype: Any, create_graph: bool = False
) -> None:
    """A floating dtype goes in and comes out, of the values and of the gradients."""
    xs = [x.astype(dtype) for x in xs]
    y, gradients = first_order(subject.call, xs, create_graph)
    assert subject.converts or y.dtype == dtype, f"{np.dtype(dtype)} in, {y.dtype} out"
    assert_equals_numpy(subject, y.data, xs)
    assert [gradient.dtype for gradient in gradients] == [dtype] * len(xs)


def check_layouts(subject: Subject, xs: Sequence[Any]) -> None:
    """It is the values that count, not how they lie in memory or whether they are writable."""
    expected, expected_gradients = first_order(subject.call, xs)
    for name, lay_out in LAYOUTS.items():
        variables = [Variable(lay_out(x)) for x in xs]
        y = subject.call(*variables)
        y.grad = lay_out(direction(y))
        y.backward()
        got = [y.data, *(x.grad for x in variables)]
        for a, b in zip(got, [expected.data, *expected_gradients], strict=True):
            np.testing.assert_allclose(a, b, rtol=RTOL, atol=ATOL, err_msg=name)


def _strided(x: Any) -> Any:
    wide = np.full([2 * n for n in x.shape], np.nan, x.dtype)
    view = wide[(slice(None, None, 2),) * x.ndim + (...,)]
    view[...] = x
    return view


def _read_only(x: Any) -> Any:
    x = x.copy()
    x.flags.writeable = False
    return x


LAYOUTS = {
    "Fortran-ordered": lambda x: np.array(x, order="F"),
    "every second element": _strided,
    "backwards": lambda x: np.asarray(np.flip(np.flip(x).copy())),
    "read-only": _read_only,
}


def check_nothing_recorded(subject: Subject, xs: Sequence[Any]) -> None:
    """Under ``no_grad`` the values are the same, and there is no graph."""
    with no_grad():
        y = subject.call(*[Variable(x) for x in xs])
    assert_equals_numpy(subject, y.data, xs)
    assert (y.creator, y.generation) == (None, 0), "it was recorded under no_grad"
    with pytest.raises(GraphError, match=r"under no_grad\(\)"):
        y.backward()


def check_freed(subject: Subject, xs: Sequence[Any], create_graph: bool = False) -> None:
    """Output, node and data go when the user lets go, without the garbage collector."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        variables = [Variable(x) for x in xs]
        y = subject.call(*variables)
        y.backward(create_graph=create_graph)
        watched = [weakref.ref(y), weakref.ref(y.creator), weakref.ref(y.data)]
        # A recorded gradient leads back to the input that holds it; cleargrad() unties that.
        watched += [weakref.ref(x.grad) for x in variables]
        for x in variables:
            x.cleargrad()
        del y
        assert [ref() for ref in watched] == [None] * len(watched), "not freed"
    finally:
        if enabled:
            gc.enable()
