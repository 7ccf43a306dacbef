"""The stub package that tells type checkers and editors which members plugins bind onto Variable.

The command ``dezero stubs`` writes the package. It has a stub of one module, ``variable``. The stub
is made from the source of the module without the bodies of functions (`source`), and from the
signatures and docstrings of the members that plugins have bound (`members`).
"""

from __future__ import annotations

from .package import PACKAGE, differences, stub_package, write

__all__ = ["PACKAGE", "differences", "stub_package", "write"]
