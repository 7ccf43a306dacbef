"""Find operations: all that are known, or the one that a user names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dezero_core import MissingOperationError, Operation, UnknownOperationError, plugins
from dezero_core.extend import (
    OPERATORS,
    SLOTS,
    advice_on,
    distribution_of,
    operations_of,
    public_name,
)

from ..guessing import did_you_mean
from ..providers import providers

_LISTED = 8
#: The least likeness of a suggestion, of 1: "lgo" is a slip for "log", "nosuch" none for "cosh".
_LIKENESS = 0.65


def all_operations() -> tuple[Operation, ...]:
    """Return all operations that can be imported. The operation in use is the first of its name."""
    return tuple(operation for found in providers().values() for operation in found)


def operation_named(name: str, operations: Sequence[Operation]) -> Operation:
    """Return the operation called ``exp``, ``np.exp``, ``np.linalg.inv``, ``__add__`` or ``+``.

    The error is a MissingOperationError if a known distribution has it, but no loaded plugin; a
    PluginLoadError if its module cannot be imported; else an UnknownOperationError.
    """
    plain = name.removeprefix("numpy.").removeprefix("np.")
    for names in zip(*map(_names, operations), strict=True):
        for operation, of_one in zip(operations, names, strict=True):
            if plain in of_one:
                return operation
    # Raise if a module that announces the name cannot be imported.
    for record in plugins():
        if plain in record.operations:
            operations_of(record.name)
    for key in (plain, f"np.{plain}"):
        if key in SLOTS:
            SLOTS[key].binding()
    ufuncs = (ufunc for dunder, (symbol, ufunc) in OPERATORS.items() if plain in (dunder, symbol))
    ufunc = next(ufuncs, plain)
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
    advice = did_you_mean(plain, known, _LIKENESS)
    advice = f"There are {', '.join(inside)}." if inside else advice
    broken = [record.name for record in plugins() if record.is_broken]
    if broken:
        advice = f"{advice} Not loaded, see dezero doctor: {', '.join(broken)}.".lstrip()
    raise UnknownOperationError(
        f"no operation {name!r} is known. There are {len(known)}"
        f"{f' ({listed})' if known else ''}. {advice}".rstrip(),
        operation=name,
        known=known,
    )


def _names(operation: Operation) -> tuple[Sequence[str], ...]:
    """Return the names of an operation: a kind of them comes before the next, of all operations."""
    functions = [public_name(function).removeprefix("np.") for function in operation.numpy]
    operators = [*operation.dunders, *symbols(operation.dunders)]
    return (operation.name,), functions, operators, operation.methods


def by_advice(missing: Iterable[tuple[str, str]], title: str) -> list[dict[str, Any]]:
    """Return a row for each advice on missing things: a name of each, and its operation."""
    groups: dict[tuple[str, str | None], list[str]] = {}
    for name, operation in missing:
        groups.setdefault(advice_on(operation), []).append(name)
    return [
        {"distribution": distribution, "advice": advice, title: names}
        for (advice, distribution), names in groups.items()
    ]


def symbols(dunders: Sequence[str]) -> list[str]:
    """Return the symbols of special methods, such as ``+``, without those of reflected ones."""
    known = [dunder for dunder in dunders if dunder in OPERATORS]
    return [OPERATORS[dunder][0] for dunder in known if not is_reflected(dunder)]


def is_reflected(dunder: str) -> bool:
    """Return whether `dunder` is the method of a right operand, such as ``__radd__``."""
    return dunder.startswith("__r") and f"__{dunder[3:]}" in OPERATORS
