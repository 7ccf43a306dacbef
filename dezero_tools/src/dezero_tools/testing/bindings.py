"""Checks that an operation gives the same results by every name that it is bound to."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import NUMBERS, SLOTS, public_name

from .manners import everything
from .oracles import directions
from .rules import BrokenRuleError, check_same_form, close, how_far, noted
from .subject import Subject, as_list, pass_back


def check_bindings(subject: Subject) -> None:
    """NumPy's functions, methods and operators give the same results as the public function."""
    expected = everything(subject)
    for name, call in ways(subject).items():
        for a, b in zip(everything(subject.by(call)), expected, strict=True):
            close(a, b, f"result of {name}")


def ways(subject: Subject) -> dict[str, Callable[..., Any]]:
    """Return the ways to make this call without the public function: name -> callable."""
    operation, first = subject.operation, subject.call.args[:1]
    found: dict[str, Callable[..., Any]] = {}
    if subject.sample.reference is None:
        found |= {public_name(function): function for function in operation.numpy}
    if not (first and hasattr(first[0], "between")):
        return found  # the first argument is no Variable, so there is no method to call
    for name in operation.methods:
        if not isinstance(SLOTS[name].value(), property):
            found[f"x.{name}()"] = lambda x, *args, name=name, **kw: getattr(x, name)(*args, **kw)
        elif not subject.call.args[1:] and not subject.call.kwargs:
            found[f"x.{name}"] = lambda x, name=name: getattr(x, name)
    for name in operation.dunders:
        if name in _NO_CALLS:
            continue
        if name.startswith("__r") and f"__{name[3:]}" in operation.dunders:
            if len(subject.draws) == 2:
                found[name] = lambda x0, x1, name=name: getattr(x1, name)(x0)
        else:
            found[name] = lambda x, *args, name=name: getattr(x, name)(*args)
    return found


#: Special methods that call no operation, or return no result.
_NO_CALLS = {"__iter__", "__contains__", "__setitem__", "__array_priority__"}


def check_operands(subject: Subject) -> None:
    """If one operand is an array or a number, the value and dtype are those of NumPy."""
    reference = subject.reference
    for dtype in (np.float64, np.float32):
        x = np.asarray(subject.xs[0], dtype=dtype)
        for name, other in OPERANDS.items():
            if np.ndim(other) and x.shape[-1:] != (3,):
                continue  # the array of OPERANDS has three elements
            for order in (1, -1):
                with noted(drawn=(x, np.asarray(other))[::order]):
                    what = f"{np.dtype(dtype)}, {name}"
                    _check_operand(subject, reference, x, other, order, what)


OPERANDS: dict[str, Any] = {
    "ndarray": np.array([2.0, 1.0, 2.5]),
    "float32 ndarray": np.array([2.0, 1.0, 2.5], dtype=np.float32),
    "integer ndarray": np.array([2, 1, 3]),
    "int8 ndarray": np.array([2, 1, 3], dtype=np.int8),
    "ndarray of no dimensions": np.array(2.0),
    "float": 2.0,
    "int": 2,
    "bool": True,
    "NumPy float": np.float64(2.0),
    "NumPy float32": np.float32(2.0),
    "NumPy int": np.int64(2),
}


def _check_operand(
    subject: Subject, reference: Any, x: Any, other: Any, order: int, what: str
) -> None:
    expected = [np.asarray(y) for y in as_list(reference(*(x, other)[::order]))]
    for call in (subject.function, *ways_of_two(subject)):
        variable, constant = Variable(x), Variable(np.asarray(other, dtype=np.float64))
        ys = as_list(call(*(variable, other)[::order]))
        for y, truth in zip(ys, expected, strict=True):
            form = f"with {what}: another shape or dtype than {subject.standard}"
            check_same_form(y.data, truth, form)
            close(y.data, truth, f"value with {what}", 1e-7, 1e-7)
        pass_back(ys, directions([y.data for y in ys]))
        gradient = variable.grad
        variable.cleargrad()
        ys = as_list(subject.function(*(variable, constant)[::order]))
        gys = directions([y.data for y in ys])
        pass_back(ys, gys)
        with noted(gy=gys):
            close(gradient, variable.grad, f"gradient with {what}", 2e-6, 2e-6, order=1)


def ways_of_two(subject: Subject) -> list[Callable[..., Any]]:
    """Return NumPy's function, and Python's operator if there is one, of two operands."""
    names = (name for name in subject.operation.dunders if not name.startswith("__r"))
    known = [name for name in names if name not in _NO_CALLS and hasattr(operator, name)]
    return [*subject.operation.numpy, *(getattr(operator, name) for name in known)]


def check_plain(subject: Subject) -> None:
    """An operation without a derivative returns NumPy's own result, and no Variable."""
    expected = subject.outputs(subject.xs, subject.reference)
    variables = list(map(Variable, subject.xs))
    for name, call in {"the function": subject.function, **ways(subject)}.items():
        got = subject.outputs(variables, call)
        for a, b in zip(got, expected, strict=True):
            if isinstance(a, Variable):
                raise BrokenRuleError(f"{name} gives a Variable", b, a)
            found, truth = np.asarray(a), np.asarray(b)
            form = f"{name} gives another shape or dtype than {subject.standard}"
            check_same_form(found, truth, form)
            numbers = truth.dtype.kind in NUMBERS
            if not np.array_equal(found, truth, equal_nan=numbers):
                off, size = how_far(found, truth) if numbers else ("not the same", None)
                raise BrokenRuleError(f"wrong values of {name}, {off}", b, a, size)
