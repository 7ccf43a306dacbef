"""Which of several plugins provides a thing: the one that is chosen, or that no other one contests.

A thing is an operation, ``"exp"``, or one name as users write it: ``"np.exp"``, ``"Variable.exp"``,
``"observe.nan"``.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any

PLUGINS: dict[tuple[str, str], Any] = {}
"""Names of a plugin and of its distribution -> each plugin that was seen, loaded or not."""

NEVER_IN_DOUBT: dict[str, str | None] = {}
"""Operators, and all that the engine itself calls -> the distribution to install for them.

Of several plugins one stays in use, if there is any reason to keep one. `slots` fills this table.
"""

AWAITED: list[Callable[[], None]] = []
"""Holds what loads the plugins whose package was itself being imported when the core was."""

#: How often plugins were loaded, unloaded or preferred, in a list of one: so that nobody goes on
#: with what was found before.
CHANGES = [0]

#: Thing -> plugin: as `prefer` says, then as ``DEZERO_OPS`` does.
PREFERRED: ChainMap[str, str] = ChainMap({}, {})
#: Thing -> plugin, as `use_ops` says for this thread and task.
IN_USE: ContextVar[Mapping[str, str]] = ContextVar("dezero_use_ops", default={})  # noqa: B039


def load_awaited() -> None:
    """Load the plugins that are still to be loaded, before anything is said to be missing."""
    for load in tuple(AWAITED):
        load()


def in_use(thing: str, providers: Mapping[str, Any]) -> str | None:
    """Return the plugin of these that provides a thing: by choice, or if no other contests it.

    None if several contest it, or all are alternatives, and none is chosen. The `providers` are
    plugin -> its `Binding` or `Operation`.
    """
    if (plugin := chosen(thing, providers)) is not None:
        return plugin
    contestants = contesting(providers)
    if len(contestants) == 1:
        return contestants[0]
    return that_stays(contestants, NEVER_IN_DOUBT[thing]) if thing in NEVER_IN_DOUBT else None


def chosen(thing: str, providers: Mapping[str, Any]) -> str | None:
    """Return the plugin of these that the user has chosen for a thing, or for its operation."""
    for choices in filter(None, (IN_USE.get(), *PREFERRED.maps)):
        if choices.get(thing) in providers:
            return choices[thing]
        for plugin, provided in providers.items():
            if provided.operation is not None and choices.get(provided.operation) == plugin:
                return plugin
    return None


def chosen_first(providers: Mapping[str, Any]) -> list[str]:
    """Return these plugins, first those that are chosen for anything at all."""
    choices = {*IN_USE.get().values(), *PREFERRED.values()}
    return sorted(providers, key=lambda plugin: plugin not in choices)


def contesting(providers: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the plugins that do not provide a thing as an alternative only."""
    return tuple(plugin for plugin, provided in providers.items() if not provided.alternative)


@cache  # cleared when a plugin has been loaded or unloaded
def that_stays(contestants: tuple[str, ...], advised: str | None) -> str | None:
    """Return the plugin whose operators stay in use: the others require it, or it is advised."""
    known = [each for each in list(PLUGINS.values()) if each.record.state == "loaded"]
    plugins = [each for each in known if each.record.name in contestants]
    for plugin in plugins:
        others = [other for other in plugins if other is not plugin]
        below = (each.is_based_on(plugin) and not plugin.is_based_on(each) for each in others)
        if others and all(below):
            return str(plugin.record.name)
    stays = (each.record for each in plugins if each.record.distribution == advised)
    return next((record.name for record in stays), None)
