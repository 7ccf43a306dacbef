"""The registry: which plugin provides which operation, and its bindings onto Variable.

A registration is collected first, checked as a whole, and only then bound; so a plugin
is in it entirely or not at all, and unbinding restores Variable exactly. The same holds for a
module of a plugin that is announced and imported later.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextvars import Context
from functools import partial
from importlib import import_module
from threading import RLock, get_ident
from types import FunctionType
from typing import Any, Literal, NamedTuple

from ..errors import PluginConflictError, PluginLoadError, attempt, cause_of
from ..notes import PROVENANCE
from ..slots import CORE, NUMPY_FUNCTIONS, PREFERRED, SLOTS, Binding, Slot, chosen
from ..variable import Variable
from .registrar import Announcement, Operation, Registrar, written

PATIENCE = 5.0
"""Seconds that a fork waits at most: the import in the other thread may itself wait for it."""


class Registry:
    """All operations, by the plugins that provide them."""

    def __init__(self) -> None:
        #: For all but the imports that need none; a forked child may get another one.
        self.lock = RLock()
        #: Thread of each of these imports, by a key of its own; put there under the lock.
        self._importing: dict[object, int] = {}
        #: Threads that hold the lock for a fork.
        self._forking: set[int] = set()
        if hasattr(os, "register_at_fork"):  # there is no fork on Windows
            os.register_at_fork(
                before=self._wait_for_other_threads,
                after_in_parent=self._release,
                after_in_child=self._forget_other_threads,
            )
        #: Operation -> plugin -> its registration, in the order of loading.
        self.providers: dict[str, dict[str, Operation | Announcement]] = {}
        #: Operation and plugin -> how many blocks of `use_ops` hold for them, in all threads.
        self.blocks: Counter[tuple[str, str]] = Counter()
        #: Observer -> its plugin, and the callable that makes one.
        self.observers: dict[str, tuple[str, Callable[[], Any]]] = {}
        self._records: dict[str, Any] = {}  # plugin -> its record, for messages
        #: Modules that are not imported yet -> the record of the plugin.
        self._announcements: dict[Announcement, Any] = {}
        #: Modules that could not be imported when something of them was last needed -> the error.
        self.broken: dict[Announcement, str] = {}

    def add(self, registrar: Registrar, record: Any) -> None:
        """Bind everything a plugin registered, or raise before anything is bound.

        `record` is that of the plugin, for messages.

        Raises
        ------
        PluginConflictError
            If another plugin, or the core, provides one of these things, and the user has not
            said which one is to.
        """
        plugin = registrar.plugin
        self._settle(registrar, by_hand=record.distribution is None)
        self._records[plugin] = record  # first: after an interrupt from here on, it is removed
        self.observers |= {name: (plugin, made) for name, made in registrar.observers.items()}
        PROVENANCE.update(dict.fromkeys(registrar.modules, record))
        self._announcements |= dict.fromkeys(registrar.announcements, record)
        self._bind(registrar, record)

    def has(self, record: Any) -> bool:
        """Return whether anything of the plugin with this record is bound."""
        return self._records.get(record.name) is record

    def _bind(self, registrar: Registrar, record: Any) -> None:
        # In one step each, with nothing half done between them when Ctrl-C comes.
        plugin = registrar.plugin
        for key, bound in registrar.bindings.items():
            if isinstance(bound, Announcement):
                bound = Binding(None, None, load=partial(self._load, bound))
            slot = SLOTS.get(key) or Slot(key)
            slot.bindings = {**slot.bindings, plugin: bound}
            SLOTS[key] = slot  # with a binding: an empty one would be left behind by Ctrl-C
            _place(slot, bound)
        for name, operation in registrar.operations.items():
            self.providers[name] = {**self.providers.get(name, {}), plugin: operation}
            if isinstance(operation, Operation):
                for source in _sources(operation):
                    PROVENANCE.setdefault(source, record)

    def _loaded(self) -> Iterator[tuple[str, Operation]]:
        for name, providers in self.providers.items():
            for operation in providers.values():
                if isinstance(operation, Operation):
                    yield name, operation

    def load_operations(self, names: Iterable[str]) -> None:
        """Import the modules that announce these; to be called without the lock."""
        wanted = set(names)
        for announcement in list(self._announcements):
            if wanted & {*announcement.operations}:
                self._load(announcement)

    def all_operations(self) -> dict[str, tuple[Operation, ...]]:
        """Return all operations by name, those of every module too; first the one in use.

        A module that cannot be imported is left out, and is then among the `broken` ones.
        """
        for announcement in list(self._announcements):
            attempt(partial(self._load, announcement))
        with self.lock:
            found: dict[str, tuple[Operation, ...]] = {}
            for name in sorted(self.providers):
                providers = self.providers[name]
                first = chosen(name, providers)
                order = [first, *(plugin for plugin in providers if plugin != first)]
                operations = [providers[plugin] for plugin in order]
                found[name] = tuple(op for op in operations if isinstance(op, Operation))
            return {name: operations for name, operations in found.items() if operations}

    def operations_of(self, plugin: str, only: str | None = None) -> tuple[Operation, ...]:
        """Return the operations of a plugin, in use or not, by name; or only the one named.

        No module of another plugin is imported.
        """
        for announcement in list(self._announcements):
            if announcement.plugin == plugin and only in (None, *announcement.operations):
                self._load(announcement)
        with self.lock:
            found = {name: op for name, op in self._loaded() if op.plugin == plugin}
            return tuple(found[name] for name in sorted(found) if only in (None, name))

    def _load(self, announcement: Announcement) -> None:
        """Import a module and bind its registrations: all of them, or nothing and an error.

        Raises
        ------
        PluginLoadError
            With the cause; the next use tries again.
        """
        record = self._announcements.get(announcement)
        if record is None:  # another thread has loaded it, or unloaded its plugin
            return
        try:
            # The settings of a calculation, as by np.errstate, are not meant for imports.
            Context().run(self._import, announcement)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            message = f"its module {announcement.module!r} cannot be loaded: {cause_of(error)}"
            with self.lock:
                if announcement in self._announcements:
                    self.broken[announcement] = message
            raise PluginLoadError(
                f"{record}: {message}",
                plugin=announcement.plugin,
                distribution=record.distribution,
                version=record.version,
                module=announcement.module,
            ) from error

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
            record = self._announcements.get(announcement)
            if record is not None:
                registrar = announcement.kept_by(module)
                # Over a function that is not NumPy's, and so was not announced, there may be one.
                self._settle(registrar, by_hand=record.distribution is None)
                self._bind(registrar, record)
                for key in announcement.bindings:  # that an older NumPy has not got
                    if SLOTS[key].bindings[record.name].load is not None:
                        self._unbind(SLOTS[key], record.name)
                self._forget(announcement)

    def _forget(self, announcement: Announcement) -> None:
        self._announcements.pop(announcement, None)
        self.broken.pop(announcement, None)

    def _unbind(self, slot: Slot, plugin: str) -> None:
        bindings = dict(slot.bindings)
        bound = bindings.pop(plugin)
        slot.bindings = bindings
        _place(slot, bound)

    def remove(self, plugin: str) -> None:
        """Undo everything that `plugin` registered."""
        for slot in [slot for slot in SLOTS.values() if plugin in slot.bindings]:
            self._unbind(slot, plugin)
        for observer in [name for name, (owner, _) in self.observers.items() if owner == plugin]:
            del self.observers[observer]
        for provider, record in list(PROVENANCE.items()):
            if record.name == plugin:
                del PROVENANCE[provider]
        for announcement in [each for each in self._announcements if each.plugin == plugin]:
            self._forget(announcement)
        for name in [name for name, providers in self.providers.items() if plugin in providers]:
            del self.providers[name][plugin]
            if not self.providers[name]:
                del self.providers[name]
        self._records.pop(plugin, None)
        for _, operation in self._loaded():  # others may have registered the same classes
            for source in _sources(operation):
                PROVENANCE.setdefault(source, self._records[operation.plugin])

    def _clashes(self, registrar: Registrar) -> Iterator[Clash]:
        """Yield everything that the plugin would provide and another one does."""
        for name in registrar.observers:
            if name in self.observers:
                yield Clash("observer", name, self.observers[name][0])
        for name in registrar.operations:
            for owner in self.providers.get(name, ()):
                if owner != registrar.plugin:  # which may have announced it
                    yield Clash("operation", name, owner)
        for key in registrar.bindings:
            if key in SLOTS:
                for owner in SLOTS[key].bindings:
                    if owner != registrar.plugin:
                        yield Clash("binding", key, owner)
            elif isinstance(key, str) and hasattr(Variable, key):
                yield Clash("binding", key, CORE)

    def _settle(self, registrar: Registrar, by_hand: bool) -> None:
        """Raise, unless the user has chosen a plugin for each operation in conflict."""
        plugin, clashes = registrar.plugin, list(self._clashes(registrar))
        for clash in clashes:
            if clash.owner == CORE or clash.kind == "observer":
                raise conflict(clash, plugin, by_hand)
        operations = [clash for clash in clashes if clash.kind == "operation"]
        unsettled = [clash for clash in operations if clash.thing not in PREFERRED]
        if unsettled:
            raise unsettled_conflict(unsettled, plugin, by_hand)
        if operations:
            self._import_all_of(registrar, {clash.thing for clash in clashes})
            clashes = list(self._clashes(registrar))
        for clash in clashes:
            if clash.kind == "binding":
                mine = registrar.bindings[clash.thing]
                theirs = SLOTS[clash.thing].bindings[clash.owner]
                if not operations or mine.operation is None or mine.operation != theirs.operation:
                    raise conflict(clash, plugin, by_hand)

    def _import_all_of(self, registrar: Registrar, things: set[Any]) -> None:
        """Import the modules that announce any of these, which then say their operations."""

        def announces_any(each: Announcement) -> bool:
            return not things.isdisjoint((*each.operations, *each.bindings))

        for announcement in filter(announces_any, list(registrar.announcements)):
            registrar.take(announcement, Context().run(import_module, announcement.module))
        for announcement in filter(announces_any, list(self._announcements)):
            self._load(announcement)

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
    if alone is not None and alone.load is not None:
        alone = None
    if not slot.is_attribute:
        if alone is not None:
            NUMPY_FUNCTIONS[alone.function] = alone.value
        else:
            NUMPY_FUNCTIONS.pop(bound.function, None)
    elif alone is not None:
        setattr(Variable, key, alone.value)
    elif bindings or slot.operands:
        if vars(Variable).get(key) is not slot:
            setattr(Variable, key, slot)
    elif key in vars(Variable):
        delattr(Variable, key)
    if not (bindings or slot.operands):
        SLOTS.pop(key, None)


def _sources(operation: Operation) -> Iterator[Any]:
    """Yield the class and the function by which an error is traced back to its plugin."""
    if operation.function_class is not None:
        yield operation.function_class
    if isinstance(operation.function, FunctionType):  # another callable may have no hash
        yield operation.function


class Clash(NamedTuple):
    """One thing that a plugin provides and its `owner` does already.

    The `thing` is the name of an operation or of an observer, or a key of `Registrar.bindings`.
    """

    kind: Literal["operation", "binding", "observer"]
    thing: Any
    owner: str

    def __str__(self) -> str:
        return written(self.thing) if self.kind == "binding" else f"{self.kind} {self.thing!r}"


def conflict(clash: Clash, plugin: str, by_hand: bool) -> PluginConflictError:
    """Return the error for a thing that only one plugin can provide."""
    if clash.owner == CORE:
        advice = "A plugin cannot replace what belongs to the core; choose another name."
    else:
        advice = (
            f"Keep one of them: {_keep_one(plugin, clash.owner, by_hand)} prefer() and DEZERO_OPS "
            "cannot help: they choose between operations of one name."
        )
    return _refusal(str(clash), plugin, clash.owner, advice)


def unsettled_conflict(clashes: list[Clash], plugin: str, by_hand: bool) -> PluginConflictError:
    """Return the error for operations, with the ways to choose the plugin that provides them."""
    owners = {clash.thing: clash.owner for clash in clashes}
    names, owner = list(owners), clashes[0].owner
    several = len(set(owners.values())) > 1
    listed = [f"{name!r} of {owners[name]!r}" if several else repr(name) for name in names[:6]]
    listed += ["…"] if len(names) > 6 else []
    what = f"operation {listed[0]}" if len(names) == 1 else f"the operations {', '.join(listed)}"

    def preferred(plugin: str) -> str:
        keyword = f"{names[0]}={plugin!r}"
        if not names[0].isidentifier():  # as linalg.inv
            keyword = f"**{{{names[0]!r}: {plugin!r}}}"
        return f"dezero_core.prefer({keyword})"

    if by_hand:
        each = " for each of them" if len(names) > 1 else ""
        choose = (
            f"Say {preferred(owner)}{each} and register it again; then choose, by "
            f"{preferred(plugin)} or use_ops."
        )
    else:
        choice = ",".join(f"{name}={plugin}" for name in names[:6])
        more = " and so on" if len(names) > 6 else ""
        each = " for each" if len(names) > 1 else ""
        choose = (
            f"Choose{each}: DEZERO_OPS={choice}{more} (or ={owner}), or by {preferred(plugin)} or "
            "use_ops."
        )
    advice = f"{choose} Or keep one plugin: {_keep_one(plugin, owner, by_hand)}"
    return _refusal(what, plugin, owner, advice, tuple(names))


def _refusal(
    what: str, plugin: str, owner: str, advice: str, operations: tuple[str, ...] = ()
) -> PluginConflictError:
    return PluginConflictError(
        f"plugin {plugin!r} provides {what}, which {owner!r} provides already. {advice}",
        what=what,
        plugin=plugin,
        other=owner,
        operations=operations,
    )


def _keep_one(plugin: str, owner: str, by_hand: bool) -> str:
    """Return the advice to keep one of two plugins; switches know none registered by hand."""
    if by_hand:
        return f"dezero_core.unregister({owner!r}), and then register this one again."
    return (
        f"DEZERO_DISABLE_PLUGINS={plugin} or DEZERO_DISABLE_PLUGINS={owner}, or "
        f"dezero_core.unregister({owner!r}) and then register({plugin!r})."
    )
