"""One operation in one call of its sample: its arrays, its values, its gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np

from dezero_core import Operation, Variable, no_grad
from dezero_core.extend import INEXACT

from ..functional.closures import Argument
from .oracles import direction, directions
from .samples import Call, Draw, order_of, sample_of

#: The least distance of a drawn array from a jump of the derivative.
_NEAR = 0.1
#: The relative errors that the gradient and the second derivative of an operation declared as
#: approximate may have.
APPROXIMATE = (1e-7, 1e-4)


class Subject:
    """An operation, or `function` in its place, such as NumPy's, with one `Call` of its sample."""

    def __init__(
        self, operation: Operation, call: Call, function: Callable[..., Any] | None = None
    ) -> None:
        self.operation, self.call = operation, call
        self.function = function or operation.function
        self.sample = sample_of(operation)
        self.draws: list[Draw] = call.draws()

    def by(self, function: Callable[..., Any]) -> Subject:
        """Return the same call of another function."""
        return Subject(self.operation, self.call, function)

    @property
    def reference(self) -> Callable[..., Any] | None:
        """The function that returns the right values for arrays, or None."""
        return self.sample.reference or next(iter(self.operation.numpy), None)

    @property
    def truth(self) -> Callable[..., Any]:
        """The reference, without one the function itself, whose derivatives are compared alone."""
        return self.reference or self.function

    @property
    def standard(self) -> str:
        """The reference, as messages call it."""
        return "the reference" if self.sample.reference else "NumPy"

    @property
    def order(self) -> int:
        """How often the operation can be differentiated; 2 stands for any number of times."""
        return order_of(self.operation)

    @property
    def allowed(self) -> tuple[float, float]:
        """The relative errors that the gradient and the second derivative may have."""
        return APPROXIMATE if self.operation.approximate else (0.0, 0.0)

    @cached_property
    def xs(self) -> list[Any]:
        """The arrays that the sample asks for. They are the same each time."""
        return self.drawn(complex_too=False)

    @cached_property
    def zs(self) -> list[Any]:
        """Arrays such as `xs` with imaginary parts, drawn from the same intervals."""
        return self.drawn(complex_too=True)

    def drawn(self, complex_too: bool, example: int = 0) -> list[Any]:
        """Return arrays that the sample asks for, others for each example."""
        number = next((n for n, call in enumerate(self.sample.calls) if call is self.call), 0)
        seed = [crc32(self.operation.name.encode()), number, complex_too]
        rng = np.random.default_rng(seed + [example] * bool(example))
        apart = self.sample.apart
        for _ in range(10_000):
            raw = []
            for draw in self.draws:
                x = rng.uniform(*draw.between, draw.shape)
                raw.append(x + 1j * rng.uniform(*draw.between, draw.shape) if complex_too else x)
            drawn = zip(self.draws, self.projected(raw), strict=True)
            xs = [np.asarray(x + draw.plus) for draw, x in drawn]
            # NumPy orders complex numbers by their real parts, so these must be apart.
            reals = [x.real for x in xs]
            if apart is None or np.min(apart(*reals), initial=np.inf) > _NEAR:
                return xs
        raise ValueError(f"no array drawn for {self.call} is {_NEAR} apart from the jumps")

    @property
    def scales(self) -> list[float]:
        """For each array, the scale on which the operation may change: a sixth of its interval."""
        widths = [draw.between[1] - draw.between[0] for draw in self.draws]
        return [width / 6.0 or 1.0 for width in widths]

    def towards(self, xs: Sequence[Any]) -> list[Any]:
        """Return a step for each array, of the size of its scale."""
        steps = zip(directions(xs), self.scales, strict=True)
        return self.projected([np.asarray(u * scale, dtype=u.dtype) for u, scale in steps])

    def moved(self, xs: Sequence[Any], towards: Sequence[Any], step: float) -> list[Any]:
        """Return arrays that are moved by a step in some directions."""
        return [np.asarray(x + step * u) for x, u in zip(xs, towards, strict=True)]

    def noise(self, xs: Sequence[Any]) -> list[float]:
        """Return, for each array, the rounding error that a gradient by it may have."""
        with no_grad():
            ys = map(array_of, self.outputs(xs))
        size = sum(float(np.sum(np.abs(y[np.isfinite(y)]))) for y in ys if y.dtype.kind in INEXACT)
        return [1e-13 * size / scale for scale in self.scales]

    def projected(self, arrays: Sequence[Any]) -> list[Any]:
        """Return `arrays` after the projection of each draw, such as onto symmetric matrices."""
        return [
            array if draw.project is None else draw.project(array)
            for draw, array in zip(self.draws, arrays, strict=True)
        ]

    def outputs(self, xs: Sequence[Any], function: Callable[..., Any] | None = None) -> list[Any]:
        """Return the outputs of the function for `xs`, always as a list."""
        args, kwargs = self.call.filled(iter(xs))
        if self.sample.writes:
            args = (_own(args[0], args[1:]), *args[1:])
            (function or self.function)(*args, **kwargs)
            return [args[0]]
        return as_list((function or self.function)(*args, **kwargs))

    def values(self, xs: Sequence[Any]) -> list[Any]:
        """Return the outputs for Variables of `xs`, as arrays."""
        return list(map(array_of, self.outputs(list(map(Variable, xs)))))

    def applied(self, xs: Sequence[Any]) -> tuple[list[Variable], list[Variable], list[Any]]:
        """Return Variables of `xs`, the outputs that have a graph, and weights for them."""
        variables = [Variable(x) for x in xs]
        return variables, *self.rooted(variables)

    def rooted(self, operands: Sequence[Any]) -> tuple[list[Variable], list[Any]]:
        """Return the outputs for operands that have a graph, and weights for them."""
        numbered = [(n, y) for n, y in enumerate(self.outputs(operands)) if has_graph(y)]
        return [y for _, y in numbered], [direction(y.data, 0, n) for n, y in numbered]

    def gradients(self, xs: Sequence[Any]) -> list[Any]:
        """Return the gradients of ``Re(sum(conj(weight) * y))``, summed over outputs, by `xs`."""
        variables, ys, weights = self.applied(xs)
        pass_back(ys, weights)
        return list(map(gradient_of, variables))

    def loss(self, origin: Sequence[Any], function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function that `gradients` differentiates, near the arrays `origin`."""
        weights = [
            np.conj(direction(y, 0, index)) if y.dtype.kind in INEXACT else 0.0
            for index, y in enumerate(map(array_of, self.outputs(origin, function)))
        ]

        def loss(*moved: Any) -> Any:
            steps = self.projected([m - x for m, x in zip(moved, origin, strict=True)])
            moved = tuple(np.asarray(x + s) for x, s in zip(origin, steps, strict=True))
            ys = self.outputs(moved, function)
            return sum(np.sum(w * array_of(y)) for w, y in zip(weights, ys, strict=True))

        return loss


def _own(x: Any, others: Any) -> Any:
    """Return an operand to be written into, in place of one of the caller's.

    It is a Variable if another one is, since an array cannot hold the graph.
    """
    if isinstance(x, Variable):
        return Argument()(x)
    own = np.copy(x)
    return Variable(own) if any(isinstance(other, Variable) for other in others) else own


def as_list(ys: Any) -> list[Any]:
    """Return the results of a function as a list, also if there is one."""
    return list(ys) if isinstance(ys, (list, tuple)) else [ys]


def has_graph(y: Any) -> bool:
    """Return whether a result is a Variable that can be differentiated."""
    return isinstance(y, Variable) and y.creator is not None


def pass_back(ys: Sequence[Variable], gys: Sequence[Any]) -> None:
    """Run the backward pass from each of some Variables, with the gradient there."""
    for y, gy in zip(ys, gys, strict=True):
        y.grad = gy
        y.backward()


def gradient_of(x: Variable) -> Any:
    """Return the gradient that backward passes have left at a Variable; zeros, if it is none."""
    return np.zeros_like(x.data) if x.grad is None else x.grad


def array_of(y: Any) -> Any:
    """Return the values of a Variable, an array or a number as an ndarray."""
    return y.data if isinstance(y, Variable) else np.asarray(y)
