"""What type checkers and editors are told of Variable: its own methods, and what plugins bind.

The command ``dezero stubs`` writes it. The stub of the one module ``variable`` is made of two
things: its source without the bodies of functions (`source`), and the signatures and docstrings
of what plugins have bound (`members`).
"""

from __future__ import annotations

from .package import PACKAGE, differences, stub_package, write

__all__ = ["PACKAGE", "differences", "stub_package", "write"]
