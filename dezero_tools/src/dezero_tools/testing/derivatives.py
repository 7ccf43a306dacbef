"""Checks of gradients and of second and third derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from dezero_core import MissingOperationError, Variable, grad, no_grad, plugins

from ..functional.closures import Argument
from .oracles import by_complex_step, by_differences, direction, slope
from .rules import BrokenRuleError, NotApplicableError, check_form, close, compare, largest, noted
from .subject import Subject, gradient_of, has_graph, pass_back

RTOL = 1e-11
#: The error that a derivative by differences may have, relative to its largest element.
DIFFERENCES = 2e-9


def check_complex(subject: Subject) -> None:
    """For complex data the values are NumPy's, and ``z - step * z.grad`` descends."""
    try:
        if subject.reference is not None:
            subject.outputs(subject.zs, subject.reference)
        subject.outputs([Variable(z) for z in subject.zs])
    except (TypeError, ValueError) as error:
        if subject.sample.complex:
            raise
        raise NotApplicableError("it refuses complex data") from error
    with noted(drawn=subject.zs):
        try:
            if subject.reference is not None:
                compare(subject, subject.reference, subject.zs)
            compare_gradient(subject, subject.zs)
        except BrokenRuleError as error:
            if subject.sample.complex:
                raise
            raise error.with_advice(
                "; it takes complex data, though its sample does not say so: refuse complex data "
                "in forward by a TypeError, or differentiate it with np.conj"
            ) from None


def compare_gradient(subject: Subject, at: Sequence[Any] | None = None) -> None:
    """Each gradient is right, by the complex step or by differences, in the form of its input."""
    xs = subject.xs if at is None else at
    got = subject.gradients(xs)
    check_form(got, xs)
    with no_grad():
        loss = subject.loss(xs, subject.truth)
        truth, errors = by_differences(loss, xs, subject.scales)
        exact = _complex_step(loss, xs, truth, errors)
    noise = subject.noise(xs)
    for index, gradient in enumerate(subject.projected(got)):
        with noted(input=index, gy=lambda: subject.applied(xs)[2]):
            if exact is not None:
                expected, rtol = exact[index], RTOL
                atol = 1e-13 * largest(expected) + noise[index]
            else:
                expected, rtol = truth[index], 0.0
                atol = tolerance(expected, errors[index]) + 100.0 * noise[index]
            atol += subject.allowed[0] * largest(expected)
            close(gradient, expected, f"gradient of input {index}", rtol, atol, order=1)


def _complex_step(
    loss: Callable[..., Any], xs: Sequence[Any], truth: Sequence[Any], errors: Sequence[float]
) -> list[Any] | None:
    """Return the gradients by the complex step; None if it is not applicable."""
    if any(x.dtype.kind == "c" for x in xs) or np.iscomplexobj(loss(*xs)):
        return None
    try:
        exact = by_complex_step(loss, xs)
    except Exception:  # whatever a library raises that does not compute it in complex numbers
        return None
    agree = all(
        largest(a - b) <= 1e-6 * largest(b) + min(10.0 * error, 0.1 * largest(b) + 1e-9)
        for a, b, error in zip(exact, truth, errors, strict=True)
    )
    return exact if agree else None


def tolerance(truth: Any, error: float) -> float:
    """Return how far a derivative may be from that by differences; raise if these tell nothing."""
    if np.any(np.isnan(truth)):
        raise BrokenRuleError(
            "the values are nan here or close by. Choose other arrays, where the function has "
            "values, as by the interval of a sample, or change the formula"
        )
    if not error <= max(1e-3 * largest(truth), 1e-9):  # nor if the error is nan
        raise BrokenRuleError(
            "differences do not settle here, as on a corner or a jump, of the function or of a "
            "derivative, or near the end of the domain. Choose other arrays, where it is smoother; "
            "the apart= of a sample keeps them away from corners"
        )
    return DIFFERENCES * largest(truth) + 10.0 * error


def check_second_order_complex(subject: Subject) -> None:
    """For complex data, too, the recorded gradient has the right derivatives."""
    with noted(drawn=subject.zs):
        check_second_order(subject, subject.zs)


def check_second_order(subject: Subject, at: Sequence[Any] | None = None) -> None:
    """The recorded gradient has the right derivatives, by the inputs and by ``gy``."""
    xs = subject.xs if at is None else at
    variables, ys, weights = subject.applied(xs)
    if not ys:
        raise NotApplicableError("no output has a derivative")
    gys, weights = weights, [Variable(weight) for weight in weights]
    towards = subject.towards(xs)
    roots, along = _rooted(recorded(variables, ys, weights), towards)
    pass_back(roots, [np.asarray(u, root.dtype) for root, u in zip(roots, along, strict=True)])

    def check(
        got: Any, at: Callable[[list[Any]], Any], what: str, noise: float, rtol: float
    ) -> None:
        """Compare a derivative with the slope of values: those `at` arrays that are moved."""
        truth, error = slope(lambda step: at(subject.moved(xs, towards, step)))
        atol = tolerance(truth, error) + noise + rtol * largest(truth)
        with noted(gy=gys, along=towards):
            close(got, truth, what, 0.0, atol, order=2)

    of_values, of_gradients = subject.allowed
    noise = [100.0 * each for each in subject.noise(xs)]
    for index, product in enumerate(subject.projected(list(map(gradient_of, variables)))):

        def gradient_at(moved: list[Any], index: int = index) -> Any:
            return subject.projected(subject.gradients(moved))[index]

        what = f"second derivative by input {index}"
        check(product, gradient_at, what, noise[index], of_gradients)
    for index, weight in enumerate(weights):

        def value_at(moved: list[Any], index: int = index) -> Any:
            return subject.applied(moved)[1][index].data

        what = "derivative of the gradient by gy"
        check(gradient_of(weight), value_at, what, noise[0] * subject.scales[0], of_values)


