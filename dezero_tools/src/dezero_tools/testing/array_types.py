"""The check over arrays of another type: values and gradients equal those of ndarrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from dezero_core import PluginError, Variable, VariableTypeError, grad
from dezero_core.extend import ARRAY_TYPES, ArrayType, data_of, kind_of
from dezero_tools.guessing import did_you_mean

from .batches import check_over_batch
from .oracles import direction
from .rules import BrokenRuleError, NotApplicableError, check_same_form, close, largest, noted
from .strict import STRICT
from .subject import Subject, has_graph

#: Dtype -> tolerance of the general path, compared with a short way that only ndarrays take.
_RTOL = {"float64": 1e-10, "complex128": 1e-10, "float32": 1e-4}


@contextmanager
def registered(name: str) -> Iterator[ArrayType]:
    """Give the array type of a name; `StrictArray` is registered while the block lasts.

    Raise if no loaded plugin registers a type of that name, or the type has no ``from_numpy``.
    """
    if name == STRICT.name and name not in ARRAY_TYPES:
        # Not by a plugin: after loading or unloading one, the registry looks up everything again.
        ARRAY_TYPES[name] = STRICT
        try:
            yield STRICT
        finally:
            del ARRAY_TYPES[name]
    elif name not in ARRAY_TYPES:
        known = sorted([STRICT.name, *(k.name for k in ARRAY_TYPES.values() if k.from_numpy)])
        guess = did_you_mean(name, known) or f"Known: {', '.join(known)}."
        raise PluginError(f"no loaded plugin registers arrays called {name!r}. {guess}")
    elif ARRAY_TYPES[name].from_numpy is None:
        raise PluginError(
            f"{name} arrays cannot be checked: their ArrayType has no from_numpy, which makes one "
            "of an ndarray."
        )
    else:
        yield ARRAY_TYPES[name]


def check_over(name: str, subject: Subject) -> None:
    """Compare values and derivatives over arrays of a type with those of ndarrays."""
    if name == "batched":  # these are within a batch alone
        check_over_batch(subject)
        return
    with registered(name) as kind:
        all_of_it = [True] * len(subject.xs)
        _compare(subject, kind, subject.xs, all_of_it)
        if subject.sample.complex:
            with noted(drawn=subject.zs):
                _compare(subject, kind, subject.zs, all_of_it)
        if "float32" in subject.sample.dtypes:
            with noted(dtype=np.dtype(np.float32)):
                short = [np.asarray(x, np.float32) for x in subject.xs]
                _compare(subject, kind, short, all_of_it)
        for index in range(len(subject.xs) if len(subject.xs) > 1 else 0):
            mixed = [other != index for other in range(len(subject.xs))]
            _compare(subject, kind, subject.xs, mixed)


def _compare(subject: Subject, kind: ArrayType, xs: Sequence[Any], converted: list[bool]) -> None:
    """Compare for arrays `xs`: `converted` says which of them are converted to the type."""
    convert: Any = kind.from_numpy
    made = [convert(x) if yes else x for x, yes in zip(xs, converted, strict=True)]
    expected = _computed(subject, xs, np.asarray)
    try:
        with nullcontext() if kind.without_computing is None else kind.without_computing():
            got = _computed(subject, made, convert)
    except VariableTypeError as error:
        arrays = getattr(error, "arrays", "any")
        if arrays == "any":
            raise
        raise NotApplicableError(arrays) from None
    # A second derivative that is 0 is the difference of numbers as large as the others.
    arrays = [truth for _, truth in expected.values() if isinstance(truth, np.ndarray)]
    size = max((largest(np.where(np.isfinite(x), x, 0)) for x in arrays), default=0.0)
    for what in {**expected, **got}:
        order, y = got.get(what) or (expected[what][0], None)
        _, truth = expected.get(what) or (order, None)
        if y is None or truth is None:  # one side has no gradient, so the other is zeros
            there = y if truth is None else truth
            there = kind.to_numpy(there) if kind_of(there) is kind else there
            close(there, np.zeros_like(there), f"{what} over {kind.name} arrays", order=order)
        else:
            _check_one(f"{what} over {kind.name} arrays", kind, y, truth, order, size)
    for x, before in zip(made, xs, strict=True):
        if kind_of(x) is kind:
            close(kind.to_numpy(x), before, f"{kind.name} array, which was written to,")


def _computed(
    subject: Subject, arrays: Sequence[Any], made: Callable[[Any], Any]
) -> dict[str, tuple[int, Any]]:
    """Return by name the order and array of each value, gradient and second derivative."""
    variables = list(map(Variable, arrays))
    ys = subject.outputs(variables)
    found = {f"value {index}": (0, data_of(y)) for index, y in enumerate(ys)}
    roots = list(filter(has_graph, ys))
    for order in range(1, min(subject.order, 2) + 1):
        if not roots:
            break
        weights = [made(direction(y, order, index)) for index, y in enumerate(roots)]
        number = ("", "second ")[order - 1]
        gxs = grad(roots, variables, grad_outputs=weights)
        found |= {f"{number}gradient {i}": (order, gx) for i, gx in enumerate(gxs)}
        if order == 1 < subject.order:
            given = list(map(Variable, weights))
            roots = list(filter(has_graph, grad(roots, variables, True, given)))
    return found


def _check_one(what: str, kind: ArrayType, y: Any, truth: Any, order: int, size: float) -> None:
    is_of_the_type = kind_of(y) is kind
    y = kind.to_numpy(y) if is_of_the_type else y
    if not isinstance(truth, (np.ndarray, np.generic)):
        if y != truth:
            raise BrokenRuleError(f"wrong {what}", truth, y)
    elif is_of_the_type:
        check_same_form(y, truth, f"{what} has another shape or dtype")
        rtol = _RTOL.get(str(truth.dtype), 0.0)
        close(y, truth, what, rtol, rtol * size, order)
    elif order == 0 or y.any():  # zeros by an ndarray that the result does not depend on
        raise BrokenRuleError(f"{what} is of {type(y)}, which is of another type", truth, y)
