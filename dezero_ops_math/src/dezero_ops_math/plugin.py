"""What this distribution registers: NumPy's functions, each in the file of its family."""

from __future__ import annotations

from dezero_core import Registrar, hookimpl

from . import elementwise, fft, linalg, products, reductions, shape

DEZERO_PLUGIN_API = (1, 0)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Register every function under NumPy's name."""
    for folder in (elementwise, reductions, shape, products, linalg, fft):
        for family in folder.FAMILIES:
            family.register_ops(register)
