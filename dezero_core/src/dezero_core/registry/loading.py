"""Loading and unloading one plugin, a transaction of its own; and all plugins that were seen."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pluggy

from ..contests import AWAITED, PLUGINS
from ..errors import (
    PACKAGES,
    PluginApiError,
    PluginConflictError,
    PluginError,
    PluginLoadError,
    PluginRequirementError,
    PluginWarning,
    UnknownPluginError,
    cause_of,
    shown,
    user_place,
)
from ..variable import Variable
from . import hookspecs
from .discovery import Plugin, State, did_you_mean, installed, normalized
from .providers import Registry
from .registrar import Registrar
from .requirements import Requirement

MANAGER = pluggy.PluginManager("dezero")
MANAGER.add_hookspecs(hookspecs)
REGISTRY = Registry()
#: Plugins that are still to be loaded, in this order.
WAITING: dict[tuple[str, str], Plugin] = {}
#: Plugins that are being loaded, each because the one before it requires it.
LOADING: list[Plugin] = []
#: Called when plugins have been loaded or unloaded: they tell the user what follows from it.
AFTER_LOADING: list[Callable[[], None]] = []
_warned: dict[Any, Any] = {}


def with_name(name: str) -> list[Plugin]:
    """Return the plugins of a name: those that are listed under it before any other.

    There are several if entry points of several distributions have it, or one package has them all;
    those that are loaded, or wait for that, come first.
    """
    wanted, known = normalized(name), PLUGINS.values()
    found = [plugin for plugin in known if normalized(plugin.record.name) == wanted]
    found = found or [plugin for plugin in known if wanted in plugin.names]

    def order(plugin: Plugin) -> tuple[bool, bool]:
        here = plugin.record.state == "loaded" or plugin.key in WAITING
        return plugin.record.name != name, not here

    return sorted(found, key=order)


class _HeldBack:
    """Gives the warnings of a block at its end: where they are errors, all else is done by then."""

    def __init__(self) -> None:
        self.blocks = 0
        self.warnings: list[tuple[str, str, int]] = []

    def __enter__(self) -> None:
        self.blocks += 1

    def __exit__(self, kind: Any, raised: Any, *traceback: object) -> None:
        self.blocks -= 1
        if self.blocks:
            return
        held, self.warnings = self.warnings, []
        while held and raised is None:
            try:
                message, file, line = held.pop(0)
                warnings.warn_explicit(message, PluginWarning, file, line, registry=_warned)
            except PluginWarning as error:  # as by python -W error: the others come with it
                raised = error
        for message, *_ in held:
            raised.add_note(message)
        if kind is None and raised is not None:
            raise raised


held_back = _HeldBack()


def with_module(module: Any) -> Plugin | None:
    """Return the plugin whose hooks are in a module or object."""
    if module is None:  # as all have that were never imported
        return None
    return next((known for known in PLUGINS.values() if known.module is module), None)


def find(plugin: Any) -> Plugin:
    """Return a plugin that was seen, given as object or by any of its names.

    Raises
    ------
    UnknownPluginError (LookupError)
        If there is none, or if entry points of several distributions have that name.
    """
    if isinstance(plugin, str):
        found, name = with_name(plugin), plugin
    else:
        known = with_module(plugin)
        found = [] if known is None else [known]
        name = getattr(plugin, "__name__", repr(plugin))
    if not found:
        raise UnknownPluginError(
            f"no plugin is called {name!r}. {installed(name, PLUGINS.values())}",
            plugin=name,
            known=tuple(each.record.name for each in PLUGINS.values()),
        )
    namesakes = sorted(each.record.name for each in found if each.is_namesake_of(name))
    if len(namesakes) > 1:
        raise UnknownPluginError(
            f"several plugins have the entry point {name!r}. Name one by its distribution: "
            f"{' or '.join(map(repr, namesakes))}.",
            plugin=name,
            known=tuple(namesakes),
        )
    return found[0]


def unload(plugin: Plugin, cause: str, state: State = "disabled") -> None:
    """Unload a plugin, and those that require it."""
    name = plugin.record.name
    if plugin.record.state == "loaded":
        REGISTRY.remove(name)
        MANAGER.unregister(name=plugin.unique_name)
        PACKAGES.pop(plugin.key, None)
        plugin.let_go()
        for other in PLUGINS.values():
            needed = [each.name for each in other.requires if each.needed]
            if other.record.state == "loaded" and name in needed:
                unload(other, f"it requires {name!r}, which is not loaded: {cause}", "incompatible")
    plugin.record = plugin.record._replace(state=state, cause=cause, operations=())


def load_in_turn(plugins: Iterable[Plugin]) -> None:
    """Load plugins one after the other, and each after those of them that it requires."""
    plugins = list(plugins)
    WAITING.update({plugin.key: plugin for plugin in plugins})
    for plugin in plugins:
        if WAITING.pop(plugin.key, None):  # unless one that requires it has loaded it
            load_if_sound(plugin)


def load_if_sound(plugin: Plugin) -> None:
    """Load a plugin of an entry point; if it fails, the others are loaded all the same."""
    if plugin.is_being_imported():
        _await(plugin, "it is being imported")
        return
    try:
        load(plugin)
    except PluginError as error:
        if isinstance(error, PluginRequirementError) and error.awaited:
            _await(plugin, f"it requires {error.awaited!r}, which is being imported")
            return
        if os.environ.get("DEZERO_STRICT_PLUGINS", "0") not in ("", "0"):
            raise
        raised = error if error.__cause__ is None else error.__cause__
        brief = shown(cause_of(raised, with_place=False).partition("\n")[0], 200).rstrip(".")
        warn(f"{plugin.record} is not loaded: {brief}; `dezero doctor` says more")


def _await(plugin: Plugin, cause: str) -> None:
    plugin.record = plugin.record._replace(state="pending", cause=cause)
    AWAITED[:] = [load_pending]
    Variable.__getattr__ = _awaited_attribute  # type: ignore[attr-defined]


def load_pending() -> None:
    """Load the plugins that were still being imported when the core was."""
    with REGISTRY.lock, held_back:
        waiting = [plugin for plugin in PLUGINS.values() if plugin.record.state == "pending"]
        if any(plugin in LOADING for plugin in waiting):  # it is one of them that asks
            return
        try:
            load_in_turn(waiting)
            if waiting:
                after_loading()
        finally:
            if not any(plugin.record.state == "pending" for plugin in PLUGINS.values()):
                AWAITED.clear()
                if "__getattr__" in vars(Variable):
                    del Variable.__getattr__  # type: ignore[attr-defined]


def after_loading() -> None:
    """Tell the user what follows from plugins that were loaded or unloaded."""
    for tell in AFTER_LOADING:
        tell()


def _awaited_attribute(variable: Variable, name: str) -> Any:
    """Load the awaited plugins, which may bind an attribute, and look for it again.

    This is ``Variable.__getattr__``, but only as long as a plugin is awaited: with that method,
    CPython reads every attribute of a Variable slowly.
    """
    load_pending()
    return object.__getattribute__(variable, name)


def load(plugin: Plugin) -> None:
    """Import, register and bind: all of it, or nothing and a PluginError."""
    start = time.perf_counter()
    record, module = plugin.record, plugin.module
    registrar = Registrar(record.name, record)
    try:
        LOADING.append(plugin)
        _refuse_second_of_one_name(plugin)
        if plugin.entry_point is not None:
            module = plugin.entry_point.load()
        elif module is None:
            raise PluginError("nothing holds it any more. Give register() the plugin itself.")
        _refuse_other_api(module)
        first = [each for each in plugin.requires if not each.needed]
        plugin.requires = [*first, *_load_needed(module)]
        _call_hooks(module, plugin.unique_name, registrar)
        REGISTRY.add(registrar)
        plugin.hold(module)
        if record.distribution:
            PACKAGES[plugin.key] = plugin.package
        plugin.record = record._replace(
            state="loaded",
            cause=None,
            operations=tuple(registrar.operations),
            milliseconds=_since(start),
        )
        if registrar.is_empty:
            warn(f"{record} is loaded, and its hooks register nothing")
    except BaseException as error:
        plugin.record = record  # Ctrl-C may come when it says "loaded" already
        if REGISTRY.registrars.get(record.name) is registrar:
            REGISTRY.remove(record.name)
        if module is not None and MANAGER.get_plugin(plugin.unique_name) is module:
            MANAGER.unregister(name=plugin.unique_name)
        PACKAGES.pop(plugin.key, None)
        kind = type(error)  # isinstance() would run code of the error itself
        if issubclass(kind, KeyboardInterrupt):
            raise
        cause = cause_of(error)
        # A class that a plugin derives from one of ours may take other arguments: use ours.
        special = (PluginApiError, PluginRequirementError, PluginConflictError)
        ours = next((known for known in special if issubclass(kind, known)), PluginLoadError)
        incompatible = ours in (PluginApiError, PluginRequirementError)
        state: State = "incompatible" if incompatible else "failed"
        plugin.record = record._replace(state=state, cause=cause, milliseconds=_since(start))
        facts = vars(error).copy() if issubclass(kind, PluginError) else {}
        facts |= {"distribution": record.distribution, "version": record.version}
        raise ours(f"{record} is not loaded: {cause}", **facts | {"plugin": record.name}) from error
    finally:
        LOADING.remove(plugin)


def _refuse_second_of_one_name(plugin: Plugin) -> None:
    mine = plugin.record
    if mine.name in ("", "dezero_core"):
        of_core = "its name is that of the core. Give it another."
        raise PluginError(of_core if mine.name else "it has no name. Give it one.")
    if any(char.isspace() or char in ",=" for char in mine.name):
        raise PluginError(
            "its name has a space, a comma or '=', which part names in switches such as "
            "DEZERO_OPS=exp=math,log=fast. Give it another."
        )
    for known in PLUGINS.values():
        other = known.record
        if other.name == mine.name and known is not plugin and other.state in ("loaded", "pending"):
            advice = "Give this one another: register(plugin, name=...)."
            if mine.distribution:
                named = filter(None, (mine.distribution, other.distribution))
                switches = " or ".join(f"DEZERO_DISABLE_PLUGINS={name}" for name in named)
                advice = f"Keep one of them, by distribution: {switches}."
            raise PluginConflictError(
                f"{other} has the same name. {advice}",
                what=f"plugin name {mine.name!r}",
                other=other.distribution or other.origin,
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


def _load_needed(module: Any) -> list[Requirement]:
    """Load the plugins that one needs, if they wait for their turn."""
    needed = getattr(module, "DEZERO_REQUIRES", ())
    if not isinstance(needed, (tuple, list)):
        raise PluginError(
            f"its DEZERO_REQUIRES must be a tuple such as ('basic>=1',), got {needed!r}."
        )
    return [_needed(text) for text in needed]


def _needed(text: Any) -> Requirement:
    """Load the plugin that one entry of ``DEZERO_REQUIRES`` names."""
    try:
        requirement = Requirement.read(text)
    except ValueError as error:
        raise PluginError(f"its DEZERO_REQUIRES: {error}.") from error
    # Of several with that name the one that the distribution requires, too.
    named = sorted(with_name(requirement.name), key=lambda each: not LOADING[-1].is_based_on(each))
    found, version = next(iter(named), None), None
    if found is None:
        problem = f"no plugin is called {requirement.name!r}."
    elif found in LOADING:
        circle = [*LOADING[LOADING.index(found) :], found]
        names = " requires ".join(repr(each.record.name) for each in circle)
        problem = f"{names}; one of them must do without."
    else:
        if WAITING.pop(found.key, None):
            load_if_sound(found)
        record = found.record
        problem = f"{record} {record.why_not}"
        if record.state == "loaded":
            version = record.version
            if version is None or requirement.admits(version):
                return requirement._replace(name=record.name)
            clauses = ",".join(map("".join, requirement.clauses))
            problem = (
                f"installed is {record.distribution} {version}. Install another one: "
                f"pip install '{record.distribution}{clauses}'"
            )
    raise PluginRequirementError(
        f"it requires {text!r}, and {problem.rstrip('.')}.",
        required=text,
        found=version,
        awaited=found.record.name if found and found.record.state == "pending" else None,
    )


def _call_hooks(module: Any, unique_name: str, registrar: Registrar) -> None:
    """Let pluggy check the plugin's hooks, and call those of this plugin alone."""
    equal: Any = type(module).__eq__
    if equal is not object.__eq__:
        raise PluginError(
            f"{type(module).__name__} defines __eq__, by which pluggy would take it for another "
            "plugin. Leave that out; for a dataclass, write @dataclass(eq=False)."
        )
    if module in MANAGER.get_plugins():
        raise PluginError(f"the object that it names is loaded already, as {find(module).record}.")
    registers = {
        "dezero_register_ops": registrar,
        "dezero_register_observers": partial(registrar.part, "observe"),
        "dezero_register_executors": partial(registrar.part, "executor"),
        "dezero_register_arrays": registrar.array_type,
        "dezero_register_settings": registrar.setting,
    }
    marked = {name: MANAGER.parse_hookimpl_opts(module, name) for name in dir(module)}
    hooks = [options["specname"] or name for name, options in marked.items() if options]
    for hook in hooks:
        if hook not in registers:
            guess = did_you_mean(hook, registers) or "Does it need a newer dezero-core?"
            raise PluginError(f"it implements the unknown hook {hook!r}. {guess}", hook=hook)
    if not hooks:
        raise PluginError(
            "it implements no hook. Mark a function dezero_register_ops(register) of "
            f"{getattr(module, '__name__', module)!r} with @hookimpl."
        )
    try:
        MANAGER.register(module, unique_name)
    except pluggy.PluginValidationError as error:
        message = str(error).splitlines()[-1]
        raise PluginError(
            f"the parameter of its {' and '.join(hooks)} must be called 'register' ({message})"
        ) from error
    others = [plugin for plugin in MANAGER.get_plugins() if plugin is not module]
    for hook, register in registers.items():
        for implementation in getattr(MANAGER.hook, hook).get_hookimpls():
            if implementation.plugin is module and not implementation.argnames:
                raise PluginError(f"its {hook} must take the parameter 'register'.")
        MANAGER.subset_hook_caller(hook, others)(register=register)


def _since(start: float) -> float:
    return (time.perf_counter() - start) * 1e3


def warn(message: str) -> None:
    """Warn the user of a plugin that is left out, or of a switch, at the end of `held_back`."""
    # At the user's import of the core, which a number of frames cannot say.
    held_back.warnings.append((message, *user_place("importlib")))
