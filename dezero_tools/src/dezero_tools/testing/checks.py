"""The table of checks: each with the operations that it is for, and what a call must have for it.

A check takes a `Subject`, and raises `BrokenRuleError`, or `NotApplicableError` with the reason, if
only its results show that the rule does not apply.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from dezero_core import Operation

from . import array_types, bindings, derivatives, manners, slices
from .rules import NotApplicableError
from .samples import sample_of
from .subject import Subject


def missing(operation: Operation) -> tuple[str, str]:
    """Return the thing that every check lacks, and the advice to register it; "" if none is."""
    sample = sample_of(operation)
    if not sample.calls:
        return "a sample", (
            "Say how to call it: sample=lambda kit: kit.elementwise((0.5, 3.0)) draws arrays from "
            "an interval, and kit.Sample(kit.Call(kit.Draw((2, 3)), axis=0)) states each call."
        )
    if not (operation.differentiable or operation.numpy or sample.reference):
        return "a reference", (
            "Say what its values are: kit.elementwise((0.5, 3.0), reference=...), or numpy=..."
        )
    return "", ""


def kind(operation: Operation) -> str:
    """Return ``"incomplete"``, ``"differentiable"`` or ``"plain"``."""
    if missing(operation)[0]:
        return "incomplete"
    return "differentiable" if operation.differentiable else "plain"


class Need(NamedTuple):
    """A condition of a check: what a call must have, and why it is skipped otherwise."""

    met_by: Callable[[Subject], bool]
    otherwise: str


REFERENCE = Need(
    lambda subject: subject.reference is not None, "it has neither a NumPy function nor a reference"
)
INTEGERS = Need(lambda subject: subject.sample.integers, "it takes no integers")
COMPLEX = Need(lambda subject: subject.sample.complex, "its sample does not say complex=True")
TWICE = Need(
    lambda subject: subject.sample.order > 1, "it can be differentiated {0.sample.order} times"
)
EXACT = Need(
    lambda subject: not subject.operation.approximate,
    "it is approximate: no digits are asked of third derivatives",
)
ARRAYS = Need(lambda subject: bool(subject.draws), "its call draws no array")
SEVERAL_ARRAYS = Need(lambda subject: len(subject.draws) > 1, "it takes one array")
UFUNC_OF_TWO = Need(
    lambda subject: (
        isinstance(subject.reference, np.ufunc)
        and subject.reference.signature is None
        and len(subject.draws) == 2
    ),
    "it is no ufunc of two operands",
)


class Rule(NamedTuple):
    """A check of one call, what the call needs for it, and the kinds of operations it is for."""

    check: Callable[[Subject], None]
    needs: tuple[Need, ...] = ()
    of: tuple[str, ...] = ("differentiable",)

    def require(self, subject: Subject) -> None:
        """Raise if the check does not apply to a call."""
        for need in self.needs:
            if not need.met_by(subject):
                raise NotApplicableError(need.otherwise.format(subject))


CHECKS = {
    "sample": Rule(manners.check_values, of=("incomplete",)),  # fails before it calls anything
    "values": Rule(manners.check_values, (REFERENCE,)),
    "gradient": Rule(derivatives.compare_gradient),
    "complex": Rule(derivatives.check_complex),
    "second order": Rule(derivatives.check_second_order, (TWICE,)),
    "second order, complex": Rule(derivatives.check_second_order_complex, (COMPLEX, TWICE)),
    "third order": Rule(derivatives.check_third_order, (TWICE, EXACT)),
    "hidden derivative": Rule(derivatives.check_hidden_derivative, (TWICE,)),
    "untouched": Rule(manners.check_untouched),
    "repeated": Rule(manners.check_repeated),
    "constants": Rule(manners.check_constants, (SEVERAL_ARRAYS,)),
    "layouts": Rule(manners.check_layouts),
    "elementwise": Rule(slices.check_elementwise),
    "dtypes": Rule(manners.check_dtypes),
    "integers": Rule(manners.check_integers, (REFERENCE, INTEGERS)),
    "arrays alone": Rule(manners.check_arrays_alone),
    "no_grad": Rule(manners.check_no_grad),
    "freed": Rule(manners.check_freed),
    "deterministic": Rule(manners.check_deterministic),
    "threads": Rule(manners.check_threads),
    "bindings": Rule(bindings.check_bindings),
    "operands": Rule(bindings.check_operands, (UFUNC_OF_TWO,)),
    "plain": Rule(bindings.check_plain, of=("plain",)),
}


def array_rule(array: str) -> dict[str, Rule]:
    """Return the check over arrays of another `registered` type, as a part of the table."""
    with array_types.registered(array):
        check = partial(array_types.check_over, array)
    return {f"{array} arrays": Rule(check, (ARRAYS,), of=("differentiable", "plain"))}
