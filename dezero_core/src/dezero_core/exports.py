"""Packages that import their modules when one of their names is first needed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and the ``__dir__`` of a package (PEP 562).

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
