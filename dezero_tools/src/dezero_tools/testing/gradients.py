"""``check_gradient``: the derivatives of a function of one's own, which no plugin registers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dezero_core import Operation, Variable, VariableTypeError, grad, using_config
from dezero_core.extend import INEXACT

from ..functional.tracing import name_of
from ..functional.trees import leaves_of, like, paths_of
from .derivatives import Copied, compare_gradient
from .rules import BrokenRuleError, array_lines, largest
from .samples import Call, Draw
from .subject import Subject, array_of, has_graph

Flat = Callable[..., list[Any]]
"""Takes Variables, and returns a list of Variables."""


class GradientCheckError(AssertionError):
    """A derivative of a function is wrong.

    Facts: ``function``, its name; ``order``, that of the derivative; ``argument``, the number of
    the argument that it is the derivative by, and ``path``, the place in it, such as
    ``"argument 0['w']"``, both None if it is the derivative by ``gy``; ``expected`` and ``got``,
    arrays, and ``position``, the index of the worst element; ``size``, the largest difference
    relative to the largest element expected, None if that is no finite number. With ``point``, the
    arrays of all arguments, ``gy``, the gradients at the outputs, and ``along``, the directions of
    a second derivative, the failure can be repeated by hand.
    """

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message)
        vars(self).update(facts)


def check_gradient(f: Callable[..., Any], *args: Any, order: int = 2, rtol: float = 1e-7) -> None:
    """Check the derivatives of a function at a point, and raise if one is wrong.

    The truth is computed from values alone, by the complex step or by extrapolated differences, for
    which each element is moved by itself: take small arrays. The gradient is that of
    ``sum(gy * y)``, summed over the outputs, for a random ``gy``, and the second derivative that of
    ``sum(along * gradient)``, by the arguments and by ``gy``.

    Parameters
    ----------
    f : callable
        Takes Variables. Returns a Variable, or nested tuples, lists, dicts and dataclasses of
        Variables.
    *args
        The point: numbers, arrays, Variables, or nested tuples, lists, dicts and dataclasses of
        them. `f` gets the floating-point ones, real or complex, by which it is differentiated, as
        Variables in double precision, and all others as they are. Write options into `f`:
        ``lambda x: huber(x, 0.5)``, ``lambda x: f(x, axis=0)``.
    order : int
        1 checks the gradient alone, 2 also the derivatives of the gradient.
    rtol : float
        The error that is allowed, relative to the largest element of a derivative.

    Raises
    ------
    GradientCheckError (AssertionError)
        If a derivative is wrong. If there is none at this point, as far as differences can tell.
    VariableTypeError (TypeError)
        If no argument, or no result, is a floating-point number: nothing could be checked.

    Examples
    --------
    >>> class Cube(Function):
    ...     def forward(self, x):
    ...         return x * x * x
    ...
    ...     def backward(self, gy):
    ...         x = self.inputs[0].data
    ...         return gy * x * x  # the factor 3 is missing
    >>> try:
    ...     check_gradient(lambda x: Cube()(x), np.array([1.0, 2.0]))
    ... except AssertionError as error:
    ...     print(str(error).partition(", off")[0])
    <lambda>: wrong gradient by argument 0 at [1]
    """
    if order < 1:
        raise ValueError(f"order must be 1 or more, got {order}.")
    leaves = leaves_of(args)
    moved = [i for i, leaf in enumerate(leaves) if array_of(leaf).dtype.kind in INEXACT]
    # For each leaf the number of its argument, and its path: ``0, "argument 0['w']"``.
    every = [(n, path) for n, arg in enumerate(args) for path in paths_of(arg, f"argument {n}")]
    places = [every[i] for i in moved]
    numbers = {number for number, _ in places}
    arrays = [array_of(leaves[i]) for i in moved]
    xs = [np.array(x, np.complex128 if x.dtype.kind == "c" else np.float64) for x in arrays]

    def flat(*variables: Variable) -> list[Any]:
        filled = list(leaves)
        for i, variable in zip(moved, variables, strict=True):
            filled[i] = variable
        trees = zip(args, like(args, filled), strict=True)
        given = [b if number in numbers else a for number, (a, b) in enumerate(trees)]
        results = leaves_of(f(*given))
        return [y for y in results if array_of(y).dtype.kind in INEXACT]

    with warnings.catch_warnings():
        # NumPy warns where the complex step drops an imaginary part, or a difference is nan.
        warnings.simplefilter("ignore")
        if not xs or not flat(*map(Variable, xs)):
            what = "result" if xs else "argument"
            raise VariableTypeError(
                f"no {what} of {name_of(f)} is a floating-point number, so nothing can be checked. "
                "Pass 3.0 for 3, and return a Variable.",
                got=what,
            )
        _check(name_of(f), flat, xs, places, order, rtol)


def _check(
    name: str, function: Flat, xs: list[Any], places: list[Any], order: int, rtol: float
) -> None:
    """Check the derivatives up to `order`: each is the gradient of the gradient before it."""
    point = xs
    given: list[list[Any]] = []
    for each in range(1, order + 1):
        subject = _Point(function, xs, rtol)
        try:
            compare_gradient(subject, xs)
        except BrokenRuleError as error:
            place = dict(enumerate(places)).get(vars(error)["input"], (None, None))
            facts = {"function": name, "order": each, "argument": place[0], "path": place[1]}
            gys = [*given, vars(error)["gy"]]
            facts |= {"point": point, "gy": gys[0], "along": [u for us in gys[1:] for u in us]}
            raise _failure(error, facts) from None
        gys = subject.applied(xs)[2]
        if not gys:  # no result depends on an argument
            return
        function, xs, given = _gradient_of(function, len(xs)), [*xs, *gys], [*given, gys]


def _gradient_of(function: Flat, count: int) -> Flat:
    """Return the function of `count` arguments, and of ``gy``, that gives the gradients."""

    def gradient(*variables: Variable) -> list[Any]:
        xs, gys = list(variables[:count]), list(variables[count:])
        ys = list(filter(has_graph, function(*xs)))
        found: list[Any] = grad(ys, xs, create_graph=True, grad_outputs=gys)
        return found

    return gradient


def _failure(error: BrokenRuleError, facts: dict[str, Any]) -> GradientCheckError:
    order, path = facts["order"], facts["path"] or "gy"
    what = {1: "gradient", 2: "second derivative"}.get(order, f"derivative of order {order}")
    message, expected, got = str(error), error.expected, error.got
    facts |= {"expected": expected, "got": got, "size": error.size, "position": None}
    if error.order:
        worst = np.unravel_index(np.argmax(np.abs(got - expected)), expected.shape)
        facts["position"] = tuple(map(int, worst))
        at = f" at {list(facts['position'])}" if expected.ndim else ""
        message = f"wrong {what} by {path}{at}{message[message.index(', off') :]}"
    arrays = {name: facts[name] for name in ("point", "gy", "along")}
    lines = [f"{facts['function']}: {message}", *array_lines(arrays, expected, got)]
    return GradientCheckError("\n".join(lines), **facts)


class _Point(Subject):
    """A function of arrays at one point, in place of an operation in a call of its sample."""

    def __init__(self, function: Flat, xs: list[Any], rtol: float) -> None:
        call = Call(*(Draw(x.shape) for x in xs))
        super().__init__(Operation("", "", function, None, True, "", (), (), (), None), call)
        self.xs, self.rtol = xs, rtol

    @property
    def scales(self) -> list[float]:
        """For each array, the scale on which the function may change: its size, and at most 1."""
        return [min(largest(x), 1.0) or 1.0 for x in self.xs]

    @property
    def allowed(self) -> tuple[float, float]:
        return self.rtol, self.rtol

    def outputs(self, xs: Sequence[Any], function: Flat | None = None) -> list[Any]:
        """Return the outputs for Variables of `xs`, recorded also under ``no_grad()``."""
        variables = (x if isinstance(x, Variable) else Variable(x) for x in xs)
        with using_config("enable_backprop", True):
            # Copies, so that a result that is an argument has a graph as well.
            return self.function(*(Copied()(x) for x in variables))

    def gradients(self, xs: Sequence[Any]) -> list[Any]:
        """Return the gradients by `xs`, and touch no ``.grad``: the function may have a closure."""
        variables, ys, weights = self.applied(xs)
        if not ys:
            return [np.zeros_like(x) for x in xs]
        found: list[Any] = grad(ys, variables, grad_outputs=weights)
        return found
