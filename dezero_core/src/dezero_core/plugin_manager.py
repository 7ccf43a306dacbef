"""Loading and unloading plugins, each a transaction of its own.

pluggy checks the hooks and calls them, once, at load time; nothing here is on the path
of a calculation.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pluggy

from . import hookspecs
from .discovery import (
    Plugin,
    PluginRecord,
    State,
    Switch,
    did_you_mean,
    discover,
    installed,
)
from .distributions import normalized
from .errors import (
    PluginApiError,
    PluginConflictError,
    PluginError,
    PluginLoadError,
    PluginRequirementError,
    PluginWarning,
    UnknownOperationError,
    UnknownPluginError,
    cause_of,
    user_line,
)
from .known import distribution_of
from .operators import above
from .provenance import PACKAGES
from .registrar import Operation, Registrar
from .registry import Registry
from .variable import Variable
from .versions import Requirement

_manager = pluggy.PluginManager("dezero")
_manager.add_hookspecs(hookspecs)
_registry = Registry()
_lock = _registry.lock
_plugins: dict[tuple[str, str], Plugin] = {}
#: Those whose turn to be loaded is still to come.
_waiting: dict[tuple[str, str], Plugin] = {}
#: Those whose loading has begun, each because the one before it requires it.
_loading: list[Plugin] = []
#: Operations that are settled because ``DEZERO_OPS`` says so, and not by `prefer`.
_of_environment: set[str] = set()
_warned: dict[Any, Any] = {}


def plugins() -> tuple[PluginRecord, ...]:
    """Return one record for each plugin that was seen, whether it is loaded or not.

    Returns
    -------
    tuple of PluginRecord

    Examples
    --------
    >>> [plugin.cause for plugin in plugins() if plugin.state == "failed"]
    []
    """
    with _lock:
        _load_pending()
        return tuple(plugin.described() for plugin in _plugins.values())


def seen() -> tuple[Plugin, ...]:
    """Return the same plugins as they are handled: by all their names, with their modules."""
    with _lock:
        return tuple(_plugins.values())


def ops() -> tuple[Operation, ...]:
    """Return one record for each operation, in the order of names; of the plugin in use.

    Returns
    -------
    tuple of Operation

    Raises
    ------
    PluginLoadError
        If a module cannot be imported whose operations a plugin has announced.
    """
    return tuple(found[0] for found in providers().values())


def providers() -> dict[str, tuple[Operation, ...]]:
    """Return the operations of each name: that of the plugin in use first, then the others'.

    Returns
    -------
    dict from str to tuple of Operation

    Raises
    ------
    PluginLoadError
        If a module cannot be imported whose operations a plugin has announced.
    """
    _load_pending()
    return _registry.all_operations()


def operations_of(plugin: str) -> tuple[Operation, ...]:
    """Return the operations of the loaded plugin of that name, in use or not, by name.

    Raises
    ------
    PluginLoadError
        If a module of it cannot be imported; those of other plugins are left alone.
    """
    _load_pending()
    return _registry.operations_of(plugin)


def registered_observers() -> dict[str, Callable[[], Any]]:
    """Return what makes each observer that a plugin has registered, by name."""
    _load_pending()
    return {name: made_by for name, (_, made_by) in _registry.observers.items()}


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
    PluginLoadError, PluginConflictError
        If a plugin fails and ``DEZERO_STRICT_PLUGINS=1`` is set.

    Warns
    -----
    PluginWarning
        Once for each plugin that fails, with the cause; and for a name in a switch that
        no plugin has.

    Notes
    -----
    A switch understands the names of the entry point, the distribution and the module,
    and acts before any code of the plugin is run.
    """
    load_installed(only, disable)
    return plugins()


