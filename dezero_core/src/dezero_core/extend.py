"""Names that packages of operations need of the core besides those of `dezero_core` itself.

It is the only other module of the core that they import from::

    from dezero_core import Function, Registrar, Variable
    from dezero_core.extend import Array, Operand
"""

from __future__ import annotations

from typing import Any

from .exports import lazily
from .notes import explain_call
from .sums import FEW_ROWS, sum_to

__all__ = ["FEW_ROWS", "Array", "Operand", "explain_call", "lazily", "sum_to"]

Array = Any
"""An ndarray; or a Variable, where a method of a Function is differentiated in its turn."""

Operand = Any
"""A Variable, an ndarray or a number: what the public function of an operation takes."""
