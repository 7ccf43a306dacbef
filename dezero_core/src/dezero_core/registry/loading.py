"""Loading and unloading one plugin, or one of its modules: a transaction, all of it or nothing."""

from __future__ import annotations

import time
from contextvars import Context
from functools import partial
from importlib import import_module
from types import FunctionType
from typing import Any

import pluggy

from .. import registry
from ..errors import (
    PACKAGES,
    PluginApiError,
    PluginConflictError,
    PluginError,
    PluginLoadError,
    cause_of,
)
from ..notes import PROVENANCE
from ..providers import CHANGES, CORE, KINDS, PLUGINS
from ..slots import SLOTS, bind, is_the_cores, name_of
from .records import Plugin, State, changing, warn_at_the_end
from .registrar import Announcement, Operation, Registrar


def load(plugin: Plugin) -> None:
    """Import, register and bind: all of it, or nothing and a PluginError."""
    start, record, module = time.perf_counter(), plugin.record, plugin.module
    registrar = Registrar(record.name, record)
    try:
        _refuse_name(plugin)
        module = module if plugin.entry_point is None else plugin.entry_point.load()
        _refuse_other_api(module)
        _call_hook(module, registrar)
        _refuse_names_of_others(registrar)
        plugin.module = module
        plugin.registrar = registrar
        CHANGES[0] += 1
        _bind(registrar)
        if record.distribution:
            PACKAGES[record.name] = plugin.package
        if not (registrar.operations or registrar.bindings):
            warn_at_the_end(f"{record} is loaded, and its hook registers nothing")
        plugin.record = record._replace(
            state="loaded",
            cause=None,
            operations=tuple(registrar.operations),
            milliseconds=(time.perf_counter() - start) * 1e3,
        )
    except BaseException as error:
        plugin.record = record  # Ctrl-C may come when it says "loaded" already
        if plugin.registrar is registrar:  # else nothing of it is bound
            _take_away(plugin)
        if issubclass(type(error), KeyboardInterrupt):  # isinstance() would ask the error itself
            raise
        # A class that a plugin derives from one of ours may take other arguments: use ours.
        special = (PluginApiError, PluginConflictError)
        ours = next((cls for cls in special if issubclass(type(error), cls)), PluginLoadError)
        state: State = "incompatible" if ours is PluginApiError else "failed"
        plugin.record = record._replace(state=state, cause=cause_of(error))
        facts = vars(error) if issubclass(type(error), PluginError) else {}
        facts = {**facts, "plugin": record.name, "distribution": record.distribution}
        raise ours(f"{record} is not loaded: {plugin.record.cause}", **facts) from error


def unload(plugin: Plugin, cause: str) -> None:
    """Take away everything that a plugin has registered, if it is loaded."""
    if plugin.record.state == "loaded":
        CHANGES[0] += 1
        _take_away(plugin)
    plugin.record = plugin.record._replace(state="disabled", cause=cause, operations=())


def _refuse_name(plugin: Plugin) -> None:
    mine = plugin.record
    if mine.name in ("", CORE):
        of_core = "its name is that of the core. Give it another."
        raise PluginError(of_core if mine.name else "it has no name. Give it one.")
    if any(char.isspace() or char in ",=" for char in mine.name):
        raise PluginError(
            "its name has a space, a comma or '=', which part names in switches such as "
            "DEZERO_OPS=exp=math,log=fast. Give it another."
        )
    for other in [known.record for known in PLUGINS if known is not plugin]:
        if other.name == mine.name and other.state == "loaded":
            named = filter(None, (mine.distribution, other.distribution))
            switches = " or ".join(f"DEZERO_DISABLE_PLUGINS={name}" for name in named)
            advice = f"Keep one of them, by distribution: {switches}."
            if not mine.distribution:
                advice = "Give this one another: register(plugin, name=...)."
            raise PluginConflictError(
                f"{other} has the same name. {advice}",
                what=f"plugin name {mine.name!r}",
                other=other.distribution or other.origin,
            )


def _refuse_other_api(module: Any) -> None:
    offered = registry.PLUGIN_API
    needed = getattr(module, "DEZERO_PLUGIN_API", offered)
    if not (isinstance(needed, tuple) and [type(number) for number in needed] == [int, int]):
        raise PluginError(
            f"its DEZERO_PLUGIN_API must be a pair of integers such as {offered}, got {needed!r}."
        )
    if needed[0] != offered[0] or needed[1] > offered[1]:
        upgrade = "dezero-core" if needed > offered else "the plugin"
        needs, offers = (".".join(map(str, version)) for version in (needed, offered))
        raise PluginApiError(
            f"it needs plugin API {needs}; this dezero-core offers {offers}. Upgrade {upgrade}.",
            needed=needed,
            offered=offered,
        )


