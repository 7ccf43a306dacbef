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

DEZERO_PLUGIN_API = (2, 0)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Let each file register its operators, and bind them to their operations."""
    for family in (
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
    ):
        family.register_ops(register)
