"""Checks of gradients, of second derivatives, and of what hides them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..config import no_grad
from ..errors import MissingOperationError
from ..function import Function
from ..plugin_manager import ops
from ..variable import Variable
from .oracles import by_complex_step, by_differences, direction, directions, slope
from .rules import BrokenRuleError, NotApplicableError, close, compare_with
from .subject import Subject

RTOL, ATOL = 1e-11, 1e-13
#: Of differences, relative to the largest element.
DIFFERENCES = 2e-9


def check_gradient(subject: Subject) -> None:
    """Each gradient is an ndarray of its input's shape and dtype, and the right one."""
    _check_gradient(subject, subject.xs)


def check_complex(subject: Subject) -> None:
    """Of complex data values are NumPy's, and ``z - step * z.grad`` descends."""
    try:
        if subject.reference is not None:
            subject.outputs(subject.zs, subject.reference)
        subject.outputs([Variable(z) for z in subject.zs])
    except (TypeError, ValueError) as error:
        if subject.sample.complex:
            raise
        raise NotApplicableError("it does not take complex data") from error
    if subject.reference is not None:
        compare_with(subject, subject.reference, subject.zs)
    _check_gradient(subject, subject.zs)


def _check_gradient(subject: Subject, xs: Sequence[Any]) -> None:
    got = subject.gradients(xs)
    for index, (gradient, x) in enumerate(zip(got, xs, strict=True)):
        if type(gradient) is not np.ndarray:
            raise BrokenRuleError(
                f"the gradient of input {index} is no ndarray", np.ndarray, gradient
            )
        if (gradient.shape, gradient.dtype) != (x.shape, x.dtype):
            raise BrokenRuleError(
                f"the gradient of input {index} has not its shape and dtype", x, gradient
            )
    function = subject.reference or subject.function
    with no_grad():
        loss = subject.loss(xs, function)
        truth = by_differences(loss, xs)
        exact = _complex_step(loss, xs, truth)
    for index, gradient in enumerate(subject.projected(got)):
        what = f"gradient of input {index}"
        if exact is not None:
            close(gradient, exact[index], what, RTOL, ATOL)
        else:
            close(gradient, truth[index], what, 0.0, _difference_tolerance(truth))


def _complex_step(
    loss: Callable[..., Any], xs: Sequence[Any], truth: Sequence[Any]
) -> list[Any] | None:
    """Return what the complex step gives, if differences confirm it to be applicable."""
    if any(x.dtype.kind == "c" for x in xs) or np.iscomplexobj(loss(*xs)):
        return None
    try:
        exact = by_complex_step(loss, xs)
    except (TypeError, ValueError):
        return None  # NumPy does not compute it in complex numbers
    tolerance = _difference_tolerance(truth)
    agree = all(np.allclose(a, b, 0.0, tolerance) for a, b in zip(exact, truth, strict=True))
    return exact if agree else None


def _difference_tolerance(truth: Sequence[Any]) -> float:
    return DIFFERENCES * max([1.0, *(np.max(np.abs(t), initial=0.0) for t in truth)])


def check_second_order(subject: Subject) -> None:
    """The gradient, recorded, has the right derivatives: by the inputs and by ``gy``."""
    _check_second_order(subject, subject.xs)


def check_second_order_complex(subject: Subject) -> None:
    """The same, of complex data."""
    if not subject.sample.complex:
        raise NotApplicableError("it does not take complex data")
    _check_second_order(subject, subject.zs)


def _check_second_order(subject: Subject, xs: Sequence[Any]) -> None:
    _need_second_order(subject)
    variables, ys, weights = subject.applied(xs)
    if not ys:
        raise NotApplicableError("no output has a derivative")
    weights = [Variable(weight) for weight in weights]
    gradients = _recorded(variables, ys, weights)
    towards = subject.projected(directions(xs))
    for gradient, u in zip(gradients, towards, strict=True):
        if gradient is not None and gradient.creator is not None:
            gradient.grad = np.asarray(u, dtype=gradient.dtype)
            gradient.backward()

    def gradients_at(step: float) -> Any:
        moved = [np.asarray(x + step * u) for x, u in zip(xs, towards, strict=True)]
        return _flat(subject.projected(subject.gradients(moved)))

    got = [np.zeros(x.shape) if x.grad is None else x.grad for x in variables]
    truth = slope(gradients_at)
    tolerance = _difference_tolerance([truth])
    close(_flat(subject.projected(got)), truth, "second derivative", 0.0, tolerance)

    def values_at(step: float) -> Any:
        moved = [np.asarray(x + step * u) for x, u in zip(xs, towards, strict=True)]
        return _flat([y.data for y in subject.applied(moved)[1]])

    got = [np.zeros(w.shape) if w.grad is None else w.grad for w in weights]
    truth = slope(values_at)
    tolerance = _difference_tolerance([truth])
    close(_flat(got), truth, "derivative of the gradient by gy", 0.0, tolerance)


def _need_second_order(subject: Subject) -> None:
    if subject.sample.order < 2:
        raise NotApplicableError(f"it can be differentiated {subject.sample.order} times")


def _recorded(
    variables: Sequence[Variable], ys: Sequence[Variable], weights: Sequence[Variable]
) -> list[Any]:
    """Return the gradients by `variables`, recorded, and let go of them."""
    try:
        for y, weight in zip(ys, weights, strict=True):
            y.grad = _Same()(weight)
            y.backward(create_graph=True)
    except MissingOperationError as error:
        if any(operation.plugin == "basic" for operation in ops()):
            raise
        raise NotApplicableError(
            "the operators that a second derivative needs are not loaded"
        ) from (error)
    gradients = [x.grad for x in variables]
    for x in variables:
        x.cleargrad()
    return gradients


class _Same(Function):
    """A copy: makes of an input a Variable that has a creator."""

    saves = ()

    def forward(self, x: Any) -> Any:
        return x.copy()

    def backward(self, gy: Any) -> Any:
        return gy


def check_hidden_derivative(subject: Subject) -> None:
    """Where the gradient depends on an input, its graph leads there: no saved array hides it."""
    _need_second_order(subject)
    before = subject.gradients(subject.xs)
    for index, x in enumerate(subject.xs):
        by = subject.projected(directions(subject.xs))[index]
        moved = [*subject.xs]
        moved[index] = np.asarray(x + 0.01 * by)
        after = subject.gradients(moved)
        scale = max([1.0, *(np.max(np.abs(g), initial=0.0) for g in before)])
        depends = any(
            np.any(np.abs(a - b) > 1e-6 * scale) for a, b in zip(after, before, strict=True)
        )
        if depends and not _reaches(subject, moved, index):
            raise BrokenRuleError(
                f"the gradient depends on input {index}, and its graph does not lead there: "
                "backward computes with something that forward put aside"
            )


def _reaches(subject: Subject, xs: Sequence[Any], index: int) -> bool:
    variables, ys, weights = subject.applied(xs)
    recorded = _recorded(variables, ys, list(map(Variable, weights)))
    for which, gradient in enumerate(recorded):
        if gradient is not None and gradient.creator is not None:
            # Not ones: the sum of the gradients may well be constant.
            gradient.grad = direction(gradient.data, 2, which)
            gradient.backward()
    return bool(np.any(variables[index].grad))


def _flat(arrays: Sequence[Any]) -> Any:
    return np.concatenate([np.ravel(a) for a in arrays]) if arrays else np.zeros(0)
