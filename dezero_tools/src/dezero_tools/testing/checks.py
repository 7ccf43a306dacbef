"""The tables of checks that every operation must pass.

A check takes a `Subject`. It raises `BrokenRuleError` if the operation breaks the rule, or
`NotApplicableError`, with the reason, if the rule does not apply to this call.
"""

from __future__ import annotations

from collections.abc import Callable

from . import bindings, derivatives, manners, slices
from .subject import Subject

DIFFERENTIABLE_CHECKS: dict[str, Callable[[Subject], None]] = {
    "values": manners.check_values,
    "gradient": derivatives.check_gradient,
    "complex": derivatives.check_complex,
    "second order": derivatives.check_second_order,
    "second order, complex": derivatives.check_second_order_complex,
    "third order": derivatives.check_third_order,
    "hidden derivative": derivatives.check_hidden_derivative,
    "untouched": manners.check_untouched,
    "repeated": manners.check_repeated,
    "constants": manners.check_constants,
    "layouts": manners.check_layouts,
    "elementwise": slices.check_elementwise,
    "dtypes": manners.check_dtypes,
    "integers": manners.check_integers,
    "arrays alone": manners.check_arrays_alone,
    "no_grad": manners.check_no_grad,
    "freed": manners.check_freed,
    "deterministic": manners.check_deterministic,
    "threads": manners.check_threads,
    "bindings": bindings.check_bindings,
    "operands": bindings.check_operands,
}
PLAIN_CHECKS: dict[str, Callable[[Subject], None]] = {"plain": bindings.check_plain}
