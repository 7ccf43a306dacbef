"""The registry: which plugin provides which operation, and its bindings onto Variable.

A registration is collected first, checked as a whole, and only then bound; so a plugin
is in it entirely or not at all, and unbinding restores Variable exactly. The same holds for a
module of a plugin that is announced and imported later.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextvars import Context
from functools import partial
from importlib import import_module
from threading import RLock, get_ident
from types import FunctionType
from typing import Any, NamedTuple

from ..array_types import ARRAY_TYPES
from ..config import PLUGIN_SETTINGS, Config
from ..contests import CHANGES, chosen, contesting, in_use
from ..errors import PluginConflictError, PluginLoadError, attempt, cause_of
from ..notes import PROVENANCE
from ..slots import (
    CORE,
    NUMPY_FUNCTIONS,
    SLOTS,
    Binding,
    Slot,
    in_numpy,
    key_of,
    to_choose,
    written,
)
from ..variable import Variable
from .operation import Operation
from .registrar import Announcement, Registrar

PATIENCE = 5.0
"""Seconds that a fork waits at most: the import in the other thread may itself wait for it."""


class Registry:
    """All operations, by the plugins that provide them."""

    def __init__(self) -> None:
        #: For all but the imports that need none; a forked child may get another one.
        self.lock = RLock()
        #: Plugin -> its registrations, in the order of loading.
        self.registrars: dict[str, Registrar] = {}
        #: Modules that could not be imported when something of them was last needed -> the error.
        self.broken: dict[Announcement, str] = {}
        #: Operation and plugin -> how many blocks of `use_ops` hold for them, in all threads.
        self.blocks: Counter[tuple[str, str]] = Counter()
        #: Thread of each import without the lock, by a key of its own; put there under the lock.
        self._importing: dict[object, int] = {}
        #: Threads that hold the lock for a fork.
        self._forking: set[int] = set()
        if hasattr(os, "register_at_fork"):  # there is no fork on Windows
            os.register_at_fork(
                before=self._wait_for_other_threads,
                after_in_parent=self._release,
                after_in_child=self._forget_other_threads,
            )

    @property
    def providers(self) -> dict[str, dict[str, Operation | Announcement]]:
        """Operation -> plugin -> its registration, in the order of loading."""
        found: dict[str, dict[str, Operation | Announcement]] = {}
        for plugin, registrar in self.registrars.items():
            for name, operation in registrar.operations.items():
                found.setdefault(name, {})[plugin] = operation
        return found

    @property
    def parts(self) -> dict[str, dict[str, Binding]]:
        """Part, such as the observer ``"observe.nan"`` -> plugin -> the callable that makes one."""
        found: dict[str, dict[str, Binding]] = {}
        for plugin, registrar in self.registrars.items():
            for name, made_by in registrar.parts.items():
                found.setdefault(name, {})[plugin] = Binding(None, made_by)
        return found

    def add(self, registrar: Registrar) -> None:
        """Bind everything a plugin registered, or raise before anything is bound.

        Raises
        ------
        PluginConflictError
            If the core has one of these names, or another plugin a type of arrays or a setting.
        """
        self._refuse_names_of_others(registrar)
        self.registrars[registrar.plugin] = registrar  # first: an interrupt removes it again
        PROVENANCE.update(dict.fromkeys(registrar.modules, registrar.record))
        ARRAY_TYPES.update(registrar.array_types)
        PLUGIN_SETTINGS.update(registrar.settings)
        CHANGES[0] += 1
        self._bind(registrar)

    def _refuse_names_of_others(self, new: Registrar) -> None:
        for key in new.bindings:
            slot = SLOTS.get(key)
            if CORE in slot.bindings if slot else isinstance(key, str) and hasattr(Variable, key):
                raise _conflict(new, "provides", written(key), CORE)
        for name in new.settings:
            if name in dir(Config) or hasattr(type, name):
                known = PLUGIN_SETTINGS.get(name)
                raise _conflict(new, "declares", f"Config.{name}", known.plugin if known else CORE)
        for other in self.registrars.values():
            taken = {*other.array_types, *(kind.name for kind in other.array_types.values())}
            for cls, kind in new.array_types.items():
                if cls in taken or kind.name in taken:
                    raise _conflict(new, "registers", f"{kind.name} arrays, of {cls}", other.plugin)

    def _bind(self, registrar: Registrar) -> None:
        # In one step each, with nothing half done between them when Ctrl-C comes.
        for key, bound in registrar.bindings.items():
            if isinstance(bound, Announcement):
                load = partial(self._load, bound)
                bound = Binding(None, bound, load=load, alternative=bound.alternative)
            slot = SLOTS.get(key) or Slot(key)
            slot.bindings = {**slot.bindings, registrar.plugin: bound}
            SLOTS[key] = slot  # with a binding: an empty one would be left behind by Ctrl-C
            _place(slot, bound)
        _trace(registrar)

    def remove(self, plugin: str) -> None:
        """Undo everything that `plugin` registered."""
        CHANGES[0] += 1
        for slot in [slot for slot in SLOTS.values() if plugin in slot.bindings]:
            _unbind(slot, plugin)
        for provider, record in list(PROVENANCE.items()):
            if record.name == plugin:
                del PROVENANCE[provider]
        own = set(map(id, self.registrars[plugin].array_types.values()))
        for cls in [cls for cls, kind in ARRAY_TYPES.items() if id(kind) in own]:
            ARRAY_TYPES.pop(cls, None)  # also one that was found by its name
        for name in self.registrars[plugin].settings:
            PLUGIN_SETTINGS.pop(name, None)
        for announcement in self.registrars[plugin].announcements:
            self.broken.pop(announcement, None)
        del self.registrars[plugin]
        for registrar in self.registrars.values():  # which may have registered the same classes
            _trace(registrar)

    def _announced(self, things: Iterable[Any] | None = None) -> list[Announcement]:
        """List the modules still to be imported: all, or those that announce any of these."""
        registrars = list(self.registrars.values())  # once: another thread may load a plugin
        announced = [each for registrar in registrars for each in registrar.announcements]
        return [each for each in announced if things is None or each.announces_any(things)]

    def load_announced(self, things: Iterable[Any]) -> None:
        """Import the modules that announce any of these; to be called without the lock."""
        for announcement in self._announced(things):
            self._load(announcement)

    def all_operations(self) -> dict[str, tuple[Operation, ...]]:
        """Return all operations by name, those of every module too; first the one in use.

        A module that cannot be imported is left out, and is then among the `broken` ones.
        """
        for announcement in self._announced():
            attempt(partial(self._load, announcement))
        found: dict[str, tuple[Operation, ...]] = {}
        with self.lock:
            for name, providers in sorted(self.providers.items()):
                there = [each for each in providers.values() if isinstance(each, Operation)]
                if len(there) > 1:
                    first = in_use(name, providers)
                    there.sort(key=lambda op: (op.plugin != first, not self.is_in_use(op)))
                if there:
                    found[name] = tuple(there)
        return found

    def is_in_use(self, operation: Operation) -> bool:
        """Return whether a name of an operation leads to it; of one without, if it is chosen."""
        return operation.plugin in self.answers(operation).values()

    def answers(self, operation: Operation) -> dict[str, str | None]:
        """Return name of an operation -> the plugin in use there, None where using it raises."""
        keys = (*operation.dunders, *operation.methods, *map(key_of, operation.numpy))
        named: dict[str, Mapping[str, Any]] = {
            slot.written: slot.bindings for key in keys if (slot := SLOTS.get(key))
        }
        named = named or {operation.name: self.providers.get(operation.name, {})}
        return {name: in_use(name, of) for name, of in named.items()}

    def operations_of(self, plugin: str, only: str | None = None) -> tuple[Operation, ...]:
        """Return the operations of a plugin, in use or not, by name; or only the one named.

        No module of another plugin is imported.
        """
        for announcement in self._announced(None if only is None else (only,)):
            if announcement.plugin == plugin:
                self._load(announcement)
        with self.lock:
            registrar = self.registrars.get(plugin)
            found = sorted(registrar.operations.items()) if registrar else []
            there = [operation for name, operation in found if only in (None, name)]
            return tuple(operation for operation in there if isinstance(operation, Operation))

    def _load(self, announcement: Announcement) -> None:
        """Import a module and bind its registrations: all of them, or nothing and an error.

        Raises
        ------
        PluginLoadError
            With the cause; the next use tries again.
        """
        registrar = self._announcer(announcement)
        if registrar is None:  # another thread has loaded it, or unloaded its plugin
            return
        try:
            # The settings of a calculation, as by np.errstate, are not meant for imports.
            Context().run(self._import, announcement)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            message = f"its module {announcement.module!r} cannot be loaded: {cause_of(error)}"
            with self.lock:
                if self._announcer(announcement):
                    self.broken[announcement] = message
            raise PluginLoadError(
                f"{registrar.record}: {message}",
                plugin=announcement.plugin,
                distribution=registrar.record.distribution,
                version=registrar.record.version,
                module=announcement.module,
            ) from error

    def _announcer(self, announcement: Announcement) -> Registrar | None:
        registrar = self.registrars.get(announcement.plugin)
        return registrar if registrar and announcement in registrar.announcements else None

    def _import(self, announcement: Announcement) -> None:
        # Outside of the lock, which a thread may want that is importing the same module.
        this = object()
        try:
            with self.lock:
                self._importing[this] = get_ident()
            module = import_module(announcement.module)
        finally:
            self._importing.pop(this, None)
        with self.lock:
            registrar = self._announcer(announcement)
            if registrar is not None:
                late = announcement.kept_by(module, registrar.record)
                self._refuse_names_of_others(late)
                self._bind(late)
                for key in announcement.bindings:  # that an older NumPy has not got
                    if SLOTS[key].bindings[announcement.plugin].load is not None:
                        _unbind(SLOTS[key], announcement.plugin)
                registrar.take(announcement, late)
                self.broken.pop(announcement, None)

    def owners(self, thing: str) -> tuple[str, ...]:
        """Return the plugins that provide a thing: an operation, or a name such as ``"np.exp"``."""
        named = {
            plugin
            for slot in list(SLOTS.values())
            if slot.written == thing
            for plugin in slot.bindings
        }
        return tuple(
            plugin
            for plugin, of in self.registrars.items()
            if plugin in named or thing in of.operations or thing in of.parts
        )

    def contests(self) -> list[Contest]:
        """Return everything that several plugins provide, and not as an alternative."""
        slots = [slot for slot in list(SLOTS.values()) if len(slot.bindings) > 1]
        by_name = {slot.written: slot.bindings for slot in slots}
        names: dict[Contest, list[str]] = {}
        for name, providers in (by_name | self.parts).items():
            plugins = contesting(providers)
            if len(plugins) > 1:
                thing, choices = to_choose(name, providers)
                by_choice = chosen(name, providers) is not None
                now = in_use(name, providers)
                contest = Contest(thing, plugins, now, by_choice, choices[-1])
                names.setdefault(contest, []).append(name)
        found = [contest._replace(names=tuple(written)) for contest, written in names.items()]
        return sorted(found, key=lambda contest: contest.names)

    # A forked child has one thread, the one that has forked. A lock that another thread held is
    # never released there, and a module that another one was importing is never finished: whoever
    # needs it waits for ever. So a fork waits until no other thread is loading anything.

    def _wait_for_other_threads(self) -> None:
        """Take the lock, once no other thread is importing."""
        end = time.monotonic() + PATIENCE
        while self.lock.acquire(timeout=max(0.0, end - time.monotonic())):
            others = any(thread != get_ident() for thread in self._importing.values())
            if not others or time.monotonic() > end:
                self._forking.add(get_ident())
                return
            self.lock.release()  # which that import may need
            time.sleep(0.002)

    def _release(self) -> None:
        if get_ident() in self._forking:
            self._forking.remove(get_ident())
            self.lock.release()

    def _forget_other_threads(self) -> None:
        if get_ident() not in self._forking:
            self.lock = RLock()
        self._release()
        self._forking.clear()
        self._importing = {key: t for key, t in self._importing.items() if t == get_ident()}


def _place(slot: Slot, bound: Binding) -> None:
    """Put the value or the slot in place, after a binding has been added or taken away.

    If one plugin has the name, its value stands there. Otherwise the slot does; but if no plugin
    has the name any more, only if every Variable answers that name.
    """
    key, bindings = slot.key, slot.bindings
    alone = next(iter(bindings.values())) if len(bindings) == 1 else None
    if alone is not None and (alone.load is not None or alone.alternative):
        alone = None
    if not (bindings or slot.operands):
        SLOTS.pop(key, None)
    if not slot.is_attribute:
        _place_function(slot, bound, alone)
    elif bindings or slot.operands:
        value = slot if alone is None else alone.value
        if vars(Variable).get(key) is not value:
            setattr(Variable, key, value)
    elif key in vars(Variable):
        delattr(Variable, key)


def _place_function(slot: Slot, bound: Binding, alone: Binding | None) -> None:
    # A ufunc of another library is announced by its name alone, and so has two slots.
    namesakes, name = [], slot.written.removeprefix("np.")
    if "." not in name and in_numpy(name) is None:  # np.fft would be imported
        namesakes = [each for each in SLOTS.values() if each.written == slot.written != each.key]
        alone = None if slot.written in SLOTS else alone
    if alone is not None:
        NUMPY_FUNCTIONS[alone.function] = alone.value
    else:
        for each in (*slot.bindings.values(), bound):  # one that is announced has no function
            NUMPY_FUNCTIONS.pop(each.function, None)
    for other in namesakes if slot.key == slot.written else ():
        _place(other, next(iter(other.bindings.values())))


def _unbind(slot: Slot, plugin: str) -> None:
    bindings = dict(slot.bindings)
    bound = bindings.pop(plugin)
    slot.bindings = bindings
    _place(slot, bound)


def _trace(registrar: Registrar) -> None:
    """Note the classes and functions by which errors are traced back to a plugin."""
    for operation in registrar.operations.values():
        if isinstance(operation, Operation):
            if operation.function_class is not None:
                PROVENANCE.setdefault(operation.function_class, registrar.record)
            if isinstance(operation.function, FunctionType):  # another callable may have no hash
                PROVENANCE.setdefault(operation.function, registrar.record)


class Contest(NamedTuple):
    """A thing that several plugins provide, and not as an alternative."""

    #: The name in a choice: an operation, ``"exp"``; or a name of several ones, ``"np.exp"``.
    thing: str
    plugins: tuple[str, ...]
    #: None if using it raises.
    in_use: str | None
    #: Whether that is the user's choice; else it is an operator, of which one plugin's stays.
    is_chosen: bool
    #: An argument of `prefer`, ``"exp='fast'"``.
    choice: str
    #: The contested ones: ``("Variable.exp", "np.exp")``.
    names: tuple[str, ...] = ()


def _conflict(new: Registrar, does: str, what: str, other: str) -> PluginConflictError:
    taken = f"plugin {other!r} has registered. Keep one of the two plugins, or choose another name."
    if other == CORE:
        taken = "belongs to the core. A plugin cannot replace that; choose another name."
    message = f"plugin {new.plugin!r} {does} {what}, which {taken}"
    return PluginConflictError(message, what=what, plugin=new.plugin, other=other)