def load_installed(only: Iterable[str] | None = None, disable: Iterable[str] | None = None) -> None:
    """Do what `load_plugins` does, and return nothing: records take time to be read."""
    wanted = Switch.read("DEZERO_PLUGINS", only)
    unwanted = Switch.read("DEZERO_DISABLE_PLUGINS", disable)
    with _lock:
        found = [_plugins.setdefault(plugin.key, plugin) for plugin in discover()]
        for switch in (wanted, unwanted):
            for sentence in switch.unknown(_plugins.values()):
                _warn(sentence)
        chosen = _read_choices()
        _forget_choices(_of_environment)
        _of_environment.update(chosen.keys() - _registry.settled.keys())  # what prefer() said stays
        _registry.settled = {**chosen, **_registry.settled}
        _waiting.clear()
        for plugin in found:
            if wanted.names is not None and not wanted.lists(plugin):
                _disable(plugin, f"not among those that {wanted.source} lists")
            elif unwanted.lists(plugin):
                _disable(plugin, f"disabled by {unwanted.source}")
            elif plugin.record.state != "loaded":
                _waiting[plugin.key] = plugin
        while _waiting:
            _load_if_sound(_waiting.pop(next(iter(_waiting))))
        for operation, name in chosen.items():
            _warn_of_choice(operation, _find(name))


def _warn_of_choice(operation: str, plugin: Plugin) -> None:
    """Warn of what ``DEZERO_OPS`` asks for, if the plugin does not provide it."""
    record = plugin.record
    if record.name in _registry.providers.get(operation, ()) or record.state == "pending":
        return
    known: Iterable[str] = record.operations
    why = record.cause or "it has no such operation."
    if plugin.conflict is not None:
        known = vars(plugin.conflict)["operations"]
        why = f"it is not loaded, for a conflict over {', '.join(known)}."
    guess = did_you_mean(operation, known)
    _warn(
        f"DEZERO_OPS asks for {operation!r} of plugin {record.name!r}, which does not provide it "
        f"here: {why} {guess[:1].upper()}{guess[1:]}".rstrip()
    )
    if record.state == "loaded":
        _forget_choices({operation})


def _forget_choices(operations: Iterable[str]) -> None:
    """Forget who provides these as ``DEZERO_OPS`` has said, and not what `prefer` has."""
    for operation in _of_environment.intersection(operations):
        _of_environment.remove(operation)
        _registry.settled.pop(operation, None)


def _read_choices() -> dict[str, str]:
    """Return what ``DEZERO_OPS=exp=fastmath,log=math`` says; warn of what it cannot mean."""
    choices: dict[str, str] = {}
    for item in os.environ.get("DEZERO_OPS", "").split(","):
        operation, equals, name = map(str.strip, item.partition("="))
        if not equals and not operation:
            continue
        if not (operation and name):
            _warn(f"DEZERO_OPS holds {item.strip()!r}; write operation=plugin, as exp=math.")
            continue
        try:
            choices[operation] = _find(name).record.name
        except UnknownPluginError as error:
            _warn(f"DEZERO_OPS names {name!r}: {error}")
    return choices


def choose(wanted: Mapping[str, str], for_good: bool = False) -> dict[str, str]:
    """Let each of these plugins provide its operation, also beside another one that does.

    Parameters
    ----------
    wanted : mapping from str to str
        Operation -> plugin, by any of its names. It is loaded, if only a conflict has kept it out.
    for_good : bool
        Whether the operations are from now on those of these plugins.

    Returns
    -------
    dict
        Operation -> name of the plugin.

    Raises
    ------
    UnknownPluginError, UnknownOperationError (LookupError), PluginError
        If one of them does not; then nothing has changed.
    """
    _load_pending()
    if any(map(_is_kept_out, map(_find, wanted.values()))):
        # Outside of the lock, which a thread may want that is importing the same module.
        _registry.load_operations(wanted)
    with _lock:
        undo = _remember()
        try:
            settled = dict(_registry.settled)
            for operation in wanted:
                _registry.settled.setdefault(operation, None)
            for name in wanted.values():
                if _is_kept_out(plugin := _find(name)):
                    _load(plugin)
            chosen = {operation: _provided(operation, name) for operation, name in wanted.items()}
            _registry.settled = settled
            if for_good:
                _registry.settled = {**settled, **chosen}
                _of_environment.difference_update(chosen)
            return chosen
        except BaseException:
            undo()
            raise


