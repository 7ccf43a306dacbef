"""Stubs, which tell type checkers and editors what plugins bind.

The command ``dezero stubs`` writes the package ``dezero_core-stubs`` (`package`). It has a stub of
one module, ``dezero_core.bound``, with the members of Variable that plugins have bound: their
signatures (`signatures`) with docstrings (`bound`). The same is written for the wheel of
dezero-ops-basic, without docstrings, by ``docs/make_stubs.py`` in the repository.
"""

from __future__ import annotations

from .package import PACKAGE, differences, stub_package, write

__all__ = ["PACKAGE", "differences", "stub_package", "write"]
