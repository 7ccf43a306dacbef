"""The functions that users call to load plugins, and to list them and their operations."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextvars import Context
from functools import partial
from threading import get_ident
from typing import Any

from ..errors import PluginError, UnknownPluginError, attempt, cause_of, shown
from ..providers import FIRST_USE, PLUGINS, load_plugins_first, plugin_in_use
from ..variable import Variable
from .choices import read_environment
from .loading import load, load_module, unload
from .records import Plugin, PluginRecord, changing, find, normalized, warn_at_the_end
from .registrar import Operation

#: Plugins of entry points that are still to be loaded, and the thread that loads them.
_waiting: dict[Plugin, None] = {}
_loading: list[int] = []


def load_plugins(
    only: Iterable[str] | None = None, disable: Iterable[str] | None = None
) -> tuple[PluginRecord, ...]:
    """Find the installed plugins and load those that are wanted; unload the others.

    Called when the first Variable is made, or when something is asked of plugins. Call it again
    after installing a plugin, or to choose others. A loaded plugin that is still wanted stays as it
    is, and one that failed is tried again. A plugin is named by its entry point, distribution or
    module.

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
    _find_and_load(only, disable)
    return plugins()


def _find_and_load(only: Iterable[str] | None, disable: Iterable[str] | None) -> None:
    with changing():
        installed = _installed()
        PLUGINS.extend(plugin for plugin in installed if plugin not in PLUGINS)
        of_only, wanted = _named("DEZERO_PLUGINS", only)
        of_disable, unwanted = _named("DEZERO_DISABLE_PLUGINS", disable)
        _waiting.clear()
        for plugin in installed:
            if wanted is not None and plugin not in wanted:
                unload(plugin, f"not among those that {of_only} lists")
            elif unwanted is not None and plugin in unwanted:
                unload(plugin, f"disabled by {of_disable}")
            elif plugin.record.state != "loaded":
                _waiting[plugin] = None
        FIRST_USE[:] = [_load_waiting]
        _load_the_waiting()
        read_environment()


def _installed() -> list[Plugin]:
    """Return the plugins of all entry points, by name; those that were seen before, as they are."""
    try:
        import importlib_metadata  # here, since it takes longer than all of the core
    except BaseException:  # after Ctrl-C parts of it are there, and would not be imported again
        for name in [each for each in sys.modules if each.startswith("importlib_metadata")]:
            del sys.modules[name]
        raise
    seen = {plugin.key: plugin for plugin in PLUGINS}
    found: dict[tuple[str, str], Plugin] = {}
    try:
        for distribution in importlib_metadata.distributions():  # the first of a name counts
            for each in attempt(partial(_entry_points, distribution), ()):
                plugin = Plugin.of(each)
                found.setdefault(plugin.key, seen.get(plugin.key, plugin))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a finder on sys.meta_path may raise
        cause = cause_of(error)
        warn_at_the_end(f"not all installed plugins are found: {cause} register() loads one.")
    return [found[key] for key in sorted(found)]


def _entry_points(distribution: Any) -> list[Any]:
    return list(distribution.entry_points.select(group="dezero"))


def _named(variable: str, given: Iterable[str] | None) -> tuple[str, set[Plugin] | None]:
    """Return the source of a switch, and the plugins that it names; None if it is not set."""
    source = variable if given is None else "load_plugins()"
    if given is None and (given := os.environ.get(variable)) is not None:
        given = given.split(",")
    if given is None:
        return source, None
    names = set(filter(None, map(str.strip, [given] if isinstance(given, str) else given)))
    for name in sorted(names):
        try:
            find(name)
        except UnknownPluginError as error:
            warn_at_the_end(f"{source} names {name!r}: {error}")
    names = set(map(normalized, names))
    return source, {plugin for plugin in PLUGINS if names & plugin.normalized_names}


def _load_the_waiting() -> None:
    """Load the plugins that wait, but those whose package is being imported just now."""
    if _loading == [get_ident()]:  # a plugin asks while it is being loaded
        return
    _loading[:] = [get_ident()]
    awaited: list[Plugin] = []
    try:
        # The import of a plugin may change `_waiting`, so it is read anew each time.
        while left := [plugin for plugin in _waiting if plugin not in awaited]:
            if left[0].is_being_imported():
                awaited.append(left[0])
                record = left[0].record._replace(state="pending", cause="it is being imported")
                left[0].record = record
            else:
                # The settings of a calculation, as by no_grad, are not meant for imports.
                Context().run(_load_if_sound, left[0])
    finally:
        _loading.clear()
    if not _waiting:
        FIRST_USE.clear()
        if "__getattr__" in vars(Variable):
            del Variable.__getattr__  # type: ignore[attr-defined]