def _is_kept_out(plugin: Plugin) -> bool:
    return plugin.conflict is not None and plugin.record.state == "failed"


def _remember() -> Callable[[], None]:
    """Return what unloads the plugins that are not loaded now, and forgets what is settled then."""
    settled = dict(_registry.settled)
    out = [
        (plugin, plugin.record, plugin.conflict)
        for plugin in _plugins.values()
        if plugin.record.state != "loaded"
    ]

    def undo() -> None:
        for plugin, record, conflict in out:
            _disable(plugin, "")
            plugin.record, plugin.conflict = record, conflict
        _registry.settled = settled

    return undo


@contextmanager
def side_by_side(operation: str, *names: str) -> Iterator[tuple[Operation, ...]]:
    """Have plugins that provide one operation loaded for a block, whatever else they conflict over.

    Yields
    ------
    tuple of Operation
        What each of them provides.

    Raises
    ------
    UnknownPluginError, UnknownOperationError (LookupError), PluginError
        If one of them does not.
    """
    with _lock:
        _load_pending()
        undo = _remember()
    try:
        with _lock:
            found: list[Operation] = []
            for name in names:
                conflict = _find(name).conflict
                over = vars(conflict).get("operations", ()) if conflict else ()
                plugin = choose(dict.fromkeys((operation, *over), name))[operation]
                found += _registry.operations_of(plugin, operation)
        yield tuple(found)
    finally:
        with _lock:
            undo()


def _provided(operation: str, name: str) -> str:
    """Return the name of a plugin, if it provides the operation."""
    record = _find(name).record
    if record.state != "loaded":
        raise PluginError(f"{record} is not loaded: {record.cause}", plugin=record.name)
    owners = _registry.providers.get(operation)
    if owners and record.name in owners:
        return record.name
    known = tuple(_registry.providers)
    if owners:
        advice = f"{' and '.join(map(repr, owners))} {'does' if len(owners) == 1 else 'do'}."
    else:
        advice = f"No loaded plugin does; {did_you_mean(operation, known) or 'see ops()'}"
    raise UnknownOperationError(
        f"{record} provides no operation {operation!r}. {advice}",
        plugin=record.name,
        operation=operation,
        known=known,
    )


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
        Of the loaded plugin. Registering it again changes nothing; one that a notebook has
        defined anew, of the same module and name, takes the place of the former.

    Raises
    ------
    PluginLoadError, PluginConflictError
        If it cannot be loaded; then nothing of it remains.
    UnknownPluginError (LookupError)
        If no plugin of that name has been seen.
    """
    with _lock:
        if isinstance(plugin, str) or _with_module(plugin) is not None:
            found = _find(plugin)
        else:
            listed = name or str(getattr(plugin, "__name__", type(plugin).__name__))
            origin = getattr(plugin, "__module__", listed)
            found = Plugin(PluginRecord(listed, None, None, origin, "disabled"), module=plugin)
        if found.record.state == "loaded":
            return found.described()
        before = _plugins.get(found.key)
        if before is not None and not before.is_redefined_by(found):
            before = None
        fallen = []
        if before is not None:
            loaded = [known for known in _plugins.values() if known.record.state == "loaded"]
            _disable(before, "defined anew")
            fallen = [known for known in loaded if known.record.state != "loaded"]
        try:
            _load(found)
            _plugins[found.key] = found
        except PluginError:
            if before is not None:
                _load(before)
            raise
        finally:
            again = {known.key: known for known in fallen if known is not before}
            _waiting.update(again)
            for known in again.values():
                if _waiting.pop(known.key, None):
                    _load_if_sound(known)
        return found.described()


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
        If no such plugin has been seen.
    """
    with _lock:
        found = _find(plugin)
        _disable(found, "unregistered")
        return found.described()


