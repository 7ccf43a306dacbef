"""Stubs, which tell type checkers and editors what plugins bind.

The package ``dezero_core-stubs`` has a stub of one module, ``dezero_core.bound``, with the members
of Variable that plugins have bound: their signatures, with docstrings. ``docs/make_stubs.py``
writes it without docstrings for the wheel of dezero-ops-basic.
"""

from .package import PACKAGE, differences, stub_package, write

__all__ = ["PACKAGE", "differences", "stub_package", "write"]