def _call_hook(module: Any, registrar: Registrar) -> None:
    """Let pluggy check the plugin's hook, and call it."""
    for known in PLUGINS:
        if known.module is module and known.record.state == "loaded":
            raise PluginError(f"the object that it names is loaded already, as {known.record}.")
    hook = "dezero_register_ops(register)"
    manager = pluggy.PluginManager("dezero")
    manager.add_hookspecs(registry)
    try:
        manager.register(module)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise PluginError(
            f"{str(error).splitlines()[-1]}. The hook is {hook}; it takes array types, settings, "
            "observers and executors as well, by register.part(kind, name, value)."
        ) from error
    if not manager.get_hookcallers(module):
        name = getattr(module, "__name__", module)
        raise PluginError(f"it has no hook. Mark a function {hook} of {name!r} with @hookimpl.")
    manager.hook.dezero_register_ops(register=registrar)


def _refuse_names_of_others(new: Registrar) -> None:
    """Raise if a name is the core's, or is that of a part which only one plugin may have."""
    for key in new.bindings:
        kind = key.partition(".")[0] if isinstance(key, str) else ""
        owner, taken = CORE, "belongs to the core. Choose another name."
        if kind in KINDS and key in SLOTS:
            owner = next(iter(SLOTS[key].bindings))
            taken = f"plugin {owner!r} has registered. Keep one of the two, or choose another name."
        elif not is_the_cores(key):
            continue
        what = name_of(key)
        message = f"plugin {new.plugin!r} provides {what}, which {taken}"
        raise PluginConflictError(message, what=what, plugin=new.plugin, other=owner)


def _bind(registrar: Registrar) -> None:
    for key, bound in registrar.bindings.items():
        if isinstance(bound.value, Announcement):
            bound = bound._replace(load=partial(load_module, bound.value))
        bind(key, registrar.plugin, bound)
    _trace(registrar)


def _trace(registrar: Registrar) -> None:
    """Note the classes and functions by which errors are traced back to a plugin."""
    known: list[Any] = list(registrar.modules)
    for operation in registrar.operations.values():
        if isinstance(operation, Operation):  # other callables may have no hash
            functions = (operation.function_class, operation.function)
            known += [each for each in functions if isinstance(each, (type, FunctionType))]
    for each in known:
        PROVENANCE.setdefault(each, registrar.record)


def _take_away(plugin: Plugin) -> None:
    """Undo everything that a plugin has registered, even if it did not get to the end."""
    name = plugin.record.name
    for key in [key for key, slot in SLOTS.items() if name in slot.bindings]:
        bind(key, name, None)
    for provider in [each for each, record in PROVENANCE.items() if record.name == name]:
        del PROVENANCE[provider]
    PACKAGES.pop(name, None)
    plugin.registrar = Registrar(name, plugin.record)
    plugin.broken.clear()
    for other in PLUGINS:  # they may have registered the same classes
        _trace(other.registrar)


def load_module(announcement: Announcement) -> None:
    """Import a module that was announced, and bind what it registers: all of it, or nothing.

    After an error, the next use tries again.
    """
    plugin = _announcer(announcement)
    if plugin is None:  # another thread has loaded it, or unloaded its plugin
        return
    name, record = announcement.plugin, plugin.record
    try:
        # The settings of a calculation, as by np.errstate, are not meant for imports. The lock is
        # not held: another thread that imports the same module may wait for it.
        module = Context().run(import_module, announcement.module)
        with changing():
            if _announcer(announcement) is plugin:
                late = announcement.registrations_of(module, record)
                _refuse_names_of_others(late)
                _bind(late)
                for key in announcement.names:  # take back those that this NumPy has not got
                    if key in SLOTS and SLOTS[key].bindings[name].load is not None:
                        bind(key, name, None)
                plugin.registrar.take(announcement, late)
                plugin.broken.pop(announcement, None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        message = f"its module {announcement.module!r} cannot be loaded: {cause_of(error)}"
        if _announcer(announcement) is plugin:
            plugin.broken[announcement] = message
        facts = {"distribution": record.distribution, "module": announcement.module}
        raise PluginLoadError(f"{record}: {message}", plugin=name, **facts) from error


def _announcer(announcement: Announcement) -> Plugin | None:
    """Return the plugin whose announced module is still to be imported, None if there is none."""
    return next((each for each in PLUGINS if announcement in each.registrar.announcements), None)