def _with_name(name: str) -> Plugin | None:
    """Return the plugin of a name: that of the entry point before any other."""
    wanted, known = normalized(name), _plugins.values()
    found = [plugin for plugin in known if normalized(plugin.record.name) == wanted]
    found = found or [plugin for plugin in known if wanted in plugin.names]

    def order(plugin: Plugin) -> tuple[bool, bool]:
        here = plugin.record.state == "loaded" or plugin.key in _waiting
        return plugin.record.name != name, not here

    return min(found, key=order, default=None)


def _with_module(module: Any) -> Plugin | None:
    if module is None:  # as all have that were never imported
        return None
    return next((known for known in _plugins.values() if known.module is module), None)


def _find(plugin: Any) -> Plugin:
    found = _with_name(plugin) if isinstance(plugin, str) else _with_module(plugin)
    if found is not None:
        return found
    name = plugin if isinstance(plugin, str) else getattr(plugin, "__name__", repr(plugin))
    raise UnknownPluginError(
        f"no plugin {name!r} has been seen. {installed(name, _plugins.values())}",
        plugin=name,
        known=tuple(known.record.name for known in _plugins.values()),
    )


def _disable(plugin: Plugin, cause: str, state: State = "disabled") -> None:
    """Unload a plugin, and those that require it."""
    name = plugin.record.name
    if plugin.record.state == "loaded":
        _registry.remove(name)
        _manager.unregister(name=plugin.unique_name)
        PACKAGES.pop(plugin.key, None)
        for other in _plugins.values():
            if other.record.state == "loaded" and name in other.requires:
                _disable(
                    other, f"it requires {name!r}, which is not loaded: {cause}", "incompatible"
                )
    plugin.record = plugin.record._replace(state=state, cause=cause, operations=())


def _load_if_sound(plugin: Plugin) -> None:
    """Load a plugin that an entry point names; what goes wrong in it stays its own."""
    if plugin.is_being_imported():
        _await(plugin, "it is being imported")
        return
    try:
        _load(plugin)
    except PluginError as error:
        required = getattr(error, "awaited", None)
        if required:
            _await(plugin, f"it requires {required!r}, which is being imported")
            return
        if os.environ.get("DEZERO_STRICT_PLUGINS", "0") not in ("", "0"):
            raise
        message = f"{error} The other plugins are not affected."
        if plugin.conflict is None:
            again = f"dezero_core.register({plugin.record.name!r})"
            message += f" {again} tries again and shows where it fails."
        _warn(message)


def _await(plugin: Plugin, cause: str) -> None:
    plugin.record = plugin.record._replace(state="pending", cause=cause)
    above.pending = True
    Variable.__getattr__ = _of_pending  # type: ignore[method-assign]


def _load_pending() -> bool:
    """Load the plugins whose import had to be awaited; return whether any is there now."""
    with _lock:
        waiting = [plugin for plugin in _plugins.values() if plugin.record.state == "pending"]
        if any(plugin in _loading for plugin in waiting):  # it is one of them that asks
            return False
        _waiting.update({plugin.key: plugin for plugin in waiting})
        try:
            for plugin in waiting:
                if _waiting.pop(plugin.key, None):  # unless one that requires it has loaded it
                    _load_if_sound(plugin)
        finally:
            above.pending = any(p.record.state == "pending" for p in _plugins.values())
            if not above.pending and "__getattr__" in vars(Variable):
                del Variable.__getattr__
        return any(plugin.record.state == "loaded" for plugin in waiting)


def _of_pending(variable: Variable, name: str) -> Any:
    """Look for an attribute that a plugin may bind whose import had to be awaited.

    This is ``Variable.__getattr__``, but only as long as there is such a plugin: as long as
    there is that method, CPython reads every attribute of a Variable slowly.
    """
    _load_pending()
    return object.__getattribute__(variable, name)


