"""The functions that users call: to list plugins and operations, to load and to unload them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from ..contests import PLUGINS, in_use
from ..errors import PluginError, shown
from ..slots import contested
from .choices import read_environment
from .discovery import Plugin, PluginRecord, discover, installed, normalized
from .loading import (
    REGISTRY,
    WAITING,
    after_loading,
    find,
    held_back,
    load,
    load_in_turn,
    load_pending,
    unload,
    warn,
    with_module,
)
from .operation import Operation


def plugins() -> tuple[PluginRecord, ...]:
    """Return one record for each plugin that was seen, whether it is loaded or not.

    Returns
    -------
    tuple of PluginRecord

    Examples
    --------
    >>> [p.cause for p in plugins() if p.state == "failed" and p.distribution]
    []
    """
    with REGISTRY.lock:
        load_pending()
        return tuple(map(_described, PLUGINS.values()))


def _described(plugin: Plugin) -> PluginRecord:
    """Return the record of a plugin, also with the errors of the modules that it announces."""
    record = plugin.described()
    late = [cause for module, cause in REGISTRY.broken.items() if module.plugin == record.name]
    if record.state != "loaded" or not late:
        return record
    return record._replace(cause=" ".join(late))


def seen() -> tuple[Plugin, ...]:
    """Return the plugins themselves, with all their names and their modules."""
    with REGISTRY.lock:
        return tuple(PLUGINS.values())


def ops() -> tuple[Operation, ...]:
    """Return one record for each operation, in the order of names; of the plugin in use.

    It warns as `providers` does.

    Returns
    -------
    tuple of Operation

    Examples
    --------
    >>> [operation.name for operation in ops() if operation.approximate]
    []
    """
    return tuple(found[0] for found in providers().values())


def providers() -> dict[str, tuple[Operation, ...]]:
    """Return the operations of each name: that of the plugin in use first, then the others'.

    Returns
    -------
    dict from str to tuple of Operation

    Warns
    -----
    PluginWarning
        Once, if a module that a plugin announces cannot be imported: its operations are left out.

    Examples
    --------
    >>> [name for name, operations in providers().items() if len(operations) > 1]
    []
    """
    load_pending()
    known = dict(REGISTRY.broken)
    found = REGISTRY.all_operations()
    with REGISTRY.lock, held_back:
        for module, cause in REGISTRY.broken.items():
            if known.get(module) != cause:
                warn(f"{find(module.plugin).record}: {cause} Its other operations can be used.")
    return found


def operations_of(plugin: str) -> tuple[Operation, ...]:
    """Return the operations of the loaded plugin of that name, in use or not, by name.

    Raises
    ------
    PluginLoadError
        If a module of it cannot be imported; those of other plugins are left alone.
    """
    load_pending()
    return REGISTRY.operations_of(plugin)


def parts_of(kind: str) -> dict[str, Callable[..., Any]]:
    """Return the makers of the parts of a kind that plugins have registered, by name.

    The kinds are ``"observe"`` and ``"executor"``. That of a part which several plugins have
    registered, and none is chosen, raises.
    """

    def refuse(thing: str, providers: Mapping[str, Any]) -> None:
        raise contested(thing, providers)

    load_pending()
    found: dict[str, Callable[[], Any]] = {}
    with REGISTRY.lock:
        for thing, providers in REGISTRY.parts.items():
            of, _, name = thing.partition(".")
            if of == kind:
                plugin = in_use(thing, providers)
                made_by = providers[plugin].value if plugin else partial(refuse, thing, providers)
                found[name] = made_by
    return found


class Switch(NamedTuple):
    """A list of names of plugins, and its source; the names are None if it is not set."""

    source: str
    names: tuple[str, ...] | None

    @classmethod
    def read(cls, variable: str, given: Iterable[str] | None) -> Switch:
        """Take the names given in Python, otherwise those of an environment variable."""
        if given is not None:
            return cls("load_plugins()", (given,) if isinstance(given, str) else tuple(given))
        value = os.environ.get(variable)
        names = None if value is None else map(str.strip, value.split(","))
        return cls(variable, None if names is None else tuple(filter(None, names)))

    def lists(self, plugin: Plugin) -> bool:
        """Return whether it names this plugin, by any of the plugin's names."""
        return any(normalized(name) in plugin.names for name in self.names or ())

    def warn_of_unknown(self) -> None:
        """Warn of each name that no plugin has."""
        known = set().union(*(plugin.names for plugin in PLUGINS.values()))
        for name in self.names or ():
            if normalized(name) not in known:
                warn(
                    f"{self.source} names {name!r}, and no plugin of that name is installed. "
                    f"{installed(name, PLUGINS.values())}"
                )


