"""The check over a batch: values and derivatives of several examples equal those of each one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from dezero_core import Variable, VariableTypeError

from ..functional.products import vjp
from ..functional.vmap import vmap
from .oracles import direction
from .rules import NotApplicableError, close, largest
from .subject import Subject, has_graph

EXAMPLES = 3


def check_over_batch(subject: Subject) -> None:
    """Compare values, gradients and second derivatives of examples with those of a batch of them.

    Also of gradients that differ from example to example, where the operands are the same: these
    are the rows of a Jacobian.
    """
    for complex_too in (False, True) if subject.sample.complex else (False,):
        examples = [subject.drawn(complex_too, number) for number in range(EXAMPLES)]
        _compare("value", _values(subject), examples)
        if subject.order:
            weights = _weights(subject, examples)
            if not weights[0]:  # no output
                continue
            given = [(w, *xs) for w, xs in zip(weights, examples, strict=True)]
            _compare("gradient", _pulled(subject), given)
            rows = [(w, *examples[0]) for w in weights]
            _compare("row of the Jacobian", _pulled(subject), rows, shared=len(examples[0]))
            if subject.order > 1:
                _compare("second gradient", _pulled_twice(subject), given)


def _values(subject: Subject) -> Callable[..., list[Any]]:
    def f(*xs: Any) -> list[Any]:
        ys = subject.outputs([Variable(x) for x in xs])
        return [y.data if isinstance(y, Variable) else y for y in ys]

    return f


def _differentiable(subject: Subject) -> Callable[..., list[Any]]:
    return lambda *xs: [y for y in subject.outputs(xs) if has_graph(y)]


def _weights(subject: Subject, examples: Sequence[Any]) -> list[list[Any]]:
    """Return the gradients at the outputs, others for each example."""
    ys, _ = vjp(_differentiable(subject), *examples[0])
    return [
        [direction(y, 0, number) * (1.0 + n) for number, y in enumerate(map(np.asarray, ys))]
        for n in range(EXAMPLES)
    ]


def _pulled(subject: Subject) -> Callable[..., list[Any]]:
    return lambda w, *xs: list(vjp(_differentiable(subject), *xs)[1](list(w)))


def _pulled_twice(subject: Subject) -> Callable[..., list[Any]]:
    def f(w: Any, *xs: Any) -> list[Any]:
        gxs, pull_back = vjp(lambda *xs: _pulled(subject)(w, *xs), *xs)
        return list(pull_back([np.ones_like(gx) for gx in gxs]))

    return f


def _compare(what: str, f: Callable[..., list[Any]], examples: Any, shared: int = 0) -> None:
    """Compare the results of a function for a batch with those for each example."""
    expected = [f(*xs) for xs in examples]
    (*own,) = zip(*examples, strict=True)
    in_axes: Any = [0] * (len(own) - shared) + [None] * shared
    args = [x[0] if axis is None else _stacked(x) for x, axis in zip(own, in_axes, strict=True)]
    try:
        got = vmap(f, in_axes=tuple(in_axes))(*args)
    except VariableTypeError as error:
        raise NotApplicableError(str(error).partition("\n")[0]) from None
    for number, y in enumerate(got):
        truth = np.stack([ys[number] for ys in expected])
        size = largest(np.where(np.isfinite(truth), truth, 0)) if truth.dtype.kind in "fc" else 0.0
        with suppress(TypeError):  # of a dtype, no number
            close(y, truth, f"{what} {number} over a batch", 1e-8, 1e-9 * (1.0 + size), 2)


def _stacked(xs: Sequence[Any]) -> Any:
    if isinstance(xs[0], (list, tuple)):
        return [np.stack(each) for each in zip(*xs, strict=True)]
    return np.stack(xs)