def _load(plugin: Plugin) -> None:
    """Import, register and bind: all of it, or nothing and a PluginError."""
    start = time.perf_counter()
    _loading.append(plugin)
    record, module = plugin.record, plugin.module
    registrar = Registrar(record.name)
    plugin.conflict = None
    try:
        _refuse_second_of_one_name(plugin)
        if plugin.entry_point is not None:
            module = plugin.entry_point.load()
        _refuse_other_api(module)
        plugin.requires = _required(module)
        _call_hooks(module, plugin.unique_name, registrar)
        _registry.add(registrar, record)
    except BaseException as error:
        if module is not None and _manager.get_plugin(plugin.unique_name) is module:
            _manager.unregister(name=plugin.unique_name)
        if not isinstance(error, (Exception, SystemExit)):
            raise
        cause = cause_of(error)
        incompatible = isinstance(error, (PluginApiError, PluginRequirementError))
        state: State = "incompatible" if incompatible else "failed"
        plugin.record = record._replace(state=state, cause=cause, milliseconds=_since(start))
        facts = {"distribution": record.distribution, "version": record.version}
        special = incompatible or isinstance(error, PluginConflictError)
        failure = (type(error) if special else PluginLoadError)(
            f"{record} is not loaded: {cause}", **vars(error) | facts | {"plugin": record.name}
        )
        if isinstance(failure, PluginConflictError):
            plugin.conflict = failure
        raise failure from error
    finally:
        _loading.remove(plugin)
    plugin.module = module
    if record.distribution:
        PACKAGES[plugin.key] = plugin.package
    operations = tuple(registrar.operations)
    plugin.record = record._replace(
        state="loaded", cause=None, operations=operations, milliseconds=_since(start)
    )


def _refuse_second_of_one_name(plugin: Plugin) -> None:
    if plugin.record.name == "dezero_core":
        raise PluginError("its name is that of the core. Give it another.")
    for other in _plugins.values():
        same = other.record.name == plugin.record.name and other is not plugin
        if same and other.record.state in ("loaded", "pending"):
            if plugin.record.distribution:
                advice = (
                    "Keep one of them, by distribution: DEZERO_DISABLE_PLUGINS="
                    f"{plugin.record.distribution} or DEZERO_DISABLE_PLUGINS="
                    f"{other.record.distribution}."
                )
            else:
                advice = "Give this one another: register(plugin, name=...)."
            raise PluginConflictError(
                f"{other.record} has the same name. {advice}",
                what=f"plugin name {plugin.record.name!r}",
                other=other.record.distribution or other.record.origin,
            )


def _refuse_other_api(module: Any) -> None:
    offered = hookspecs.PLUGIN_API
    needed = getattr(module, "DEZERO_PLUGIN_API", offered)
    if not (isinstance(needed, tuple) and [type(number) for number in needed] == [int, int]):
        raise PluginError(
            f"its DEZERO_PLUGIN_API must be a pair of integers such as {offered}, got {needed!r}."
        )
    if needed[0] != offered[0] or needed[1] > offered[1]:
        upgrade = "dezero-core" if needed > offered else "the plugin"
        raise PluginApiError(
            f"it needs plugin API {needed[0]}.{needed[1]}, and this dezero-core offers "
            f"{offered[0]}.{offered[1]}. Upgrade {upgrade}.",
            needed=needed,
            offered=offered,
        )


