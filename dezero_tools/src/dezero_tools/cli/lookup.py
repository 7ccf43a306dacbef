"""All operations there are, and the one that a user names."""

from __future__ import annotations

from collections.abc import Sequence

from dezero_core.errors import MissingOperationError, UnknownOperationError
from dezero_core.registry import manager
from dezero_core.registry.discovery import did_you_mean
from dezero_core.registry.loading import REGISTRY
from dezero_core.registry.registrar import Operation
from dezero_core.slots import OPERATORS, advice_on, distribution_of, public_name

_LISTED = 8


def all_operations() -> tuple[Operation, ...]:
    """Return all operations that can be imported; of those of one name, the one in use is first."""
    found = manager.providers().values()
    return tuple(operation for each in found for operation in each)


def operation_named(name: str, operations: Sequence[Operation]) -> Operation:
    """Return an operation by its name, NumPy's name, its operator or its method.

    Parameters
    ----------
    name : str
        Such as ``exp``, ``np.exp``, ``np.linalg.inv``, ``__add__`` or ``+``.
    operations : sequence of Operation
        Those to choose from.

    Raises
    ------
    MissingOperationError (TypeError)
        If there is none, with the distribution that has it.
    PluginLoadError
        If it is in a module that cannot be imported.
    UnknownOperationError (LookupError)
        If nobody is known to have it, with the nearest name.
    """
    plain = name.removeprefix("numpy.").removeprefix("np.")
    for names_of in (_own_name, _numpy_names, _operators, _methods):
        for operation in operations:
            if plain in names_of(operation):
                return operation
    REGISTRY.load_operations([plain])
    operators = (
        ufunc for dunder, (symbol, ufunc) in OPERATORS.items() if plain in (dunder, symbol)
    )
    ufunc = next(operators, plain)
    if distribution_of(ufunc) is not None:
        what_to_do, distribution = advice_on(ufunc)
        raise MissingOperationError(
            f"no loaded plugin provides {name!r}. {what_to_do}",
            operation=name,
            distribution=distribution,
        )
    known = list(dict.fromkeys(operation.name for operation in operations))
    inside = [each for each in known if each.startswith(f"{plain}.")]
    listed = ", ".join(known[:_LISTED]) + (", …" if len(known) > _LISTED else "")
    advice = f"There are {', '.join(inside)}." if inside else did_you_mean(plain, known)
    broken = [record.name for record in manager.plugins() if record.is_broken]
    if broken:
        advice = f"{advice} Not loaded, see dezero doctor: {', '.join(broken)}.".lstrip()
    raise UnknownOperationError(
        f"no operation {name!r} is known. There are {len(known)}"
        f"{f' ({listed})' if known else ''}. {advice}".rstrip(),
        operation=name,
        known=known,
    )


def _own_name(operation: Operation) -> Sequence[str]:
    return (operation.name,)


def _numpy_names(operation: Operation) -> Sequence[str]:
    return [public_name(function).removeprefix("np.") for function in operation.numpy]


def _operators(operation: Operation) -> Sequence[str]:
    return [*operation.dunders, *symbols(operation.dunders)]


def _methods(operation: Operation) -> Sequence[str]:
    return operation.methods


def symbols(dunders: Sequence[str]) -> list[str]:
    """Return how special methods are written, such as ``+``; reflected ones are left out."""
    known = [dunder for dunder in dunders if dunder in OPERATORS]
    return [OPERATORS[dunder][0] for dunder in known if not is_reflected(dunder)]


def is_reflected(dunder: str) -> bool:
    """Return whether it is the operator of a right operand, such as ``__radd__``."""
    return dunder.startswith("__r") and f"__{dunder[3:]}" in OPERATORS
