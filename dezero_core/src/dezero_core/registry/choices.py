"""Which of several plugins provides an operation: in the whole process, or in a block."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..config import Block
from ..errors import PluginError, UnknownOperationError
from ..providers import CHANGES, IN_USE, PLUGINS, PREFERRED, load_plugins_first
from ..slots import SLOTS, name_of
from .loading import load_module
from .records import Plugin, changing, find, warn_at_the_end

_by_environment = PREFERRED.maps[1]


def prefer(**operations: str | None) -> None:
    """Say which plugin provides an operation from now on, in the whole process.

    `use_ops` does so for a block, with an example; ``DEZERO_OPS="exp=fastmath"`` from outside.

    Parameters
    ----------
    **operations : str or None
        Thing and plugin: ``prefer(exp="fastmath")`` for an operation with all its names,
        ``prefer(**{"np.exp": "fastmath"})`` or ``"Variable.exp"`` for one name. Where the plugin
        binds no method, say, that of another plugin stays. None takes a choice back.

    Raises
    ------
    UnknownPluginError, UnknownOperationError (LookupError), PluginError
        If there is no such plugin, it does not provide the operation, or is not loaded. Then
        nothing has changed.
    """
    chosen = _checked({thing: name for thing, name in operations.items() if name is not None})
    with changing():
        PREFERRED.maps[0].update(chosen)
        for thing in operations.keys() - chosen.keys():
            PREFERRED.maps[0].pop(thing, None)
        CHANGES[0] += 1


class use_ops(Block):
    """Take operations from the plugins given, for a ``with`` block or a decorated function.

    It holds for this thread and asyncio task; blocks nest. It holds for operators, methods and
    NumPy functions of Variables, and does not change a plugin's own function, ``fastmath.exp(x)``.

    Parameters
    ----------
    **operations : str
        Operation and plugin, as for `prefer`, which raises the same errors.

    Examples
    --------
    >>> class fastmath:
    ...     @staticmethod
    ...     @hookimpl
    ...     def dezero_register_ops(register):
    ...         double = lambda x: Variable(2.0 * x.data)
    ...         register("double", double, methods="double", alternative=True)
    >>> record, x = register(fastmath), Variable(np.array([1.0]))
    >>> with use_ops(double="fastmath"):
    ...     x.double()
    variable([2.])
    >>> hasattr(x, "double")  # an alternative is used where it is chosen
    False
    >>> unregister(fastmath).state
    'disabled'
    """

    _variable = IN_USE

    def __init__(self, **operations: str) -> None:
        self._operations = _checked(operations)

    def _changed(self, value: Mapping[str, str]) -> Mapping[str, str]:
        _checked(self._operations)  # a plugin may have been unloaded meanwhile
        return {**value, **self._operations}


def _checked(wanted: Mapping[str, str]) -> dict[str, str]:
    """Return thing -> name of the plugin, which in `wanted` may be any of its names."""
    load_plugins_first()
    chosen = {thing: find(name) for thing, name in wanted.items()}
    for thing, plugin in chosen.items():
        _require(thing, plugin)
        for module in plugin.registrar.announcements:
            if thing in (*module.operations, *map(name_of, module.names)):
                load_module(module)
        _require(thing, plugin)  # this NumPy may have no such function
    return {thing: plugin.record.name for thing, plugin in chosen.items()}


def _require(thing: str, plugin: Plugin) -> None:
    """Raise if a plugin does not provide a thing, or is not loaded."""
    record, owners = plugin.record, owners_of(thing)
    if record.state != "loaded":
        raise PluginError(f"{record} {record.why_not}", plugin=record.name)
    if record.name not in owners:
        others = " and ".join(map(repr, owners)) or "No loaded plugin"
        raise UnknownOperationError(
            f"{record} provides no operation {thing!r}. {others} {'do' if owners[1:] else 'does'}. "
            "See ops().",
            plugin=record.name,
            operation=thing,
            known=tuple(plugin.registrar.operations),
        )


def owners_of(thing: str) -> list[str]:
    """Return the plugins that provide a thing: an operation, or a name such as ``"np.exp"``."""
    named = {name for slot in list(SLOTS.values()) if slot.name == thing for name in slot.bindings}
    loaded = [(plugin.record.name, plugin.registrar.operations) for plugin in PLUGINS]
    return [name for name, operations in loaded if name in named or thing in operations]


def read_environment() -> None:
    """Prefer the plugins that ``DEZERO_OPS=exp=fastmath,log=math`` names; warn of errors in it."""
    _by_environment.clear()
    for item in filter(None, map(str.strip, os.environ.get("DEZERO_OPS", "").split(","))):
        thing, _, name = map(str.strip, item.partition("="))
        try:
            if not (thing and name):
                raise PluginError("write operation=plugin, as exp=math.")
            plugin = find(name)
            _by_environment[thing] = plugin.record.name
            if plugin.record.state != "pending":
                _require(thing, plugin)
        except PluginError as error:
            warn_at_the_end(f"DEZERO_OPS holds {item!r}, which is ignored: {error}")