def _required(module: Any) -> tuple[str, ...]:
    """Return the names of the plugins that a plugin requires; load them, if they wait for that.

    Raises
    ------
    PluginRequirementError
        If one is not there, or not of a version that is asked for.
    """
    required = getattr(module, "DEZERO_REQUIRES", ())
    if not isinstance(required, (tuple, list)):
        raise PluginError(
            f"its DEZERO_REQUIRES must be a tuple such as ('basic>=1',), got {required!r}."
        )
    names = []
    for text in required:
        try:
            requirement = Requirement.read(text)
        except ValueError as error:
            raise PluginError(f"its DEZERO_REQUIRES: {error}.") from error
        found, version = _with_name(requirement.name), None
        if found is None:
            what = "no such plugin is installed"
        elif found in _loading:
            circle = [*_loading[_loading.index(found) :], found]
            names_of = " requires ".join(repr(each.record.name) for each in circle)
            what = f"{names_of}; one of them must do without"
        else:
            if _waiting.pop(found.key, None):
                _load_if_sound(found)
            names.append(found.record.name)
            what = f"{found.record} is not loaded: {found.record.cause or found.record.state}"
            if found.record.state == "loaded":
                version = found.record.version
                if version is None or requirement.admits(version):
                    continue
                what = f"{found.record} is there"
        raise PluginRequirementError(
            f"it requires {text!r}, and {what.rstrip('.')}.",
            required=text,
            found=version,
            awaited=found.record.name if found and found.record.state == "pending" else None,
        )
    return tuple(names)


def _call_hooks(module: Any, unique_name: str, registrar: Registrar) -> None:
    """Let pluggy check the plugin's hooks, and call those of this plugin alone."""
    for plugin in _manager.get_plugins():
        if plugin == module:  # as pluggy compares them
            raise PluginError(f"what it names is loaded already, as {_find(plugin).record}.")
    marked = {name: _manager.parse_hookimpl_opts(module, name) for name in dir(module)}
    hooks = [options["specname"] or name for name, options in marked.items() if options]
    known = [hook for hook in vars(hookspecs) if hook.startswith("dezero_")]
    for hook in hooks:
        if hook not in known:
            guess = did_you_mean(hook, known) or "does it need a newer dezero-core?"
            raise PluginError(f"it implements the unknown hook {hook!r}; {guess}", hook=hook)
    if not hooks:
        raise PluginError(
            "it implements no hook. Mark a function dezero_register_ops(register) of "
            f"{getattr(module, '__name__', module)!r} with @hookimpl."
        )
    try:
        _manager.register(module, unique_name)
    except pluggy.PluginValidationError as error:
        message = str(error).splitlines()[-1]
        raise PluginError(
            f"the parameter of its {' and '.join(hooks)} must be called 'register' ({message})"
        ) from error
    others = [plugin for plugin in _manager.get_plugins() if plugin is not module]
    for hook, register in (
        ("dezero_register_ops", registrar),
        ("dezero_register_observers", registrar.observer),
    ):
        for implementation in getattr(_manager.hook, hook).get_hookimpls():
            if implementation.plugin is module and not implementation.argnames:
                raise PluginError(f"its {hook} must take the parameter 'register'.")
        _manager.subset_hook_caller(hook, others)(register=register)


def _provider(operation: str) -> tuple[str, str | None]:
    """Return what to do about a missing operation, and the distribution that has it."""
    distribution = distribution_of(operation)
    if distribution is None:
        return "No plugin known here has it; x.data gives the values without a gradient.", None
    for plugin in _plugins.values():
        record = plugin.record
        if record.distribution == distribution and record.state != "loaded":
            return f"It is in {distribution}, which is not loaded: {record.cause}", distribution
        if record.distribution == distribution:
            return f"It is in a newer one: pip install --upgrade {distribution}", distribution
    return f"It is in {distribution}: pip install {distribution}", distribution


def _since(start: float) -> float:
    return (time.perf_counter() - start) * 1e3


def _warn(message: str) -> None:
    # At the user's import of the core, which a number of frames cannot say.
    file, _, line = user_line("importlib").rpartition(":")
    warnings.warn_explicit(message, PluginWarning, file, int(line), registry=_warned)


above.provider = staticmethod(_provider)
above.load_pending = staticmethod(_load_pending)