def load_plugins(
    only: Iterable[str] | None = None, disable: Iterable[str] | None = None
) -> tuple[PluginRecord, ...]:
    """Find the installed plugins and load those that are wanted; unload the others.

    Called when ``dezero_core`` is imported. Call it again after installing a plugin, or
    to choose others. A loaded plugin that is still wanted stays as it is, and one that
    failed is tried again. A plugin is named by its entry point, distribution or module.

    Parameters
    ----------
    only : iterable of str, optional
        Load only these; by default those in ``DEZERO_PLUGINS`` (if that is empty: none).
    disable : iterable of str, optional
        Load all but these; by default those in ``DEZERO_DISABLE_PLUGINS``.

    Returns
    -------
    tuple of PluginRecord
        As `plugins` returns it.

    Raises
    ------
    PluginLoadError, PluginConflictError
        If a plugin fails and ``DEZERO_STRICT_PLUGINS=1`` is set.

    Warns
    -----
    PluginWarning
        Once for each plugin that fails, with the cause; and for a name that no plugin has. Where
        warnings are errors, it is raised when the other plugins are loaded.

    Examples
    --------
    >>> [plugin.name for plugin in load_plugins() if plugin.state == "incompatible"]
    []
    """
    load_installed(only, disable)
    return plugins()


def load_installed(only: Iterable[str] | None = None, disable: Iterable[str] | None = None) -> None:
    """Do the work of `load_plugins`, without the records, which take time to be read."""
    wanted = Switch.read("DEZERO_PLUGINS", only)
    unwanted = Switch.read("DEZERO_DISABLE_PLUGINS", disable)
    with REGISTRY.lock, held_back:
        found = [PLUGINS.setdefault(plugin.key, plugin) for plugin in discover(warn)]
        wanted.warn_of_unknown()
        unwanted.warn_of_unknown()
        read_environment()
        WAITING.clear()
        to_load = []
        for plugin in found:
            if wanted.names is not None and not wanted.lists(plugin):
                unload(plugin, f"not among those that {wanted.source} lists")
            elif unwanted.lists(plugin):
                unload(plugin, f"disabled by {unwanted.source}")
            elif plugin.record.state != "loaded":
                to_load.append(plugin)
        load_in_turn(to_load)
        after_loading()


def register(plugin: Any, name: str | None = None) -> PluginRecord:
    """Load a plugin by hand: in notebooks, tests, and programs without entry points.

    Parameters
    ----------
    plugin : module, object or str
        An object with `hookimpl` functions; or the name of a plugin that is not loaded.
    name : str, optional
        To list it under; by default its ``__name__``. One that was seen keeps its name.

    Returns
    -------
    PluginRecord
        Of the loaded plugin. Registering it again changes nothing; one that a notebook has
        defined anew, of the same module and name, takes the place of the former.

    Raises
    ------
    PluginLoadError, PluginConflictError, UnknownPluginError (LookupError)
        If it cannot be loaded, or is not known; then nothing of it remains.

    Examples
    --------
    >>> class plain:
    ...     @staticmethod
    ...     @hookimpl
    ...     def dezero_register_ops(register):
    ...         register("as_it_is", lambda x: x, methods="as_it_is")
    >>> register(plain).operations
    ('as_it_is',)
    >>> Variable(np.array(3.0)).as_it_is()
    variable(3.0)
    >>> unregister(plain).state
    'disabled'
    """
    with REGISTRY.lock, held_back:
        found = _seen_or_new(plugin, name)
        if found.record.state == "loaded":
            return found.described()
        before = PLUGINS.get(found.key)
        if before is not None and not before.is_redefined_by(found):
            before = None
        # With their modules, of which unloading lets go.
        loaded = {each: each.module for each in PLUGINS.values() if each.record.state == "loaded"}
        if before is not None:
            unload(before, "defined anew")
        try:
            load(found)
        except PluginError:
            if before is not None:
                load(before)
            raise
        finally:
            record = found.record
            if record.state == "loaded":  # also where Ctrl-C came right after it
                PLUGINS[found.key] = found
            fallen = (each for each in loaded if each.record.state != "loaded")
            load_in_turn(each for each in fallen if each is not before)  # which require it
            after_loading()
        return _described(found)


def _seen_or_new(plugin: Any, name: str | None) -> Plugin:
    if isinstance(plugin, str) or with_module(plugin) is not None:
        return find(plugin)
    listed = shown(name or str(getattr(plugin, "__name__", type(plugin).__name__)))
    origin = getattr(plugin, "__module__", listed)
    return Plugin(PluginRecord(listed, None, None, origin, "disabled"), module=plugin)


def unregister(plugin: Any) -> PluginRecord:
    """Unload a plugin, and restore Variable exactly.

    Parameters
    ----------
    plugin : module, object or str
        The plugin, or a name of it: of the entry point, the distribution or the module.

    Returns
    -------
    PluginRecord
        Its state is then ``"disabled"``; `register` with its name loads it again, if it was
        installed, or as long as anything else holds it.

    Raises
    ------
    UnknownPluginError (LookupError)
        If there is no such plugin.
    """
    with REGISTRY.lock, held_back:
        found = find(plugin)
        unload(found, "unregistered")
        after_loading()
        return found.described()
