"""The registry: which plugin provides which operation, and its bindings onto Variable.

A registration is collected first, checked as a whole, and only then bound; so a plugin
is in it entirely or not at all, and unbinding restores Variable exactly. The same holds for a
module of a plugin that is announced and imported later.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
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

    def add(self, registrar: Registrar) -> None:
        """Bind everything a plugin registered, or raise before anything is bound.

        Raises
        ------
        PluginConflictError
            If another plugin, or the core, provides one of these things, and the user has not
            said which one is to.
        """
        self._settle(registrar)
        self.registrars[registrar.plugin] = registrar  # first: an interrupt removes it again
        PROVENANCE.update(dict.fromkeys(registrar.modules, registrar.record))
        self._bind(registrar)

    def _bind(self, registrar: Registrar) -> None:
        # In one step each, with nothing half done between them when Ctrl-C comes.
        for key, bound in registrar.bindings.items():
            if isinstance(bound, Announcement):
                bound = Binding(None, None, load=partial(self._load, bound))
            slot = SLOTS.get(key) or Slot(key)
            slot.bindings = {**slot.bindings, registrar.plugin: bound}
            SLOTS[key] = slot  # with a binding: an empty one would be left behind by Ctrl-C
            _place(slot, bound)
        _trace(registrar)

    def remove(self, plugin: str) -> None:
        """Undo everything that `plugin` registered."""
        for slot in [slot for slot in SLOTS.values() if plugin in slot.bindings]:
            _unbind(slot, plugin)
        for provider, record in list(PROVENANCE.items()):
            if record.name == plugin:
                del PROVENANCE[provider]
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
        """Import the modules that announce any of these; mostly to be called without the lock."""
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
                in_use = providers[chosen(name, providers)]
                others = (operation for operation in providers.values() if operation is not in_use)
                there = tuple(op for op in (in_use, *others) if isinstance(op, Operation))
                if there:
                    found[name] = there
        return found

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
                # Over a function that is not NumPy's, and so was not announced, there may be one.
                self._settle(late)
                self._bind(late)
                for key in announcement.bindings:  # that an older NumPy has not got
                    if SLOTS[key].bindings[announcement.plugin].load is not None:
                        _unbind(SLOTS[key], announcement.plugin)
                registrar.take(announcement, late)
                self.broken.pop(announcement, None)

    def _clashes(self, new: Registrar) -> Iterator[Clash]:
        """Yield everything that the plugin would provide and another one does."""
        others = [each for plugin, each in self.registrars.items() if plugin != new.plugin]
        for name in new.observers:
            for other in others:
                if name in other.observers:
                    yield Clash("observer", name, other.plugin)
        for name in new.operations:
            for other in others:
                if name in other.operations:
                    yield Clash("operation", name, other.plugin)
        for key in new.bindings:
            if key in SLOTS:
                for owner in SLOTS[key].bindings:
                    if owner != new.plugin:  # which may have announced it
                        yield Clash("binding", key, owner)
            elif isinstance(key, str) and hasattr(Variable, key):
                yield Clash("binding", key, CORE)

    def _settle(self, new: Registrar) -> None:
        """Raise, unless the user has chosen a plugin for each operation in conflict."""
        clashes = list(self._clashes(new))
        for clash in clashes:
            if clash.owner == CORE or clash.kind == "observer":
                raise conflict([clash], new)
        operations = [clash for clash in clashes if clash.kind == "operation"]
        unsettled = [clash for clash in operations if clash.thing not in PREFERRED]
        if unsettled:
            raise conflict(unsettled, new)
        if operations:
            self._import_all_of(new, {clash.thing for clash in clashes})
            clashes = list(self._clashes(new))
        for clash in clashes:
            if clash.kind == "binding":
                mine = new.bindings[clash.thing]
                theirs = SLOTS[clash.thing].bindings[clash.owner]
                if not operations or mine.operation is None or mine.operation != theirs.operation:
                    raise conflict([clash], new)

    def _import_all_of(self, new: Registrar, things: set[Any]) -> None:
        """Import the modules that announce any of these, which then say their operations."""
        for announcement in [each for each in new.announcements if each.announces_any(things)]:
            module = Context().run(import_module, announcement.module)
            new.take(announcement, announcement.kept_by(module, new.record))
        self.load_announced(things)

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
    elif bindings or slot.operands:
        value = slot if alone is None else alone.value
        if vars(Variable).get(key) is not value:
            setattr(Variable, key, value)
    elif key in vars(Variable):
        delattr(Variable, key)
    if not (bindings or slot.operands):
        SLOTS.pop(key, None)


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


class Clash(NamedTuple):
    """One thing that a plugin provides and its `owner` does already.

    The `thing` is the name of an operation or of an observer, or a key of `Registrar.bindings`.
    """

    kind: Literal["operation", "binding", "observer"]
    thing: Any
    owner: str

    def __str__(self) -> str:
        return written(self.thing) if self.kind == "binding" else f"{self.kind} {self.thing!r}"


def conflict(clashes: list[Clash], new: Registrar) -> PluginConflictError:
    """Return the error for things that only one plugin can provide.

    Operations come with the ways to choose between plugins, anything else comes alone.
    """
    owner, kind = clashes[0].owner, clashes[0].kind
    names: tuple[str, ...] = ()
    what = str(clashes[0])
    if owner == CORE:
        advice = "A plugin cannot replace what belongs to the core; choose another name."
    elif kind == "operation":
        names = tuple(dict.fromkeys(clash.thing for clash in clashes))
        what = _listed(clashes, names)
        advice = f"{_choose(names, owner, new)} Or keep one plugin: {_keep_one(new, owner)}"
    else:
        advice = (
            f"Keep one of them: {_keep_one(new, owner)} prefer() and DEZERO_OPS cannot help: they "
            "choose between operations of one name."
        )
    return PluginConflictError(
        f"plugin {new.plugin!r} provides {what}, which {owner!r} provides already. {advice}",
        what=what,
        plugin=new.plugin,
        other=owner,
        operations=names,
    )


def _listed(clashes: list[Clash], names: tuple[str, ...]) -> str:
    """Name the operations, the first six of many; with their owners, if there are several."""
    owners = {clash.thing: clash.owner for clash in clashes}
    several = len(set(owners.values())) > 1
    listed = [f"{name!r} of {owners[name]!r}" if several else repr(name) for name in names[:6]]
    listed += ["…"] if len(names) > 6 else []
    return f"the operations {', '.join(listed)}" if len(names) > 1 else f"operation {listed[0]}"


def _choose(names: tuple[str, ...], owner: str, new: Registrar) -> str:
    """Return the advice to choose the plugin of each operation; it shows one of them."""
    mine, theirs = _preferred(names[0], new.plugin), _preferred(names[0], owner)
    each = " for each" if len(names) > 1 else ""
    if new.is_by_hand:
        each = f"{each} of them" if each else ""
        return f"Say {theirs}{each} and register it again; then choose, by {mine} or use_ops."
    choice = ",".join(f"{name}={new.plugin}" for name in names[:6])
    more = " and so on" if len(names) > 6 else ""
    return f"Choose{each}: DEZERO_OPS={choice}{more} (or ={owner}), or by {mine} or use_ops."


def _preferred(name: str, plugin: str) -> str:
    keyword = f"{name}={plugin!r}"
    if not name.isidentifier():  # as linalg.inv
        keyword = f"**{{{name!r}: {plugin!r}}}"
    return f"dezero_core.prefer({keyword})"


def _keep_one(new: Registrar, owner: str) -> str:
    """Return the advice to keep one of two plugins; switches know none registered by hand."""
    if new.is_by_hand:
        return f"dezero_core.unregister({owner!r}), and then register this one again."
    return (
        f"DEZERO_DISABLE_PLUGINS={new.plugin} or DEZERO_DISABLE_PLUGINS={owner}, or "
        f"dezero_core.unregister({owner!r}) and then register({new.plugin!r})."
    )
