"""Finding, loading and unloading plugins: each a transaction of its own.

pluggy checks the hooks and calls them, once, at load time; nothing here is on the path
of a calculation.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
import threading
import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import importlib_metadata
import pluggy

from . import hookspecs
from .errors import PluginError, PluginLoadError, PluginWarning, UnknownPluginError
from .known import distribution_of
from .registry import Operation, Registrar, Registry
from .variable import above

GROUP = "dezero"


@dataclass(frozen=True)
class PluginRecord:
    """What is known of one plugin.

    Attributes
    ----------
    name : str
        Name of its entry point, or the one it was registered under.
    distribution, version : str or None
        The installed distribution that brings it; None for ``register(plugin)``.
    origin : str
        Where it comes from: the URL or folder it was installed from, or the module.
    state : str
        ``"loaded"``, ``"disabled"``, ``"failed"``; ``"pending"`` while its package is
        itself being imported.
    cause : str or None
        Why it is not loaded.
    operations : tuple of str
        Names of the operations it provides.
    milliseconds : float
        Time taken to import and register it.
    """

    name: str
    distribution: str | None
    version: str | None
    origin: str
    state: Literal["loaded", "disabled", "failed", "pending"]
    cause: str | None = None
    operations: tuple[str, ...] = ()
    milliseconds: float = 0.0

    def __str__(self) -> str:
        source = f"{self.distribution} {self.version}" if self.distribution else self.origin
        return f"plugin {self.name!r} ({source})"


@dataclass
class _Plugin:
    """One plugin as this module handles it: how to load it, and what came of it."""

    record: PluginRecord
    entry_point: Any = None
    module: Any = None

    @property
    def key(self) -> tuple[str, str]:
        return self.record.name, self.record.distribution or ""

    @property
    def names(self) -> set[str]:
        """Every name that a user may call it by."""
        target = self.entry_point.module if self.entry_point else self.record.origin
        names = [self.record.name, self.record.distribution or "", target, target.partition(".")[0]]
        return {_normalized(name) for name in names if name}


_lock = threading.RLock()
_manager = pluggy.PluginManager("dezero")
_manager.add_hookspecs(hookspecs)
_registry = Registry()
_plugins: dict[tuple[str, str], _Plugin] = {}


def plugins() -> tuple[PluginRecord, ...]:
    """Return one record for each plugin that was seen, whether it is loaded or not."""
    with _lock:
        _load_pending()
        return tuple(plugin.record for plugin in _plugins.values())


def ops() -> tuple[Operation, ...]:
    """Return one record for each operation, in the order of names."""
    with _lock:
        _load_pending()
        return tuple(_registry.operations[name] for name in sorted(_registry.operations))


def load_plugins(
    only: Iterable[str] | None = None, disable: Iterable[str] | None = None
) -> tuple[PluginRecord, ...]:
    """Find the installed plugins and load those that are wanted; unload the others.

    Called when ``dezero_core`` is imported. Call it again after installing a plugin, or
    to choose others: what is loaded stays as it is if it is still wanted, and what
    failed is tried again.

    Parameters
    ----------
    only : iterable of str, optional
        Load only these; by default what ``DEZERO_PLUGINS`` lists (set and empty: none).
    disable : iterable of str, optional
        Load all but these; by default what ``DEZERO_DISABLE_PLUGINS`` lists.

    Returns
    -------
    tuple of PluginRecord
        As `plugins` returns it.

    Raises
    ------
    PluginLoadError
        If a plugin fails and ``DEZERO_STRICT_PLUGINS=1`` is set.

    Warns
    -----
    PluginWarning
        Once for each plugin that fails, with the cause; and for a name in a switch that
        no plugin has.

    Notes
    -----
    A switch understands the name of the entry point, the distribution and the module,
    and acts before any code of the plugin is run.
    """
    with _lock:
        wanted, unwanted = (
            _switch("DEZERO_PLUGINS", only),
            _switch("DEZERO_DISABLE_PLUGINS", disable),
        )
        found = _discover()
        for source, names in (wanted, unwanted):
            _warn_of_unknown(source, names or (), [*found, *_plugins.values()])
        for plugin in found:
            plugin = _plugins.setdefault(plugin.key, plugin)
            cause = _why_disabled(plugin, wanted, unwanted)
            if cause is not None:
                if plugin.record.state == "loaded":
                    _unload(plugin)
                plugin.record = replace(plugin.record, state="disabled", cause=cause)
            elif plugin.record.state != "loaded":
                _try_to_load(plugin)
        return plugins()


def register(plugin: Any, name: str | None = None) -> PluginRecord:
    """Load a plugin by hand: in notebooks, tests, and programs without entry points.

    Parameters
    ----------
    plugin : module, object or str
        What an entry point would name: something with `hookimpl` functions. Or the name
        of a plugin that was seen and is not loaded.
    name : str, optional
        To list it under; by default its ``__name__``.

    Returns
    -------
    PluginRecord
        Of the loaded plugin; registering it again changes nothing.

    Raises
    ------
    PluginLoadError, PluginConflictError
        If it cannot be loaded; then nothing of it remains.
    UnknownPluginError (LookupError)
        If no plugin of that name has been seen.
    """
    with _lock:
        if isinstance(plugin, str):
            found = _find(plugin)
        else:
            known = [p for p in _plugins.values() if p.module is plugin]
            name = name or getattr(plugin, "__name__", type(plugin).__name__)
            origin = getattr(plugin, "__module__", None) or getattr(plugin, "__name__", name)
            found = (
                known[0]
                if known
                else _Plugin(PluginRecord(name, None, None, origin, "disabled"), module=plugin)
            )
            taken = _plugins.get(found.key)
            if taken is not None and taken is not found and taken.record.state == "loaded":
                raise PluginError(
                    f"a plugin named {name!r} is registered already, by {taken.record}. "
                    "Give this one another name: register(plugin, name=...).",
                    plugin=name,
                )
        if found.record.state != "loaded":
            _load(found)
            _plugins[found.key] = found
        return found.record


def unregister(plugin: Any) -> PluginRecord:
    """Unload a plugin, given as object or name, and restore Variable exactly.

    Returns
    -------
    PluginRecord
        Its state is then ``"disabled"``; `register` with its name loads it again.

    Raises
    ------
    UnknownPluginError (LookupError)
        If no such plugin has been seen.
    """
    with _lock:
        found = _find(plugin)
        if found.record.state == "loaded":
            _unload(found)
        found.record = replace(found.record, state="disabled", cause="unregistered")
        return found.record


def _discover() -> list[_Plugin]:
    """Return the installed plugins, each after those its distribution requires, then by name."""
    found: dict[str, list[_Plugin]] = {}
    requires: dict[str, list[str]] = {}
    entries = importlib_metadata.entry_points(group=GROUP)
    for entry in sorted(entries, key=lambda e: (e.name, e.dist.name)):
        distribution = entry.dist.name
        record = PluginRecord(
            entry.name, distribution, entry.dist.version, _origin(entry.dist), "disabled"
        )
        found.setdefault(_normalized(distribution), []).append(_Plugin(record, entry))
        requires[_normalized(distribution)] = [
            _normalized(re.split(r"[^\w.-]", line.strip(), maxsplit=1)[0])
            for line in entry.dist.requires or ()
            if "extra" not in line
        ]
    ordered: list[_Plugin] = []
    visited: set[str] = set()

    def visit(distribution: str) -> None:
        if distribution in found and distribution not in visited:
            visited.add(distribution)
            for required in sorted(requires[distribution]):
                visit(required)
            ordered.extend(found[distribution])

    for plugins_of_one in sorted(found.values(), key=lambda group: group[0].key):
        visit(_normalized(plugins_of_one[0].record.distribution or ""))
    return ordered


def _origin(distribution: Any) -> str:
    origin = distribution.origin  # PEP 610: what pip was given, if that was no index
    if origin is None:
        return str(distribution.locate_file(""))
    editable = getattr(getattr(origin, "dir_info", None), "editable", False)
    return f"{origin.url} (editable)" if editable else str(origin.url)


def _switch(variable: str, names: Iterable[str] | None) -> tuple[str, list[str] | None]:
    if names is not None:
        return "load_plugins()", [names] if isinstance(names, str) else list(names)
    value = os.environ.get(variable)
    return variable, None if value is None else [n.strip() for n in value.split(",") if n.strip()]


def _why_disabled(
    plugin: _Plugin, only: tuple[str, list[str] | None], disable: tuple[str, list[str] | None]
) -> str | None:
    source, names = only
    if names is not None and not plugin.names & {_normalized(name) for name in names}:
        return f"not among those that {source} lists"
    source, names = disable
    if names is not None and plugin.names & {_normalized(name) for name in names}:
        return f"disabled by {source}"
    return None


def _warn_of_unknown(source: str, names: Iterable[str], known: list[_Plugin]) -> None:
    understood = set().union(*(plugin.names for plugin in known))
    for name in names:
        if _normalized(name) not in understood:
            _warn(
                f"{source} names {name!r}, and no plugin of that name is installed. "
                + _installed(name, known)
            )


def _installed(name: str, known: Iterable[_Plugin]) -> str:
    names = sorted({plugin.record.name for plugin in known})
    close = difflib.get_close_matches(name, names, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"Installed: {', '.join(names) or 'none'}.{hint}"


def _find(plugin: Any) -> _Plugin:
    for known in _plugins.values():
        if known.module is plugin and plugin is not None:
            return known
        if isinstance(plugin, str) and _normalized(plugin) in known.names:
            return known
    name = plugin if isinstance(plugin, str) else getattr(plugin, "__name__", repr(plugin))
    raise UnknownPluginError(
        f"no plugin {name!r} has been seen. {_installed(name, _plugins.values())}",
        plugin=plugin,
        known=tuple(known.record.name for known in _plugins.values()),
    )


def _try_to_load(plugin: _Plugin) -> None:
    """Load a plugin that an entry point names; a failure stays its own."""
    if _is_being_imported(plugin.entry_point.module):
        plugin.record = replace(plugin.record, state="pending", cause="is being imported")
        above.pending = True
        return
    try:
        _load(plugin)
    except PluginError as error:
        if os.environ.get("DEZERO_STRICT_PLUGINS", "0") not in ("", "0"):
            raise
        if plugin.record.state == "failed":
            _warn(f"{error} The other plugins are not affected.")


def _is_being_imported(module: str) -> bool:
    """Return whether the package of a plugin is on the way in: it imported the core.

    Its hooks may not be there yet, so it is loaded when it is first needed.
    """
    package = module.partition(".")[0]
    return any(
        getattr(getattr(loaded, "__spec__", None), "_initializing", False)
        for name, loaded in list(sys.modules.items())
        if name.partition(".")[0] == package
    )


def _load_pending() -> bool:
    """Load the plugins that had to wait; return whether any could be loaded."""
    with _lock:
        waiting = [p for p in _plugins.values() if p.record.state == "pending"]
        above.pending = False
        for plugin in waiting:
            _try_to_load(plugin)
        return any(plugin.record.state == "loaded" for plugin in waiting)


def _load(plugin: _Plugin) -> None:
    """Import, register and bind: all of it, or nothing and a PluginError."""
    start = time.perf_counter()
    record, state = plugin.record, "failed"
    registrar = Registrar(record.name)
    module = None
    try:
        _refuse_second_of_one_name(plugin)
        module = plugin.entry_point.load() if plugin.entry_point else plugin.module
        incompatible = _api_mismatch(module)
        if incompatible:
            state = "disabled"
            raise PluginError(incompatible, plugin=record.name)
        _call_hooks(module, record.name, registrar)
        _registry.add(registrar, str(record))
    except (Exception, SystemExit) as error:
        if module is not None and _manager.is_registered(module):
            _manager.unregister(module)
        cause = str(error) if isinstance(error, PluginError) else f"{type(error).__name__}: {error}"
        plugin.record = replace(
            record,
            state=state,
            cause=cause,
            milliseconds=_since(start),  # type: ignore[arg-type]
        )
        failed = type(error) if isinstance(error, PluginError) else PluginLoadError
        raised = failed(
            f"{record} failed to load: {cause}",
            **vars(error)
            | {
                "plugin": record.name,
                "distribution": record.distribution,
                "version": record.version,
            },
        )
        raise raised from error
    plugin.module = module
    plugin.record = replace(
        record,
        state="loaded",
        cause=None,
        operations=tuple(registrar.operations),
        milliseconds=_since(start),
    )


def _unload(plugin: _Plugin) -> None:
    _registry.remove(plugin.record.name)
    _manager.unregister(plugin.module)
    plugin.record = replace(plugin.record, operations=(), milliseconds=0.0)


def _refuse_second_of_one_name(plugin: _Plugin) -> None:
    for other in _plugins.values():
        same = other.record.name == plugin.record.name and other is not plugin
        if same and other.record.state in ("loaded", "pending"):
            raise PluginError(
                f"{other.record} has the same name. Keep one of them, by distribution: "
                f"DEZERO_DISABLE_PLUGINS={plugin.record.distribution} or "
                f"DEZERO_DISABLE_PLUGINS={other.record.distribution}.",
                other=other.record.distribution,
            )


def _api_mismatch(module: Any) -> str | None:
    offered = hookspecs.PLUGIN_API
    needed = getattr(module, "DEZERO_PLUGIN_API", offered)
    if needed[0] == offered[0] and needed[1] <= offered[1]:
        return None
    upgrade = "dezero-core" if tuple(needed) > offered else "the plugin"
    return (
        f"it needs plugin API {'.'.join(map(str, needed))}, and this dezero-core offers "
        f"{'.'.join(map(str, offered))}. Upgrade {upgrade}."
    )


def _call_hooks(module: Any, name: str, registrar: Registrar) -> None:
    """Let pluggy check the plugin's hooks, and call those of this plugin alone."""
    _manager.register(module, name)
    try:
        _manager.check_pending()
    except pluggy.PluginValidationError as error:
        known = [name for name in vars(hookspecs) if name.startswith("dezero_")]
        hooks = [hook for hook in dir(module) if _manager.parse_hookimpl_opts(module, hook)]
        unknown = [hook for hook in hooks if hook not in known]
        close = difflib.get_close_matches(unknown[0], known, 1)
        hint = f"did you mean {close[0]!r}?" if close else "does it need a newer dezero-core?"
        raise PluginError(f"it implements the unknown hook {unknown[0]!r}; {hint}") from error
    others = [plugin for plugin in _manager.get_plugins() if plugin is not module]
    if not _manager.get_hookcallers(module):
        raise PluginError(
            f"{module!r} implements no hook; mark dezero_register_ops(register) with @hookimpl"
        )
    _manager.subset_hook_caller("dezero_register_ops", others)(register=registrar)


def _provider(operation: str) -> tuple[str, str | None]:
    """Return what to do about a missing operation, and the distribution that has it."""
    distribution = distribution_of(operation)
    if distribution is None:
        return "Known plugins do not have it; use x.data if no gradient is needed.", None
    for plugin in _plugins.values():
        if plugin.record.distribution == distribution and plugin.record.state != "loaded":
            return (
                f"It is in {distribution}, which is {plugin.record.state}: {plugin.record.cause}",
                distribution,
            )
    return f"It is in {distribution}: pip install {distribution}", distribution


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _since(start: float) -> float:
    return (time.perf_counter() - start) * 1e3


def _warn(message: str) -> None:
    warnings.warn(message, PluginWarning, stacklevel=2)


above.provider = staticmethod(_provider)
above.load_pending = staticmethod(_load_pending)