def _rooted(found: Sequence[Any], towards: Sequence[Any]) -> tuple[list[Variable], list[Any]]:
    """Return the gradients that have a graph, and the directions for them."""
    pairs = [(g, u) for g, u in zip(found, towards, strict=True) if has_graph(g)]
    return [g for g, _ in pairs], [u for _, u in pairs]


def check_third_order(subject: Subject) -> None:
    """The second derivative has a graph of its own, and the right derivative."""
    towards = subject.towards(subject.xs)

    def second(moved: Sequence[Any], create_graph: bool = False) -> Any:
        """Return, for each input, the Hessian times `towards`; and the Variables."""
        variables, ys, weights = subject.applied(moved)
        gradients = recorded(variables, ys, list(map(Variable, weights)))
        roots, starts = _rooted(gradients, towards)
        if not roots:
            raise NotApplicableError("its gradient is constant")
        with _operators():
            return grad(roots, variables, create_graph, grad_outputs=starts), variables

    def along(step: float) -> float:
        products, _ = second(subject.moved(subject.xs, towards, step))
        return sum(float(np.sum(p * u)) for p, u in zip(products, towards, strict=True))

    products, variables = second(subject.xs, create_graph=True)
    roots, starts = _rooted(products, towards)
    got = 0.0
    if roots:
        with _operators():
            third = grad(roots, variables, grad_outputs=starts)
        got = sum(float(np.sum(t * u)) for t, u in zip(third, towards, strict=True))
    truth, error = slope(along)
    noise = zip(subject.noise(subject.xs), subject.scales, strict=True)
    atol = tolerance(truth, error) + 1e5 * max(each * scale for each, scale in noise)
    gradients = subject.gradients(subject.xs)
    atol += 1e-8 * max(largest(g * u) for g, u in zip(gradients, towards, strict=True))
    atol += 1e-9 * abs(along(0.0))
    with noted(gy=lambda: subject.applied(subject.xs)[2], along=towards):
        close(got, truth, "third derivative", 1e-7, atol, order=3)


def recorded(
    variables: Sequence[Variable], ys: Sequence[Variable], weights: Sequence[Variable]
) -> list[Any]:
    """Return the recorded gradients by `variables`, and clear them there."""
    with _operators():
        for y, weight in zip(ys, weights, strict=True):
            y.grad = Copied()(weight)
            y.backward(create_graph=True)
    gradients = [x.grad for x in variables]
    for x in variables:
        x.cleargrad()
    return gradients


@contextmanager
def _operators() -> Iterator[None]:
    """Skip the check if the plugin of the operators is not loaded: second derivatives need it."""
    try:
        yield
    except MissingOperationError as error:  # or MissingAttributeError, which is one
        if any(record.name == "basic" and record.operations for record in plugins()):
            raise
        why = "the operators that a second derivative needs are not loaded"
        raise NotApplicableError(why) from error


class Copied(Argument):
    """Copies a Variable, so that an input of the graph becomes a Variable with a creator."""

    def forward(self, x: Any) -> Any:
        return x.copy()


def check_hidden_derivative(subject: Subject) -> None:
    """If the gradient depends on an input, its graph leads to it: no saved array hides it."""
    before = subject.gradients(subject.xs)
    for index, x in enumerate(subject.xs):
        moved = [*subject.xs]
        moved[index] = np.asarray(x + 0.01 * subject.towards(subject.xs)[index])
        after = subject.gradients(moved)
        depends = any(
            largest(a - b) > 1e-6 * largest(b) + 1e5 * least
            for a, b, least in zip(after, before, subject.noise(subject.xs), strict=True)
        )
        if not depends:
            continue
        variables, ys, weights = subject.applied(moved)
        gradients = recorded(variables, ys, list(map(Variable, weights)))
        roots = list(filter(has_graph, gradients))
        # Random weights instead of ones: the plain sum of a gradient may be constant.
        pass_back(roots, [direction(root.data, 2, which) for which, root in enumerate(roots)])
        if not np.any(variables[index].grad):
            raise BrokenRuleError(
                f"the gradient depends on input {index}, but its graph does not lead there: "
                "backward computes with a value that forward has put aside",
                order=2,
            )
