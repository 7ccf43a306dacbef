"""What Variable answers before any plugin has bound anything: helpful TypeErrors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .errors import MissingAttributeError, MissingOperationError

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

LATER: dict[str, Callable[[], None]] = {}
"""``__add__``, ``sum``, ``np.linalg.inv`` -> what loads it, where a plugin has announced it."""


class above:
    """What modules above provide to Variable; they set it when they are imported.

    Imports point only downwards, while ``x.backward()`` is a matter of the engine and a
    missing operation one of plugins.
    """

    backward: Callable[..., None]

    #: Attributes of the class Variable, as they are at the time.
    attributes: Mapping[str, Any]

    #: "sin" -> what to do about it, and the distribution that has it or None.
    provider: Callable[[str], tuple[str, str | None]]
    #: Load plugins that were still being imported when the core was.
    load_pending: Callable[[], None]
    #: Whether there are any.
    pending = False

    #: Add a note to an error that left what a NumPy function does with Variables.
    explain_call: Callable[..., None]


def load_later(what: str) -> None:
    """Load what may provide something that is not there: a key of `LATER`."""
    if above.pending:
        above.load_pending()
    load = LATER.get(what)
    if load is not None:
        load()


def numpy_function(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return what `function` of NumPy does with Variables, None if no plugin says."""
    found = NUMPY_FUNCTIONS.get(function)
    if found is None:
        load_later(f"np.{numpy_name(function)}")
        found = NUMPY_FUNCTIONS.get(function)
    return found


def numpy_name(function: Callable[..., Any]) -> str:
    """Return a NumPy function as users write it, without the ``np.``: ``linalg.inv``."""
    module = getattr(function, "__module__", None) or "numpy"
    return f"{module}.{getattr(function, '__name__', function)}".removeprefix("numpy.")


def missing_operation(name: str, written: str, advice: str = "") -> MissingOperationError:
    """Return the error for an operation that no plugin provides, as the user wrote it.

    The `advice` is for what no known distribution has.
    """
    what_to_do, distribution = above.provider(name)
    if distribution is None:
        what_to_do = f"{what_to_do} {advice}".rstrip()
    return MissingOperationError(
        f"no loaded plugin provides {written} for a Variable. {what_to_do}",
        operation=name,
        distribution=distribution,
    )


def missing_numpy_function(function: Callable[..., Any], method: str = "") -> MissingOperationError:
    """Return the error for a NumPy function, with the operator of the same meaning.

    `method` is one of a ufunc, as ``".reduce"``.
    """
    name = numpy_name(function) + method
    symbols = (symbol for symbol, ufunc in OPERATORS.values() if ufunc == name)
    written = public_name(function) + method
    written = next((f"{symbol!r} ({written})" for symbol in symbols), written)
    return missing_operation(name, written, "dezero_tools.numeric_op(f) gives an approximate one.")


def public_name(function: Callable[..., Any]) -> str:
    """Return how a function is written by who imports its library: ``scipy.special.erf``."""
    name = f"{home_of(function)}.{getattr(function, '__name__', function)}"
    return f"np.{name.removeprefix('numpy.')}" if name.startswith("numpy.") else name


def home_of(function: Callable[..., Any]) -> str:
    """Return the name of the module that who uses a function imports: ``scipy.special``.

    A ufunc does not know where it is from, so the modules are looked through that are there.
    """
    name = getattr(function, "__name__", "")
    for module in sorted(sys.modules, key=len):
        names = getattr(sys.modules[module], "__dict__", {})
        if names.get(name) is function and name in names.get("__all__", ()):
            return module
    return getattr(function, "__module__", None) or "numpy"


def unbound(special: str, operands: tuple[type, ...]) -> Callable[..., Any]:
    """Return what stands for an operator until a plugin binds it.

    It loads the plugin's module, if one has announced the operator. Otherwise it raises; unless
    the other operand is none of `operands`, which may know better. ``==`` and ``!=`` compare
    identities, as for any object.
    """
    symbol, name = OPERATORS[special]

    def operator(self: Any, *others: Any) -> Any:
        load_later(special)
        bound = above.attributes[special]
        if bound is not operator:
            return attribute_of(bound, self, type(self))(*others)
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


class Unbound:
    """Stands for a method or property until a plugin binds it.

    It loads the plugin's module, if one has announced the attribute; otherwise the attribute is
    not there, and who asks for it is told which distribution has it.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, variable: Any, owner: type) -> Any:
        load_later(self.name)
        bound = above.attributes.get(self.name, self)
        if bound is not self:
            return attribute_of(bound, variable, owner)
        what_to_do, distribution = above.provider(self.name)
        raise MissingAttributeError(
            f"no loaded plugin provides the method {self.name!r} of Variable. {what_to_do}",
            operation=self.name,
            distribution=distribution,
        )


def is_missing(attribute: str) -> bool:
    """Return whether an attribute of Variable is there only for the sake of its error."""
    return type(above.attributes.get(attribute)) is Unbound and attribute not in LATER


def attribute_of(attribute: Any, variable: Any, owner: type) -> Any:
    """Return what ``variable.attribute`` is, given what the class has."""
    get = getattr(type(attribute), "__get__", None)
    return attribute if get is None else get(attribute, variable, owner)