def _load_if_sound(plugin: Plugin) -> None:
    """Load a plugin of an entry point; if it fails, the others are loaded all the same."""
    try:
        if plugin.record.state != "loaded":
            load(plugin)
        _waiting.pop(plugin, None)  # not after Ctrl-C
    except PluginError as error:
        _waiting.pop(plugin, None)
        if os.environ.get("DEZERO_STRICT_PLUGINS", "0") not in ("", "0"):
            raise
        raised = error if error.__cause__ is None else error.__cause__
        brief = shown(cause_of(raised, with_place=False).partition("\n")[0], 200).rstrip(".")
        warn_at_the_end(f"{plugin.record} is not loaded: {brief}; `dezero doctor` says more")


def _load_waiting() -> None:
    with changing():
        _load_the_waiting()


def _load_first() -> None:
    with changing():
        if _load_first in FIRST_USE:  # unless another thread has done it meanwhile
            _find_and_load(None, None)


FIRST_USE.append(_load_first)


def register(plugin: Any, name: str | None = None) -> PluginRecord:
    """Load a plugin by hand: in notebooks, tests, and programs without entry points.

    Parameters
    ----------
    plugin : module, object or str
        An object with a `hookimpl` function; or the name of a plugin that is not loaded.
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
    load_plugins_first()
    with changing():
        found = _seen_or_new(plugin, name)
        if found.record.state == "loaded":
            return found.described()
        former = next((each for each in PLUGINS if each.key == found.key), found)
        is_replaced = former.record.state == "loaded" and _is_redefined(former, found)
        if is_replaced:
            unload(former, "defined anew")
        before = list(PLUGINS)
        PLUGINS.extend([found] if found not in PLUGINS else [])
        try:
            load(found)
        except BaseException:
            if found.described().state != "loaded":  # Ctrl-C may come when it is
                PLUGINS[:] = before
                if is_replaced:
                    load(former)
            raise
        PLUGINS[:] = [each for each in PLUGINS if each is found or each.key != found.key]
        return found.described()


def _seen_or_new(plugin: Any, name: str | None) -> Plugin:
    if isinstance(plugin, str) or any(known.module is plugin for known in PLUGINS):
        return find(plugin)
    listed = shown(name or str(getattr(plugin, "__name__", type(plugin).__name__)))
    origin = getattr(plugin, "__module__", listed)
    return Plugin(PluginRecord(listed, None, None, origin, "disabled"), module=plugin)


def _is_redefined(former: Plugin, new: Plugin) -> bool:
    """Return whether one plugin is the class of another defined once more, as in a notebook."""
    a, b = (x if isinstance(x, type) else type(x) for x in (former.module, new.module))
    same = (a.__module__, a.__qualname__) == (b.__module__, b.__qualname__) and a is not b
    return same and "<locals>" not in a.__qualname__  # a factory makes many classes of one name


def unregister(plugin: Any) -> PluginRecord:
    """Unload a plugin, and restore Variable exactly.

    Parameters
    ----------
    plugin : module, object or str
        The plugin, or a name of it: of the entry point, the distribution or the module.

    Returns
    -------
    PluginRecord
        Its state is then ``"disabled"``; `register` with its name loads it again.

    Raises
    ------
    UnknownPluginError (LookupError)
        If there is no such plugin.
    """
    load_plugins_first()
    with changing():
        found = find(plugin)
        _waiting.pop(found, None)
        unload(found, "unregistered")
        return found.described()


def plugins() -> tuple[PluginRecord, ...]:
    """Return one record for each plugin that was seen, whether it is loaded or not.

    Examples
    --------
    >>> [p.cause for p in plugins() if p.state == "failed" and p.distribution]
    []
    """
    load_plugins_first()
    return tuple(plugin.described() for plugin in list(PLUGINS))


def ops() -> tuple[Operation, ...]:
    """Return one `Operation` for each, in the order of names; that of the plugin in use.

    Warns
    -----
    PluginWarning
        Once, if a module that a plugin announces cannot be imported: its operations are left out.

    Examples
    --------
    >>> [operation.name for operation in ops() if operation.approximate]
    []
    """
    load_plugins_first()
    found: dict[str, dict[str, Operation]] = {}
    for plugin in list(PLUGINS):
        for operation in operations_of(plugin, attempting=True):
            found.setdefault(operation.name, {})[operation.plugin] = operation
    first = {name: plugin_in_use(name, of) or next(iter(of)) for name, of in found.items()}
    return tuple(found[name][first[name]] for name in sorted(found))


def operations_of(plugin: Any, attempting: bool = False) -> tuple[Operation, ...]:
    """Return the operations of a loaded plugin, which may be given by a name, in use or not.

    A module of it that cannot be imported is a PluginLoadError; if `attempting`, its operations are
    left out, with a warning when that happens first.
    """
    load_plugins_first()
    plugin = plugin if isinstance(plugin, Plugin) else find(plugin)
    known = dict(plugin.broken)
    for announcement in plugin.registrar.announcements:
        import_it = partial(load_module, announcement)
        attempt(import_it) if attempting else import_it()
    with changing():  # at whose end the warnings are given
        for module, cause in plugin.broken.items():
            if known.get(module) != cause:
                warn_at_the_end(f"{plugin.record}: {cause} Its other operations can be used.")
    found = sorted(plugin.registrar.operations.items())
    return tuple(each for _, each in found if isinstance(each, Operation))
