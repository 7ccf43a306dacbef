"""Names that packages of operations need of the core besides those of `dezero_core` itself.

It is the only other module of the core that they import from::

    from dezero_core import Function, Registrar, Variable
    from dezero_core.extend import Array, Operand
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from .array_types import call_by_type, certain, is_lazy, placed, possible
from .arrays import require_values
from .notes import explain_call
from .sums import FEW_ROWS, sum_to

__all__ = [
    "FEW_ROWS",
    "Array",
    "Operand",
    "call_by_type",
    "certain",
    "explain_call",
    "is_lazy",
    "lazily",
    "placed",
    "possible",
    "require_values",
    "sum_to",
]

Array = Any
"""An ndarray; or a Variable, where a method of a Function is differentiated in its turn."""

Operand = Any
"""A Variable, an ndarray or a number: what the public function of an operation takes."""


def lazily(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a ``__getattr__`` and ``__dir__`` by which a package imports modules when needed.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    modules : mapping from str to str
        Module of the package -> the names in it that the package has too, with spaces between.
        One of a folder, such as ``"registry.sampling"``, is no name of the package itself.
    """
    namespace = vars(sys.modules[package])
    home = {name: module for module, names in modules.items() for name in names.split()}

    def attribute(name: str) -> Any:
        if name not in home and name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = import_module(f"{package}.{home.get(name, name)}")
        # From now on it is there, and nobody asks here.
        namespace[name] = getattr(found, name) if name in home else found
        return namespace[name]

    def names() -> list[str]:
        return sorted({*namespace, *home, *(module for module in modules if "." not in module)})

    return attribute, names
