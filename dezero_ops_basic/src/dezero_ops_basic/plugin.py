"""What this distribution registers: the operators, each in the file of its kind."""

from __future__ import annotations

from dezero_core import Registrar, hookimpl

from . import (
    arithmetic,
    broadcasting,
    casting,
    comparison,
    complex_numbers,
    division,
    indexing,
    magnitude,
    matrix_product,
    power,
    remainder,
    unary,
)

DEZERO_PLUGIN_API = (1, 0)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Bind every operator to its operation."""
    for family in (
        arithmetic,
        division,
        remainder,
        power,
        matrix_product,
        unary,
        magnitude,
        comparison,
        indexing,
        broadcasting,
        casting,
        complex_numbers,
    ):
        family.register_ops(register)
