"""The registration of this distribution: the operators, each in the file of its kind."""

from __future__ import annotations

from importlib import import_module

from dezero_core import Registrar, hookimpl

DEZERO_PLUGIN_API = (2, 0)

#: The files of this package that register operators.
FAMILIES = """
    adding_at arithmetic broadcasting casting comparison complex_numbers copying division
    indexing magnitude matrix_product power putting remainder unary writing
"""


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Let each file register its operators, and bind them to their operations."""
    for family in FAMILIES.split():
        import_module(f"dezero_ops_basic.{family}").register_ops(register)
