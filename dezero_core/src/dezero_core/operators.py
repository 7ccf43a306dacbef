"""What Variable answers before any plugin has bound anything: helpful TypeErrors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import MissingAttributeError, MissingOperationError
from .known import METHODS

_BINARY = {
    "add": ("+", "add"),
    "sub": ("-", "subtract"),
    "mul": ("*", "multiply"),
    "truediv": ("/", "divide"),
    "floordiv": ("//", "floor_divide"),
    "mod": ("%", "remainder"),
    "divmod": ("divmod()", "divmod"),
    "pow": ("**", "power"),
    "matmul": ("@", "matmul"),
}
_OTHER = {
    "neg": ("unary -", "negative"),
    "pos": ("unary +", "positive"),
    "abs": ("abs()", "absolute"),
    "lt": ("<", "less"),
    "le": ("<=", "less_equal"),
    "gt": (">", "greater"),
    "ge": (">=", "greater_equal"),
    "eq": ("==", "equal"),
    "ne": ("!=", "not_equal"),
    "getitem": ("indexing", "getitem"),
    "iter": ("iteration", "iter"),
    "contains": ("in", "contains"),
}
OPERATORS: dict[str, tuple[str, str]] = {
    **{f"__{name}__": entry for name, entry in (_BINARY | _OTHER).items()},
    **{f"__r{name}__": entry for name, entry in _BINARY.items()},
}
"""The special methods a plugin may bind: how each is written, and its ufunc's name."""

NUMPY_FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
}
"""What NumPy's own functions do when they meet a Variable; the registry adds to it."""


class above:
    """What modules above provide to Variable; they set it when they are imported.

    Imports point only downwards, while ``x.backward()`` is a matter of the engine and a
    missing operation one of plugins.
    """

    backward: Callable[..., None]

    #: "sin" -> what to do about it, and the distribution that has it or None.
    provider: Callable[[str], tuple[str, str | None]]
    #: Load plugins that were still being imported when the core was; True if any loaded.
    load_pending: Callable[[], bool]
    #: Whether there are any.
    pending = False


def numpy_function(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return what `function` of NumPy does with Variables, None if no plugin says."""
    if above.pending and function not in NUMPY_FUNCTIONS:
        above.load_pending()
    return NUMPY_FUNCTIONS.get(function)


def missing_operation(name: str, written: str) -> MissingOperationError:
    """Return the error for an operation that no plugin provides, as the user wrote it."""
    what_to_do, distribution = above.provider(name)
    return MissingOperationError(
        f"no loaded plugin provides {written} for a Variable. {what_to_do}",
        operation=name,
        distribution=distribution,
    )


def missing_numpy_function(name: str) -> MissingOperationError:
    """Return the error for ``np.<name>``, with the operator of the same meaning."""
    symbols = (symbol for symbol, ufunc in OPERATORS.values() if ufunc == name)
    written = f"np.{name}"
    return missing_operation(name, next((f"{s!r} ({written})" for s in symbols), written))


def missing_attribute(variable: Any, name: str) -> AttributeError:
    """Return the error for ``x.name``: which distribution binds it, or Python's own."""
    what_to_do, distribution = above.provider(name)
    if distribution is None or name not in METHODS:
        kind = type(variable).__name__
        hint = f". Did you mean np.{name}(x)?" if distribution and hasattr(np, name) else ""
        return AttributeError(f"{kind!r} object has no attribute {name!r}{hint}")
    return MissingAttributeError(
        f"no loaded plugin provides the method {name!r} of Variable. {what_to_do}",
        operation=name,
        distribution=distribution,
    )


def unbound(special: str, operands: tuple[type, ...]) -> Callable[..., Any]:
    """Return what stands for an operator until a plugin binds it.

    It raises; unless the other operand is none of `operands`, which may know better.
    ``==`` and ``!=`` compare identities, as for any object.
    """
    symbol, name = OPERATORS[special]

    def operator(self: Any, *others: Any) -> Any:
        if above.pending and above.load_pending():
            bound = getattr(type(self), special)
            if bound is not operator:
                return bound(self, *others)
        if special in ("__eq__", "__ne__"):
            return getattr(object, special)(self, *others)
        if special not in ("__getitem__", "__contains__") and not all(
            isinstance(other, operands) for other in others
        ):
            return NotImplemented
        raise missing_operation(name, repr(symbol))

    operator.__name__ = special
    operator.__qualname__ = f"Variable.{special}"
    return operator
