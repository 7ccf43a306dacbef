"""Formatted texts, `with`, `match`, `except` and imports, as rewritten code makes them."""

from __future__ import annotations

import sys
from importlib.util import resolve_name
from typing import Any

import numpy as np

from dezero_core.extend import Block
from dezero_tools import observe

from ..tape.classes import MISSING, is_a, is_core
from ..tape.stop import Stop
from .matching import Matching
from .operators import Operators

WATCHES = (
    "observe() or checked() watch the function from within, and a replay would show them nothing: "
    "put the block around the call of the compiled function"
)


class Blocks(Operators):
    """Formatted texts, ``with``, ``match``, ``except`` and imports, as a part of a `Scope`."""

    __slots__ = ()

    def matched(self, x: Any, pattern: Any) -> dict[str, Any] | None:
        """Return the names that a pattern of ``match`` binds, and what to; None if it fails."""
        matching = Matching(self)
        return matching.names if matching.matches(x, pattern) else None

    def raised(self, x: Any) -> Any:
        """Return the error that is raised: of a class, an instance."""
        return self.call(x) if is_a(x, type) else x

    def shown(self, x: Any, conversion: str, spec: Any) -> str:
        """Return the text of a value in a formatted string."""
        by = {"r": repr, "s": str, "a": ascii}.get(conversion)
        text = x if by is None else self._recorder.text(by, x)
        return self._recorder.text(format, text, spec or "")

    def shown_in_error(self, x: Any, conversion: str, spec: Any) -> str:
        """Return the text of a value in an error that is raised, which eager code raises anew."""
        with self._around.tape.only_if_it_raises():
            return self.shown(x, conversion, spec)

    def context(self, x: Any) -> Any:
        """Return the context manager of a ``with``."""
        if is_a(x, np.errstate):
            return x
        if is_a(x, observe):
            raise Stop(WATCHES)
        if self._recorder.special(x, "__enter__") is not None:
            return _Context(self, x)
        if not is_a(x, Block) and not is_core(type(x).__module__):
            raise Stop(
                f"enters a {type(x).__module__}.{type(x).__name__} by with, and a replay would "
                "not: enter it around the call",
                acts=True,
            )
        return x

    def caught(self) -> None:
        """Go on with the end of the recording, if a handler has caught that."""
        if isinstance(sys.exc_info()[1], Stop):
            raise

    def imported(self, module: str, attribute: str | None, found: Any) -> Any:
        """Return the object that an import within the function has found."""
        around = self._around
        if module.startswith("."):
            module = resolve_name(module, self._namespace.get("__package__") or "")
        if attribute is None:
            around.root(sys.modules, "sys.modules")
            return around.read(sys.modules, "item", module, found)
        of = sys.modules.get(module)
        if of is None or getattr(of, attribute, MISSING) is not found:
            raise Stop(f"imports {attribute} of {module}, which is found in an unusual way")
        around.root(of)
        return around.read(of, "attribute", attribute, found)


class _Context:
    """A context manager whose methods are functions of Python's."""

    def __init__(self, scope: Any, manager: Any) -> None:
        self._scope, self._manager = scope, manager

    def __enter__(self) -> Any:
        scope, manager = self._scope, self._manager
        self._exit = scope._recorder.special(manager, "__exit__")
        return scope.call(scope._recorder.special(manager, "__enter__"))

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        if is_a(error, Stop):
            return False
        return self._scope.truth(self._scope.call(self._exit, kind, error, traceback))
