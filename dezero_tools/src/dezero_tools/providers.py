"""The operations of all plugins, also of those that are not in use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dezero_core import Operation, ops
from dezero_core.extend import IN_USE, PLUGINS, SLOTS, Block, key_of, operations_of, plugin_in_use


def providers() -> dict[str, tuple[Operation, ...]]:
    """Return the operations of each name: first the one in use, then those of other plugins.

    Warns
    -----
    PluginWarning
        Once, if a module that a plugin announces cannot be imported: its operations are left out.

    Examples
    --------
    >>> [name for name, operations in providers().items() if len(operations) > 1]
    []
    """
    ops()  # loads the plugins, and says which modules cannot be imported
    found: dict[str, dict[str, Operation]] = {}
    for plugin in list(PLUGINS):
        for operation in operations_of(plugin, attempting=True):
            found.setdefault(operation.name, {})[operation.plugin] = operation
    ordered = {}
    for name, operations in sorted(found.items()):
        first = plugin_in_use(name, operations)
        by_use = sorted(
            operations.values(), key=lambda each: (each.plugin != first, not is_in_use(each))
        )
        ordered[name] = tuple(by_use)
    return ordered


class provided_by(Block):
    """`use_ops` for a mapping from operations to plugins, also of operations under test."""

    _variable = IN_USE

    def __init__(self, operations: Mapping[str, str]) -> None:
        self._operations = operations

    def _changed(self, value: Mapping[str, str]) -> Mapping[str, str]:
        return {**value, **self._operations}


def is_in_use(operation: Operation) -> bool:
    """Return whether any name of an operation leads to it; without a name, whether it is in use."""
    return operation.plugin in answers(operation).values()


def answers(operation: Operation) -> dict[str, str | None]:
    """Return name of an operation -> the plugin in use there, None where using it raises."""
    keys = (*operation.dunders, *operation.methods, *map(key_of, operation.numpy))
    named: dict[str, Mapping[str, Any]] = {
        SLOTS[key].name: SLOTS[key].bindings for key in keys if key in SLOTS
    }
    if not named:
        of_all = {plugin.record.name: plugin.registrar.operations for plugin in PLUGINS}
        name = operation.name
        named = {name: {plugin: of[name] for plugin, of in of_all.items() if name in of}}
    return {name: plugin_in_use(name, of) for name, of in named.items()}
